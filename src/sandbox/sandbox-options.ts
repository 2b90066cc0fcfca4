// What the sandbox of a session is opened with, on every machine.
import type { Host } from '../host/host.js';
import type { SandboxViolation } from './command-sandbox.js';
import type { SandboxPolicy } from './policy.js';

/** Contract: neither throws for what stands on the disk. */
export interface GitFacts {
  /** Further paths that no command may change or make, absolute. */
  guardedPaths(): Promise<readonly string[]>;
  /** What git would start of repositories that the workspace records, for people; null if it is nothing. */
  foreignPrograms(): Promise<string | null>;
}

export interface SandboxOptions {
  readonly policy: SandboxPolicy;
  /** Workspace folders as they are now, asked before each command. Default: those of the policy. */
  roots?(): readonly string[];
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The engine's own folder, which no command may change. */
  readonly engineFolder: string;
  /** What git's configuration says as it stands, asked before and after each command. Default: nothing is asked. */
  gitFacts?(): Promise<GitFacts>;
  /**
   * Names of files and folders at the top of a writable folder that no command may change or make, as the file tools
   * have them: what was missing and is there afterwards is moved aside. Default: none beside our own.
   */
  readonly protectedNames?: readonly string[];
  /** Told of each refusal that is not ignored. Contract: must not throw. */
  readonly onViolation: (violation: SandboxViolation) => void;
}
