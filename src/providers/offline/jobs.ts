// What the offline model can do: a table of jobs, each with the forms of a request it answers to, an example, and how it
// is done. It looks with read-only tools alone, so that nothing has to be allowed for that.
import { count } from '../../util/text.js';
import {
  type Call,
  callAll,
  callEach,
  callOne,
  type FileFact,
  type Finding,
  type Flow,
  failed,
  JobFailure,
  previousFiles,
  readCounts,
  readLines,
  readMatches,
  readOutput,
  readPaths,
  type Situation,
  tooMany,
} from './flow.js';
import { type Facet, type FileQuery, queryOf } from './operands.js';

export interface Job {
  readonly forms: readonly string[];
  /** For the answer to a request that is in no form. */
  readonly example: string;
  readonly run: (situation: Situation) => Flow<Finding>;
}

/** Files that one part shows, searches or changes by their names, at most. */
const MAX_FILES = 20;
const MAX_MATCHES = 200;
/** Pages of line counts at most. */
const MAX_PAGES = 40;
/** Matches every line; Grep takes no empty pattern. */
const EVERY_LINE = '^';

export const JOBS: readonly Job[] = [
  {
    forms: ['search|grep|look [for] TEXT [in|under TARGET]', 'find QUOTED [in|under TARGET]'],
    example: 'search for "createServer" in src',
    run: search,
  },
  {
    forms: ['list|find|show KIND [PLACE]', 'find FILE [PLACE]', 'ls [FOLDER]'],
    example: 'list the Markdown files in docs',
    run: list,
  },
  {
    forms: ['find|list|show [top] [NUMBER] SIZE KIND [PLACE]'],
    example: 'find the largest TypeScript file in src, then write its path and line count to report.md',
    run: rank,
  },
  {
    forms: ['count [number of] KIND [PLACE]', 'how many KIND [are] [PLACE]'],
    example: 'count the Python files',
    run: countFiles,
  },
  {
    forms: [
      'count [number of] lines in|of TARGET',
      'count IT lines',
      'how many lines does|do TARGET have',
      'how many lines are in TARGET',
    ],
    example: 'count the lines in README.md',
    run: countLines,
  },
  {
    forms: ['show|read|print|open|cat [contents|content of] FILE', 'show|read|print|open|cat IT'],
    example: 'show README.md',
    run: show,
  },
  { forms: ['run|execute [command] COMMAND'], example: 'run `npm test` and write the output to test-output.txt', run },
  {
    forms: [
      'write|save|create QUOTED to|into|in|as FILE',
      'create|write|make [new] [file] [named|called] FILE [with|containing] [text|content] QUOTED',
      'write|save RESULT to|into|in|as FILE',
      'write|save WORD to|into FILE',
    ],
    example: 'write "Hello, world" to hello.txt',
    run: write,
  },
  {
    forms: ['replace|change TEXT with|by|to NEW in TARGET'],
    example: 'replace "foo" with "bar" in src/a.ts',
    run: replace,
  },
];

function* list(situation: Situation): Flow<Finding> {
  const { operands } = situation;
  const named = { label: `files named ${operands.file}`, globs: [operands.file ?? '*'], isOne: true };
  const query = queryOf(operands.file === undefined ? operands : { ...operands, kind: named });
  const { entries, total, notes } = yield* listFiles(query, situation);
  return { title: query.label, files: entries.toSorted().map((path) => ({ path })), count: total, notes };
}

function* countFiles(situation: Situation): Flow<Finding> {
  const query = queryOf(situation.operands);
  const { total, notes } = yield* listFiles(query, situation);
  // Glob counts all files, whatever it shows of them.
  return { title: `Number of ${query.label}`, count: total, notes: notes.filter((note) => !isPage(note)) };
}

function* listFiles(query: FileQuery, situation: Situation) {
  const path = query.path === undefined ? {} : { path: query.path };
  const input = { pattern: query.globs.length === 0 ? '**/*' : alternatives(query.globs), ...path };
  const [text = ''] = yield* callEach(situation, `Looking for ${query.label}.`, [{ name: 'Glob', input }]);
  const { entries, ...listing } = readPaths(text);
  const inside = `${situation.cwd}/`;
  return { ...listing, entries: entries.map((file) => (file.startsWith(inside) ? file.slice(inside.length) : file)) };
}

