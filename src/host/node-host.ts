// The Host of this process: its disk, its programs, its clock, its environment, and which processes live. The only door to them. Rule:
// what cannot be seen of another process is unknown, never ended.
import { readFileSync, readlinkSync } from 'node:fs';
import { homedir, hostname, release, tmpdir } from 'node:os';
import { EngineError } from '../protocol/errors.js';
import { sha256Hex } from '../util/bytes.js';
import { DOORS } from './doors.js';
import { createNodeFs } from './files/index.js';
import type { Host, HostClock, HostExec, HostProcesses, ProcessIdentity, ProcessState } from './host.js';
import { monotonicMs } from './monotonic.js';
import { createUuidSource } from './random-ids.js';

/** The longest wait `setTimeout` takes, milliseconds; a longer one would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** Bytes that are hashed in less than half a millisecond. */
const HASHED_AT_ONCE = 256 * 1024;

/**
 * Creates the host of this process. `overrides` replaces whole parts, for example `{ fs }` or `{ clock }`.
 * `env` is the live `process.env`; `platform` is read once, here.
 * Contract: a waiting `clock.after` keeps the process alive, because a retry that waits must not end it. Whoever sets
 * a timer as a mere guard cancels it when its work is done; a session's scope cancels all of its timers.
 */
export function createNodeHost(overrides: Partial<Host> = {}): Host {
  return {
    fs: createNodeFs(),
    exec: lazyExec(),
    processes: createNodeProcesses(),
    clock: createNodeClock(),
    ids: { uuid: createUuidSource(), random: () => Math.random() },
    sha256: hashBytes,
    env: process.env,
    platform: {
      os: process.platform,
      release: release(),
      homedir: findHomedir(),
      tmpdir: tmpdir(),
      cwd: findCwd(),
      node: process.execPath,
    },
    ...overrides,
  };
}

/** A short content is hashed faster than a thread of the pool is woken to do it. The module is loaded by the first. */
async function hashBytes(bytes: Uint8Array): Promise<string> {
  if (bytes.length > HASHED_AT_ONCE) return sha256Hex(bytes);
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/** Most sessions start before they need a process, so what starts one is loaded with the first. */
function lazyExec(): HostExec {
  let loading: Promise<HostExec> | null = null;
  const holds = { count: 0, onFree: () => undefined };
  const load = () => {
    loading ??= DOORS.exec().then(({ createNodeExec }) => createNodeExec(holds));
    return loading;
  };
  return {
    run: async (options) => (await load()).run(options),
    open: async (options) => (await load()).open(options),
    hold() {
      let isHeld = true;
      holds.count += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds.count -= 1;
        if (holds.count === 0) holds.onFree();
      };
    },
  };
}

function createNodeClock(): HostClock {
  return {
    now: () => Date.now(),
    monotonic: monotonicMs,
    utcOffset: (at) => -new Date(at).getTimezoneOffset(),
    after(ms, callback) {
      let timer: NodeJS.Timeout;
      const wait = (left: number): void => {
        const step = Math.min(left, MAX_TIMEOUT_MS);
        timer = setTimeout(() => (left > step ? wait(left - step) : callback()), step);
      };
      wait(Math.max(0, ms));
      return () => clearTimeout(timer);
    },
  };
}

/** A user without an entry in the user database and without HOME has none; containers set `/` for those. */
function findHomedir(): string {
  try {
    return homedir();
  } catch {
    // os.homedir throws only for such a user.
    return '/';
  }
}

function findCwd(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new EngineError(
      'host_failed',
      'The working directory does not exist any more; start again from a folder that does.',
      { cause },
    );
  }
}

/** On Linux by /proc. Elsewhere a process is known by its number alone, so one that took over a number looks alive. */
function createNodeProcesses(): HostProcesses {
  let own: ProcessIdentity | null = null;
  const self = (): ProcessIdentity => {
    own ??= {
      pid: process.pid,
      started: startOf(process.pid) ?? '',
      boot: readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
      space: readLink('/proc/self/ns/pid') ?? '',
      machine: hostname(),
    };
    return own;
  };
  return { self: async () => self(), stateOf: async (other) => stateSeenFrom(self(), other) };
}

function stateSeenFrom(here: ProcessIdentity, other: ProcessIdentity): ProcessState {
  if (!Number.isSafeInteger(other.pid) || other.pid <= 0) return 'ended';
  const isSameMachine = other.machine === here.machine;
  // The machine was started again since: nothing of before lives.
  if (other.boot !== here.boot) return isSameMachine && other.boot !== '' && here.boot !== '' ? 'ended' : 'unknown';
  if (here.boot === '' && !isSameMachine) return 'unknown';
  if (other.space !== here.space) return 'unknown';
  if (!isPresent(other.pid)) return 'ended';
  const started = startOf(other.pid);
  return started === null || other.started === '' || started === other.started ? 'alive' : 'ended';
}

function isPresent(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to another user.
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

/** Clock ticks from boot to the start of the process; empty for one that ended and was not waited for. */
function startOf(pid: number): string | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name in parentheses may hold anything, so fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? '' : (fields[19] ?? '');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null; // no /proc, or the process is gone: both mean that it is not known
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // no /proc: there is one space of process numbers
  }
}
