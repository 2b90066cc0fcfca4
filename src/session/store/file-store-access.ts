// The folder of transcripts as a session store: for programs that move sessions between places, and want this one too.
import path from 'node:path';
import { type Host, isFileError, removeIfThere } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { parseRecord } from '../../util/json.js';
import { createBlobStore, withLargeContent } from './blobs.js';
import { lockPath, sessionInUse, sessionOwner, takeSessionLock } from './session-lock.js';
import { checkSessionId, isOwnFolder, isSessionFile, refuseLinks, sessionsHome } from './session-places.js';
import { createTranscriptFile } from './transcript-file.js';

export interface FileSessionStoreOptions {
  /** The folder that has `projects/` in it. Default: `$TURNWRIGHT_HOME`, or `~/.turnwright`. */
  readonly home?: string;
  /** Default: this machine. */
  readonly host?: Host;
}

export type FileSessionStore = Required<Omit<SessionStore, 'listSessionSummaries'>>;

const SAFE_NAME = /^[A-Za-z0-9._-]{1,255}$/;
const MAX_DEPTH = 8;

/** What `createFileStore` gives, at work. */
export function openFileStore(options: FileSessionStoreOptions): FileSessionStore {
  const host = options.host ?? createNodeHost();
  const projects = path.join(options.home ?? sessionsHome(host), 'projects');
  // Uuids of what stands in a file, as long as nobody else wrote to it.
  const known = new Map<string, { readonly size: number; readonly uuids: Set<string> }>();
  // Appends follow each other: batches keep their order.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined); // whoever appended gets the failure
    return next;
  };

  const uuidsIn = async (file: string): Promise<Set<string>> => {
    const before = known.get(file);
    const size = await sizeOf(host, file);
    if (before?.size === size) return before.uuids;
    const entries = size === 0 ? [] : await readEntries(host, file);
    return new Set(entries.flatMap(({ uuid }) => (typeof uuid === 'string' ? uuid : [])));
  };

  const appendNow = async (key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> => {
    const place = placeOf(projects, key);
    await refuseLinks(host, place.own);
    const lock = await takeSessionLock(host, place.main);
    const file = createTranscriptFile({ host, path: place.file, isLocked: false, mayExist: true });
    try {
      const uuids = await uuidsIn(place.file);
      known.delete(place.file);
      const handle = await file.open();
      for (const entry of entries) {
        if (entry.uuid !== undefined && uuids.has(entry.uuid)) continue;
        await handle.append(`${file.lineStart()}${JSON.stringify(entry)}\n`);
        if (entry.uuid !== undefined) uuids.add(entry.uuid);
      }
      await handle.sync();
      known.set(place.file, { size: await sizeOf(host, place.file), uuids });
    } finally {
      await file.close();
      await lock.release();
    }
  };

  return {
    append: (key, entries) => inTurn(() => appendNow(key, entries)),
    async load(key) {
      const place = placeOf(projects, key);
      if (key.subpath !== undefined && !(await isOwnFolder(host, place.own, path.dirname(place.file)))) return null;
      try {
        const blobs = createBlobStore(host, path.join(place.own, 'blobs'));
        const entries: SessionStoreEntry[] = [];
        for (const entry of await readEntries(host, place.file)) entries.push(await withLargeContent(entry, blobs));
        return entries;
      } catch (error) {
        if (isFileError(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async listSessions(projectKey) {
      const folder = path.join(projects, checkName('projectKey', projectKey));
      const names = (await readdirOrNone(host, folder)).filter(isSessionFile);
      const found = await Promise.all(names.map((name) => statOrNull(host, path.join(folder, name))));
      return names.flatMap((name, index) => {
        const stat = found[index];
        if (stat?.kind !== 'file') return [];
        return { sessionId: name.slice(0, -'.jsonl'.length), mtime: Math.floor(stat.mtimeMs) };
      });
    },
    delete: (key) =>
      inTurn(async () => {
        const place = placeOf(projects, key);
        const owner = await sessionOwner(host, place.main);
        if (owner !== null) throw sessionInUse(owner);
        const whole = key.subpath === undefined ? [place.own, lockPath(place.main)] : [];
        for (const gone of [place.file, ...whole]) {
          known.delete(gone);
          await removeIfThere(host, gone);
        }
      }),
    async listSubkeys(key) {
      const { own } = placeOf(projects, key);
      if (!(await isOwnFolder(host, own, own))) return [];
      const found: string[] = [];
      for await (const name of transcriptsIn(host, own, '', MAX_DEPTH)) found.push(name.slice(0, -'.jsonl'.length));
      return found;
    },
  };
}

interface Place {
  /** The transcript of the key. */
  readonly file: string;
  /** The main transcript of its session, whose lock counts. */
  readonly main: string;
  /** The folder of what lies beside the main transcript. */
  readonly own: string;
}

/** @throws ConfigError, SessionError if the key would name a place outside the folder of its session */
function placeOf(projects: string, { projectKey, sessionId, subpath }: SessionKey): Place {
  const own = path.join(projects, checkName('projectKey', projectKey), checkSessionId(sessionId));
  const main = `${own}.jsonl`;
  if (subpath === undefined) return { file: main, main, own };
  const parts = subpath.split('/');
  if (parts.length > MAX_DEPTH) throw new ConfigError(`subpath "${subpath}" has more than ${MAX_DEPTH} parts.`);
  return { file: `${path.join(own, ...parts.map((part) => checkName('subpath', part)))}.jsonl`, main, own };
}

function checkName(what: string, name: string): string {
  if (typeof name === 'string' && SAFE_NAME.test(name) && name !== '.' && name !== '..') return name;
  throw new ConfigError(
    `${what} ${JSON.stringify(name)} cannot be a file name. Use letters, digits, ".", "_" and "-"${what === 'subpath' ? ', with "/" between the parts' : ''}.`,
  );
}

async function readEntries(host: Host, file: string): Promise<SessionStoreEntry[]> {
  const text = new TextDecoder().decode(await host.fs.readFile(file));
  return text.split('\n').flatMap((line) => (parseRecord(line) as SessionStoreEntry | null) ?? []);
}

/** Paths under `folder`, by name. What is no folder has none. */
async function* transcriptsIn(host: Host, folder: string, prefix: string, depth: number): AsyncGenerator<string> {
  for (const name of await readdirOrNone(host, folder)) {
    const found = path.join(folder, name);
    const stat = await statOrNull(host, found);
    if (stat?.kind === 'file' && name.endsWith('.jsonl')) yield `${prefix}${name}`;
    if (stat?.kind === 'directory' && depth > 1) yield* transcriptsIn(host, found, `${prefix}${name}/`, depth - 1);
  }
}

async function readdirOrNone(host: Host, folder: string): Promise<readonly string[]> {
  try {
    return await host.fs.readdir(folder);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return [];
    throw error;
  }
}

async function statOrNull(host: Host, file: string) {
  try {
    return await host.fs.lstat(file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
}

async function sizeOf(host: Host, file: string): Promise<number> {
  return (await statOrNull(host, file))?.size ?? 0;
}
