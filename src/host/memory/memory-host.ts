// A whole machine in memory: files, clock, ids and scripted programs. Two hosts made alike behave alike, and no part
// needs Node.
import { sha256Hex } from '../../util/bytes.js';
import {
  fileFailure,
  type Host,
  type HostClock,
  type HostExec,
  type HostIds,
  type HostProcesses,
  type OpenOptions,
  type ProcessIdentity,
  type RunningProcess,
  type RunOptions,
  type RunOutcome,
} from '../host.js';
import { createMemoryFs, type MemoryFs, type MemoryOperation, type OperationHook } from './memory-fs.js';

export interface MemoryHostOptions {
  /** Content by absolute path; folders are created. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** First value of the clock, milliseconds since the epoch. Default 2025-01-01. */
  readonly now?: number;
  /** Default `/project`. Created. */
  readonly cwd?: string;
  /** Default `/home/user`. Created. */
  readonly homedir?: string;
  /** What this process is called, if a test has several. Default pid 1. */
  readonly process?: Partial<ProcessIdentity>;
  /** Pids of other processes of this machine that are alive. Default: any is, until it is taken out. */
  readonly alive?: ReadonlySet<number>;
  /** Seed of `ids.random`. Default 1. */
  readonly seed?: number;
  /** Answers a program call; undefined if there is no such program. */
  readonly commands?: (options: RunOptions) => Promise<RunOutcome> | undefined;
  /** As `commands`, of programs that stay. */
  readonly programs?: (options: OpenOptions) => RunningProcess | undefined;
  /** Sees every operation before it takes effect, and may throw a FileError in its place. */
  readonly onOperation?: OperationHook;
}

export interface MemoryHost extends Host {
  readonly fs: MemoryFs;
  readonly clock: MemoryClock;
  /** As `clock.advance`. */
  advance(ms: number): Promise<void>;
  /** As `fs.addSymlink`. */
  symlink(path: string, target: string): void;
  /** As `fs.files`. */
  files(): Record<string, string>;
  /** Makes the next call of `operation` reject with a FileError of this code. Several calls queue up. */
  failNext(operation: MemoryOperation, code: string): void;
}

const DEFAULT_NOW = Date.UTC(2025, 0, 1);
const TMPDIR = '/tmp';

/** Creates a machine in memory. Nothing of it moves by itself: time goes on only by `advance`. */
export function createMemoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const clock = createMemoryClock(options.now ?? DEFAULT_NOW);
  const failures: { readonly operation: MemoryOperation; readonly code: string }[] = [];
  const before: OperationHook = (operation, path) => {
    options.onOperation?.(operation, path);
    const index = failures.findIndex((failure) => failure.operation === operation);
    const failure = failures[index];
    if (failure === undefined) return;
    failures.splice(index, 1);
    throw fileFailure(failure.code, path, operation);
  };
  const platform = {
    os: 'linux',
    release: '0.0.0-memory',
    homedir: options.homedir ?? '/home/user',
    tmpdir: TMPDIR,
    cwd: options.cwd ?? '/project',
  };
  const fs = createMemoryFs(clock.now, before);
  for (const folder of [platform.cwd, platform.homedir, TMPDIR]) fs.addDirectory(folder);
  for (const [path, content] of Object.entries(options.files ?? {})) fs.addFile(path, content);
  return {
    fs,
    exec: createScriptedExec(options, before),
    processes: createNamedProcesses(options),
    clock,
    ids: createCountedIds(options.seed ?? 1),
    sha256: sha256Hex,
    env: options.env ?? {},
    platform,
    advance: clock.advance,
    symlink: fs.addSymlink,
    files: fs.files,
    failNext: (operation, code) => void failures.push({ operation, code }),
  };
}

function createScriptedExec({ commands, programs }: MemoryHostOptions, before: OperationHook): HostExec {
  return {
    async open(options) {
      const program = options.command[0] ?? '';
      before('run', program);
      const opened = programs?.(options);
      if (opened === undefined) throw fileFailure('ENOENT', program, 'start');
      return opened;
    },
    async run(options) {
      const program = options.command[0] ?? '';
      before('run', program);
      if (options.signal.aborted) return { exitCode: null, signal: null, ended: 'aborted' };
      const outcome = commands?.(options);
      if (outcome === undefined) throw fileFailure('ENOENT', program, 'start');
      return outcome;
    },
  };
}

function createNamedProcesses({ process, alive }: MemoryHostOptions): HostProcesses {
  const own: ProcessIdentity = { pid: 1, started: '1', boot: 'memory', space: '', machine: 'memory', ...process };
  return {
    self: async () => own,
    async stateOf(other) {
      if (other.machine !== own.machine || other.space !== own.space) return 'unknown';
      if (other.boot !== own.boot) return 'ended';
      if (other.pid === own.pid) return other.started === own.started ? 'alive' : 'ended';
      return alive === undefined || alive.has(other.pid) ? 'alive' : 'ended';
    },
  };
}

/** UUIDs that count up from 1, in the form of version 4; random numbers of a mulberry32 generator. */
function createCountedIds(seed: number): HostIds {
  let counter = 0;
  let state = seed >>> 0;
  return {
    uuid() {
      counter += 1;
      // Ids of a fork are sums of others: numbers in a row would come out the same twice.
      const spread = (Math.imul(counter, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
      return `${spread}-0000-4000-8000-${counter.toString(16).padStart(12, '0')}`;
    },
    random() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

// A clock that stands still until it is told to go. Timers run in the order they are due.

interface MemoryClock extends HostClock {
  /**
   * Moves the time on by `ms`, running each due timer at its own time and letting promise callbacks run after each.
   * A timer set meanwhile runs too if it is due.
   */
  advance(ms: number): Promise<void>;
  /** Number of timers that wait. */
  pending(): number;
}

/** @param start first value of `now()`, milliseconds since the epoch; `monotonic()` starts at 0. */
export function createMemoryClock(start: number): MemoryClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let elapsed = 0;
  let lastTimer = 0;

  const takeDue = (until: number): (() => void) | undefined => {
    let first: { id: number; at: number } | undefined;
    for (const [id, { at }] of timers) {
      if (at <= until && (first === undefined || at < first.at)) first = { id, at };
    }
    if (first === undefined) return undefined;
    const callback = timers.get(first.id)?.callback;
    timers.delete(first.id);
    elapsed = Math.max(elapsed, first.at);
    return callback;
  };

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const id = ++lastTimer;
      timers.set(id, { at: elapsed + Math.max(0, ms), callback });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let callback = takeDue(until); callback !== undefined; callback = takeDue(until)) {
        callback();
        await settle();
      }
      elapsed = until;
    },
    pending: () => timers.size,
  };
}

/** A macrotask: every promise callback that can run has run when this resolves. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
