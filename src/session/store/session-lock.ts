// One writer a session: a file beside the transcript that names the process which writes. A writer that died is
// replaced; of several that want to replace it, one does.
import { type Host, isFileError, type ProcessIdentity } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { parseRecord } from '../../util/json.js';

export interface SessionLock {
  /** False if another took the session meanwhile. @throws FileError */
  isHeld(): Promise<boolean>;
  /** Nothing happens if it is not held any more. @throws FileError */
  release(): Promise<void>;
}

/** Who writes a session. */
export interface SessionOwner extends ProcessIdentity {
  /** Tells two writers of one process apart, and one that took over from the one before. */
  readonly nonce: string;
  /** When it began, ISO 8601. */
  readonly since: string;
}

/** A writer that cannot be seen from here counts as gone when nothing was written for so long. */
const QUIET_MS = 10 * 60_000;
/** A lock that cannot be read is being made, on a disk without hard links, or was cut by a crash. */
const UNREADABLE_MS = 10_000;
/** Tries to take what is released and taken by others meanwhile. */
const MAX_TRIES = 100;
/** Writers that died while they replaced one that died. More than this, and somebody has to look. */
const MAX_CLAIMS = 8;

/**
 * Takes the session for this writer.
 * @param transcript path of the session's transcript, which need not exist
 * @throws SessionError `session_in_use` if another writer lives; FileError
 */
export function takeSessionLock(host: Host, transcript: string): Promise<SessionLock> {
  return takeLock(host, { lock: lockPath(transcript), watched: transcript });
}

/** What is locked. */
export interface LockPlace {
  /** The file that names the owner. */
  readonly lock: string;
  /** The file that the owner writes; it need not exist. */
  readonly watched: string;
}

/** As `takeSessionLock`, for any file. */
export async function takeLock(host: Host, place: LockPlace): Promise<SessionLock> {
  const { lock } = place;
  const self: SessionOwner = {
    ...(await host.processes.self()),
    nonce: host.ids.uuid(),
    since: new Date(host.clock.now()).toISOString(),
  };
  await take(host, lock, self, place, 0);
  return {
    isHeld: async () => (await readOwner(host, lock))?.nonce === self.nonce,
    async release() {
      if ((await readOwner(host, lock))?.nonce !== self.nonce) return;
      await host.fs.removeEntry(lock);
    },
  };
}

/** Who writes the session now; null if nobody does. @throws FileError */
export async function sessionOwner(host: Host, transcript: string): Promise<SessionOwner | null> {
  const place = { lock: lockPath(transcript), watched: transcript };
  const owner = await readOwner(host, place.lock);
  return owner !== null && (await isWriting(host, owner, place)) ? owner : null;
}

export function sessionInUse(owner: SessionOwner): SessionError {
  const where = `process ${owner.pid}${owner.machine === '' ? '' : ` on ${owner.machine}`}`;
  return new SessionError(
    'session_in_use',
    `The session is in use by ${where}, since ${owner.since}. End it there, or go on with a copy of it: forkSession (--fork-session).`,
  );
}

export function lockPath(transcript: string): string {
  return transcript.replace(/\.jsonl$/, '.lock');
}

/**
 * Makes the file at `path` name this writer. A dead owner is replaced by moving the taker's claim over its file; who may
 * do so is decided by the claim, a file named after that very owner. So a taker that comes late, with an owner in mind
 * who was replaced by then, makes a claim on somebody who is gone, sees so and starts again.
 */
async function take(host: Host, path: string, self: SessionOwner, place: LockPlace, depth: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await create(host, path, self)) return;
    const owner = await readOwner(host, path);
    if (owner === null) continue; // released just now
    if (await isWriting(host, owner, place)) throw sessionInUse(owner);
    if (depth === MAX_CLAIMS) break;
    const claim = `${path}.${owner.nonce}`;
    await take(host, claim, self, place, depth + 1);
    if ((await readOwner(host, path))?.nonce === owner.nonce) return host.fs.rename(claim, path);
    await host.fs.removeEntry(claim);
  }
  throw new SessionError(
    'session_invalid',
    `Nobody writes this session, but it cannot be taken. Remove ${path} and the files whose names begin with it.`,
  );
}

async function create(host: Host, path: string, self: SessionOwner): Promise<boolean> {
  try {
    await host.fs.createFile(path, JSON.stringify(self), { mode: 0o600, durable: false });
    return true;
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Null if the file is not there. What it does not say is empty; the pid is 0 if it cannot be read. */
async function readOwner(host: Host, path: string): Promise<SessionOwner | null> {
  let text: string;
  try {
    text = new TextDecoder().decode(await host.fs.readFile(path));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
  const value = parseRecord(text) ?? {};
  const said = (key: string): string => {
    const field = value[key];
    return typeof field === 'string' ? field : '';
  };
  return {
    pid: typeof value.pid === 'number' ? value.pid : 0,
    started: said('started'),
    boot: said('boot'),
    space: said('space'),
    machine: said('machine'),
    nonce: /^[0-9a-f-]{1,64}$/i.test(said('nonce')) ? said('nonce') : 'damaged',
    since: said('since'),
  };
}

async function isWriting(host: Host, owner: SessionOwner, { lock, watched }: LockPlace): Promise<boolean> {
  const isReadable = owner.pid > 0;
  const state = isReadable ? await host.processes.stateOf(owner) : 'unknown';
  if (state !== 'unknown') return state === 'alive';
  const last = Math.max(await changedAt(host, watched), await changedAt(host, lock));
  return host.clock.now() - last < (isReadable ? QUIET_MS : UNREADABLE_MS);
}

async function changedAt(host: Host, path: string): Promise<number> {
  try {
    return (await host.fs.stat(path)).mtimeMs;
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return 0;
    throw error;
  }
}
