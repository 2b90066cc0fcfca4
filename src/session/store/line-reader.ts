// The lines of a file from its end to its start, chunk by chunk: what a reader of the newest part does not ask for is
// never read, and no line is held that is longer than anything could use.
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

function lastBreak(chunk: Uint8Array, to: number): number {
  // A negative start would count from the end.
  return to === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, to - 1);
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
