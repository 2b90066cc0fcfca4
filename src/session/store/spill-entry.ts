// Large content of an entry goes into the session's blob folder, once, and a text that names it stands in its place.
// Loaded with the first entry that has some.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { formatBytes, toWellFormed } from '../../util/text.js';
import { createBlobStore } from './blobs.js';
import type { BlobReference, MessageEntry, TranscriptEntry } from './entry.js';

export interface SpillOptions {
  readonly host: Host;
  /** Absolute: the blob folder of the session. */
  readonly folder: string;
  /** Bytes that all blobs of the session may take. */
  readonly maxBytes: number;
  /** Content was left out because the session has no room for it. */
  readonly onFull: (bytes: number) => void;
}

/** Media smaller than this stay in the line. Bytes. */
export const MIN_MEDIA_BYTES = 4 * 1024;
/** Texts shorter than this stay in the line. Characters. */
export const MIN_TEXT_LENGTH = 64 * 1024;
/** As much of a text stands in the line all the same. Characters. */
const SHOWN = 2_000;

const CANONICAL_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Keys whose strings are signed or name something. */
const KEPT = new Set(['id', 'tool_use_id', 'type', 'role', 'model', 'signature', 'thinking']);

/** What goes, and where it stood. */
interface Piece {
  readonly at: readonly (string | number)[];
  readonly bytes: Uint8Array;
  readonly encoding: BlobReference['encoding'];
  readonly block?: BlobReference['block'];
  /** What stands there instead. @param where what became of the content */
  standIn(where: string): unknown;
}

/**
 * Contract: what cannot be put into a file stays in the entry, so that nothing is lost; what the session has no room for
 * is left out and told. Gives the very entry if nothing in it is large.
 */
export function createSpill(options: SpillOptions): (entry: TranscriptEntry) => Promise<TranscriptEntry> {
  const { host, folder, maxBytes } = options;
  const blobs = createBlobStore(host, folder);
  let kept: Set<string> | null = null;
  let total = 0;

  /** The name; null if there is no room. */
  const keep = async (bytes: Uint8Array): Promise<string | null> => {
    if (kept === null) {
      const names = await blobs.list();
      for (const name of names) total += (await host.fs.lstat(path.join(folder, name))).size;
      kept = new Set(names);
    }
    if (total + bytes.length > maxBytes && !kept.has(await host.sha256(bytes))) return null;
    const hash = await blobs.put(bytes);
    if (!kept.has(hash)) total += bytes.length;
    kept.add(hash);
    return hash;
  };

  return async (entry) => {
    if (entry.type !== 'user' && entry.type !== 'assistant') return entry;
    const references: BlobReference[] = [];
    let spilled: MessageEntry = entry;
    for (const piece of piecesOf(entry)) {
      const size = formatBytes(piece.bytes.length);
      try {
        const sha256 = await keep(piece.bytes);
        if (sha256 === null) {
          options.onFull(piece.bytes.length);
          spilled = withValue(spilled, piece.at, piece.standIn(`${size}, not kept: the session has no room for it`));
          continue;
        }
        const { at, encoding, block, bytes } = piece;
        references.push({ path: at, sha256, bytes: bytes.length, encoding, ...(block === undefined ? {} : { block }) });
        spilled = withValue(spilled, at, piece.standIn(`${size}, kept in blobs/${sha256}`));
      } catch (error) {
        if (!isFileError(error)) throw error; // of a disk that fails, the line itself has to tell
      }
    }
    return references.length === 0 ? spilled : { ...spilled, blobs: references };
  };
}

function* piecesOf(entry: MessageEntry): Generator<Piece> {
  yield* piecesIn(entry.message, ['message'], true);
  if (entry.toolUseResult !== undefined) yield* piecesIn(entry.toolUseResult, ['toolUseResult'], false);
}

/** @param isBlock true in a message, in which a block of media is replaced by a block of text */
function* piecesIn(value: unknown, at: readonly (string | number)[], isBlock: boolean): Generator<Piece> {
  if (typeof value === 'string') {
    const piece = textPiece(value, at);
    if (piece !== null) yield piece;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* piecesIn(item, [...at, index], isBlock);
  } else if (typeof value === 'object' && value !== null) {
    const media = isBlock ? mediaPiece(value as Readonly<Record<string, unknown>>, at) : null;
    if (media !== null) yield media;
    else for (const [key, item] of Object.entries(value)) yield* fieldPieces(value, key, item, at, isBlock);
  }
}

function* fieldPieces(
  parent: object,
  key: string,
  item: unknown,
  at: readonly (string | number)[],
  isBlock: boolean,
): Generator<Piece> {
  const isSealed = isBlock && (KEPT.has(key) || (parent as { type?: unknown }).type === 'redacted_thinking');
  if (!isSealed) yield* piecesIn(item, [...at, key], isBlock && key !== 'input');
}

function mediaPiece(block: Readonly<Record<string, unknown>>, at: readonly (string | number)[]): Piece | null {
  const { type, source } = block;
  if ((type !== 'image' && type !== 'document') || typeof source !== 'object' || source === null) return null;
  const { type: sourceType, media_type: mediaType, data } = source as Record<string, unknown>;
  if (sourceType !== 'base64' || typeof data !== 'string' || data.length * 0.75 < MIN_MEDIA_BYTES) return null;
  return {
    at,
    ...toBytes(data),
    block: { ...block, type, source: { ...source, data: '' } },
    standIn: (where) => ({ type: 'text', text: `[${type} ${String(mediaType)}: ${where}]` }),
  };
}

function textPiece(text: string, at: readonly (string | number)[]): Piece | null {
  // A lone surrogate has no bytes.
  if (text.length < MIN_TEXT_LENGTH || toWellFormed(text) !== text) return null;
  const piece = toBytes(text);
  const shown = piece.encoding === 'base64' ? '' : `${toWellFormed(text.slice(0, SHOWN))}\n`;
  return { at, ...piece, standIn: (where) => `${shown}[… ${where}]` };
}

/** Bytes written as base64 are kept as bytes, so that the same file in two places is one. */
function toBytes(text: string): Pick<Piece, 'bytes' | 'encoding'> {
  if (text.length % 4 === 0 && CANONICAL_BASE64.test(text)) {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') === text) return { bytes, encoding: 'base64' };
  }
  return { bytes: new TextEncoder().encode(text), encoding: 'utf8' };
}

/** A copy with another value at `at`; what is not on the way is shared. */
function withValue<T>(holder: T, at: readonly (string | number)[], value: unknown): T {
  const [key, ...rest] = at;
  if (key === undefined) return value as T;
  const inner = withValue((holder as Record<string | number, unknown>)[key], rest, value);
  if (Array.isArray(holder)) return holder.map((item, index) => (index === key ? inner : item)) as T;
  return { ...holder, [key]: inner };
}
