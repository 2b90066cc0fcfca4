// What the file tools share: opening a path that may be anything, the content with its hash, and failures in words a
// model can act on.
import type { FileError, FileStat, ReadHandle } from '../host/host.js';
import { isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import { formatBytes } from '../util/format-bytes.js';
import { describeMissing } from './missing-file.js';
import type { ToolContext } from './tool.js';

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
  readonly realPath: string;
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/**
 * Opens a regular file for reading; never waits for a pipe or a device.
 * @throws ToolError for whatever is missing, no regular file, or not readable
 */
export async function openRegularFile(context: ToolContext, path: string): Promise<OpenedFile> {
  const { fs } = context.host;
  return withFileErrors(context, 'read', path, async () => {
    const [found, realPath] = await Promise.all([fs.stat(path), fs.realpath(path)]);
    requireRegularFile(found, path); // before opening: opening a device can have effects
    const handle = await fs.openRead(realPath);
    try {
      const stat = await handle.stat();
      requireRegularFile(stat, path);
      return { handle, stat, realPath };
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

/** The whole content where it is at most `maxBytes`, else null. Trusts what it reads, not the size in the stat. */
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
  return chunks.length === 1 ? first : joinChunks(chunks, length);
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    whole.set(chunk, position);
    position += chunk.length;
  }
  return whole;
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

/** @throws ToolError where the call was aborted */
export function requireNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('The call was aborted before it was done; nothing was changed.');
}

/** The whole file for an edit. @throws ToolError where it is missing, no regular file, too large or not readable */
export async function readSnapshot(context: ToolContext, path: string): Promise<FileSnapshot> {
  const opened = await openRegularFile(context, path);
  try {
    const bytes = await withFileErrors(context, 'read', path, () => readUpTo(opened, WHOLE_FILE_BYTES, context.signal));
    if (bytes === null) {
      throw new ToolError(
        `${path} is too large to edit (${formatBytes(opened.stat.size)}, limit ${formatBytes(WHOLE_FILE_BYTES)}). Use a command in Bash, for example sed.`,
      );
    }
    return { realPath: opened.realPath, stat: opened.stat, bytes, hash: await context.host.sha256(bytes) };
  } finally {
    await opened.handle.close();
  }
}

/** @throws ToolError where the model has seen another version of the file than `hash` */
export function requireFresh(context: ToolContext, realPath: string, hash: string, path: string): void {
  const seen = context.readFileCache.get(realPath);
  if (seen === undefined || seen.hash === hash) return;
  throw new ToolError(
    `${path} has changed since you last read or wrote it, so nothing was written. Read it again, then repeat the change on its new content.`,
  );
}

/** Stores what was just written as the version the model knows. `range` as in the cache. */
export async function rememberWritten(
  context: ToolContext,
  path: string,
  bytes: Uint8Array,
  range: { readonly offset: number; readonly limit: number } | null,
): Promise<void> {
  const { fs } = context.host;
  try {
    const realPath = await fs.realpath(path);
    const { mtimeMs, size } = await fs.stat(realPath);
    context.readFileCache.set(realPath, { hash: await context.host.sha256(bytes), mtimeMs, size, range });
  } catch (error) {
    // Gone again already. The write itself took place; the next read will tell what became of it.
    if (!isFileError(error)) throw error;
  }
}

/** Never the range of a read: no line of the new version was shown, so a read after an edit shows it. */
const NOTHING_SHOWN = { offset: 0, limit: 0 };

/** Writes an edited file, unless it is no longer the one the edit was worked out on. @throws ToolError */
export async function storeEdited(
  bytes: Uint8Array,
  base: FileSnapshot,
  path: string,
  context: ToolContext,
): Promise<void> {
  const { hash } = await readSnapshot(context, base.realPath);
  if (hash !== base.hash) {
    throw new ToolError(
      `${path} was changed by someone else just now, so nothing was written. Read it again, then repeat the edit.`,
    );
  }
  requireNotAborted(context.signal);
  await withFileErrors(context, 'write', path, () => context.host.fs.writeFileAtomic(base.realPath, bytes));
  await rememberWritten(context, base.realPath, bytes, NOTHING_SHOWN);
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
    if (error.code === 'ENOENT' && action === 'read') throw new ToolError(await describeMissing(context, path));
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
    case 'ENOSPC':
      return `Cannot ${action} ${path}: no space is left on the disk.${done}`;
    default:
      return `Cannot ${action} ${path}. ${error.message}${done}`;
  }
}
