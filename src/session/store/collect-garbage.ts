// What nobody needs any more goes: sessions that are older, or more, than the caller wants to keep; and what crashes
// left, which no session names. A session that runs is never touched, and what is doubtful stays.
import path from 'node:path';
import { entriesIn } from '../../host/entries-in.js';
import type { FileStat, Host } from '../../host/host.js';
import { errorText } from '../../util/text.js';
import { removeSession } from './remove-session.js';
import { type ListedFile, listFiles } from './session-index.js';
import { sessionOwner, takeSessionLock } from './session-lock.js';
import { placeIn, type SessionPlace, sessionFolders } from './session-places.js';
import { checkSessionId } from './store-path.js';
import { unreferencedBlobs } from './unreferenced-blobs.js';

export interface GarbageOptions {
  /** Sessions last written before this go, milliseconds since the epoch. Absent: none go for their age. */
  readonly olderThan?: number;
  /** The oldest sessions go until all of them together take no more than this. Absent: none go for their size. */
  readonly maxBytes?: number;
  /** True: nothing is removed, and the report says what would be. */
  readonly dryRun: boolean;
  /** Ends the work between two removals. */
  readonly signal?: AbortSignal;
}

/** Something that was removed, or would be. */
export interface Removed {
  /** `folder`: kept beside a session that is gone; `temporary`: half of a write that a crash ended. */
  readonly kind: 'session' | 'folder' | 'blob' | 'lock' | 'temporary';
  readonly path: string;
  readonly bytes: number;
  /** Of a session. */
  readonly sessionId?: string;
  /** Of a session: when it was last written, milliseconds since the epoch. */
  readonly lastModified?: number;
}

export interface GarbageReport {
  readonly removed: readonly Removed[];
  /** What should have gone and could not: why. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
  /** Of all sessions that are left, with all that belongs to them. Null where nobody asked for a size. */
  readonly remainingBytes: number | null;
}

/** What is younger may belong to work that goes on just now, milliseconds. */
const GRACE_MS = 60 * 60_000;
const TEMPORARY = /^\.turnwright-[\w-]+\.tmp$|\.jsonl\.(fork|copy)$/;
/** Left by a process that died while it took the session of another that died. */
const CLAIM = /^([0-9a-f-]{36}\.lock)\../;
const LOCK = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.lock$/;

/** What one collection has done so far, and what all of its steps need. */
interface Collection {
  readonly host: Host;
  readonly home: string;
  readonly options: GarbageOptions;
  readonly removed: Removed[];
  readonly kept: { path: string; reason: string }[];
  /** What changed after this stays, milliseconds since the epoch. */
  readonly before: number;
}

/** Contract: removes nothing outside the home's folder of projects; a failure is in the report, not thrown. */
export async function collectGarbage(host: Host, home: string, options: GarbageOptions): Promise<GarbageReport> {
  const collection: Collection = { host, home, options, removed: [], kept: [], before: host.clock.now() - GRACE_MS };
  const folders = await sessionFolders(host, home, undefined);
  const remainingBytes = await retire(collection, await listFiles(host, folders));
  for (const folder of folders) await sweep(collection, folder);
  return { removed: collection.removed, kept: collection.kept, remainingBytes };
}

function isOver({ options }: Collection): boolean {
  return options.signal?.aborted ?? false;
}

/** True where it is gone, or would be. */
async function take(collection: Collection, item: Removed, remove: () => Promise<void>): Promise<boolean> {
  if (isOver(collection)) return false;
  try {
    if (!collection.options.dryRun) await remove();
    collection.removed.push(item);
    return true;
  } catch (error) {
    collection.kept.push({ path: item.path, reason: errorText(error) });
    return false;
  }
}

/** Sessions that are too old go, then the oldest until the others fit. @returns the bytes of what is left */
async function retire(collection: Collection, sessions: readonly ListedFile[]): Promise<number | null> {
  const { olderThan, maxBytes } = collection.options;
  if (olderThan === undefined && maxBytes === undefined) return null;
  const sized: { file: ListedFile; bytes: number }[] = [];
  for (const file of sessions) {
    const beside = file.hasOwnFolder ? (await treeOf(collection.host, file.ownFolder)).bytes : 0;
    sized.push({ file, bytes: file.stat.size + beside });
  }
  let total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { file, bytes } of sized.reverse()) {
    const isOld = olderThan !== undefined && file.stat.mtimeMs < olderThan;
    const isTooMuch = maxBytes !== undefined && total > maxBytes;
    if ((isOld || isTooMuch) && (await retireOne(collection, file, bytes))) total -= bytes;
  }
  return total;
}

async function retireOne(collection: Collection, file: ListedFile, bytes: number): Promise<boolean> {
  const { host, home, options } = collection;
  if (options.dryRun && (await sessionOwner(host, file.file)) !== null) {
    collection.kept.push({ path: file.file, reason: `Session ${file.sessionId} is in use.` });
    return false;
  }
  const { sessionId, stat } = file;
  const item = { kind: 'session', path: file.file, bytes, sessionId, lastModified: Math.round(stat.mtimeMs) } as const;
  return take(collection, item, () => removeSession(host, home, file, false));
}