function* rank(situation: Situation): Flow<Finding> {
  const { order = 'largest', kind, number = kind?.isOne === true ? 1 : 10 } = situation.operands;
  const query = queryOf(situation.operands);
  const { files, notes } = yield* measure(query, situation);
  const sign = order === 'largest' ? -1 : 1;
  const ranked = files.toSorted((a, b) => sign * ((a.lines ?? 0) - (b.lines ?? 0)) || (a.path < b.path ? -1 : 1));
  const label = number === 1 ? query.label.replace('files', 'file') : query.label;
  const title = `${order === 'largest' ? 'Largest' : 'Smallest'} ${label}, by line count`;
  return { title, files: ranked.slice(0, number), notes };
}

function* countLines(situation: Situation): Flow<Finding> {
  const { target = null } = situation.operands;
  const { files, notes } = yield* measure(target, situation);
  const lines = files.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  return {
    title: `Lines of ${target?.label ?? files.map(({ path }) => path).join(', ')}`,
    files,
    count: lines,
    lines,
    notes,
  };
}

/** Files with their number of lines, which Grep tells page by page. */
function* measure(target: FileQuery | null, situation: Situation): Flow<{ files: FileFact[]; notes: string[] }> {
  const files: FileFact[] = [];
  const notes: string[] = [];
  for (const { label, place } of placesOf(target, situation)) {
    const before = files.length;
    let offset: number | null = 0;
    for (let page = 0; page < MAX_PAGES && offset !== null; page++) {
      const more = offset === 0 ? {} : { offset };
      const input = { pattern: EVERY_LINE, ...place, output_mode: 'count', head_limit: 0, ...more };
      const [text = ''] = yield* callEach(situation, `Counting the lines of ${label}.`, [{ name: 'Grep', input }]);
      const listing = readCounts(text);
      files.push(...listing.entries);
      offset = listing.nextOffset;
      if (offset === null || page === MAX_PAGES - 1) notes.push(...listing.notes.filter((note) => !isPage(note)));
    }
    // No line matches in an empty file.
    if (files.length === before && /\.\w+$/.test(label) && !('glob' in place)) files.push({ path: label, lines: 0 });
  }
  return { files, notes };
}

function* search(situation: Situation): Flow<Finding> {
  const { text = '', target = { label: 'files', globs: [] } } = situation.operands;
  const say = `Searching for ${JSON.stringify(text)}.`;
  const { results, label } = yield* grep(
    say,
    text,
    { output_mode: 'content', head_limit: MAX_MATCHES },
    target,
    situation,
  );
  const listings = results.map(readMatches);
  const matches = listings.flatMap(({ entries }) => entries);
  return {
    title: `Matches for ${JSON.stringify(text)} in ${label}`,
    matches,
    files: [...new Set(matches.map(({ path }) => path))].map((path) => ({ path })),
    count: listings.reduce((sum, { total }) => sum + total, 0),
    notes: listings.flatMap(({ notes }) => notes),
  };
}

/** Grep for a text as it stands. */
function* grep(say: string, text: string, mode: Call['input'], target: FileQuery | null, situation: Situation) {
  const places = placesOf(target, situation);
  const pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const calls = places.map(({ place }): Call => ({ name: 'Grep', input: { pattern, ...place, ...mode } }));
  return { results: yield* callEach(situation, say, calls), label: places.map(({ label }) => label).join(', ') };
}

function* show(situation: Situation): Flow<Finding> {
  const { file } = situation.operands;
  const paths = file === undefined ? previousFiles(situation.found, MAX_FILES).map(({ path }) => path) : [file];
  const shown = yield* readFiles(paths, situation);
  const contents: string[] = [];
  const notes: string[] = [];
  for (const [index, text] of shown.entries()) {
    const lines = readLines(text) ?? (yield* readAgain(paths[index] ?? '', situation));
    contents.push(lines.entries.join('\n'));
    notes.push(...lines.notes);
  }
  return { title: paths.join(', '), files: paths.map((path) => ({ path })), text: contents.join('\n\n'), notes };
}

