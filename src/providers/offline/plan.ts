// What the offline model can do, and its next move: it runs the jobs of all prompts again from the start over the results that
// are recorded, and stops at the first call that has none. Nothing is kept between two replies. It looks with read-only tools.
import type { MessageParam, ToolResultBlock } from '../../protocol/content.js';
import { count } from '../../util/text.js';
import type { ModelRequest } from '../contract/index.js';
import {
  type Batch,
  type Call,
  type CallResult,
  callAll,
  describe,
  type FileFact,
  type Finding,
  type Flow,
  failed,
  JobFailure,
  pathsOf,
  readListing,
  reportOf,
  type Situation,
} from './flow.js';
import { createParser, type FileQuery, type Part, queryOf } from './grammar.js';

interface Job {
  readonly forms: readonly string[];
  /** For the answer to a request that is in no form. */
  readonly example: string;
  readonly run: (situation: Situation) => Flow<Finding>;
}

/** Files that one part shows, searches or changes by their names, at most. */
const MAX_FILES = 20;
const MAX_MATCHES = 200;
/** Not one that says only that there are more pages. */
const isNoPage = (note: string) => !note.startsWith('Truncated');
/** Grep takes no empty pattern. */
const EVERY_LINE = { pattern: '^', output_mode: 'content', head_limit: 0 };

