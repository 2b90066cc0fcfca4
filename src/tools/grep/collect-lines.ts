// Keeps the first lines of a content search in path order while ripgrep reports files in any order.
// Rule: everything is counted, memory is bounded.
import { comparePaths } from '../shared/search-paths.js';
import type { FoundLine } from './parse-record.js';

export interface LineCollector {
  add(line: FoundLine): void;
  /** Lines that matched, kept or not. */
  readonly matches: number;
  /** Lines that matched and lines around them, kept or not. */
  readonly lines: number;
  /** The first lines in order of path and line. */
  first(): FoundLine[];
  /** True where fewer than the wanted lines could be kept, because they were too long. */
  readonly overflowed: boolean;
}

/** Text kept at most, in characters. */
const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

/** A collector that can give the first `wanted` lines. */
export function collectLines(wanted: number): LineCollector {
  const files: FoundLine[][] = [];
  let current: FoundLine[] = [];
  let currentPath: string | null = null;
  let keptLines = 0;
  let keptCharacters = 0;
  let matches = 0;
  let lines = 0;
  let overflowed = false;

  const closeFile = (): void => {
    if (current.length > 0) files.push(current);
    current = [];
    if (keptLines > wanted * 2 || keptCharacters > MAX_KEPT_CHARACTERS) dropLast();
  };
  /** Forgets the files that come last, as long as the wanted lines stay. */
  const dropLast = (): void => {
    files.sort((a, b) => comparePaths(a[0]?.path ?? '', b[0]?.path ?? ''));
    for (let last = files.at(-1); last !== undefined; last = files.at(-1)) {
      const tooMuch = keptCharacters > MAX_KEPT_CHARACTERS && files.length > 1;
      const enough = keptLines - last.length >= wanted;
      if (!tooMuch && !enough) return;
      if (!enough) overflowed = true;
      files.pop();
      keptLines -= last.length;
      keptCharacters -= sizeOf(last);
    }
  };
  return {
    add(line) {
      if (line.path !== currentPath) {
        closeFile();
        currentPath = line.path;
      }
      lines += 1;
      if (line.isMatch) matches += 1;
      if (current.length >= wanted) return;
      current.push(line);
      keptLines += 1;
      keptCharacters += line.text.length;
    },
    get matches() {
      return matches;
    },
    get lines() {
      return lines;
    },
    get overflowed() {
      return overflowed;
    },
    first() {
      closeFile();
      currentPath = null;
      return files
        .toSorted((a, b) => comparePaths(a[0]?.path ?? '', b[0]?.path ?? ''))
        .flat()
        .slice(0, wanted);
    },
  };
}

function sizeOf(lines: readonly FoundLine[]): number {
  return lines.reduce((sum, line) => sum + line.text.length, 0);
}