function* readFiles(paths: readonly string[], situation: Situation): Flow<readonly string[]> {
  const calls = paths.map((path) => ({ name: 'Read', input: { file_path: path } }));
  return yield* callEach(situation, `Reading ${paths.join(', ')}.`, calls);
}

/** Read shows nothing twice; Grep does. */
function* readAgain(path: string, situation: Situation) {
  const input = { pattern: EVERY_LINE, path, output_mode: 'content', head_limit: 0 };
  const [text = ''] = yield* callEach(situation, `Reading ${path} again.`, [{ name: 'Grep', input }]);
  const { entries, notes } = readMatches(text);
  return { entries: entries.map((match) => match.text), notes };
}

function* run(situation: Situation): Flow<Finding> {
  const { command = '' } = situation.operands;
  const input = { command, description: `Run ${command.replace(/\s+/g, ' ').slice(0, 80)}` };
  const result = yield* callOne(situation, `Running ${command.split('\n')[0]}`, { name: 'Bash', input });
  const output = readOutput(result.text, result.isError);
  if (output === null) throw failed(result);
  return { title: `Output of ${command}`, ...output };
}

function* write(situation: Situation): Flow<Finding> {
  const { file = '', text, facets = [] } = situation.operands;
  const content = text ?? reportOf(situation.found, facets, file);
  if (content === null) throw new JobFailure('Nothing that was found before says this, so nothing was written.');
  const call = { name: 'Write', input: { file_path: file, content } };
  const result = yield* callOne(situation, `Writing ${file}.`, call);
  if (result.isError) {
    if (!/\bread it\b/i.test(result.text)) throw failed(result);
    // The file is there, and has to be seen before it is replaced.
    yield* readFiles([file], situation);
    yield* callEach(situation, `Writing ${file}.`, [call]);
  }
  const lines = count(content.replace(/\n$/, '').split('\n').length, 'line');
  return { title: `Wrote ${file} (${lines}).`, isChange: true, files: [{ path: file }] };
}

function* replace(situation: Situation): Flow<Finding> {
  const { text = '', newText = '', target = null } = situation.operands;
  const old = JSON.stringify(text);
  const { results } = yield* grep(
    `Looking for ${old}.`,
    text,
    { output_mode: 'files_with_matches' },
    target,
    situation,
  );
  const paths = results.flatMap((listing) => readPaths(listing).entries);
  if (paths.length === 0) throw new JobFailure(`${old} does not occur there, so nothing was changed.`);
  if (paths.length > MAX_FILES) throw tooMany(paths.length);
  // A file has to be seen before it is changed.
  yield* readFiles(paths, situation);
  const edits = paths.map((path) => {
    return { name: 'Edit', input: { file_path: path, old_string: text, new_string: newText, replace_all: true } };
  });
  const answers = yield* callAll(situation, `Replacing in ${paths.join(', ')}.`, edits);
  const done = paths.filter((_, index) => answers[index]?.isError === false);
  const refused = answers.filter((answer) => answer.isError).map(failed);
  if (done.length === 0 && refused[0] !== undefined) throw refused[0];
  const title = `Replaced ${old} with ${JSON.stringify(newText)} in ${done.join(', ')}.`;
  const notes = refused.map((failure) => `Not changed: ${failure.message}`);
  return { title, isChange: true, files: done.map((path) => ({ path })), notes };
}

/** Where Grep looks, and what that is called. */
function placesOf(target: FileQuery | null, { found }: Situation): { label: string; place: Record<string, string> }[] {
  if (target === null) return previousFiles(found, MAX_FILES).map(({ path }) => ({ label: path, place: { path } }));
  const { label, path, globs } = target;
  const glob = globs.length === 0 ? {} : { glob: alternatives(globs) };
  return [{ label, place: { ...(path === undefined ? {} : { path }), ...glob } }];
}

/** `*.py`, `*.{ts,tsx}` */
function alternatives(globs: readonly string[]): string {
  return globs.length === 1 ? globs.join() : `*.{${globs.map((glob) => glob.slice(2)).join()}}`;
}

