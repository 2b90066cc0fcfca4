// The contract of a sandbox for commands: what a tool that starts programs sees of it.

/** Something that a command wanted and did not get. */
export interface SandboxViolation {
  readonly kind: 'file' | 'network' | 'socket';
  /** A path, or `host:port`; '' if the command did not say. */
  readonly target: string;
  /** For people and the model: what was refused. */
  readonly message: string;
}

/** A command as it runs inside. */
export interface WrappedCommand {
  readonly command: readonly string[];
  /** The whole environment of the process that `command` starts. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * To be called once, whatever way the command ended.
   * Contract: takes away what stood ready for this command alone; gives what was refused, without what the settings
   * ignore; never throws.
   * @param printed what the command printed, or its end
   */
  ended(printed: string): Promise<readonly SandboxViolation[]>;
  /**
   * For a program that stays, such as a server, after each thing it did: takes back what could not be held back, as
   * `ended` does, and tells it. Absent if there is nothing of that kind. Never throws.
   */
  inspect?(): Promise<readonly SandboxViolation[]>;
}

/** What `system/init` says of the sandbox. */
export interface SandboxStatus {
  readonly available: boolean;
  readonly mechanism: 'bubblewrap' | 'seatbelt' | null;
  /** Why it is not available, and what to do; null if it is. */
  readonly reason: string | null;
}

export interface CommandSandbox {
  readonly status: SandboxStatus;
  /** True if a call may ask to run outside, which is then asked for on its own. */
  readonly allowsUnsandboxed: boolean;
  /**
   * Contract: the returned command does nothing outside the policy.
   * @throws ToolError if it cannot be confined: then nothing may run
   */
  wrap(command: readonly string[], place: CommandPlace): Promise<WrappedCommand>;
  /**
   * What is kept below `from` is kept at the same places below `to` as well, for commands that start from now on, such as
   * in a worktree of it. Absolute. Absent: it cannot be.
   */
  alsoBelow?(from: string, to: string): void;
  /** Ends what works for the sandbox and removes its files. Contract: may be called twice. */
  close(): Promise<void>;
}

export interface CommandPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** True for a program that stays as long as the session, such as a server of tools. */
  readonly isLasting?: true;
}
