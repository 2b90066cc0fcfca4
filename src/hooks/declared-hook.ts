// A hook as it is run, whether it was given as code or as a command of settings.
import type { HookEvent, HookInput } from '../protocol/hooks.js';
import type { SharedSignal } from '../util/abort.js';
import type { AppliesTo } from './matcher.js';

/** What a process printed, as far as it is told. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if it never ended by itself. */
  readonly exitCode: number | null;
}

/** Told what a process prints, as it comes. Contract: cheap, never throws. */
export type OnPrinted = (stream: 'stdout' | 'stderr', text: string) => void;

/** What a hook gave back. */
export interface HookAnswer {
  /** Foreign data; undefined: nothing. */
  readonly output: unknown;
  /** Why it failed all the same. */
  readonly error?: string;
  /** Of a command. */
  readonly printed?: Printed;
  /** There: it goes on by itself, and this is what it says in the end. */
  readonly later?: LaterAnswer;
}

/** What a hook says that went on by itself. */
export interface LaterAnswer {
  /** Never rejects; comes soon after `stop`. */
  readonly answer: Promise<HookAnswer>;
  /** Milliseconds; null: as long as the hook may take. */
  readonly timeoutMs: number | null;
  stop(): void;
}

export interface DeclaredHook {
  /** Where it was declared: `PreToolUse[0].hooks[1] (auditCall)`, `PreToolUse[0].hooks[1] (.claude/settings.json)`. */
  readonly label: string;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block';
  /** A throw is a failure. */
  call(
    input: HookInput,
    toolUseId: string | undefined,
    signal: AbortSignal,
    onPrinted?: OnPrinted,
  ): Promise<HookAnswer>;
  /** Of several hooks with one `same` that match a firing, the first runs. Absent: it always does. */
  readonly same?: string;
  /** True once it is not to run again. Absent: it always is. */
  isSpent?(): boolean;
  /** Told as it starts. */
  readonly statusMessage?: string | undefined;
  /** True: after an abort it is waited for until it has ended, which it does soon. */
  readonly endsItself?: boolean;
  /** There: nobody waits for it, and its answer changes nothing that was. It ends when this is aborted. */
  readonly aside?: Pick<SharedSignal, 'use'>;
  /** How long it may go on if nobody waits for it. Default `timeoutMs`. */
  readonly asideTimeoutMs?: number | undefined;
}

/** The hooks of one matcher. */
export interface HookGroup {
  readonly applies: AppliesTo;
  readonly hooks: readonly DeclaredHook[];
}

/** Groups by event, in the order their answers are merged; only events with at least one hook. */
export type DeclaredHooks = ReadonlyMap<HookEvent, readonly HookGroup[]>;
