// Content that is too large for a line of a transcript, or that many lines share: a folder of files named by their
// content, and the way back into the entries that stand for it. One rule: nothing is changed once it is there, and an entry
// can get only what is in the folder it is given.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import type { SessionStoreEntry } from '../../protocol/session-store.js';
import type { BlobReference } from './entry.js';
import type { TranscriptRead } from './read-transcript.js';

/** Belongs to one session: it is deleted with it, and holds what nobody else holds. */
export interface BlobStore {
  /**
   * Keeps the bytes, once. Contract: they are on the disk when this resolves.
   * @returns their SHA-256 in hex, the name under which `get` finds them
   * @throws FileError
   */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes; null if there are none of that name, or they are not what the name says. */
  get(hash: string): Promise<Uint8Array | null>;
  /** Names of all that is there. */
  list(): Promise<string[]>;
  /** Nothing happens if it is not there. @throws FileError */
  remove(hash: string): Promise<void>;
}

const HASH = /^[0-9a-f]{64}$/;

/** @param folder absolute; made with the first `put` */
export function createBlobStore(host: Pick<Host, 'fs' | 'sha256'>, folder: string): BlobStore {
  const pathOf = (hash: string): string => path.join(folder, hash);
  return {
    async put(bytes) {
      const hash = await host.sha256(bytes);
      try {
        const { kind, size } = await host.fs.lstat(pathOf(hash));
        if (kind === 'file' && size === bytes.length) return hash;
        await host.fs.remove(pathOf(hash)); // what stands there is damaged, or no file
      } catch (error) {
        if (!isFileError(error, 'ENOENT')) throw error;
      }
      try {
        await host.fs.createFile(pathOf(hash), bytes, { mode: 0o600 });
      } catch (error) {
        if (!isFileError(error, 'EEXIST')) throw error; // someone else kept the same bytes just now
      }
      return hash;
    },
    async get(hash) {
      if (!HASH.test(hash)) return null;
      try {
        const bytes = await host.fs.readFile(pathOf(hash));
        return (await host.sha256(bytes)) === hash ? bytes : null;
      } catch (error) {
        if (isFileError(error)) return null;
        throw error;
      }
    },
    async list() {
      try {
        return (await host.fs.readdir(folder)).filter((name) => HASH.test(name));
      } catch (error) {
        if (isFileError(error, 'ENOENT')) return [];
        throw error;
      }
    },
    async remove(hash) {
      if (!HASH.test(hash)) return;
      try {
        await host.fs.remove(pathOf(hash));
      } catch (error) {
        if (!isFileError(error, 'ENOENT')) throw error;
      }
    },
  };
}

/** An entry as it was read, of whatever writer. */
type ReadEntry = Readonly<Record<string, unknown>>;

interface RestoredEntry<E extends ReadEntry> {
  /** The very entry if there was nothing to put back. */
  readonly entry: E;
  /** References whose content was not there: the stand-in stays. */
  readonly missing: number;
}

/** The fields in which content may be put back. */
const ROOTS = new Set<unknown>(['message', 'toolUseResult']);
const MAX_DEPTH = 128;

/** The references of an entry that are whole. */
export function blobReferences(entry: ReadEntry): BlobReference[] {
  return Array.isArray(entry.blobs) ? entry.blobs.filter(isReference) : [];
}

/**
 * Contract: never throws; the entry is not changed.
 * @param blobs bytes by hash
 */
export function restoreBlobs<E extends ReadEntry>(entry: E, blobs: ReadonlyMap<string, Uint8Array>): RestoredEntry<E> {
  let restored = entry;
  let missing = 0;
  for (const reference of blobReferences(entry)) {
    const bytes = blobs.get(reference.sha256);
    const next = bytes === undefined ? null : replaceAt(restored, reference.path, contentOf(reference, bytes));
    if (next === null) missing += 1;
    else restored = next as E;
  }
  return { entry: restored, missing };
}

