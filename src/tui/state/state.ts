// What the terminal knows of its session, as reducers keep it. What is finished is not in here: it is in the scrollback.
import type { PermissionMode } from '../../protocol/permissions.js';

export interface State {
  /** The prompt that runs; null while the session waits for one. */
  readonly run: Run | null;
  /** Prompts that were sent and are not yet looked at, the oldest first. */
  readonly queue: readonly QueuedPrompt[];
  readonly todos: readonly Todo[];
  /** Subagents and commands that work, in the foreground and in the background. */
  readonly tasks: readonly Task[];
  /** Calls without a result, in their order. */
  readonly calls: readonly OpenCall[];
  readonly session: SessionFacts;
  /** False while the window has no focus; true if terminals do not say. */
  readonly focused: boolean;
}

export interface Run {
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** What it does now, such as `Thinking`, `Writing`, `Compacting`. */
  readonly doing: string;
  /** An interrupt was asked for. */
  readonly stopping: boolean;
  /** Of the request that streams; an estimate. */
  readonly outputTokens: number;
}

export interface QueuedPrompt {
  readonly uuid: string;
  readonly text: string;
  readonly priority: 'next' | 'later';
}

export interface Todo {
  /** Of a list that is changed item by item. */
  readonly id?: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string;
}

export interface Task {
  readonly id: string;
  /** `local_agent`, `local_bash` … */
  readonly type: string;
  readonly description: string;
  readonly agent: string | null;
  readonly toolUseId: string | null;
  readonly background: boolean;
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** What it did last, as far as it is told. */
  readonly lastTool: string | null;
}

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The call of the subagent that makes it; null for the session's own agent. */
  readonly parent: string | null;
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** The end of what it printed: at most 5 lines, unescaped. */
  readonly output: readonly string[];
  /** How far it is, as its tool says. */
  readonly progress: string | null;
}

export interface SessionFacts {
  readonly id: string | null;
  readonly cwd: string;
  /** As it is named; null before the first prompt. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly mode: PermissionMode;
  readonly branch: string | null;
  /** Of the model's window, 0 to 1; null if it is not known. */
  readonly contextUsed: number | null;
  readonly costUsd: number;
  readonly costUnknown: boolean;
  readonly title: string | null;
}