/** Whether a tool says by it only that there are more pages. */
function isPage(note: string): boolean {
  return note.startsWith('Truncated');
}

// What findings say: in an answer, or in a file as Markdown, as JSON or as plain lines. Nothing is said that is not in them.

/** Lines of one finding that an answer shows. */
const MAX_SHOWN = 400;

/** A finding as it stands in an answer. */
export function describe(finding: Finding): string {
  const { title, isChange, text, exitCode, files = [], notes = [] } = finding;
  const said = notes.map((note) => `(${note})`);
  if (isChange === true) return [title, ...said].join('\n');
  if (text !== undefined) {
    const code = exitCode === undefined ? '' : ` (exit code ${exitCode})`;
    return [`${title}${code}:`, ...(text === '' ? ['(nothing)'] : fenced(text)), ...said].join('\n');
  }
  const heading = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
  const [only] = files;
  // A single file, or its number of lines, stands behind the title.
  if (files.length === 1 && only?.lines !== undefined) {
    return [`${heading}: ${finding.count ?? describeFile(only)}.`, ...said].join('\n');
  }
  const total = finding.count ?? files.length;
  const list = finding.files === undefined ? [] : (finding.matches?.map(describeMatch) ?? files.map(describeFile));
  const headline = finding.files !== undefined && total === 0 ? 'none found' : total;
  return [`${heading}: ${headline}.`, ...clip(list.map((line) => `- ${line}`)), ...said].join('\n');
}

/** The content of a file at `path`; null if what was found last does not say what is asked for. */
function reportOf(found: readonly Finding[], facets: readonly Facet[], path: string): string | null {
  const data = found.findLast((finding) => finding.isChange !== true);
  const lines = data === undefined ? [] : linesOf(data, facets);
  if (data === undefined || lines.length === 0) return null;
  if (data.text !== undefined) return `${data.text.replace(/\n$/, '')}\n`;
  if (/\.json$/i.test(path)) return `${JSON.stringify(data, null, 2)}\n`;
  const all = [...lines, ...(data.notes ?? []).map((note) => `Note: ${note}`)];
  const isMarkdown = /\.(?:md|markdown)$/i.test(path);
  return `${isMarkdown ? `# ${data.title}\n\n- ${all.join('\n- ')}` : all.join('\n')}\n`;
}

/** A finding as lines, or what `facets` name of it. */
function linesOf({ files, matches, count: total, text }: Finding, facets: readonly Facet[]): string[] {
  const isWhole = facets.includes('all');
  if (isWhole && text !== undefined) return [text];
  if (isWhole && matches !== undefined) return matches.map(describeMatch);
  const wants = (facet: Facet): boolean => isWhole || facets.includes(facet);
  const counted = total !== undefined && (facets.includes('count') || files === undefined) ? [`Count: ${total}`] : [];
  const [only, ...others] = files ?? [];
  const isTold = wants('path') || (wants('lines') && only?.lines !== undefined);
  if (only === undefined || !isTold) return wants('count') ? counted : [];
  if (others.length > 0)
    return [...[only, ...others].map((file) => (wants('lines') ? describeFile(file) : file.path)), ...counted];
  const lines = wants('lines') && only.lines !== undefined ? [`Lines: ${only.lines}`] : [];
  return [...(wants('path') ? [`Path: ${only.path}`] : []), ...lines, ...counted];
}

function describeFile({ path, lines }: FileFact): string {
  return lines === undefined ? path : `${path} (${count(lines, 'line')})`;
}

function describeMatch({ path, line, text }: { path: string; line: number; text: string }): string {
  return `${path}:${line}: ${text.trim()}`;
}

function clip(lines: readonly string[]): string[] {
  const left = lines.length - MAX_SHOWN;
  return left > 0 ? [...lines.slice(0, MAX_SHOWN), `… ${count(left, 'more line')}`] : [...lines];
}

/** In a fence that is longer than any in the text. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = '']) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...clip(text.replace(/\n$/, '').split('\n')), fence];
}
