// What nobody needs any more goes: sessions that are older, or more, than the caller wants to keep; and what crashes
// left, which no session names. A session that runs is never touched, and what is doubtful stays.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError, removeIfThere } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { forgetSessions, type ListedFile, listFiles } from './session-index.js';
import { lockPath, sessionOwner, takeSessionLock } from './session-lock.js';
import { checkSessionId, placeIn, type SessionPlace, sessionFolders } from './session-places.js';

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
  /** Of all sessions that are left, with all that belongs to them. Null if nobody asked for a size. */
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

/** True if it is gone, or would be. */
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
  // Nothing happens if it is not empty.
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

/** @throws FileError, SessionError if another took the session meanwhile */
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

// Takes a session off the disk: its transcript, and everything that was kept beside it. What a running session needs is
// not touched: the session is taken by its lock first.

/**
 * Removes a session.
 * Contract: nothing of it is left in the home when this resolves. If it rejects, the session is still found, and the
 * call can be repeated.
 * @param force true: even if another process writes it
 * @throws SessionError `session_in_use` if it is written and `force` is false; also if something cannot be removed
 */
export async function removeSession(host: Host, home: string, place: SessionPlace, force: boolean): Promise<void> {
  const lock = force ? null : await takeForRemoval(host, place);
  try {
    await removeIfThere(host, place.ownFolder);
    await forgetSessions(host, home, [place]);
    // Last: as long as something is left, the session is found.
    await removeIfThere(host, place.file);
  } catch (error) {
    if (isFileError(error)) {
      throw new SessionError('transcript_unwritable', `The session cannot be deleted: ${error.message}`, error);
    }
    throw error;
  } finally {
    await lock?.release();
  }
  if (force) await removeLocks(host, place);
}

async function takeForRemoval(host: Host, place: SessionPlace) {
  try {
    return await takeSessionLock(host, place.file);
  } catch (error) {
    const owner = await sessionOwner(host, place.file);
    if (owner === null) throw error;
    throw new SessionError(
      'session_in_use',
      `Session ${place.sessionId} is in use by process ${owner.pid}, since ${owner.since}. End it there first, or delete it all the same with force (--force).`,
      error,
    );
  }
}

async function removeLocks(host: Host, place: SessionPlace): Promise<void> {
  const lock = lockPath(place.file);
  for (const { name } of await entriesIn(host.fs, place.folder)) {
    const file = `${place.folder}/${name}`;
    if (file === lock || file.startsWith(`${lock}.`)) await removeIfThere(host, file);
  }
}

// Which blobs of a session no line of it names. Looked for as text, whatever stands around it: a line that is damaged and
// still has the name in it keeps its blob.

const HASH = /^[0-9a-f]{64}$/;
const NAMED = /[0-9a-f]{64}/g;
const CHUNK_BYTES = 1024 * 1024;
const OVERLAP_BYTES = 128;

function blobFolder({ ownFolder }: SessionPlace): string {
  return path.join(ownFolder, 'blobs');
}

/** Absolute paths. Contract: reads nothing if there are no blobs. @throws FileError */
async function unreferencedBlobs(host: Pick<Host, 'fs'>, place: SessionPlace): Promise<readonly string[]> {
  const folder = blobFolder(place);
  const unnamed = new Set<string>();
  for (const { name, kind } of await entriesIn(host.fs, folder))
    if (kind === 'file' && HASH.test(name)) unnamed.add(name);
  if (unnamed.size === 0) return [];
  const agents = path.join(place.ownFolder, 'subagents');
  const transcripts = (await entriesIn(host.fs, agents)).filter(
    ({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'),
  );
  for (const file of [place.file, ...transcripts.map(({ name }) => path.join(agents, name))]) {
    await withoutNamed(host, file, unnamed);
    if (unnamed.size === 0) return [];
  }
  return [...unnamed].map((name) => path.join(folder, name));
}

/** Looked at piece by piece; the pieces overlap by more than a name. */
async function withoutNamed({ fs }: Pick<Host, 'fs'>, file: string, names: Set<string>): Promise<void> {
  const decoder = new TextDecoder('latin1');
  const source = await fs.openRead(file);
  try {
    const { size } = await source.stat();
    for (let at = 0; at < size && names.size > 0; at += CHUNK_BYTES) {
      const piece = await source.read(Math.max(0, at - OVERLAP_BYTES), CHUNK_BYTES + OVERLAP_BYTES);
      for (const [name] of decoder.decode(piece).matchAll(NAMED)) names.delete(name);
    }
  } finally {
    await source.close();
  }
}
