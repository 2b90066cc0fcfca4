// Runs programs, and opens those that stay: own process group, no terminal, nothing on stdin but what was given, a mark in the
// environment by which what they start is found, and nothing left alive when a run settles.
// Rule: output goes to the callbacks chunk by chunk; nothing is kept here. A failure to start says what to do.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import {
  FileError,
  type HostExec,
  type OpenOptions,
  type ProcessEnd,
  type RunningProcess,
  type RunOptions,
  type RunOutcome,
} from '../host.js';
import { createOrphanWatch, type OrphanWatch, type WatchHolds } from './orphan-watch.js';
import { endRun, findAlive, isGroupPresent, RUN_MARK_VARIABLE, type RunIdentity, readProc } from './process-group.js';

export type Child = ChildProcessByStdio<null, Readable, Readable>;
/** Its stdin is a pipe. */
export type FedChild = ChildProcessByStdio<Writable, Readable, Readable>;
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };
type Program = Pick<RunOptions, 'command' | 'cwd' | 'env'>;

/** @throws FileError if it cannot be started */
export async function startProgram(options: Program, mark: string, stdin: 'ignore'): Promise<Child>;
export async function startProgram(options: Program, mark: string, stdin: 'pipe'): Promise<FedChild>;
export async function startProgram(
  options: Program,
  mark: string,
  stdin: 'ignore' | 'pipe',
): Promise<Child | FedChild> {
  const [program, ...rest] = options.command;
  if (!program)
    throw new FileError('EINVAL', '', 'No program was named; give its path as the first word of `command`.');
  const outer = options.env[RUN_MARK_VARIABLE];
  let child: Child | FedChild;
  try {
    child = spawn(program, rest, {
      cwd: options.cwd,
      env: { ...options.env, [RUN_MARK_VARIABLE]: outer ? `${outer},${mark}` : mark },
      stdio: [stdin, 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    }) as Child | FedChild;
  } catch (error) {
    throw startError(error, program, options.cwd);
  }
  const failure = new Promise<unknown>((resolve) => child.on('error', resolve));
  if (child.pid === undefined) throw startError(await failure, program, options.cwd);
  return child;
}

/** The system reports a missing working directory as a missing program; this tells them apart. */
function startError(cause: unknown, program: string, cwd: string): FileError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const systemCode = cause instanceof Error && 'code' in cause ? String(cause.code) : 'EINVAL';
  const code = systemCode.startsWith('ERR_') ? 'EINVAL' : systemCode;
  const cwdCode = directoryProblem(cwd);
  if (cwdCode !== null) {
    return new FileError(cwdCode, cwd, `Cannot start in ${cwd}: ${cwdCode}. Choose a folder that exists.`, { cause });
  }
  const advice = code === 'ENOENT' ? 'Is it installed and on the PATH?' : 'Check the program and its arguments.';
  return new FileError(code, program, `Cannot start ${program}: ${detail}. ${advice}`, { cause });
}

function directoryProblem(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'ENOTDIR';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'ENOENT';
  }
}

export function waitForExit(child: Child | FedChild): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** The promise's value, or null if it takes longer than `ms`. */
export async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

type Ending = RunOutcome['ended'];

/** From TERM to KILL. */
const TERM_GRACE_MS = 700;
/** The longest wait for such output. */
const PIPE_DRAIN_MS = 500;
/** How long a killed program may take to be reaped. */
const REAP_WAIT_MS = 300;
const MAX_TIMER_MS = 2_147_483_647;

/**
 * The processes of this machine.
 * Contract: as `HostExec.run`. Escaped processes are found by a variable in their environment, on Linux only;
 * elsewhere the process group is ended. A program's exit is what ends a run, not the closing of its pipes. What runs
 * when this process dies, however it dies, is ended too.
 * @param holds who may start further programs; with nobody the watch over them ends with the last that runs
 */
export function createNodeExec(holds: WatchHolds = { count: 0, onFree: () => undefined }): HostExec {
  const watch = createOrphanWatch(holds);
  return { run: (options) => runProgram(options, watch), open: (options) => openProgram(options, watch) };
}

async function runProgram(options: RunOptions, watch: OrphanWatch): Promise<RunOutcome> {
  if (options.signal.aborted) return { exitCode: null, signal: null, ended: 'aborted' };
  const mark = randomUUID();
  const expected = watch.expect(mark);
  const starting =
    options.input === undefined ? startProgram(options, mark, 'ignore') : startProgram(options, mark, 'pipe');
  const child = await starting.catch((error: unknown) => {
    expected.failed();
    throw error;
  });
  const { run, release } = expected.started(child.pid ?? 0);
  let isReleased = false;
  const endInputWatch = options.onWaiting === undefined ? null : watchInput(run, options.onWaiting);
  try {
    const outcome = await followRun(options, child, run, release);
    isReleased = outcome.rest !== undefined;
    return outcome;
  } finally {
    endInputWatch?.();
    if (!isReleased) release();
  }
}

