// Lines out of a stream of bytes, as MCP servers write their messages. One rule: no more than one line is kept, and no
// more of it than a limit.
const NEWLINE = 0x0a;
/** What is kept of a line that is too long, from its start: enough to see whose answer it is. */
const HEAD_BYTES = 256;

export interface LineReader {
  push(chunk: Uint8Array): void;
}

export interface LineReaderOptions {
  /** Longest line, bytes. */
  readonly maxBytes: number;
  /** A line without its end, and without the carriage return before it. Empty ones are left out. */
  onLine(line: string): void;
  /** Once for each line that is longer; `head` is how it begins. */
  onTooLong(head: string): void;
}

/** Contract: what follows the last line end is never given. */
export function createLineReader({ maxBytes, onLine, onTooLong }: LineReaderOptions): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isSkipping = false;
  const take = (part: Uint8Array): void => {
    if (isSkipping || part.length === 0) return;
    // A copy: the chunk belongs to whoever read it.
    parts.push(Buffer.from(part));
    bytes += part.length;
    if (bytes <= maxBytes) return;
    const head = Buffer.concat(parts).subarray(0, HEAD_BYTES).toString();
    isSkipping = true;
    parts = [];
    bytes = 0;
    onTooLong(head);
  };
  const end = (): void => {
    const line = isSkipping ? '' : Buffer.concat(parts).toString();
    parts = [];
    bytes = 0;
    isSkipping = false;
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.trim() !== '') onLine(text);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      take(chunk.subarray(from));
    },
  };
}
