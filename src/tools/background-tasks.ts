// The contract of background tasks: programs of the session that run while the conversation goes on. Who owns one, and
// who hears of its end, is the session's concern; a tool starts, reads and stops them through this.

export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

/** A task as it stands. */
export interface TaskFacts {
  readonly id: string;
  readonly kind: 'command' | 'agent';
  /** What it does, in a few words, on one line. */
  readonly description: string;
  readonly status: TaskStatus;
  /** 128 + n after signal n. Null while it runs, and if it did not end by itself. */
  readonly exitCode: number | null;
  /** Why it did not end by itself, a sentence; null if it did, and while it runs. */
  readonly reason: string | null;
  /** What else there is to say of its end, each a sentence: what it was refused, what was lost of its output. */
  readonly notes: readonly string[];
  /** What an agent said at its end, also if it did not finish; null for a command, and while it works. */
  readonly report: string | null;
  /** Milliseconds since it started, or from its start to its end. */
  readonly runsMs: number;
  /** Absolute path of the file with all its output; null if none is kept. */
  readonly outputFile: string | null;
}

export interface TaskRequest {
  readonly toolUseId: string;
  /** Absent: a command. */
  readonly agent?: {
    readonly id: string;
    readonly type: string;
    readonly prompt?: string;
    readonly runId: string;
  };
  /** True if its call waited for it first. */
  readonly isMoved?: boolean;
  readonly description: string;
  /** Milliseconds after which it is stopped. Absent: it runs until it ends, is stopped, or the session ends. */
  readonly timeoutMs?: number | undefined;
}

/**
 * One run of a task: of one task they sort as texts in the order in which its runs began.
 * @param known messages that an agent begins with: two of its runs may fall into one millisecond
 */
export function runIdOf(taskId: string, { now }: { now(): number }, known = 0): string {
  return `${String(now()).padStart(14, '0')}-${String(known).padStart(6, '0')}-${taskId}`;
}

/** How its program ended. */
export interface TaskExit {
  /** Of an agent: 0 if it finished. */
  readonly exitCode: number | null;
  /** What an agent said at its end. */
  readonly report?: string;
  readonly notes: readonly string[];
}

/** The program of a task. */
export interface TaskProgram {
  readonly outputFile: string | null;
  /** Settles once nothing of it is alive and all its output was taken. Never rejects. */
  readonly ended: Promise<TaskExit>;
  /** Contract: `ended` settles soon after. May be called again; never rejects. */
  stop(): Promise<void>;
  /** To its stdin. False if it takes no more. Never rejects. */
  write(text: string): Promise<boolean>;
  /** What it printed since this was called last, cut in the middle if that is long. */
  takeOutput(): string;
  /** The line without an end that it waits behind, which `takeOutput` does not give yet; empty if there is none. */
  question?(): string;
  /** What it was refused since it was looked at last, each a sentence. Never rejects. */
  inspect(): Promise<readonly string[]>;
}

/** What a program is started with. */
export interface TaskPlace {
  readonly id: string;
  /** Aborted when the task is to end. */
  readonly signal: AbortSignal;
}

/** The tasks that an agent may see: its own, and those of agents that worked for it. */
export interface BackgroundTasks {
  /**
   * Contract: what `launch` throws comes out, and then there is no task.
   * @throws ToolError if no more tasks may run
   */
  start(request: TaskRequest, launch: (place: TaskPlace) => Promise<TaskProgram>): Promise<TaskFacts>;
  /** @throws ToolError if there is no such task */
  find(id: string): Promise<TaskFacts>;
  /** Resolves once the task ended, `ms` have passed, or `signal` aborts. @throws ToolError as `find` */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
  /**
   * The task as it stands, and what it printed since the last call. An end that is read here is not told once more.
   * @throws ToolError as `find`
   */
  read(id: string): Promise<TaskFacts & { readonly output: string }>;
  /** False if it does not take it. @throws ToolError as `find` */
  write(id: string, text: string): Promise<boolean>;
  /** Nothing of it is alive when this resolves. An end that is told here is not told once more. @throws ToolError as `find` */
  stop(id: string, reason?: string): Promise<TaskFacts>;
}
