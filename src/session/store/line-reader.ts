// The lines of a transcript, of a file chunk by chunk from either end, or of the entries that a session store gave. What a
// reader does not ask for is never read, and no line is held that is longer than anything could use.
import type { ReadHandle } from '../../host/host.js';
import { joinBytes } from '../../util/bytes.js';
import { type EntryValue, isShallow, type Line, type ParsedLine, parseBytes, parseLine } from './read-entry.js';

/** No request to a model takes more, so a message of this size could not be sent again. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** The first one is what a short conversation takes; then fewer and larger ones. */
const FIRST_CHUNK_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const LINE_BREAK = 0x0a;
const EMPTY = new Uint8Array(0);
const STRICT = new TextDecoder('utf-8', { fatal: true });

/**
 * Batches of lines, the last line of the file first; empty lines are left out.
 * @param size where to begin: bytes from the start of the file
 * @throws FileError
 */
export async function* linesBackwards(file: ReadHandle, size: number): AsyncGenerator<readonly Line[], void> {
  /** The end of a line whose start is in a chunk not read yet; the last piece first. */
  let rest = createRest();
  let ahead: Promise<Uint8Array> | null = null;
  for (let end = size; end > 0; ) {
    const start = chunkBefore(end, size);
    const chunk = await (ahead ?? file.read(start, end - start));
    // Who takes more than the first chunk mostly takes all: the disk works while the lines of this one are parsed.
    ahead = end < size && start > 0 ? readAhead(file, chunkBefore(start, size), start) : null;
    const { head, lines, tail } = splitChunk(chunk, start);
    const batch: Line[] = [];
    if (tail !== null) {
      rest.add(tail);
      addLine(batch, rest.toLine(start + chunk.length - tail.length, true));
      for (let index = lines.length - 1; index >= 0; index--) {
        const line = lines[index];
        if (line !== undefined) batch.push(line);
      }
      rest = createRest();
    }
    rest.add(head);
    if (start === 0) addLine(batch, rest.toLine(0, true));
    if (batch.length > 0) yield batch;
    end = start;
  }
}

/** Where the chunk begins that ends at `end`. */
function chunkBefore(end: number, size: number): number {
  return Math.max(0, end - (end === size ? FIRST_CHUNK_BYTES : CHUNK_BYTES));
}

function readAhead(file: ReadHandle, from: number, to: number): Promise<Uint8Array> {
  const reading = file.read(from, to - from);
  reading.catch(() => undefined); // whoever asks for that chunk is told; nobody may
  return reading;
}

/**
 * Batches of lines, the first line of the file first; empty lines are left out.
 * @param size where to end: bytes from the start of the file
 * @throws FileError
 */
export async function* linesForwards(file: ReadHandle, size: number): AsyncGenerator<readonly Line[], void> {
  /** The start of a line whose end is in a chunk not read yet. */
  let rest = createRest();
  let restAt = 0;
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const { head, lines, tail } = splitChunk(await file.read(start, Math.min(CHUNK_BYTES, size - start)), start);
    const batch: Line[] = [];
    rest.add(head);
    if (tail !== null) {
      addLine(batch, rest.toLine(restAt, false));
      for (const line of lines) batch.push(line);
      rest = createRest();
      rest.add(tail);
      restAt = Math.min(start + CHUNK_BYTES, size) - tail.length;
    }
    if (batch.length > 0) yield batch;
  }
  const last: Line[] = [];
  addLine(last, rest.toLine(restAt, false));
  if (last.length > 0) yield last;
}

interface Chunk {
  /** Up to the first line break; all of it if there is none. */
  readonly head: Uint8Array;
  /** What stands between line breaks, without empty lines. */
  readonly lines: readonly Line[];
  /** Behind the last line break; null if there is none. */
  readonly tail: Uint8Array | null;
}

