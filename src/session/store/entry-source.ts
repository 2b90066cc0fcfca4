// Where the lines of a transcript come from: a file, or the entries that a session store gave. Both are read from the
// newest to the oldest, and nothing is parsed before it is asked for.
import type { ReadHandle } from '../../host/host.js';
import { linesBackwards } from './line-reader.js';
import { type EntryValue, isShallow, type ParsedLine, parseBytes, parseLine } from './read-entry.js';

export interface SourceLine {
  /** Grows from the oldest line to the newest. */
  readonly at: number;
  /** Bytes, or about that. */
  readonly length: number;
  parse(): ParsedLine;
}

export interface EntrySource {
  /** Batches of lines, the newest first. @throws FileError */
  backwards(): AsyncIterable<readonly SourceLine[]>;
  /** A line once more; null where it is no longer there. @throws FileError */
  reload(at: number, length: number): Promise<EntryValue | null>;
}

/** @param size bytes of the file that count: what is written later is not seen */
export function fileSource(file: ReadHandle, size: number): EntrySource {
  return {
    async *backwards() {
      const lastByte = size === 0 ? null : await file.read(size - 1, 1);
      const isWhole = lastByte?.[0] === 0x0a;
      for await (const lines of linesBackwards(file, size)) {
        yield lines.map((line) => ({
          at: line.at,
          length: line.length,
          parse: () => parseLine(line, !isWhole && line.at + line.length === size),
        }));
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
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { value: null, damage: { kind: 'not_json', parent: undefined } };
    if (!isShallow(value)) return { value: null, damage: { kind: 'too_deep', parent: undefined } };
    return { value: value as EntryValue, isLossy: false };
  };
  return {
    async *backwards() {
      for (let to = entries.length; to > 0; to -= BATCH) {
        const from = Math.max(0, to - BATCH);
        yield entries.slice(from, to).map((_, index, batch) => {
          const at = to - 1 - index;
          const value = batch[batch.length - 1 - index];
          return { at, length: sizeOf(value), parse: () => parse(value) };
        });
      }
    },
    reload: async (at) => parse(entries[at]).value,
  };
}

const BATCH = 100;

/** About the bytes of the value as JSON. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null || depth > 20) return 8;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}
