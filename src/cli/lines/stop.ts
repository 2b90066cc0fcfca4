// What Ctrl-C, SIGTERM, SIGHUP and a vanished reader do to a run: first the orderly end, then a deadline.
import type { Query } from '../../sdk/query-controls.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_BROKEN_PIPE, EXIT_INTERRUPTED } from '../exit-codes.js';

/** Longest an orderly end may take after a second Ctrl-C, milliseconds. */
const LEAVE_MS = 2_500;
/** Longest after SIGTERM or SIGHUP; supervisors expect an end within 5 s. */
const TERMINATE_MS = 4_500;

export interface Stop {
  /** Ctrl-C now interrupts this session's running prompt. Without a session, or idle, it leaves at once. */
  attach(session: Pick<Query, 'interrupt'>): void;
  /**
   * A prompt begins or has ended, after which none begins if a signal said so. The first Ctrl-C within a prompt
   * interrupts it, the second leaves.
   */
  setRunning(running: boolean): void;
  /** Aborted when no further prompt may begin. */
  readonly leaving: AbortSignal;
  /** The exit code a signal asked for; beats the result's. */
  readonly code: number | undefined;
  /** Takes the signals off. Call it at the end. */
  dispose(): void;
}

export interface StopOptions {
  /** Tells the person what the signal did. */
  readonly say: (line: string) => void;
  /** What a first Ctrl-C does while nothing runs. Default: leave. */
  readonly whenIdle?: () => void;
}

/** Contract: at most one per process at a time. */
export function createStop(io: CliIo, { say, whenIdle }: StopOptions): Stop {
  const leaving = new AbortController();
  let session: Pick<Query, 'interrupt'> | undefined;
  let running = false;
  let presses = 0;
  let code: number | undefined;

  function leave(exitCode: number, withinMs: number): void {
    code ??= exitCode;
    leaving.abort();
    setTimeout(() => io.exit(code ?? exitCode), withinMs).unref();
  }

  function leaveNow(): void {
    leave(EXIT_INTERRUPTED, LEAVE_MS);
    io.lifetime.abort();
    if (session === undefined) io.exit(EXIT_INTERRUPTED);
  }

  function interrupt(): void {
    // A terminal has just shown "^C" at the cursor.
    say(`${io.stderr.isTTY === true ? '\n' : ''}interrupting (Ctrl-C again leaves)`);
    // A prompt that ended in the meantime has nothing to interrupt; its own result tells the story.
    session?.interrupt().catch(() => undefined);
  }

  const onInterrupt = (): void => {
    presses += 1;
    if (presses > 2) io.exit(EXIT_INTERRUPTED);
    else if (presses === 2 || (!running && whenIdle === undefined)) leaveNow();
    else if (running) interrupt();
    else whenIdle?.();
  };
  const terminate = (exitCode: number) => (): void => {
    leave(exitCode, TERMINATE_MS);
    if (session === undefined) io.exit(exitCode);
    else if (running) interrupt();
    // It may wait for a background task, and nothing else would end that in time.
    else io.lifetime.abort();
  };
  const signals: readonly (readonly [NodeJS.Signals, () => void])[] = [
    ['SIGINT', onInterrupt],
    ['SIGTERM', terminate(143)],
    ['SIGHUP', terminate(129)],
  ];
  for (const [name, listener] of signals) process.on(name, listener);
  // Work whose answer nobody reads is not paid for.
  io.out.onClosed(() => {
    if (!running) return;
    leave(EXIT_BROKEN_PIPE, LEAVE_MS);
    io.lifetime.abort();
  });

  return {
    attach(attached) {
      session = attached;
    },
    setRunning(now) {
      running = now;
      presses = 0;
      if (!now && leaving.signal.aborted) io.lifetime.abort();
    },
    leaving: leaving.signal,
    get code() {
      return code;
    },
    dispose() {
      for (const [name, listener] of signals) process.off(name, listener);
    },
  };
}
