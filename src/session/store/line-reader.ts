// The lines of a file, chunk by chunk, from its end or from its start: what a reader does not ask for is never read, and
// no line is held that is longer than anything could use.
import type { ReadHandle } from '../../host/host.js';

/** One line, without its line break. */
export interface Line {
  /** Byte offset of its start. */
  readonly at: number;
  /** Bytes; of a line that is too long as well. */
  readonly length: number;
  /** The line, or only its first bytes where `isTooLong`. */
  readonly bytes: Uint8Array;
  /** Longer than `MAX_LINE_BYTES`. */
  readonly isTooLong: boolean;
}

/** No request to a model takes more, so a message of this size could not be sent again. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Batches of lines, the last line of the file first; empty lines are left out.
 * @param size where to begin: bytes from the start of the file
 * @throws FileError
 */
export async function* linesBackwards(file: ReadHandle, size: number): AsyncGenerator<readonly Line[], void> {
  const rest = createRest();
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const chunk = await file.read(start, end - start);
    const lines: Line[] = [];
    let to = chunk.length;
    for (let at = lastBreak(chunk, to); at !== -1; at = lastBreak(chunk, to)) {
      add(lines, rest.take(chunk.subarray(at + 1, to), start + at + 1));
      to = at;
      while (to > 0 && chunk[to - 1] === LINE_BREAK) to -= 1;
    }
    if (start === 0) add(lines, rest.take(chunk.subarray(0, to), 0));
    else rest.prepend(chunk.subarray(0, to));
    if (lines.length > 0) yield lines;
    end = start;
  }
}

/**
 * Batches of lines, the first line of the file first; empty lines are left out.
 * @param size where to end: bytes from the start of the file
 * @throws FileError
 */
export async function* linesForwards(file: ReadHandle, size: number): AsyncGenerator<readonly Line[], void> {
  let pieces: Uint8Array[] = [];
  let lineAt = 0;
  let length = 0;
  const take = (last: Uint8Array): Line => {
    const whole = length + last.length;
    const isTooLong = whole > MAX_LINE_BYTES;
    const parts = isTooLong ? pieces.slice(0, 1) : [...pieces, last];
    const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : concat(parts, whole);
    const line = { at: lineAt, length: whole, bytes, isTooLong };
    lineAt += whole + 1;
    pieces = [];
    length = 0;
    return line;
  };
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const chunk = await file.read(start, Math.min(CHUNK_BYTES, size - start));
    const lines: Line[] = [];
    let from = 0;
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = view.indexOf(LINE_BREAK); at !== -1; at = view.indexOf(LINE_BREAK, from)) {
      add(lines, take(chunk.subarray(from, at)));
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    // Of a line that is too long, its start is enough.
    if (length <= MAX_LINE_BYTES) pieces.push(rest);
    else pieces = pieces.slice(0, 1);
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [take(new Uint8Array(0))];
}

function lastBreak(chunk: Uint8Array, to: number): number {
  // A negative start would count from the end. A Buffer searches a hundred times as fast as another array of bytes.
  return to === 0 ? -1 : Buffer.from(chunk.buffer, chunk.byteOffset, to).lastIndexOf(LINE_BREAK);
}

function add(lines: Line[], line: Line): void {
  if (line.length > 0) lines.push(line);
}

/** The end of a line whose start is in a chunk not read yet. */
function createRest() {
  /** The last one first. */
  let pieces: Uint8Array[] = [];
  let length = 0;
  return {
    prepend(piece: Uint8Array): void {
      length += piece.length;
      if (length > MAX_LINE_BYTES) pieces = [];
      else pieces.push(piece);
    },
    /** The whole line that begins with `first`. */
    take(first: Uint8Array, at: number): Line {
      const whole = length + first.length;
      const parts = pieces;
      pieces = [];
      length = 0;
      if (whole > MAX_LINE_BYTES) return { at, length: whole, bytes: first, isTooLong: true };
      const bytes = parts.length === 0 ? first : concat([first, ...parts.reverse()], whole);
      return { at, length: whole, bytes, isTooLong: false };
    },
  };
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
