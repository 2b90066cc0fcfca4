// Finds and ends every process of one run: its process group, and what left the group but still carries the run's
// mark in its environment. Rule: never signals a process that shows neither of the two.
import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The environment variable that marks what a run started. Nested runs append their id after a comma. */
export const RUN_MARK_VARIABLE = 'TURNWRIGHT_RUN_ID';

/** One run, as its processes can be recognised. */
export interface RunIdentity {
  /** Process group id: the pid of the program. */
  readonly groupId: number;
  /** A random id that stands in the environment of every process of the run. */
  readonly mark: string;
  /** A moment before its program started, if the entries of /proc tell which processes are older. */
  readonly begun?: Moment | undefined;
}

/** By the clock that entries of /proc are dated by, and by one that nobody sets. */
export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

const POLL_MS = 15;
/**
 * How often killed processes are looked at until they disappear, which takes 400 ms. More means the kernel holds them; nothing
 * more can be done. Counted, as a machine that stands still would use up any time before they were killed at all.
 */
const KILL_LOOKS = 27;
/** Scanning /proc gives way to the event loop after this long. */
const SCAN_SLICE_MS = 4;
/** How often a scan looks again at processes that are just becoming a program, a millisecond apart. It takes them well under one. */
const BECOMING_LOOKS = 100;
/** Where the fields begin that say from where to where an environment lies in memory, behind the name. */
const ENVIRONMENT_FIELDS = 47;
const MAX_ENVIRONMENT_BYTES = 4 * 1024 * 1024;
/** The clock of the entries of /proc may be a tick behind ours; a clock that was set is off by more. */
const CLOCK_SLACK_MS = 100;

export function thisMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/**
 * The entry of a process in /proc is dated when somebody first looks at it. One that is older than the run belongs to a
 * process that is older, so neither its environment nor its group need be read: that is nearly every process of a machine.
 * @param pid  a program that was started after `moment`, and has not been waited for
 * @returns the moment, or undefined if entries are dated otherwise here
 */
export function ifEntriesTell(moment: Moment, pid: number): Moment | undefined {
  return entryDateMs(pid) >= moment.wallMs - CLOCK_SLACK_MS ? moment : undefined;
}

/** Entries that are dated before it are older than the run. Nothing is, if the clock was set meanwhile. */
function oldestDateMs({ begun }: RunIdentity): number {
  if (begun === undefined) return Number.NEGATIVE_INFINITY;
  const now = thisMoment();
  const setByMs = now.wallMs - begun.wallMs - (now.steadyMs - begun.steadyMs);
  return Math.abs(setByMs) > CLOCK_SLACK_MS / 2 ? Number.NEGATIVE_INFINITY : begun.wallMs - CLOCK_SLACK_MS;
}

/** Not a number if there is no such process any more. */
function entryDateMs(pid: number): number {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
  } catch {
    // It may not be looked at: no date is older than a run, so what follows decides.
    return Number.NaN;
  }
}

/**
 * Ends every living process of a run: TERM, then KILL for what is left after `graceMs`.
 * Contract: settles at most `graceMs` + 0.5 s later. Zombies count as dead. Without /proc only the group is ended.
 * @returns how many processes were found alive (1 for a whole group if they cannot be counted)
 */
export async function endRun(run: RunIdentity, graceMs: number): Promise<number> {
  let alive = await findAlive(run);
  const found = new Set(alive);
  if (found.size === 0) return 0;
  signalAll(run, alive, 'SIGTERM');
  const termDeadline = performance.now() + graceMs;
  for (let looks = 0; looks < KILL_LOOKS; ) {
    await delay(POLL_MS);
    const isOver = performance.now() >= termDeadline;
    if (isOver) looks += 1;
    if (alive.some((pid) => isAlive(pid, run))) {
      if (isOver) signalAll(run, alive, 'SIGKILL');
      continue;
    }
    // What was known is gone; a process started meanwhile is only seen by looking again.
    alive = await findAlive(run);
    if (alive.length === 0) break;
    for (const pid of alive) found.add(pid);
    signalAll(run, alive, isOver ? 'SIGKILL' : 'SIGTERM');
  }
  return found.size;
}

