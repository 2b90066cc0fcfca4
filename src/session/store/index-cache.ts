// What a list read of each transcript, kept from one list to the next. Only a cache: it counts for a file that still
// has the size and time it had, it may be deleted at any moment, and a session that is deleted leaves it.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import type { SessionFacts } from './session-facts.js';
import type { FactsCache, ListedFile } from './session-index.js';
import type { SessionPlace } from './session-places.js';

/** Below this many sessions a list is fast enough without. */
const WORTH_CACHING = 500;
/** So many new facts make it worth to be written again. */
const WORTH_WRITING = 100;
const FORMAT = 1;

/** By folder of the project and id. */
interface CachedSession {
  readonly mtimeMs: number;
  readonly size: number;
  readonly inode: number;
  readonly facts: SessionFacts;
}

type Cached = Map<string, CachedSession>;

export interface IndexCache extends FactsCache {
  /** Writes what is new, if it is worth it. Contract: never throws; a cache that cannot be written is done without. */
  save(listed: readonly ListedFile[]): Promise<void>;
}

function cacheFile(home: string): string {
  return path.join(home, 'session-index.json');
}

type KeyOf = (place: SessionPlace) => string;

/** Lists name thousands of sessions of one folder in a row. */
function createKeyOf(): KeyOf {
  let last = { folder: '', name: '' };
  return ({ folder, sessionId }) => {
    if (folder !== last.folder) last = { folder, name: path.basename(folder) };
    return `${last.name}/${sessionId}`;
  };
}

/** The cache of a home, or null if so few sessions are listed that reading it would cost more than it saves. */
export async function openIndexCache(
  host: Pick<Host, 'fs'>,
  home: string,
  sessionCount: number,
): Promise<IndexCache | null> {
  if (sessionCount < WORTH_CACHING) return null;
  const cached = await readCache(host, home);
  const keyOf = createKeyOf();
  let added = 0;
  return {
    find(file) {
      const known = cached.get(keyOf(file));
      const { stat } = file;
      const isSame = known?.mtimeMs === stat.mtimeMs && known.size === stat.size && known.inode === stat.inode;
      return isSame ? known.facts : undefined;
    },
    add(file, facts) {
      const { mtimeMs, size, inode } = file.stat;
      cached.set(keyOf(file), { mtimeMs, size, inode, facts });
      added += 1;
    },
    async save(listed) {
      if (added < WORTH_WRITING) return;
      // What is only as much as was added now is all there.
      if (cached.size > added) forgetAllBut(listed, cached, keyOf);
      await writeCache(host, home, cached, false).catch(() => undefined); // the next list reads the files again
    },
  };
}

/** What is gone from the folders that were listed goes from here. */
function forgetAllBut(listed: readonly ListedFile[], cached: Cached, keyOf: KeyOf): void {
  const folders = new Set(listed.map(({ folder }) => path.basename(folder)));
  const present = new Set(listed.map(keyOf));
  for (const key of [...cached.keys()]) {
    if (folders.has(path.dirname(key)) && !present.has(key)) cached.delete(key);
  }
}

/** Contract: nothing of these sessions is in the cache when this resolves. @throws FileError */
export async function forgetSessions(
  host: Pick<Host, 'fs'>,
  home: string,
  places: readonly SessionPlace[],
): Promise<void> {
  const cached = await readCache(host, home);
  const before = cached.size;
  for (const place of places) cached.delete(createKeyOf()(place));
  if (cached.size !== before) await writeCache(host, home, cached, true);
}

async function readCache(host: Pick<Host, 'fs'>, home: string): Promise<Cached> {
  const cached: Cached = new Map();
  let value: { format?: unknown; sessions?: unknown } | null;
  try {
    value = JSON.parse(new TextDecoder().decode(await host.fs.readFile(cacheFile(home))));
  } catch {
    return cached; // no cache, or a damaged one, which the next list replaces
  }
  if (value?.format !== FORMAT || typeof value.sessions !== 'object' || value.sessions === null) return cached;
  for (const [key, row] of Object.entries(value.sessions)) {
    if (!Array.isArray(row)) continue;
    const [mtimeMs, size, inode, data] = row as unknown[];
    if (typeof mtimeMs !== 'number' || typeof size !== 'number' || typeof inode !== 'number') continue;
    if (typeof data !== 'object' || data === null) continue;
    cached.set(key, { mtimeMs, size, inode, facts: data as SessionFacts });
  }
  return cached;
}

/** @param durable false: a power cut may leave it damaged or as it was, and the next list makes it anew */
async function writeCache(host: Pick<Host, 'fs'>, home: string, cached: Cached, durable: boolean): Promise<void> {
  const sessions: Record<string, readonly unknown[]> = {};
  for (const [key, { mtimeMs, size, inode, facts }] of cached) sessions[key] = [mtimeMs, size, inode, facts];
  const text = JSON.stringify({ format: FORMAT, sessions });
  await host.fs.writeFileAtomic(cacheFile(home), text, { mode: 0o600, durable });
}
