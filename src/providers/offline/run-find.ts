// Steps that look at the tree. Read-only tools first: Glob lists, Grep counts lines; Bash only for sizes in bytes, or
// where nothing else is offered.
import { countOf, type FileFact, type Finding, factOf, lastFiles } from './findings.js';
import {
  ask,
  askAll,
  type Call,
  type CallResult,
  type Flow,
  failedCall,
  requireTool,
  type Situation,
  StepFailure,
  shellQuote,
  toAbsolute,
  toRelative,
} from './flow.js';
import { readCounts, readOutput, readPaths, readSizes } from './read-results.js';
import type { FileQuery, Step, Target } from './step.js';

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** Pages of one listing that are read at most. */
const MAX_PAGES = 40;
/** Matches every line, the last one included; Grep takes no empty pattern. */
const EVERY_LINE = '^';
/** Folders that a shell command leaves out; Glob and Grep leave out what .gitignore names. */
const LEFT_OUT = ['.git', 'node_modules'];

export interface Found {
  readonly files: readonly FileFact[];
  readonly notes: readonly string[];
}

export function* runList(step: StepOf<'list'>, situation: Situation): Flow<Finding> {
  const found = yield* listFiles(step.query, situation);
  const title = step.query.label;
  if (step.what === 'folders') {
    const folders = foldersOf(found.files, step.query.folders).map((path) => ({ path }));
    return { step, title, files: folders, count: { value: folders.length, unit: 'folder' }, notes: found.notes };
  }
  const files = step.limit === null ? found.files : found.files.slice(0, step.limit);
  const left = found.files.length - files.length;
  const notes = left > 0 ? [...found.notes, `The first ${files.length} of ${found.files.length}.`] : found.notes;
  return { step, title, files, count: { value: files.length, unit: 'file' }, notes };
}

export function* runCountFiles(step: StepOf<'count_files'>, situation: Situation): Flow<Finding> {
  const found = yield* listFiles(step.query, situation);
  return {
    step,
    title: `Number of ${step.query.label}`,
    files: found.files,
    count: { value: found.files.length, unit: 'file' },
    notes: found.notes,
  };
}

export function* runRank(step: StepOf<'rank'>, situation: Situation): Flow<Finding> {
  const { target, measure, order } = step;
  const found = measure === 'bytes' ? yield* measureBytes(target, situation) : yield* measureLines(target, situation);
  const size = (file: FileFact): number => (measure === 'bytes' ? file.bytes : file.lines) ?? 0;
  const sign = order === 'largest' ? -1 : 1;
  const ranked = found.files.toSorted(
    (left, right) => sign * (size(left) - size(right)) || (left.path < right.path ? -1 : 1),
  );
  const label = target.kind === 'query' ? target.query.label : 'files found before';
  const by = measure === 'bytes' ? 'size in bytes' : 'line count';
  const what = step.count === 1 ? label.replace(/\bfiles\b/, 'file') : `${step.count} ${label}`;
  const title = `${order === 'largest' ? 'Largest' : 'Smallest'} ${what}, by ${by}`;
  return { step, title, files: ranked.slice(0, step.count), notes: found.notes };
}

export function* runCountLines(step: StepOf<'count_lines'>, situation: Situation): Flow<Finding> {
  const found = yield* measureLines(step.target, situation);
  const total = found.files.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  const what =
    found.files.length === 1
      ? (found.files[0]?.path ?? '')
      : step.target.kind === 'query'
        ? step.target.query.label
        : countOf(found.files.length, 'file');
  return {
    step,
    title: `Lines of ${what}`,
    files: found.files,
    count: { value: total, unit: 'line' },
    notes: found.notes,
  };
}

/** All files a query means. */
export function* listFiles(query: FileQuery, situation: Situation): Flow<Found> {
  if (!situation.tools.has('Glob')) return yield* listByShell(query, situation);
  const pattern = anyDepth(query.globs);
  const calls = placesOf(query).map((path) => ({
    name: 'Glob',
    input: { pattern, ...(path === null ? {} : { path }) },
  }));
  const results = yield* askAll(situation, `Looking for ${query.label}.`, calls);
  const paths: string[] = [];
  let missing = 0;
  const notes: string[] = [];
  for (const result of results) {
    if (result.isError) throw failedCall(result);
    const listing = readPaths(result.text);
    paths.push(...listing.entries.map((path) => toRelative(situation, path)));
    missing += Math.max(0, (listing.total ?? 0) - listing.entries.length);
    notes.push(...listing.notes);
  }
  if (missing === 0) return { files: uniqueFiles(paths), notes };
  return yield* completeListing(query, situation, paths, missing, notes);
}

/** Glob shows so many and no more; Grep's counts can be paged through and name every file that is not empty. */
function* completeListing(
  query: FileQuery,
  situation: Situation,
  paths: readonly string[],
  missing: number,
  notes: readonly string[],
): Flow<Found> {
  if (!situation.tools.has('Grep')) return { files: uniqueFiles(paths), notes };
  const counted = yield* linesOfQuery(query, situation);
  const lines = new Map(counted.files.map((file) => [file.path, file]));
  const files = [...new Set([...paths, ...lines.keys()])].toSorted().map((path) => lines.get(path) ?? { path });
  const total = new Set(paths).size + missing;
  const short = total - files.length;
  return {
    files,
    notes:
      short > 0
        ? [`${files.length} of ${total} files; ${short} more are empty, binary or beyond what the tools list.`]
        : [],
  };
}