export const JOBS: readonly Job[] = [
  {
    forms: ['search|grep|look [for] TEXT [in|under TARGET]', 'find QUOTED [in|under TARGET]'],
    example: 'search for "createServer" in src',
    run: search,
  },
  {
    forms: ['list|find|show KIND [PLACE]', 'find NAME [PLACE]', 'ls [FOLDER]'],
    example: 'list the Markdown files in docs',
    run: list,
  },
  {
    forms: ['find|list|show [top] [NUMBER] SIZE KIND [PLACE]'],
    example: 'find the largest TypeScript file in src, then write its path and line count to report.md',
    run: countLines,
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
  const { label, path, globs } = queryOf(situation.operands);
  const input = { pattern: alternatives(globs) ?? '**/*', path };
  const [result] = yield* callAll(situation, `Looking for ${label}.`, [{ name: 'Glob', input }]);
  const { files, total, notes } = readListing(result, 'paths');
  const inside = `${situation.cwd}/`;
  const paths = pathsOf(files).map((file) => (file.startsWith(inside) ? file.slice(inside.length) : file));
  return { title: label, files: paths.toSorted().map((file) => ({ path: file })), count: total, notes };
}

function* countFiles(situation: Situation): Flow<Finding> {
  const { title, count: total = 0, notes = [] } = yield* list(situation);
  // Glob counts all files, whatever it shows of them.
  return { title: `Number of ${title}`, count: total, notes: notes.filter(isNoPage) };
}

/** Grep tells the numbers of lines page by page. */
function* countLines(situation: Situation): Flow<Finding> {
  const { order, number } = situation.operands;
  const files: FileFact[] = [];
  const notes: string[] = [];
  const queries = queriesOf(situation);
  for (const { label, path, globs } of queries) {
    const before = files.length;
    for (let offset: number | null | undefined; offset !== null; ) {
      const input = { ...EVERY_LINE, path, glob: alternatives(globs), offset, output_mode: 'count' };
      const [result] = yield* callAll(situation, `Counting the lines of ${label}.`, [{ name: 'Grep', input }]);
      const listing = readListing(result, 'counts');
      files.push(...listing.files);
      notes.push(...listing.notes.filter(isNoPage));
      offset = listing.nextOffset;
    }
    // No line matches in an empty file.
    if (files.length === before && globs.length === 0 && /\.\w+$/.test(label)) files.push({ path: label, lines: 0 });
  }
  const lines = files.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  const label = queries.map((query) => query.label).join(', ');
  if (order === undefined) return { title: `Lines of ${label}`, files, count: lines, lines, notes };
  const sign = order === 'Largest' ? -1 : 1;
  const ranked = files.toSorted((a, b) => sign * ((a.lines ?? 0) - (b.lines ?? 0)) || (a.path < b.path ? -1 : 1));
  const most = number ?? (/\bfiles\b/.test(label) ? 10 : 1);
  return { title: `${order} ${label}, by line count`, files: ranked.slice(0, most), notes };
}

function* search(situation: Situation): Flow<Finding> {
  const quoted = JSON.stringify(situation.operands.text);
  const labels = queriesOf(situation).map(({ label }) => label);
  const results = yield* grep(situation, `Searching for ${quoted}.`, {
    output_mode: 'content',
    head_limit: MAX_MATCHES,
  });
  const listings = results.map((result) => readListing(result, 'matches'));
  return {
    title: `Matches for ${quoted} in ${labels.join(', ')}`,
    files: listings.flatMap(({ files }) => files),
    count: listings.reduce((sum, { total }) => sum + total, 0),
    notes: listings.flatMap(({ notes }) => notes),
  };
}

/** Greps for a text as it stands. */
function* grep(situation: Situation, say: string, mode: object): Flow<CallResult[]> {
  const pattern = situation.operands.text?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const calls = queriesOf(situation).map(({ path, globs }) => {
    return { name: 'Grep', input: { pattern, path, glob: alternatives(globs), ...mode } };
  });
  return yield* callAll(situation, say, calls);
}

function* show(situation: Situation): Flow<Finding> {
  const { file } = situation.operands;
  const paths = file === undefined ? previousFiles(situation) : [file];
  const contents: string[] = [];
  const notes: string[] = [];
  for (const [index, result] of (yield* readFiles(paths, situation)).entries()) {
    let listing = readListing(result, 'shown');
    if (listing.files.length === 0 && /\bunchanged since\b/.test(result.text)) {
      // Read shows nothing twice; Grep does.
      const again = { ...situation, operands: { file: paths[index] ?? '' } };
      const [lines] = yield* grep(again, `Reading ${again.operands.file} again.`, EVERY_LINE);
      listing = readListing(lines, 'matches');
    }
    contents.push(listing.files.map((line) => line.text).join('\n'));
    notes.push(...listing.notes);
  }
  return { title: paths.join(', '), files: paths.map((path) => ({ path })), text: contents.join('\n\n'), notes };
}

function* readFiles(paths: readonly string[], situation: Situation): Flow<CallResult[]> {
  const calls = paths.map((path) => ({ name: 'Read', input: { file_path: path } }));
  return yield* callAll(situation, `Reading ${paths.join(', ')}.`, calls);
}

function* run(situation: Situation): Flow<Finding> {
  const { command = '' } = situation.operands;
  const description = `Run ${command.replace(/\s+/g, ' ').slice(0, 80)}`;
  const call = { name: 'Bash', input: { command, description } };
  const say = `Running ${command.split('\n')[0]}`;
  const [result = { call, text: '', isError: true }] = yield* callAll(situation, say, [call], true);
  const [words = '', code] = /(?:^|\n)Exit code (\d+)[^\n]*/.exec(result.text) ?? [];
  // A command that failed has a code; without one it did not run.
  if (result.isError && code === undefined) throw failed(result);
  const output = result.text.replace(words, '');
  const text = output.trim() === '(no output)' ? '' : output;
  return { title: `Output of ${command}`, text, exitCode: Number(code ?? 0) };
}

function* write(situation: Situation): Flow<Finding> {
  const { file = '', text, facets = [] } = situation.operands;
  const content = text ?? reportOf(situation.found, facets, file);
  if (content === null) throw new JobFailure('Nothing that was found before says this, so nothing was written.');
  const call = { name: 'Write', input: { file_path: file, content } };
  const [result = { call, text: '', isError: true }] = yield* callAll(situation, `Writing ${file}.`, [call], true);
  if (result.isError) {
    if (!/\bread it\b/i.test(result.text)) throw failed(result);
    // The file is there, and has to be seen before it is replaced.
    yield* readFiles([file], situation);
    yield* callAll(situation, `Writing ${file}.`, [call]);
  }
  const lines = count(content.replace(/\n$/, '').split('\n').length, 'line');
  return { title: `Wrote ${file} (${lines}).`, isChange: true, files: [{ path: file }] };
}

function* replace(situation: Situation): Flow<Finding> {
  const { text = '', newText = '' } = situation.operands;
  const old = JSON.stringify(text);
  const listings = yield* grep(situation, `Looking for ${old}.`, { output_mode: 'files_with_matches' });
  const paths = requireFew(listings.flatMap((listing) => pathsOf(readListing(listing, 'paths').files)));
  if (paths.length === 0) throw new JobFailure(`${old} does not occur there, so nothing was changed.`);
  // A file has to be seen before it is changed.
  yield* readFiles(paths, situation);
  const edits = paths.map((path) => {
    return { name: 'Edit', input: { file_path: path, old_string: text, new_string: newText, replace_all: true } };
  });
  const answers = yield* callAll(situation, `Replacing in ${paths.join(', ')}.`, edits, true);
  const done = paths.filter((_, index) => answers[index]?.isError === false);
  const refused = answers.filter((answer) => answer.isError).map(failed);
  if (done.length === 0 && refused[0] !== undefined) throw refused[0];
  const title = `Replaced ${old} with ${JSON.stringify(newText)} in ${done.join(', ')}.`;
  const notes = refused.map((failure) => `Not changed: ${failure.message}`);
  return { title, isChange: true, files: done.map((path) => ({ path })), notes };
}

/**
 * The places in which a job looks: in the files of a kind, in a folder or file, or in each of those that "it" or "them"
 * means.
 */
function queriesOf(situation: Situation): readonly FileQuery[] {
  const { operands } = situation;
  return operands.it ? previousFiles(situation).map((file) => queryOf({ file })) : [queryOf(operands)];
}

/** `*.py`, `*.{ts,tsx}`; undefined for any file. */
function alternatives(globs: readonly string[]): string | undefined {
  return globs.length < 2 ? globs[0] : `*.{${globs.map((glob) => glob.slice(2)).join()}}`;
}

/** The files that "it" or "them" means: those of the newest finding that has some. */
function previousFiles({ found }: Situation): readonly string[] {
  const files = found.findLast((finding) => finding.files !== undefined)?.files;
  if (files === undefined) throw new JobFailure('It is not clear which file is meant. Name it.');
  if (files.length === 0) throw new JobFailure('No file was found before, so there is nothing to go on with.');
  return requireFew(pathsOf(files));
}

function requireFew(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_FILES) return paths;
  throw new JobFailure(`These are ${paths.length} files, too many at once. Name a folder or a kind of files.`);
}