async function followRun(
  options: RunOptions,
  child: Child | FedChild,
  run: RunIdentity,
  release: () => void,
): Promise<RunOutcome> {
  giveInput(child, options.input);
  const output = followOutput(child, options);
  const exited = waitForExit(child);
  const ended = await waitForEnding(exited, options);
  if (ended === 'released') {
    const rest = runningProgram({ child, run, output, exited, release });
    return { exitCode: null, signal: null, ended, rest };
  }
  if (ended === 'exited') return finishExited(run, await exited, output, options);
  await endRun(run, TERM_GRACE_MS);
  const exit = await withinTime(exited, REAP_WAIT_MS);
  await output.drain(PIPE_DRAIN_MS / 2);
  output.stop();
  return { exitCode: null, signal: exit?.signal ?? null, ended };
}

/** The program ended by itself: takes the rest of its output, then ends what it left behind. */
async function finishExited(
  run: RunIdentity,
  exit: Exit,
  output: OutputFollower,
  { signal, leavesNothing = false }: RunOptions,
): Promise<RunOutcome> {
  // A child such as `tee` may still be writing the program's last lines: it gets a moment before it is ended.
  await output.drain(PIPE_DRAIN_MS, signal);
  const leftovers = leavesNothing && !isGroupPresent(run.groupId) ? 0 : await endRun(run, TERM_GRACE_MS);
  await output.drain(PIPE_DRAIN_MS, signal);
  output.stop();
  const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal]);
  return { exitCode, signal: exit.signal, ended: 'exited', ...(leftovers > 0 && { leftovers }) };
}

/** A program need not read its input: what it leaves is dropped. */
function giveInput({ stdin }: Child | FedChild, input: string | undefined): void {
  stdin?.on('error', () => undefined);
  stdin?.end(input);
}

/** Whichever comes first: the program's own end, the timeout, or the abort. */
function waitForEnding(exited: Promise<Exit>, options: RunOptions): Promise<Ending> {
  return new Promise((resolve) => {
    const finish = (ending: Ending): void => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', abort);
      options.release?.removeEventListener('abort', release);
      resolve(ending);
    };
    const abort = (): void => finish('aborted');
    const release = (): void => finish('released');
    const timer =
      options.timeoutMs > 0
        ? setTimeout(() => finish('timed_out'), Math.min(options.timeoutMs, MAX_TIMER_MS))
        : undefined;
    options.signal.addEventListener('abort', abort, { once: true });
    options.release?.addEventListener('abort', release, { once: true });
    if (options.signal.aborted) abort();
    else if (options.release?.aborted === true) release();
    void exited.then(() => finish('exited'));
  });
}

// Notices a program that waits for somebody to type, if nobody can: a run has no terminal, so one that reads a terminal made
// it for itself. Linux only. One rule: it looks, and touches nothing.

/** The first look, and the time from each to the next: short commands are never looked at. */
const LOOK_MS = 2_000;
/** Functions of the kernel in which a process waits that reads a terminal. */
const READS_TERMINAL = /^(?:n_tty_read|wait_woken|tty_read|do_n_tty_read)/;