function splitChunk(chunk: Uint8Array, start: number): Chunk {
  // The same bytes: a Buffer finds one of them a hundred times as fast as another array does.
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const first = view.indexOf(LINE_BREAK);
  if (first === -1) return { head: chunk, lines: [], tail: null };
  const last = view.lastIndexOf(LINE_BREAK);
  const lines: Line[] = [];
  // All at once: one large text and its parts take half the time of as many small ones.
  const whole = last > first ? decode(chunk.subarray(first + 1, last)) : null;
  const texts = whole?.split('\n');
  // One byte a character: then the texts say where their lines end.
  const isAscii = whole?.length === last - first - 1;
  let index = 0;
  for (let at = first + 1; at < last; index++) {
    const text = texts?.[index] ?? null;
    const end = isAscii && text !== null ? at + text.length : view.indexOf(LINE_BREAK, at);
    const bytes = text === null ? chunk.subarray(at, end) : EMPTY;
    if (end > at) lines.push({ at: start + at, length: end - at, text, bytes, isTooLong: false });
    at = end + 1;
  }
  return { head: chunk.subarray(0, first), lines, tail: chunk.subarray(last + 1) };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return STRICT.decode(bytes);
  } catch {
    return null; // whoever reads the line says so
  }
}

function addLine(lines: Line[], line: Line): void {
  if (line.length > 0) lines.push(line);
}

/** The pieces of a line that lies in several chunks. Of one that is too long only the first or the last is kept. */
function createRest() {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    add(piece: Uint8Array): void {
      length += piece.length;
      pieces.push(piece);
      if (length > MAX_LINE_BYTES && pieces.length > 2) pieces.splice(1, pieces.length - 2);
    },
    /** @param isReversed the last piece of the line was added first */
    toLine(at: number, isReversed: boolean): Line {
      const parts = isReversed ? pieces.toReversed() : pieces;
      if (length > MAX_LINE_BYTES) return { at, length, text: null, bytes: parts[0] ?? EMPTY, isTooLong: true };
      const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : joinBytes(parts, length);
      const text = decode(bytes);
      return { at, length, text, bytes: text === null ? bytes : EMPTY, isTooLong: false };
    },
  };
}

export interface SourceLine {
  /** Grows from the oldest line to the newest. */
  readonly at: number;
  /** Bytes, or about that. */
  readonly length: number;
}

/** Lines that stand one after another, the newest first. */
interface SourceBatch {
  readonly lines: readonly SourceLine[];
  /** @param index of one of `lines` */
  parse(index: number): ParsedLine;
}

export interface EntrySource {
  /** The newest batch first. @throws FileError */
  backwards(): AsyncIterable<SourceBatch>;
  /** A line once more; null if it is no longer there. @throws FileError */
  reload(at: number, length: number): Promise<EntryValue | null>;
}

/** @param size bytes of the file that count: what is written later is not seen */
export function fileSource(file: ReadHandle, size: number): EntrySource {
  return {
    async *backwards() {
      for await (const lines of linesBackwards(file, size)) {
        const parse = (index: number): ParsedLine => {
          const line = lines[index];
          // A line that was written whole ends before its line break.
          return line === undefined ? NO_LINE : parseLine(line, line.at + line.length === size);
        };
        yield { lines, parse };
      }
    },
    async reload(at, length) {
      return parseBytes(await file.read(at, length));
    },
  };
}

/** @param entries as a session store gave them: anything, oldest first */
export function entriesSource(entries: readonly unknown[]): EntrySource {
  const parse = (value: unknown): ParsedLine => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NO_LINE;
    if (!isShallow(value)) return { value: null, damage: { kind: 'too_deep', parent: undefined } };
    return { value: value as EntryValue, isLossy: false };
  };
  return {
    async *backwards() {
      for (let to = entries.length; to > 0; to -= BATCH) {
        const from = Math.max(0, to - BATCH);
        const batch = entries.slice(from, to).toReversed();
        const lines = batch.map((value, index) => ({ at: to - 1 - index, length: sizeOf(value) }));
        yield { lines, parse: (index) => parse(batch[index]) };
      }
    },
    reload: async (at) => parse(entries[at]).value,
  };
}

const BATCH = 100;
const NO_LINE: ParsedLine = { value: null, damage: { kind: 'not_json', parent: undefined } };

/** About the bytes of the value as JSON. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null || depth > 20) return 8;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}