function* listByShell(query: FileQuery, situation: Situation): Flow<Found> {
  requireEither(situation, 'Glob', 'Bash');
  const result = yield* ask(
    situation,
    `Looking for ${query.label}.`,
    bash(`${findCommand(query)} -print | sort`, `List ${query.label}`),
  );
  const output = readOutput(result.text, false)?.text ?? '';
  return { files: uniqueFiles(readPaths(output).entries.map((path) => toRelative(situation, path))), notes: [] };
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

/** The one file a bare name can mean where it is not in the working directory. @throws StepFailure otherwise */
export function* locate(path: string, failed: CallResult, situation: Situation): Flow<string> {
  const missing = /not exist|no such|not found|ENOENT|cannot find/i.test(failed.text);
  if (!missing || path.includes('/') || !situation.tools.has('Glob')) throw failedCall(failed);
  const pattern = /\./.test(path) ? `**/${path}` : `**/${path}{,.*}`;
  const [result] = yield* askAll(situation, `${path} is not in the working directory; looking for it below.`, [
    { name: 'Glob', input: { pattern } },
  ]);
  const paths =
    result === undefined || result.isError
      ? []
      : readPaths(result.text).entries.map((entry) => toRelative(situation, entry));
  const top = paths.filter((entry) => !entry.includes('/'));
  const only = paths.length === 1 ? paths[0] : top.length === 1 ? top[0] : undefined;
  if (only !== undefined) return only;
  if (paths.length === 0) throw failedCall(failed);
  throw new StepFailure(`Several files are called ${path}: ${paths.slice(0, 10).join(', ')}. Say which one.`);
}

function* linesOfQuery(query: FileQuery, situation: Situation): Flow<Found> {
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

function* measureBytes(target: Target, situation: Situation): Flow<Found> {
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

/** @throws StepFailure where nothing was found before that "it" could mean */
export function previousFiles(situation: Situation, prefer: 'any' | 'looked' = 'any'): readonly FileFact[] {
  const files = lastFiles(situation.found, prefer);
  if (files === null) throw new StepFailure('It is not clear which file is meant. Name it.');
  if (files.length === 0) throw new StepFailure('The step before found no file, so there is nothing to go on with.');
  const texts = new Map(
    situation.found.flatMap((finding) => finding.texts ?? []).map((text) => [text.path, factOf(text)]),
  );
  return files.map((file) => ({ ...texts.get(file.path), ...file }));
}

function placesOf(query: FileQuery): (string | null)[] {
  return query.folders.length === 0 ? [null] : [...query.folders];
}

/** `*.{ts,tsx}` for extensions, `{a,b}` for names. */
export function alternatives(globs: readonly string[]): string {
  const [only] = globs;
  if (globs.length === 1 && only !== undefined) return only;
  const extensions = globs.map((glob) => /^\*\.(\w+)$/.exec(glob)?.[1]);
  return extensions.every((extension) => extension !== undefined)
    ? `*.{${extensions.join(',')}}`
    : `{${globs.join(',')}}`;
}

function anyDepth(globs: readonly string[]): string {
  const pattern = globs.length === 0 ? '*' : alternatives(globs);
  return pattern.startsWith('**/') || pattern.startsWith('/') || (globs.length === 1 && /\*.*\/|\/.*\*/.test(pattern))
    ? pattern
    : `**/${pattern}`;
}

function findCommand(query: FileQuery): string {
  const places =
    query.folders.length === 0
      ? '.'
      : query.folders.map((folder) => shellQuote(folder.startsWith('-') ? `./${folder}` : folder)).join(' ');
  const names = query.globs.map((glob) => `-name ${shellQuote(glob.split('/').at(-1) ?? glob)}`).join(' -o ');
  const pruned = LEFT_OUT.map((name) => `-not -path ${shellQuote(`*/${name}/*`)}`).join(' ');
  return `find ${places} -type f ${pruned}${names === '' ? '' : ` \\( ${names} \\)`}`;
}

function bash(command: string, description: string): { name: string; input: Record<string, unknown> } {
  return { name: 'Bash', input: { command, description } };
}

function requireEither(situation: Situation, first: string, second: string): void {
  if (situation.tools.has(second)) return;
  requireTool(situation, first);
}

function foldersOf(files: readonly FileFact[], roots: readonly string[]): string[] {
  const starts = roots.length === 0 ? [''] : roots.map((root) => `${root.replace(/^\.\//, '')}/`);
  const folders = files.flatMap((file) => {
    const root = starts.find((start) => file.path.startsWith(start));
    const next = root === undefined ? undefined : /^[^/]+(?=\/)/.exec(file.path.slice(root.length))?.[0];
    return root === undefined || next === undefined ? [] : [`${root}${next}`];
  });
  return [...new Set(folders)].toSorted();
}

function uniqueFiles(paths: readonly string[]): FileFact[] {
  return [...new Set(paths)].toSorted().map((path) => ({ path }));
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