/** Calls for one prompt at most, whatever the jobs ask for. */
const MAX_CALLS = 400;

export interface Findings {
  readonly found: readonly Finding[];
  /** For people: what was not done, and why. */
  readonly failures: readonly string[];
  readonly answer: string;
}

export type Move =
  | ({ readonly type: 'call' } & Batch)
  | { readonly type: 'refuse'; readonly answer: string }
  | ({ readonly type: 'done'; readonly results: readonly CallResult[] } & Findings);

const parse = createParser(JOBS);

/** Contract: pure; the same request gives the same move. */
export function decideMove(request: ModelRequest): Move {
  const exchanges = exchangesOf(request.messages);
  const { prompt = '', results = [] } = exchanges.pop() ?? {};
  const { parts, misunderstood } = parse(prompt);
  if (parts === null) return { type: 'refuse', answer: whatItCan(misunderstood) };
  const given = { cwd: workingDirectory(request), tools: new Set(request.tools.map((tool) => tool.name)) };
  // What the prompts before found, if "it" means that: in "show it" as a prompt of its own.
  const before = exchanges.reduce<readonly Finding[]>((seed, exchange) => {
    const replayed = replay(parse(exchange.prompt).parts ?? [], exchange.results, { ...given, found: seed });
    return replayed.found.length === 0 ? seed : replayed.found;
  }, []);
  const { pending, found, failures } = replay(parts, results, { ...given, found: before });
  if (pending !== null && results.length < MAX_CALLS) return { type: 'call', ...pending };
  if (pending !== null) failures.push(`Stopped after ${results.length} calls, so not all was done.`);
  const text = [...found.map(describe), ...failures].join('\n\n');
  // About three characters a token, so that the reply ends by itself and not at the limit.
  const most = Math.max(200, request.maxTokens * 3);
  const answer = text.length <= most ? text : `${text.slice(0, most)}\n… (the answer was cut here)`;
  return { type: 'done', results, found, failures, answer };
}

/** Does the parts of a prompt, as far as their results are recorded. `pending`: calls that have none yet; null at the end. */
function replay(parts: readonly Part<Job>[], results: readonly CallResult[], given: Omit<Situation, 'operands'>) {
  const left = [...results];
  const found: Finding[] = [];
  const failures: string[] = [];
  let failed: string | null = null;
  for (const { job, operands, source } of parts) {
    if (failed !== null && (operands.it || operands.facets)) {
      failures.push(`"${source}" was not done, because it needs what "${failed}" was to give.`);
      continue;
    }
    try {
      const outcome = advance(job.run({ ...given, operands, found: [...given.found, ...found] }), left);
      if ('calls' in outcome) return { pending: outcome, found, failures };
      found.push(outcome);
    } catch (error) {
      if (!(error instanceof JobFailure)) throw error;
      failed = source;
      failures.push(`"${source}" failed. ${error.message}`);
    }
  }
  return { pending: null, found, failures };
}

