// Lines out of a stream of bytes, as programs that talk in JSON write their messages. One rule: no more than one line is
// kept, and no more of it than a limit.
const NEWLINE = 0x0a;
/** What is told of a line that is too long, from its start: enough to see whose answer it is. */
const HEAD_BYTES = 256;

export interface LineSplitter {
  /** Contract: keeps no reference to the chunk. */
  push(chunk: Uint8Array): void;
  /** No more will come: what stands after the last line end is a line too. */
  end(): void;
}

export interface LineSplitterOptions {
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
