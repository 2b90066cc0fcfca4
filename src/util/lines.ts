// Lines of a text by position, without splitting it, and lines out of a stream of bytes, as programs that talk in JSON write
// them: no more than one line is kept, and no more of it than a limit. A line ends with its "\n"; the last may end without.

/** Number of lines: "" has none, "a" and "a\n" have one. */
export function countLines(text: string): number {
  if (text === '') return 0;
  return lineNumberAt(text, text.length) - (text.endsWith('\n') ? 1 : 0);
}

/** Number of the line that holds `offset`, counted from 1. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Start of the line `linesBefore` lines above the one that holds `offset`; 0 at the top. */
export function startOfLine(text: string, offset: number, linesBefore = 0): number {
  let start = lineBreakBefore(text, offset) + 1;
  for (let line = 0; line < linesBefore && start > 0; line++) start = lineBreakBefore(text, start - 1) + 1;
  return start;
}

/** End (behind the line break) of the line `linesAfter` lines below the one that holds `offset`. */
export function endOfLine(text: string, offset: number, linesAfter = 0): number {
  let end = offset;
  for (let line = 0; line <= linesAfter && end < text.length; line++) {
    const lineBreak = text.indexOf('\n', end);
    end = lineBreak === -1 ? text.length : lineBreak + 1;
  }
  return end;
}

function lineBreakBefore(text: string, offset: number): number {
  // lastIndexOf takes a negative start as 0, which would find a break at 0.
  return offset <= 0 ? -1 : text.lastIndexOf('\n', offset - 1);
}

const NEWLINE = 0x0a;
/** What is told of a line that is too long, from its start: enough to see whose answer it is. */
const HEAD_BYTES = 256;

export interface LineSplitter {
  /** Contract: keeps no reference to the chunk. */
  push(chunk: Uint8Array): void;
  /** No more will come: what stands after the last line end is a line too. */
  end(): void;
}

interface LineSplitterOptions {
  /** Longest line, bytes. */
  readonly maxBytes: number;
  /** A line without its end, and without the carriage return before it. Empty ones are left out. */
  onLine(line: string): void;
  /** Once for each line that is longer; `head` is how it begins. */
  onTooLong(head: string): void;
}

/** Contract: the same lines however the bytes are cut into chunks; bytes that are no UTF-8 become U+FFFD. */
export function createLineSplitter({ maxBytes, onLine, onTooLong }: LineSplitterOptions): LineSplitter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let isSkipping = false;
  const forget = (): void => {
    parts = [];
    bytes = 0;
  };
  const isTooLong = (part: Uint8Array): boolean => {
    if (bytes + part.length <= maxBytes) return false;
    isSkipping = true;
    const head = join([...parts, part.subarray(0, HEAD_BYTES)], HEAD_BYTES);
    forget();
    onTooLong(decoder.decode(head));
    return true;
  };
  const keep = (part: Uint8Array): void => {
    if (isSkipping || part.length === 0 || isTooLong(part)) return;
    parts.push(part.slice());
    bytes += part.length;
  };
  const finish = (part: Uint8Array): void => {
    if (!isSkipping && !isTooLong(part)) {
      const line = decoder.decode(parts.length === 0 ? part : join([...parts, part], bytes + part.length));
      forget();
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text.trim() !== '') onLine(text);
    }
    isSkipping = false;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        finish(chunk.subarray(from, at));
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    end: () => finish(new Uint8Array()),
  };
}

/** The parts one after the other, at most `maxBytes` of them. */
function join(parts: readonly Uint8Array[], maxBytes: number): Uint8Array {
  const length = Math.min(
    maxBytes,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    const fits = part.subarray(0, length - at);
    joined.set(fits, at);
    at += fits.length;
  }
  return joined;
}