/** Runs a job over recorded results, each taken once and in order: its finding, or the calls that have no results yet. */
function advance(flow: Flow<Finding>, left: CallResult[]): Finding | Batch {
  let state = flow.next();
  while (state.done !== true) {
    const keys = state.value.calls.map((call) => JSON.stringify(call));
    const recorded = left.map(({ call }) => JSON.stringify(call));
    const at = recorded.findIndex((_, from) => keys.every((key, index) => recorded[from + index] === key));
    if (at === -1) return state.value;
    state = flow.next(left.splice(0, at + keys.length).slice(at));
  }
  return state.value;
}

/** The answer to what is in no form. */
function whatItCan(misunderstood: string): string {
  return `I did not understand ${JSON.stringify(misunderstood.slice(0, 200))}, so I did nothing. I am Turnwright's offline model: a planner by fixed rules, not a language model.

What I can do, for example:
${JOBS.map(({ example }) => `- ${example}`).join('\n')}

Parts are joined by "then" or "and". docs/offline-model.md of the package lists all forms.

For anything else a language model is needed: run \`turnwright login\`, or set ANTHROPIC_API_KEY or the key of another provider; --model chooses one.`;
}

// Takes a conversation apart: the prompts with the calls made for each, and where the work happens.

/** Blocks that an engine puts beside what the user typed. */
const ADDED_BLOCK =
  /^\s*<((?:system|context|environment|env|memory|project|session|git|instructions|hook|reminder|user-prompt|command|local-command|ide)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*/i;
/** Says nothing new: the prompt before counts. The second is what is said if structured output is missing. */
const GOES_ON = /^\s*(?:please\s+)?(?:continue|go on|proceed)[\s.!]*$|\bStructuredOutput\b/i;

/** The prompts, and what was done for each, newest last. */
function exchangesOf(messages: readonly MessageParam[]): { prompt: string; results: CallResult[] }[] {
  const exchanges: { prompt: string; results: CallResult[] }[] = [];
  const places = new Map<string, { text: string; isError: boolean }>();
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    for (const block of blocks) {
      if (block.type === 'tool_use') {
        const call = { name: block.name, input: { ...(block.input as Call['input'] | null) } };
        const result = { call, text: 'No result was recorded for this call.', isError: true };
        exchanges.at(-1)?.results.push(result);
        places.set(block.id, result);
      } else if (block.type === 'tool_result') {
        Object.assign(places.get(block.tool_use_id) ?? {}, { text: textOf(block), isError: block.is_error === true });
      }
    }
    const prompt = role === 'user' ? promptOf(blocks) : null;
    if (prompt !== null && !(exchanges.length > 0 && GOES_ON.test(prompt))) exchanges.push({ prompt, results: [] });
  }
  return exchanges;
}

/** Text beside tool results counts as a prompt only if it is in a form: it may be a word of a hook. */
function promptOf(blocks: readonly { readonly type: string; readonly text?: string }[]): string | null {
  const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
  const texts = blocks.slice(lastResult + 1).map((block) => typedText(block.text ?? ''));
  return texts.findLast((text) => text !== '' && (lastResult === -1 || parse(text).parts !== null)) ?? null;
}

function typedText(text: string): string {
  const rest = text.replace(ADDED_BLOCK, '');
  return rest === text ? text.trim() : typedText(rest);
}

function textOf({ content }: ToolResultBlock): string {
  const texts =
    typeof content === 'string' ? [content] : content.map((block) => (block.type === 'text' ? block.text : ''));
  return texts.join('\n');
}

/** The working directory as the system prompt or the first message tells it; null if neither does. */
function workingDirectory({ system, messages }: ModelRequest): string | null {
  const blocks = [...system, ...(typeof messages[0]?.content === 'object' ? messages[0].content : [])];
  const line = /^(?:working directory|cwd): *(.+?)\/?$/im;
  return blocks.flatMap((block) => (block.type === 'text' && line.exec(block.text)?.[1]) || [])[0] ?? null;
}
