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
}

/** Lines that stand one after another, the newest first. */
export interface SourceBatch {
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
