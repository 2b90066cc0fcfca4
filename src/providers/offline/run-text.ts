// Steps that look into files: search, show, summarise, tell.

import { alternatives } from './file-query.js';
import { countOf, type FileFact, type Finding, factOf, lastFiles, type MatchFact } from './findings.js';
import {
  ask,
  askAll,
  type Call,
  type Flow,
  failedCall,
  type Situation,
  StepFailure,
  shellQuote,
  toAbsolute,
  toRelative,
} from './flow.js';
import { previousFiles } from './locate.js';
import { addBytes, addLines } from './measure-files.js';
import { readFiles } from './read-file.js';
import { type Listing, readCounts, readMatches, readOutput, readPaths } from './read-results.js';
import { formatPlain } from './report.js';
import { listFiles } from './run-find.js';
import type { Facet, Needle, Step, Target } from './step.js';
import { summariseText } from './summarise-text.js';

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

const MAX_MATCHES = 200;
/** Files shown or summarised by one step. */
const MAX_FILES = 5;
/** Files of an earlier result that one step searches. */
const MAX_SEARCHED = 20;

interface Places {
  readonly label: string;
  readonly inputs: readonly Readonly<Record<string, string>>[];
}

export function* runSearch(step: StepOf<'search'>, situation: Situation): Flow<Finding> {
  const places = placesOf(step.target, situation);
  const first = yield* searchOnce(step, step.needle, places, situation);
  if (
    first.count?.value !== 0 ||
    step.needle.ignoreCase ||
    step.needle.literal === null ||
    !/[a-z]/i.test(step.needle.literal)
  )
    return first;
  const second = yield* searchOnce(step, { ...step.needle, ignoreCase: true }, places, situation);
  if (second.count?.value === 0) return first;
  return {
    ...second,
    notes: [
      `Nothing matches in exactly this spelling; these match when upper and lower case are taken as equal.`,
      ...second.notes,
    ],
  };
}

function placesOf(target: Target, situation: Situation): Places {
  if (target.kind === 'query') {
    const { query } = target;
    const glob = query.globs.length === 0 ? {} : { glob: alternatives(query.globs) };
    const folders = query.folders.length === 0 ? [{}] : query.folders.map((path) => ({ path }));
    return { label: query.label, inputs: folders.map((folder) => ({ ...folder, ...glob })) };
  }
  const paths = target.kind === 'paths' ? target.paths : previousFiles(situation).map((file) => file.path);
  const label = paths.length === 1 ? (paths[0] ?? '') : countOf(paths.length, 'file');
  return { label, inputs: paths.slice(0, MAX_SEARCHED).map((path) => ({ path: toAbsolute(situation, path) })) };
}

function* searchOnce(step: StepOf<'search'>, needle: Needle, places: Places, situation: Situation): Flow<Finding> {
  const title = `${step.show === 'files' ? 'Files with' : step.show === 'count' ? 'Lines with' : 'Matches for'} ${needle.label}${places.label === 'files' ? '' : ` in ${places.label}`}`;
  const base = { step, title, ...(needle.literal === null ? {} : { needle: needle.literal }) };
  const listings = yield* searchTexts(step.show, needle, places, situation);
  const notes = listings.flatMap(({ text, path }) =>
    readPaths(text).notes.map((note) => (places.inputs.length > 1 && path !== null ? `${path}: ${note}` : note)),
  );
  switch (step.show) {
    case 'files': {
      const files = listings
        .flatMap(({ text }) => readPaths(text).entries)
        .map((path) => ({ path: toRelative(situation, path) }));
      return {
        ...base,
        files,
        count: { value: total(listings.map(({ text }) => readPaths(text))), unit: 'file' },
        notes,
      };
    }
    case 'count': {
      const counts = listings.flatMap(({ text, path }) => readCounts(text, path).entries);
      const sum = counts.reduce((all, entry) => all + entry.count, 0);
      return { ...base, count: { value: sum, unit: 'matching line' }, notes };
    }
    case 'matches': {
      const read = listings.map(({ text, path }) => readMatches(text, path));
      const matches: MatchFact[] = read
        .flatMap((listing) => listing.entries)
        .map((match) => ({ ...match, path: toRelative(situation, match.path) }));
      return { ...base, matches, count: { value: total(read), unit: 'match' }, notes };
    }
    default: {
      const never: never = step.show;
      return never;
    }
  }
}

function total(listings: readonly Listing<unknown>[]): number {
  return listings.reduce((sum, listing) => sum + Math.max(listing.total ?? 0, listing.entries.length), 0);
}

function* searchTexts(
  show: StepOf<'search'>['show'],
  needle: Needle,
  places: Places,
  situation: Situation,
): Flow<{ text: string; path: string | null }[]> {
  const say = `Searching ${places.label} for ${needle.label}.`;
  if (!situation.tools.has('Grep') && situation.tools.has('Bash'))
    return [{ text: yield* searchByShell(show, needle, places, say, situation), path: null }];
  const mode =
    show === 'matches'
      ? { output_mode: 'content', head_limit: MAX_MATCHES }
      : show === 'files'
        ? { output_mode: 'files_with_matches' }
        : { output_mode: 'count', head_limit: 0 };
  const calls = places.inputs.map(
    (place): Call => ({
      name: 'Grep',
      input: { pattern: needle.pattern, ...place, ...mode, ...(needle.ignoreCase ? { '-i': true } : {}) },
    }),
  );
  const results = yield* askAll(situation, say, calls);
  return results.map((result, index) => {
    if (result.isError) throw failedCall(result);
    const path = places.inputs[index]?.['path'] ?? null;
    return { text: result.text, path };
  });
}

