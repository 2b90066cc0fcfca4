// Steps that look at the tree: list, count, rank. Read-only tools first; Bash only where nothing else is offered.

import { anyDepth, findCommand, placesOf } from './file-query.js';
import { countOf, type FileFact, type Finding } from './findings.js';
import { ask, askAll, bash, type Flow, failedCall, requireEither, type Situation, toRelative } from './flow.js';
import { type Found, linesOfQuery, measureBytes, measureLines } from './measure-files.js';
import { readOutput, readPaths } from './read-results.js';
import type { FileQuery, Step } from './step.js';

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

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
        ? [`${files.length} of ${total} files; the others (${short}) are empty, binary or beyond what the tools list.`]
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
