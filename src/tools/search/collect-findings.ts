// What one run of ripgrep finds, record by record. Rule: everything found is counted, whatever part of it is kept.
import path from 'node:path';
import type { GrepInput } from '../../protocol/tool-io.js';
import { MAX_SORTED_BY_TIME } from '../shared/index.js';
import { comparePaths, createFirstItems } from './search-paths.js';

/** Paths are absolute. */
export interface Findings {
  /** The first lines in order of path; content mode only. */
  readonly lines: readonly FoundLine[];
  /** The first files in order of path; the other modes. */
  readonly files: readonly FoundFile[];
  /** Lines (content) or files (other modes) in all. */
  readonly total: number;
  /** Matching lines; in files_with_matches, matching files. */
  readonly matches: number;
  /** True if lines that were asked for are missing because they were too long to keep. */
  readonly overflowed: boolean;
}

export interface Collector {
  take(record: string): void;
  /** What comes next is of another run, in which a path may stand for another file. */
  startRun(): void;
  findings(): Findings;
  /** Files with findings, relative to the folder, each once. */
  files(): readonly string[];
  /** Files with findings that a rule keeps from being read. */
  readonly hidden: number;
}

export interface CollectOptions {
  readonly mode: NonNullable<GrepInput['output_mode']>;
  /** How many lines or files can be shown, counted from the first. */
  readonly wanted: number;
  /** The folder as the call names it. */
  readonly named: string;
  /** What a path in a record is called below the folder; null for what is not to be shown. */
  nameOf(file: string): string | null;
  /** By its path below the folder. */
  readonly hides: ((file: string) => boolean) | null;
}

const NOTHING = { given: '', shown: null } as const;

export function collectFindings({ mode, wanted, named, nameOf, hides }: CollectOptions): Collector {
  const isContent = mode === 'content';
  const lines = collectLines(wanted);
  const files = createFirstItems<FoundFile>(Math.max(wanted, MAX_SORTED_BY_TIME), (a, b) =>
    comparePaths(a.path, b.path),
  );
  const names = new Set<string>();
  let [matches, hidden] = [0, 0];
  /** Records of one file come one after the other. */
  let last: { readonly given: string; readonly shown: string | null } = NOTHING;
  const shownName = (given: string): string | null => {
    if (last.given === given) return last.shown;
    let shown = nameOf(given);
    if (shown !== null && hides?.(shown) === true) {
      shown = null;
      hidden += 1;
    }
    if (shown !== null) names.add(shown);
    last = { given, shown };
    return shown;
  };
  let join = createRecordJoiner();
  return {
    startRun() {
      last = NOTHING;
      join = createRecordJoiner();
    },
    take(record) {
      // Names only come with nothing behind their NUL; they are read as files that count once.
      const whole = mode === 'files_with_matches' ? `${record}\0${1}` : join(record);
      if (whole === null) return;
      const found = isContent ? parseLine(whole) : parseCount(whole);
      const name = found === null ? null : shownName(found.path);
      if (found === null || name === null) return;
      const file = { ...found, path: path.resolve(named, name) };
      if ('count' in file) {
        matches += file.count;
        files.add(file);
      } else lines.add(file);
    },
    findings: () => ({
      lines: isContent ? lines.first() : [],
      files: files.items(),
      total: isContent ? lines.lines : files.total(),
      matches: isContent ? lines.matches : matches,
      overflowed: lines.overflowed,
    }),
    files: () => [...names],
    get hidden() {
      return hidden;
    },
  };
}

// Keeps the first lines of a content search in path order while ripgrep reports files in any order.
// Rule: everything is counted, memory is bounded.

interface LineCollector {
  add(line: FoundLine): void;
  /** Lines that matched, kept or not. */
  readonly matches: number;
  /** Lines that matched and lines around them, kept or not. */
  readonly lines: number;
  /** The first lines in order of path and line. */
  first(): FoundLine[];
  /** True if fewer than the wanted lines could be kept, because they were too long. */
  readonly overflowed: boolean;
}

/** Text kept at most, in characters. */
const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

/** A collector that can give the first `wanted` lines. */
function collectLines(wanted: number): LineCollector {
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

// Reads one line of ripgrep's output in the form `path NUL rest`. Rule: a file name may hold anything but a NUL.

/** One line of a file: a match, or context around one. */

export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
  readonly text: string;
}

/** A record of `--files-with-matches` (`count` is 1) or `--count`. */
interface FoundFile {
  readonly path: string;
  readonly count: number;
}

/**
 * Joins what a line break in a file name split: records without a NUL are the first part of the next path.
 * Contract: call with each record in order; returns the whole record, or null while it is not complete.
 */
function createRecordJoiner(): (record: string) => string | null {
  let waiting = '';
  return (record) => {
    if (!record.includes('\0')) {
      // ripgrep's one record without a NUL that is not a path: its notice of a match in a binary file.
      if (BINARY_NOTICE.test(record)) return record;
      // A name is never this long; what is no name is dropped rather than kept.
      waiting = waiting.length > 4_096 ? '' : `${waiting}${record}\n`;
      return null;
    }
    const whole = waiting + record;
    waiting = '';
    return whole;
  };
}

const BINARY_NOTICE = /^(.*): binary file matches \(found .*\)$/;
const LINE = /^(\d+)([:-])/;

/** A line of a content search, or null if the record is not one. */
function parseLine(record: string): FoundLine | null {
  const end = record.indexOf('\0');
  if (end < 0) {
    const path = BINARY_NOTICE.exec(record)?.[1];
    return path === undefined ? null : { path, line: 0, isMatch: true, text: '(binary file matches)' };
  }
  const rest = record.slice(end + 1);
  const head = LINE.exec(rest);
  if (head === null) return null;
  const text = rest.slice(head[0].length).replace(/\r$/, '');
  return { path: record.slice(0, end), line: Number(head[1]), isMatch: head[2] === ':', text };
}

/** A file of a count search, or null if the record is not one. */
function parseCount(record: string): FoundFile | null {
  const end = record.indexOf('\0');
  const count = Number(record.slice(end + 1));
  return end < 0 || !Number.isInteger(count) ? null : { path: record.slice(0, end), count };
}