/** Contract: calls `onWaiting` at most once, after two looks saw the same process wait. @returns what ends it */
function watchInput(run: RunIdentity, onWaiting: (program: string) => void): () => void {
  if (process.platform !== 'linux') return () => undefined;
  let before = new Set<number>();
  let timer: NodeJS.Timeout | null = null;
  let hasEnded = false;
  const look = async (): Promise<void> => {
    const waiting = (await findAlive(run)).flatMap((pid) => readsTerminal(pid) ?? []);
    if (hasEnded) return;
    const still = waiting.find(({ pid }) => before.has(pid));
    if (still !== undefined) return onWaiting(still.name);
    before = new Set(waiting.map(({ pid }) => pid));
    next();
  };
  const next = (): void => {
    timer = setTimeout(() => void look(), LOOK_MS);
    timer.unref();
  };
  next();
  return () => {
    hasEnded = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Null if the process does something else, or that cannot be told. */
function readsTerminal(pid: number): { readonly pid: number; readonly name: string } | null {
  const stat = readProc(`/proc/${pid}/stat`)?.toString('latin1') ?? '';
  const nameEnd = stat.lastIndexOf(')');
  // After the name: state, parent, group, session, terminal, and the group in the foreground of that.
  const [state, , group, , terminal, foreground] = stat.slice(nameEnd + 2).split(' ');
  if (state !== 'S' || terminal === undefined || terminal === '0' || group !== foreground) return null;
  const channel = readProc(`/proc/${pid}/wchan`)?.toString('latin1') ?? '';
  return READS_TERMINAL.test(channel) ? { pid, name: stat.slice(stat.indexOf('(') + 1, nameEnd) } : null;
}

// Programs that stay, such as servers: their input is a pipe, their output is read as it comes. The same guarantees as a
// run: a group of its own, and nothing of it alive once it ended.

/** A program that is told that nothing more comes has this long to end by itself. */
const EOF_GRACE_MS = 250;
/** What it wrote last is read at most this long after it ended. */
const DRAIN_MS = 500;

/** As `HostExec.open`. */
async function openProgram(options: OpenOptions, watch: OrphanWatch): Promise<RunningProcess> {
  const mark = randomUUID();
  const expected = watch.expect(mark);
  const child = await startProgram(options, mark, 'pipe').catch((error: unknown) => {
    expected.failed();
    throw error;
  });
  const { run, release } = expected.started(child.pid ?? 0);
  const output = followOutput(child, options);
  if (options.onStdoutEnd !== undefined) child.stdout.once('close', options.onStdoutEnd);
  // A program that ended does not read what was still on its way.
  child.stdin.on('error', () => undefined);
  return runningProgram({ child, run, output, exited: waitForExit(child), release });
}

interface Running {
  /** Its stdin may be closed from the start. */
  readonly child: Child | FedChild;
  readonly run: RunIdentity;
  readonly output: OutputFollower;
  readonly exited: Promise<Exit>;
  /** Nobody need watch over it any more. */
  release(): void;
}

/** A program that was started, for whoever has it from now on. */
function runningProgram({ child, run, output, exited, release }: Running): RunningProcess {
  const ended = exited.then((exit) => finish(exit, run, output)).finally(release);
  return {
    write: (data) => writeTo(child, data),
    ended,
    endInput: () => void child.stdin?.end(),
    async stop({ inputMs = EOF_GRACE_MS, termMs = TERM_GRACE_MS } = {}) {
      child.stdin?.end();
      const atOnce = child.stdin === null ? null : await withinTime(exited, inputMs);
      if (atOnce === null) await endRun(run, termMs);
      const last = atOnce ?? (await withinTime(exited, REAP_WAIT_MS));
      if (last !== null) return ended;
      // The kernel holds it: nothing more can be done, and nobody waits for it.
      child.unref();
      output.stop();
      release();
      return { exitCode: null, signal: null };
    },
  };
}

async function finish(exit: Exit, run: RunIdentity, output: OutputFollower): Promise<ProcessEnd> {
  await output.drain(DRAIN_MS);
  const leftovers = await endRun(run, TERM_GRACE_MS);
  await output.drain(DRAIN_MS);
  output.stop();
  const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal]);
  return { exitCode, signal: exit.signal, ...(leftovers > 0 && { leftovers }) };
}

function writeTo({ stdin }: Child | FedChild, data: string): Promise<boolean> {
  if (stdin?.writable !== true) return Promise.resolve(false);
  return new Promise((resolve) => void stdin.write(data, (error) => resolve(error == null)));
}

// Reads the output of a program as it comes, waits for its rest once the program ended, and holds it back if its
// taker asks for that.

/** What a program left running may write this long after the last byte, before it is ended. */
const PIPE_IDLE_MS = 80;

type Taker = Pick<RunOptions, 'onStdout' | 'onStderr' | 'pause'>;

interface OutputFollower {
  /** Waits until both pipes ended, or fell silent, or `maxMs` passed, or `signal` aborts. */
  drain(maxMs: number, signal?: AbortSignal): Promise<void>;
  /** No callback is called after this. */
  stop(): void;
}

/** Hands the output of a program on, chunk by chunk, and reads no more than its taker keeps up with. */
function followOutput(child: Child | FedChild, options: Taker): OutputFollower {
  let chunks = 0;
  let paused = 0;
  const follow = (stream: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
    stream.on('data', (chunk: Buffer) => {
      chunks += 1;
      onChunk(chunk);
      const wait = options.pause?.() ?? null;
      if (wait === null) return;
      paused += 1;
      stream.pause();
      void wait.finally(() => {
        paused -= 1;
        stream.resume();
      });
    });
    // A read error ends the stream; `close` follows and the exit code tells the rest.
    stream.on('error', () => undefined);
    return new Promise((resolve) => stream.once('close', resolve));
  };
  let open = true;
  const closed = Promise.all([follow(child.stdout, options.onStdout), follow(child.stderr, options.onStderr)]).then(
    () => {
      open = false;
    },
  );
  return {
    async drain(maxMs, signal) {
      const deadline = performance.now() + maxMs;
      let seen = chunks;
      let idleSince = performance.now();
      while (open && !signal?.aborted && (performance.now() < deadline || paused > 0)) {
        await Promise.race([closed, nextPoll()]);
        if (chunks !== seen || paused > 0) {
          seen = chunks;
          idleSince = performance.now();
        } else if (performance.now() - idleSince >= PIPE_IDLE_MS) return;
      }
    },
    stop() {
      child.stdin?.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/** A short wait that ends after the event loop has read what was ready, however late the timer fired. */
function nextPoll(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(() => setImmediate(resolve)), 10));
}
