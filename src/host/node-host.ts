// The Host of this process: its disk, its programs, its clock, its environment. The only door to them.
import { homedir, release, tmpdir } from 'node:os';
import { EngineError } from '../protocol/errors.js';
import { sha256Hex } from '../util/bytes.js';
import { DOORS } from './doors.js';
import { createNodeFs } from './files/index.js';
import type { Host, HostClock, HostExec } from './host.js';
import { monotonicMs } from './monotonic.js';
import { createNodeProcesses } from './processes/index.js';
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
