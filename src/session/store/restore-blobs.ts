// Puts large content back into an entry that was read. Pure. A blob is named by the hash of its bytes and by nothing
// else, so an entry can get only what is in the folder it is given, and only if it has the stand-in.
import type { SessionStoreEntry } from '../../protocol/session-store.js';
import type { BlobStore } from './blobs.js';
import type { BlobReference } from './entry.js';

/** An entry as it was read, of whatever writer. */
type ReadEntry = Readonly<Record<string, unknown>>;

export interface RestoredEntry<E extends ReadEntry> {
  /** The very entry if there was nothing to put back. */
  readonly entry: E;
  /** References whose content was not there: the stand-in stays. */
  readonly missing: number;
}

const HASH = /^[0-9a-f]{64}$/;
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