function* searchByShell(
  show: StepOf<'search'>['show'],
  needle: Needle,
  places: Places,
  say: string,
  situation: Situation,
): Flow<string> {
  const flags = `-rnI${show === 'files' ? 'l' : show === 'count' ? 'c' : ''}${needle.ignoreCase ? 'i' : ''}${needle.literal !== null && !/\\b/.test(needle.pattern) ? 'F' : 'E'}`;
  const pattern = flags.endsWith('F') ? (needle.literal ?? needle.pattern) : needle.pattern;
  const where = places.inputs.map((place) => shellQuote(place['path'] ?? '.')).join(' ');
  const include = places.inputs[0]?.['glob'] === undefined ? '' : ` --include=${shellQuote(places.inputs[0]['glob'])}`;
  const command = `grep ${flags}${include} --exclude-dir=.git --exclude-dir=node_modules -e ${shellQuote(pattern)} -- ${where}`;
  const [result] = yield* askAll(situation, say, [
    { name: 'Bash', input: { command, description: `Search for ${needle.label}` } },
  ]);
  const output = result === undefined ? null : readOutput(result.text, result.isError);
  // grep ends with 1 where nothing matched.
  if (result === undefined || output === null || output.exitCode > 1)
    throw result === undefined ? new StepFailure('Bash gave no result.') : failedCall(result);
  return show === 'count'
    ? output.text
        .split('\n')
        .filter((line) => !line.endsWith(':0'))
        .join('\n')
    : output.text;
}

export function* runShow(step: StepOf<'show'>, situation: Situation): Flow<Finding> {
  const { paths, notes } = targetPaths(step.target, situation);
  const wellKnown =
    paths.length === 1 && paths[0] !== undefined && /^[A-Z]+$/.test(paths[0])
      ? [yield* wellKnownPath(paths[0], situation)]
      : paths;
  const texts = yield* readFiles(wellKnown, step.range, situation);
  const title = texts.length === 1 ? (texts[0]?.path ?? '') : countOf(texts.length, 'file');
  return { step, title, texts, files: texts.map(factOf), notes };
}

/** "the readme" is README.md, or whatever it is called here. */
function* wellKnownPath(name: string, situation: Situation): Flow<string> {
  const found = yield* listFiles({ label: name, globs: [`${name}*`], folders: [] }, situation);
  const top = found.files.toSorted(
    (left, right) => left.path.split('/').length - right.path.split('/').length || left.path.length - right.path.length,
  );
  return top[0]?.path ?? name;
}

function targetPaths(target: Target, situation: Situation): { paths: string[]; notes: string[] } {
  const all = target.kind === 'paths' ? [...target.paths] : previousFiles(situation).map((file) => file.path);
  const notes = all.length > MAX_FILES ? [`Only the first ${MAX_FILES} of ${all.length} files.`] : [];
  return { paths: all.slice(0, MAX_FILES), notes };
}

export function* runSummarise(step: StepOf<'summarise'>, situation: Situation): Flow<Finding> {
  const { paths, notes } = targetPaths(step.target, situation);
  const wellKnown =
    paths.length === 1 && paths[0] !== undefined && /^[A-Z]+$/.test(paths[0])
      ? [yield* wellKnownPath(paths[0], situation)]
      : paths;
  const texts = yield* readFiles(wellKnown, null, situation);
  const summary = texts.map(summariseText).join('\n\n');
  const title = `Summary of ${texts.map((text) => text.path).join(', ')}`;
  return { step, title, summary, files: texts.map(factOf), notes };
}

export function* runTell(step: StepOf<'tell'>, situation: Situation): Flow<Finding> {
  const known = yield* completeFacts(step.facets, situation);
  const told = formatPlain(known, step.facets);
  if (told === '') throw new StepFailure('No earlier step found what this asks for.');
  const files = lastFiles(known);
  return { step, title: 'As asked', told, ...(files === null ? {} : { files }), notes: [] };
}

/** The findings so far, with the line counts and sizes that were asked for and are not known yet. */
export function* completeFacts(facets: readonly Facet[], situation: Situation): Flow<readonly Finding[]> {
  if (!facets.includes('lines') && !facets.includes('bytes')) return situation.found;
  const found = [...situation.found];
  const last = lastFiles(found, 'looked');
  if (last === null) throw new StepFailure('It is not clear which file is meant. Name it.');
  let files: readonly FileFact[] = last.length === 0 ? [] : previousFiles(situation, 'looked');
  if (facets.includes('lines')) files = (yield* addLines(files, situation)).files;
  if (facets.includes('bytes')) files = (yield* addBytes(files, situation)).files;
  const looked = found.findLastIndex((finding) => finding.change === undefined && lastFiles([finding]) !== null);
  const index = looked >= 0 ? looked : found.findLastIndex((finding) => lastFiles([finding]) !== null);
  const finding = found[index];
  if (finding !== undefined) found[index] = { ...finding, files };
  return found;
}

export function* runTodo(step: StepOf<'todo'>, situation: Situation): Flow<Finding> {
  const todos = step.items.map((content) => ({ content, status: 'pending' }));
  yield* ask(situation, 'Writing the to-do list.', { name: 'TodoWrite', input: { todos } });
  return { step, title: 'To-do list', change: `The to-do list has ${countOf(todos.length, 'item')}.`, notes: [] };
}