/** What no session of the folder names. */
async function sweep(collection: Collection, folder: string): Promise<void> {
  const { host, options } = collection;
  const names = (await entriesIn(host.fs, folder)).map(({ name }) => name);
  const stats = await host.fs.lstatAll(names.map((name) => path.join(folder, name)));
  const present = new Set(names);
  for (const [at, name] of names.entries()) {
    const stat = stats[at];
    if (stat == null || isOver(collection)) continue;
    if (stat.kind === 'file' && stat.mtimeMs < collection.before)
      await sweepFile(collection, folder, name, stat, present);
    const sessionId = stat.kind === 'directory' ? idOf(name) : null;
    if (sessionId === null) continue;
    await sweepOwnFolder(collection, placeIn(folder, sessionId), present.has(`${name}.jsonl`));
  }
  // Nothing happens where it is not empty.
  if (!options.dryRun && !isOver(collection)) await host.fs.removeEntry(folder).catch(() => undefined);
}

async function sweepFile(
  collection: Collection,
  folder: string,
  name: string,
  stat: FileStat,
  present: ReadonlySet<string>,
): Promise<void> {
  const { host } = collection;
  const file = path.join(folder, name);
  const claimed = CLAIM.exec(name)?.[1];
  if (claimed !== undefined && !present.has(claimed)) {
    await take(collection, { kind: 'lock', path: file, bytes: stat.size }, () => host.fs.removeEntry(file));
  }
  if (TEMPORARY.test(name)) await takeTemporary(collection, file, stat);
  const sessionId = LOCK.exec(name)?.[1];
  if (sessionId === undefined) return;
  const place = placeIn(folder, sessionId);
  if ((await sessionOwner(host, place.file)) !== null) return;
  // Taken as a new writer would take it, so that no other can be taking it at the same time.
  const remove = async () => (await takeSessionLock(host, place.file)).release();
  await take(collection, { kind: 'lock', path: file, bytes: stat.size }, remove);
}

async function takeTemporary(collection: Collection, file: string, stat: FileStat): Promise<void> {
  const item = { kind: 'temporary', path: file, bytes: stat.size } as const;
  await take(collection, item, () => collection.host.fs.removeEntry(file));
}

async function sweepOwnFolder(collection: Collection, place: SessionPlace, hasTranscript: boolean): Promise<void> {
  const { host, before } = collection;
  const content = await treeOf(host, place.ownFolder);
  if (!hasTranscript) {
    if (content.newest >= before || (await sessionOwner(host, place.file)) !== null) return;
    const item = { kind: 'folder', path: place.ownFolder, bytes: content.bytes } as const;
    await take(collection, item, () => host.fs.remove(place.ownFolder));
    return;
  }
  for (const { path: file, stat } of content.files) {
    if (TEMPORARY.test(path.basename(file)) && stat.mtimeMs < before) await takeTemporary(collection, file, stat);
  }
  try {
    await sweepBlobs(collection, place, content);
  } catch (error) {
    collection.kept.push({ path: place.ownFolder, reason: errorText(error) });
  }
}

/** @throws FileError, SessionError where another took the session meanwhile */
async function sweepBlobs(collection: Collection, place: SessionPlace, content: Tree): Promise<void> {
  const { host, options, before } = collection;
  const doubtful = await unreferencedBlobs(host, place);
  if (doubtful.length === 0 || isOver(collection) || (await sessionOwner(host, place.file)) !== null) return;
  // Looked at once more while nobody can write: a line that names a blob may have come meanwhile.
  const lock = options.dryRun ? null : await takeSessionLock(host, place.file);
  try {
    const unnamed = new Set(lock === null ? doubtful : await unreferencedBlobs(host, place));
    for (const { path: file, stat } of content.files) {
      if (!unnamed.has(file) || stat.mtimeMs >= before) continue;
      await take(collection, { kind: 'blob', path: file, bytes: stat.size }, () => host.fs.removeEntry(file));
    }
  } finally {
    await lock?.release();
  }
}

/** Null for a name that is no session's. */
function idOf(name: string): string | null {
  try {
    return checkSessionId(name) === name ? name : null;
  } catch {
    return null; // some folder of somebody's, which stays
  }
}

interface Tree {
  readonly files: readonly { readonly path: string; readonly stat: FileStat }[];
  readonly bytes: number;
  /** The last change of anything in it, milliseconds since the epoch. */
  readonly newest: number;
}

/** Everything below a folder. Links are counted as themselves and not followed. */
async function treeOf(host: Pick<Host, 'fs'>, root: string): Promise<Tree> {
  const files: { path: string; stat: FileStat }[] = [];
  let newest = 0;
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const paths = (await entriesIn(host.fs, folder)).map(({ name }) => path.join(folder as string, name));
    const stats = await host.fs.lstatAll([folder, ...paths]);
    for (const [at, stat] of stats.entries()) {
      if (stat === null) continue;
      newest = Math.max(newest, stat.mtimeMs, stat.ctimeMs);
      const file = paths[at - 1];
      if (file === undefined) continue;
      if (stat.kind === 'directory') open.push(file);
      else files.push({ path: file, stat });
    }
  }
  return { files, newest, bytes: files.reduce((sum, { stat }) => sum + stat.size, 0) };
}
