// Line counts and sizes of files. Lines come from Grep, which needs no permission; bytes only a command can tell.

import { alternatives, findCommand, placesOf } from './file-query.js';
import { countOf, type FileFact } from './findings.js';
import {
  ask,
  askAll,
  bash,
  type Call,
  type CallResult,
  type Flow,
  requireEither,
  type Situation,
  shellQuote,
  toAbsolute,
  toRelative,
} from './flow.js';
import { locate, previousFiles } from './locate.js';
import { readCounts, readOutput, readSizes } from './read-results.js';
import type { FileQuery, Target } from './step.js';

/** Pages of one listing that are read at most. */
const MAX_PAGES = 40;
/** Matches every line, the last one included; Grep takes no empty pattern. */
const EVERY_LINE = '^';

/** Files, and sentences on what is missing among them. */
export interface Found {
  readonly files: readonly FileFact[];
  readonly notes: readonly string[];
}

/** Files with their number of lines. */
export function* measureLines(target: Target, situation: Situation): Flow<Found> {
  if (target.kind === 'query') return yield* linesOfQuery(target.query, situation);
  const files = target.kind === 'paths' ? target.paths.map((path) => ({ path })) : previousFiles(situation);
  return yield* addLines(files, situation);
}

/** Adds the number of lines to files that lack it. */
export function* addLines(files: readonly FileFact[], situation: Situation): Flow<Found> {
  const unknown = files.filter((file) => file.lines === undefined).map((file) => file.path);
  if (unknown.length === 0) return { files, notes: [] };
  if (!situation.tools.has('Grep')) {
    requireEither(situation, 'Grep', 'Bash');
    const command = `wc -l -- ${unknown.map((path) => shellQuote(toAbsolute(situation, path))).join(' ')}`;
    const result = yield* ask(situation, 'Counting lines.', bash(command, 'Count lines'));
    return { files: merge(files, readSizes(result.text), 'lines', situation), notes: [] };
  }
  const calls = unknown.map((path) => countCall(path, situation));
  const results = yield* askAll(
    situation,
    `Counting the lines of ${unknown.length === 1 ? unknown[0] : countOf(unknown.length, 'file')}.`,
    calls,
  );
  const counted: FileFact[] = [];
  for (const [index, result] of results.entries()) {
    counted.push(...(yield* countsOf(unknown[index] ?? '', result, situation)));
  }
  // A folder that was named stands for its files, a name found below the working directory for the one found.
  return { files: [...files.filter((file) => file.lines !== undefined), ...counted], notes: [] };
}

function countCall(path: string, situation: Situation): Call {
  return { name: 'Grep', input: { pattern: EVERY_LINE, path: toAbsolute(situation, path), output_mode: 'count' } };
}

function* countsOf(path: string, result: CallResult, situation: Situation): Flow<FileFact[]> {
  const located = result.isError ? yield* locate(path, result, situation) : path;
  const counted =
    located === path
      ? result
      : yield* ask(situation, `Counting the lines of ${located}.`, countCall(located, situation));
  const { entries } = readCounts(counted.text, located);
  if (entries.length > 1)
    return entries.map((entry) => ({ path: toRelative(situation, entry.path), lines: entry.count }));
  return [{ path: located, lines: entries[0]?.count ?? 0 }];
}

/** Every file of a query that has a line, with its number of lines. */
export function* linesOfQuery(query: FileQuery, situation: Situation): Flow<Found> {
  if (!situation.tools.has('Grep')) {
    requireEither(situation, 'Grep', 'Bash');
    return yield* measureByShell(query, situation, 'lines');
  }
  const files = new Map<string, FileFact>();
  const notes: string[] = [];
  const glob = query.globs.length === 0 ? undefined : alternatives(query.globs);
  for (const path of placesOf(query)) {
    let offset = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const input = {
        pattern: EVERY_LINE,
        ...(path === null ? {} : { path }),
        ...(glob === undefined ? {} : { glob }),
        output_mode: 'count',
        head_limit: 0,
        ...(offset === 0 ? {} : { offset }),
      };
      const result = yield* ask(
        situation,
        offset === 0 ? `Counting the lines of ${query.label}.` : 'Reading on in the list of line counts.',
        { name: 'Grep', input },
      );
      const listing = readCounts(result.text, null);
      for (const entry of listing.entries) {
        const relative = toRelative(situation, entry.path);
        files.set(relative, { path: relative, lines: entry.count });
      }
      const goesOn = listing.nextOffset !== null && listing.nextOffset > offset && listing.entries.length > 0;
      if (!goesOn || page === MAX_PAGES - 1) notes.push(...listing.notes);
      if (!goesOn) break;
      offset = listing.nextOffset ?? offset;
    }
  }
  return { files: [...files.values()], notes };
}

/** Files with their size. */
export function* measureBytes(target: Target, situation: Situation): Flow<Found> {
  if (target.kind === 'query') return yield* measureByShell(target.query, situation, 'bytes');
  return yield* addBytes(
    target.kind === 'paths' ? target.paths.map((path) => ({ path })) : previousFiles(situation),
    situation,
  );
}

/** Adds sizes in bytes, which only a command can tell. */
export function* addBytes(files: readonly FileFact[], situation: Situation): Flow<Found> {
  const unknown = files.filter((file) => file.bytes === undefined).map((file) => file.path);
  if (unknown.length === 0) return { files, notes: [] };
  const command = `wc -c -- ${unknown.map((path) => shellQuote(toAbsolute(situation, path))).join(' ')}`;
  const result = yield* ask(situation, 'Measuring sizes.', bash(command, 'Measure file sizes'));
  return { files: merge(files, readSizes(result.text), 'bytes', situation), notes: [] };
}

function* measureByShell(query: FileQuery, situation: Situation, measure: 'lines' | 'bytes'): Flow<Found> {
  const command = `${findCommand(query)} -exec wc ${measure === 'lines' ? '-l' : '-c'} {} +`;
  const result = yield* ask(situation, `Measuring ${query.label}.`, bash(command, `Measure ${query.label}`));
  const files = readSizes(readOutput(result.text, false)?.text ?? '').map(({ path, count }) => ({
    path: toRelative(situation, path),
    [measure]: count,
  }));
  const notes = /truncated|omitted/i.test(result.text)
    ? ['The output of the command was cut, so not every file was looked at.']
    : [];
  return { files, notes };
}

function merge(
  files: readonly FileFact[],
  counts: readonly { path: string; count: number }[],
  key: 'lines' | 'bytes',
  situation: Situation,
): FileFact[] {
  const known = new Map(counts.map(({ path, count }) => [toAbsolute(situation, path), count]));
  return files.map((file) => {
    const value = known.get(toAbsolute(situation, file.path));
    return value === undefined ? file : { ...file, [key]: value };
  });
}
