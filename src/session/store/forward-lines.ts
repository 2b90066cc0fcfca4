// The lines of a transcript from its start to its end, for work that needs all of them: copying, and finding what they
// refer to. A chunk at a time; no line is held that is longer than anything could use.
import type { ReadHandle } from '../../host/host.js';
import { MAX_LINE_BYTES } from './line-reader.js';

const CHUNK_BYTES = 1024 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Batches of lines without their line breaks; empty lines, and lines too long for any request, are left out.
 * @param size bytes from the start of the file that count
 * @throws FileError
 */
export async function* linesForwards(file: ReadHandle, size: number): AsyncGenerator<readonly Uint8Array[], void> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  for (let position = 0; position < size; ) {
    const chunk = await file.read(position, Math.min(CHUNK_BYTES, size - position));
    if (chunk.length === 0) break; // the file became shorter
    position += chunk.length;
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      add(lines, pieces, held, chunk.subarray(start, end));
      [pieces, held] = [[], 0];
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    held += rest.length;
    // Of a line that is too long only its length is kept.
    if (held <= MAX_LINE_BYTES && rest.length > 0) pieces.push(rest);
    else if (held > MAX_LINE_BYTES) pieces = [];
    if (lines.length > 0) yield lines;
  }
  const last: Uint8Array[] = [];
  add(last, pieces, held, new Uint8Array(0));
  if (last.length > 0) yield last;
}

function add(lines: Uint8Array[], pieces: readonly Uint8Array[], held: number, end: Uint8Array): void {
  const length = held + end.length;
  if (length === 0 || length > MAX_LINE_BYTES) return;
  lines.push(pieces.length === 0 ? end : joined([...pieces, end], length));
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