/** Pids of the run's living processes. The group id stands for the whole group if there is no /proc. */
export async function findAlive(run: RunIdentity): Promise<number[]> {
  const hasGroup = isGroupPresent(run.groupId);
  const pids = listPids();
  if (pids === null) return hasGroup ? [run.groupId] : [];
  const mark = Buffer.from(run.mark);
  const oldestMs = oldestDateMs(run);
  const found: number[] = [];
  let sliceEnd = performance.now() + SCAN_SLICE_MS;
  let unknown: number[] = [];
  for (const pid of pids) {
    if (pid === process.pid || entryDateMs(pid) < oldestMs) continue;
    const belongs = (hasGroup && isInGroup(pid, run.groupId)) || showsMark(pid, mark);
    if (belongs === 'unknown') unknown.push(pid);
    else if (belongs && isRunning(readState(pid))) found.push(pid);
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceEnd = performance.now() + SCAN_SLICE_MS;
  }
  for (let times = 0; unknown.length > 0 && times < BECOMING_LOOKS; times++) {
    await delay(1);
    const looks = unknown.map((pid) => ({ pid, belongs: showsMark(pid, mark) }));
    for (const { pid, belongs } of looks) if (belongs === true && isRunning(readState(pid))) found.push(pid);
    unknown = looks.filter(({ pid, belongs }) => belongs === 'unknown' && !wasGivenNone(pid)).map(({ pid }) => pid);
  }
  return found;
}

function isAlive(pid: number, run: RunIdentity): boolean {
  const state = readState(pid);
  if (state !== null) return isRunning(state);
  // No entry in /proc: gone, or a system without /proc, on which the group answers for itself.
  return pid === run.groupId && listPids() === null && isGroupPresent(pid);
}

function signalAll(run: RunIdentity, pids: readonly number[], signal: NodeJS.Signals): void {
  const targets = [-run.groupId, ...pids.filter((pid) => pid !== run.groupId)];
  for (const target of targets) {
    // A stopped process acts on TERM only once it goes on.
    if (sendSignal(target, signal) && signal === 'SIGTERM') sendSignal(target, 'SIGCONT');
  }
}

function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // ESRCH: already gone. EPERM: it runs as another user, or (macOS) only zombies are left. Both: nothing to signal.
    return false;
  }
}

/** True while the group has members, zombies included. */
export function isGroupPresent(groupId: number): boolean {
  return sendSignal(-groupId, 0);
}

function listPids(): number[] | null {
  if (process.platform !== 'linux') return null;
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.length === 0 ? null : pids;
  } catch {
    // /proc is not mounted; the caller falls back to the group.
    return null;
  }
}

/**
 * If the environment of a process holds the mark. Unknown for the moment that it takes `execve` to put a program in the
 * place of another: it has no environment then. A thread of the kernel has none either, and no program.
 */
function showsMark(pid: number, mark: Buffer): boolean | 'unknown' {
  const environment = readProc(`/proc/${pid}/environ`);
  if (environment === null) return false;
  if (environment.length > 0) return environment.includes(mark);
  try {
    readlinkSync(`/proc/${pid}/exe`);
    return 'unknown';
  } catch {
    // A thread of the kernel, or it ended, waited for or not.
    return false;
  }
}

/**
 * If a program was started without any environment: it begins where it ends. Both are one look, and nothing while a program is
 * put in the place of another; what is asked one after the other may be of two programs.
 */
function wasGivenNone(pid: number): boolean {
  const [begin = '0', end = '0'] = statFields(pid)?.slice(ENVIRONMENT_FIELDS) ?? [];
  return begin !== '0' && begin === end;
}

/** State letter and group of a process; null when it is gone. */
function readState(pid: number): { letter: string; groupId: number } | null {
  const fields = statFields(pid);
  return fields === null ? null : { letter: fields[0] ?? 'X', groupId: Number(fields[2]) };
}

/** What `/proc` says of a process behind its name; null when it is gone. */
function statFields(pid: number): readonly string[] | null {
  const text = readProc(`/proc/${pid}/stat`)?.toString('latin1');
  if (!text) return null;
  // The name in parentheses may hold anything, so fields are counted after the last one.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function isRunning(state: { letter: string } | null): boolean {
  return state !== null && state.letter !== 'Z' && state.letter !== 'X';
}

function isInGroup(pid: number, groupId: number): boolean {
  return readState(pid)?.groupId === groupId;
}

/** Reads a small file of /proc; null if the process ended or is not ours. Its size is not known beforehand, so it is read until it ends. */
export function readProc(path: string): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    // The process ended, or belongs to another user: neither is ours.
    return null;
  }
  try {
    let buffer = Buffer.allocUnsafe(16 * 1024);
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += count;
      if (count === 0 || buffer.length >= MAX_ENVIRONMENT_BYTES) return buffer.subarray(0, length);
      if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 4);
    }
  } catch {
    // ESRCH or EACCES while reading: the process ended, or its memory may not be read.
    return null;
  } finally {
    closeSync(descriptor);
  }
}
