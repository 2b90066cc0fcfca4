// What the file tools share: opening a path that may be anything, the content with its hash, and failures in words a
// model can act on.
import {
  type FileError,
  type FileStat,
  type Host,
  isFileError,
  type Located,
  type ReadHandle,
} from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { joinBytes } from '../../util/bytes.js';
import { basenameOf, dirnameOf } from '../../util/posix-path.js';
import { formatBytes } from '../../util/text.js';
import { NOTHING_SHOWN } from '../file-state-cache.js';
import type { ToolContext } from '../tool.js';

/** Files up to this size, in bytes, are held in memory whole, hashed and edited. */
export const WHOLE_FILE_BYTES = 50_000_000;
const READ_CHUNK = 1_048_576;

/** An opened regular file. */
export interface OpenedFile {
  readonly handle: ReadHandle;
  readonly stat: FileStat;
  /** Absolute, links resolved: the key of the read-file cache. */
  readonly realPath: string;
}

/** A file's whole content as of one moment. */
export interface FileSnapshot {
  readonly located: Located;
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/**
 * What a call works on: what its path led to when it was decided about. A path is looked up once, and whatever takes
 * its place afterwards is not opened. Without a decision, as if a tool is called by itself, it is looked up here.
 */
export async function locateFile(context: ToolContext, path: string): Promise<Located> {
  const { located, host } = context;
  if (located === undefined) return host.fs.locate(path);
  if (located.path !== path) throw new Error(`It was decided about ${located.path}, and not about ${path}.`);
  return located;
}

/**
 * Opens a regular file for reading; never waits for a pipe or a device.
 * @throws ToolError for whatever is missing, no regular file, or not readable
 */
export async function openRegularFile(context: ToolContext, path: string): Promise<OpenedFile> {
  const located = await withFileErrors(context, 'read', path, () => locateFile(context, path));
  return openFound(context, located, path);
}

async function openFound(context: ToolContext, located: Located, path: string): Promise<OpenedFile> {
  if (located.stat === null) throw new ToolError(await describeMissing(context, path, located));
  requireRegularFile(located.stat, path); // before opening: opening a device can have effects
  return withFileErrors(context, 'read', path, async () => {
    const handle = await context.host.fs.openLocated(located);
    try {
      return { handle, stat: await handle.stat(), realPath: located.realPath };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

/** @throws ToolError for a directory, FIFO, socket or device */
export function requireRegularFile(stat: FileStat, path: string): void {
  if (stat.kind === 'directory') {
    throw new ToolError(`${path} is a directory, not a file. List it with Glob, or with ls in Bash.`);
  }
  if (stat.kind !== 'file') {
    throw new ToolError(`${path} is a pipe, socket or device, not a regular file. This tool works on files only.`);
  }
}

/** The whole content if it is at most `maxBytes`, else null. Trusts what it reads, not the size in the stat. */
export async function readUpTo(opened: OpenedFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
  if (opened.stat.size > maxBytes) return null;
  requireNotAborted(signal);
  // One byte more than the file should have: a read that comes back short has seen the end. The file may have grown
  // since its stat, or be one that states no size, as in /proc.
  const first = await opened.handle.read(0, opened.stat.size + 1);
  if (first.length <= opened.stat.size && first.length > 0) return first;
  const chunks = [first];
  let length = first.length;
  for await (const chunk of readChunks(opened.handle, signal, length)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) return null;
  }
  return chunks.length === 1 ? first : joinBytes(chunks, length);
}

/** The content from byte `start` on, in pieces. @throws ToolError when the signal aborts */
export async function* readChunks(handle: ReadHandle, signal: AbortSignal, start = 0): AsyncGenerator<Uint8Array> {
  for (let position = start; ; ) {
    requireNotAborted(signal);
    const chunk = await handle.read(position, READ_CHUNK);
    if (chunk.length === 0) return;
    yield chunk;
    position += chunk.length;
  }
}

/** @throws ToolError if the call was aborted */
export function requireNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('The call was aborted before it was done; nothing was changed.');
}

/** The whole file for an edit. @throws ToolError if it is missing, no regular file, too large or not readable */
export async function readSnapshot(context: ToolContext, path: string, located: Located): Promise<FileSnapshot> {
  const opened = await openFound(context, located, path);
  try {
    const bytes = await withFileErrors(context, 'read', path, () => readUpTo(opened, WHOLE_FILE_BYTES, context.signal));
    if (bytes === null) {
      throw new ToolError(
        `${path} is too large to edit (${formatBytes(opened.stat.size)}, limit ${formatBytes(WHOLE_FILE_BYTES)}). Use a command in Bash, for example sed.`,
      );
    }
    return { located, stat: opened.stat, bytes, hash: await context.host.sha256(bytes) };
  } finally {
    await opened.handle.close();
  }
}

/**
 * Nothing is overwritten that the model has not seen in this session, or has not written itself.
 * @throws ToolError if it has not seen the file, or another version of it
 */
export function requireSeen({ readFileCache }: ToolContext, file: FileSnapshot, path: string): void {
  const seen = readFileCache.get(file.located.realPath);
  if (seen === undefined) {
    if (file.bytes.length === 0) return; // nothing to miss
    throw new ToolError(notSeen(path));
  }
  // Messages have their times in whole milliseconds.
  const isSame = seen.hash === null ? Math.floor(file.stat.ctimeMs) <= seen.seenAtMs : seen.hash === file.hash;
  if (isSame) return;
  throw new ToolError(
    `${path} has changed since you last read or wrote it, so nothing was written. Read it again, then repeat the change on its new content.`,
  );
}

/** What is said of a file that is there and was not read. */
export function notSeen(path: string): string {
  return `${path} exists and you have not read it in this session, so nothing was written. Read it first, then repeat the call. If Read cannot show it, move or remove it with a command.`;
}

/** Stores what was just written as the version the model knows. `range` as in the cache. */
export async function rememberWritten(
  context: ToolContext,
  { realPath }: Located,
  bytes: Uint8Array,
  { mtimeMs, size }: FileStat,
  range: { readonly offset: number; readonly limit: number } | null,
): Promise<void> {
  context.readFileCache.set(realPath, { hash: await context.host.sha256(bytes), mtimeMs, size, range });
}

/** Writes an edited file, unless it is no longer the one the edit was worked out on. @throws ToolError */
export async function storeEdited(
  bytes: Uint8Array,
  base: FileSnapshot,
  path: string,
  context: ToolContext,
): Promise<void> {
  const { hash } = await readSnapshot(context, path, base.located);
  if (hash !== base.hash) {
    throw new ToolError(
      `${path} was changed by someone else just now, so nothing was written. Read it again, then repeat the edit.`,
    );
  }
  requireNotAborted(context.signal);
  const written = await withFileErrors(context, 'write', path, () =>
    context.host.fs.replaceLocated(base.located, bytes),
  );
  // No line of the new version was shown, so a read after an edit shows it.
  await rememberWritten(context, base.located, bytes, written, NOTHING_SHOWN);
}

/** Runs file work; a FileError becomes a ToolError that says what to do. */
export async function withFileErrors<T>(
  context: ToolContext,
  action: 'read' | 'write',
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code === 'ENOENT' && action === 'read') throw new ToolError(await describeMissing(context, path, null));
    throw new ToolError(describeFailure(error, action, path));
  }
}

function describeFailure(error: FileError, action: 'read' | 'write', path: string): string {
  const done = action === 'write' ? ' The file was not changed.' : '';
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return `No permission to ${action} ${path} (${error.code}).${done} Ask the user, or work on another file.`;
    case 'ENOTDIR':
      return `Cannot ${action} ${path}: a part of the path is a file, not a directory. Check the path.`;
    case 'ENAMETOOLONG':
      return `Cannot ${action} ${path}: the name is too long. Use a shorter one.`;
    case 'ELOOP':
      return `Cannot ${action} ${path}: its symbolic links form a loop.`;
    case 'ESTALE':
      return `Cannot ${action} ${path}: something else stands there than when this call was decided about.${done} Make the call again.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `Cannot ${action} ${path}: no space is left on the disk.${done} Tell the user; remove only files of your own.`;
    case 'EROFS':
      return `Cannot ${action} ${path}: its file system can only be read (EROFS).${done} Write to another folder, or ask the user.`;
    default:
      return error.message.startsWith(`Cannot ${action} `)
        ? `${error.message}${done}`
        : `Cannot ${action} ${path}. ${error.message}${done}`;
  }
}

// What to tell a model about a file that is not there: names close to it, or the nearest folder that exists.

const MAX_NAMES_SEARCHED = 20_000;

/**
 * Says that `path` is missing, and which existing file or folder may have been meant.
 * @param located what it led to when the call was decided; null if it went since
 */
async function describeMissing(context: ToolContext, path: string, located: Located | null): Promise<string> {
  const folder = dirnameOf(path);
  const isHere = `The working directory is ${context.cwd}.`;
  const above = located?.above ?? null;
  if (above === null) return `${path} does not exist. ${isHere} Find it with Glob.`;
  if (above.path !== dirnameOf(located?.realPath ?? ''))
    return `${path} does not exist, and neither does its folder. ${above.path === '/' ? isHere : `The nearest folder that exists is ${above.path}.`}`;
  const hides = (await context.hiddenFiles?.(folder)) ?? null;
  const isKept = (name: string) => [folder, above.path].some((each) => hides?.(joinPath(each, name)) === true);
  const names = (await listNames(context.host, above)).filter((name) => !isKept(name));
  const similar = similarNames(basenameOf(path), names).map((name) => joinPath(folder, name));
  const next = similar.length > 0 ? `Similar files there: ${similar.join(', ')}` : 'Find it with Glob.';
  return `${path} does not exist. ${isHere} ${next}`;
}

function joinPath(folder: string, name: string): string {
  return `${folder === '/' ? '' : folder}/${name}`;
}

/** Of that very folder: a link that took its place shows nobody what it leads to. */
async function listNames(host: Host, { path, stat }: NonNullable<Located['above']>): Promise<readonly string[]> {
  try {
    const folder = await host.fs.holdFolder({ path, realPath: path, stat, above: null });
    try {
      return (await folder.names()).slice(0, MAX_NAMES_SEARCHED);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (isFileError(error)) return []; // a folder that cannot be listed gives no hints; the call fails anyway
    throw error;
  }
}

/** Up to three names that may have been meant: same letters, same stem, or a few letters off. Best first. */
function similarNames(wanted: string, names: readonly string[]): string[] {
  const key = wanted.toLowerCase();
  const stem = stemOf(key);
  const limit = Math.max(1, Math.floor(key.length / 4));
  return names
    .map((name) => {
      const lower = name.toLowerCase();
      if (lower === key) return { name, distance: 0 };
      return { name, distance: stemOf(lower) === stem ? 0.5 : editDistance(lower, key, limit) };
    })
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Levenshtein distance, or Infinity as soon as it must be above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > limit) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row[b.length] ?? Number.POSITIVE_INFINITY;
}