/** As `restoreBlobs`, with the bytes from a folder. */
export async function restoreFrom<E extends ReadEntry>(entry: E, store: BlobStore): Promise<RestoredEntry<E>> {
  const blobs = new Map<string, Uint8Array>();
  for (const { sha256 } of blobReferences(entry)) {
    const bytes = blobs.has(sha256) ? null : await store.get(sha256);
    if (bytes !== null) blobs.set(sha256, bytes);
  }
  return restoreBlobs(entry, blobs);
}

function isReference(value: unknown): value is BlobReference {
  if (typeof value !== 'object' || value === null) return false;
  const { path, sha256, encoding, block } = value as Record<string, unknown>;
  return (
    Array.isArray(path) &&
    path.length >= 1 &&
    path.length <= MAX_DEPTH &&
    ROOTS.has(path[0]) &&
    path.every((key) => typeof key === 'string' || Number.isSafeInteger(key)) &&
    typeof sha256 === 'string' &&
    HASH.test(sha256) &&
    (encoding === 'base64' || encoding === 'utf8') &&
    (block === undefined || isMedia(block))
  );
}

function isMedia(block: unknown): boolean {
  const { type, source } = (block ?? {}) as Record<string, unknown>;
  return (type === 'image' || type === 'document') && typeof source === 'object' && source !== null;
}

function contentOf({ encoding, block }: BlobReference, bytes: Uint8Array): unknown {
  const text = encoding === 'base64' ? Buffer.from(bytes).toString('base64') : new TextDecoder().decode(bytes);
  return block === undefined ? text : { ...block, source: { ...block.source, data: text } };
}

/** A copy with another value at `path`; null if nothing stands there that the value could take the place of. */
function replaceAt(holder: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return isStandIn(holder, value) ? value : null;
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return null;
  const inner = replaceAt((holder as Record<string | number, unknown>)[key], rest, value);
  if (inner === null) return null;
  if (Array.isArray(holder)) return holder.map((item, index) => (String(index) === String(key) ? inner : item));
  return { ...holder, [key]: inner };
}

/** A text for a text, a block of text for a block of media. */
function isStandIn(standing: unknown, value: unknown): boolean {
  if (typeof value === 'string') return typeof standing === 'string';
  return typeof standing === 'object' && standing !== null && (standing as { type?: unknown }).type === 'text';
}

/** With what was too large for its line: other places do not have the files. */
export async function withLargeContent(entry: SessionStoreEntry, blobs: BlobStore): Promise<SessionStoreEntry> {
  if (!Array.isArray(entry.blobs)) return entry;
  const { blobs: _references, ...rest } = (await restoreFrom(entry, blobs)).entry;
  return rest as SessionStoreEntry;
}

/** Bytes put back, the newest content first; several times what one request can carry. */
const MAX_RESTORED_BYTES = 48 * 1024 * 1024;

export interface PutBack<R extends TranscriptRead> {
  readonly read: R;
  /** Contents that are not in the folder any more, or not what their name says. Their stand-ins stay. */
  readonly missing: number;
}

/** @param ownFolder of the session, beside its transcript */
export async function putBack<R extends TranscriptRead>(
  host: Pick<Host, 'fs' | 'sha256'>,
  ownFolder: string,
  read: R,
): Promise<PutBack<R>> {
  if (!read.entries.some(({ value }) => value.blobs !== undefined)) return { read, missing: 0 };
  const blobs = createBlobStore(host, path.join(ownFolder, 'blobs'));
  const entries = [...read.entries];
  let missing = 0;
  let left = MAX_RESTORED_BYTES;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    const bytes = blobReferences(entry.value).reduce((sum, reference) => sum + sizeOf(reference), 0);
    if (bytes === 0) continue;
    if (bytes > left) break;
    left -= bytes;
    const restored = await restoreFrom(entry.value, blobs);
    missing += restored.missing;
    entries[at] = { ...entry, value: restored.entry };
  }
  return { read: { ...read, entries }, missing };
}

/** As the line says; one that does not say it is taken for one byte, so that it is looked at. */
function sizeOf({ bytes }: { readonly bytes?: unknown }): number {
  return typeof bytes === 'number' && bytes > 0 ? bytes : 1;
}
