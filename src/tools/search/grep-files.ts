// One search in the content of files: the runs of ripgrep that it takes, what they found, page by page, and what the result does not
// show.
import path from 'node:path';
import { FileError, type FileStat, type FolderHandle, type Located } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { GrepInput, GrepOutput } from '../../protocol/tool-io.js';
import { compileGlob, expandBraces, type GlobPattern } from '../../util/glob-pattern.js';
import { count, errorText } from '../../util/text.js';
import { DEFAULT_HEAD_LIMIT, MAX_SORTED_BY_TIME, type RipgrepOutcome, runRipgrep } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { type Collector, collectFindings, type Findings, type FoundLine } from './collect-findings.js';
import { comparePaths, locateRoot, newestFirst, refuseNul, searchIn, showPath, walkArguments } from './search-paths.js';

/** Lines or files that can be reached with `head_limit` and `offset`. */
const MAX_REACH = 20_000;
const MAX_RESULT_CHARACTERS = 30_000;

export async function grepFiles(
  input: GrepInput,
  context: ToolContext,
  deadlineMs: number,
): Promise<ToolOutcome<GrepOutput>> {
  refuseNul({ pattern: input.pattern, path: input.path, glob: input.glob, type: input.type });
  if (input.pattern === '') throw new ToolError('The pattern is empty. Give a regular expression.');
  const page = choosePage(input);
  const findings = await searchContent(input, context, page.offset + page.limit, deadlineMs);
  const entries = renderEntries(input, findings, context);
  const shown = takePage(entries, page);
  return report(findings, shown, page, deadlineMs);
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

function choosePage(input: GrepInput): Page {
  const offset = Math.min(Math.max(0, Math.floor(input.offset ?? 0) || 0), MAX_REACH);
  const asked = Math.floor(input.head_limit ?? DEFAULT_HEAD_LIMIT);
  return { offset, limit: Math.min(asked > 0 ? asked : MAX_REACH, MAX_REACH) };
}

/** One text per line or file, in order. A text may begin with a `--` line, between lines that do not touch. */
function renderEntries(input: GrepInput, findings: GrepFindings, context: ToolContext): string[] {
  if (input.output_mode === 'content') return renderLines(input, findings.lines, context.cwd);
  if (input.output_mode === 'count') {
    return findings.files.map((file) => `${showPath(file.path, context.cwd)}:${file.count}`);
  }
  return findings.files.map((file) => showPath(file.path, context.cwd));
}

function renderLines(input: GrepInput, lines: readonly FoundLine[], cwd: string): string[] {
  const hasContext = [input.context, input['-A'], input['-B'], input['-C']].some(
    (value) => value !== undefined && value > 0,
  );
  const numbered = input['-n'] !== false;
  return lines.map((found, index) => {
    const mark = found.isMatch ? ':' : '-';
    const number = numbered && found.line > 0 ? `${found.line}${mark}` : '';
    const previous = lines[index - 1];
    const touches = previous?.path === found.path && previous.line + 1 === found.line;
    const gap = hasContext && previous !== undefined && !touches ? '--\n' : '';
    return `${gap}${showPath(found.path, cwd)}${mark}${number}${found.text}`;
  });
}

/** The entries of a page that fit into a result. */
function takePage(entries: readonly string[], page: Page): string[] {
  const shown: string[] = [];
  let size = 0;
  for (const entry of entries.slice(page.offset, page.offset + page.limit)) {
    const text = shown.length === 0 ? entry.replace(/^--\n/, '') : entry;
    size += text.length + 1;
    if (size > MAX_RESULT_CHARACTERS && shown.length > 0) break;
    shown.push(text);
  }
  return shown;
}

function report(
  findings: GrepFindings,
  shown: readonly string[],
  page: Page,
  deadlineMs: number,
): ToolOutcome<GrepOutput> {
  const notes = describeLimits(findings, shown.length, page, deadlineMs);
  const nothing = findings.ended === 'finished' ? 'No matches found' : 'No matches found so far';
  const found = findings.total === 0 ? [nothing] : shown;
  const results = [...found, ...notes.map((note) => `[${note}]`)].join('\n');
  const truncated = findings.ended !== 'finished' || findings.total > page.offset + shown.length;
  return {
    model: results,
    data: { results, matchCount: findings.matches, ...(truncated && { truncated }) },
  };
}

/** What the result does not show, in sentences. */
function describeLimits(findings: GrepFindings, shown: number, page: Page, deadlineMs: number): string[] {
  const notes: string[] = [];
  const next = page.offset + shown;
  const unit = findings.lines.length > 0 ? 'line' : 'file';
  if (findings.total > 0 && shown === 0) {
    notes.push(`Nothing at offset ${page.offset}: there are ${count(findings.total, unit)}.`);
  } else if (findings.total > next) {
    const range = `${page.offset + 1} to ${next} of ${findings.total}`;
    const more = next < MAX_REACH && !findings.overflowed ? `use offset ${next} for more, or narrow` : 'narrow';
    notes.push(`Truncated: ${unit}s ${range} shown; ${more} the search.`);
  }
  if (findings.ended === 'deadline') {
    notes.push(`Stopped after ${deadlineMs} ms: the result is partial. Narrow the search with path, glob or type.`);
  }
  if (findings.ended === 'stopped') {
    notes.push('Stopped: far too many matches, the result is partial. Narrow the search.');
  }
  if (findings.hidden > 0)
    notes.push(`${count(findings.hidden, 'file')} left out: a permission rule keeps them from being read.`);
  if (findings.unreadable) notes.push('Some files could not be read and were not searched.');
  return notes;
}

/** A line of a file is cut to this many bytes, by ripgrep, which marks the cut. */
const MAX_LINE_BYTES = 2_000;
/** A search that has seen this many lines or files ends; its pattern says nothing. */
const MAX_RECORDS = 200_000;

/**
 * Look-around and back-references, which only ripgrep's second engine knows. Other patterns stay with the first: it
 * refuses a line break outside of multiline mode, for which the second silently finds nothing.
 */
const NEEDS_PCRE = /\(\?<?[=!]|\\[1-9]/;

/** Files that are lent to ripgrep at once: few enough for any limit of open files. */
const LENT_AT_ONCE = 200;
/** Files that are searched again if their folders changed meanwhile; a search that finds more says that it is partial. */
const MAX_SEARCHED_AGAIN = 4_000;

/** What is searched again gets so long at least, milliseconds. */
const LEAST_MS = 1_000;

/** What a path in ripgrep's output is called below the folder; null for what is not shown. */
type Naming = (file: string) => string | null;

/** What a search found. */
interface GrepFindings extends Findings {
  readonly ended: RipgrepOutcome['ended'];
  /** True if some files could not be read. */
  readonly unreadable: boolean;
  /** Files with matches that a rule keeps from being read. */
  readonly hidden: number;
}

/**
 * Runs the search an input asks for.
 * @param wanted how many lines or files can be shown, counted from the first
 * @throws ToolError for a bad pattern, type, glob or path
 */
async function searchContent(
  input: GrepInput,
  context: ToolContext,
  wanted: number,
  deadlineMs: number,
): Promise<GrepFindings> {
  const start = path.resolve(context.cwd, input.path ?? '.');
  const located = await locateRoot(start, context);
  const isFile = located.stat.kind === 'file';
  const named = isFile ? path.dirname(start) : start;
  const hides = (await context.hiddenFiles?.(start)) ?? null;
  const folders = [...new Set([named, isFile ? path.dirname(located.realPath) : located.realPath])];
  const { clock } = context.host;
  const deadline = clock.monotonic() + deadlineMs;
  return searchIn(located, context, async (folder) => {
    const search: Search = {
      input,
      filter: createPathFilter(input.glob, named, context.cwd),
      named,
      hides: hides === null ? null : (file) => folders.some((each) => hides(path.join(each, file))),
      folder,
      leftMs: (least) => Math.max(least, deadline - clock.monotonic()),
    };
    if (isFile) return searchFile(search, located, wanted, context);
    const findings = await searchFolder(search, wanted, context);
    return datedFiles(findings, search);
  });
}

/** One search, and where it takes place. */
interface Search {
  readonly input: GrepInput;
  readonly filter: PathFilter;
  /** The folder, as the call names it. */
  readonly named: string;
  /** By its path relative to the folder. */
  readonly hides: ((file: string) => boolean) | null;
  readonly folder: FolderHandle;
  /** Milliseconds until the deadline, but not less than `least`. */
  leftMs(least: number): number;
}

async function searchFile(
  search: Search,
  { realPath, path: given, stat }: Located & { readonly stat: FileStat },
  wanted: number,
  context: ToolContext,
): Promise<GrepFindings> {
  const lent = await search.folder.lend([path.basename(realPath)]);
  try {
    const [file] = lent.files;
    // What was decided about is a file, and not a name.
    if (file == null || file.stat.inode !== stat.inode || file.stat.device !== stat.device)
      throw new FileError('ESTALE', given, `${given} was replaced just now.`);
    const collector = collect(search, wanted, () => path.basename(given));
    const outcome = await runOver(search, collector, ['--', file.path], context);
    return findingsOf(collector, outcome);
  } finally {
    await lent.giveBack();
  }
}

/**
 * ripgrep goes through folders by their names, so what it found counts only if no name on the way to it changed its
 * meaning meanwhile. If one may have, the files that it named are opened here, through no link, and searched again.
 */
async function searchFolder(search: Search, wanted: number, context: ToolContext): Promise<GrepFindings> {
  const first = collect(search, wanted, (file) => (file.startsWith('./') ? file.slice(2) : file));
  const walk = [...walkArguments(search.named), ...search.filter.arguments, ...typeArguments(search)];
  const outcome = await runOver(search, first, [...walk, '--', './'], context);
  const files = first.files();
  if (files.length === 0 || (await search.folder.wasQuiet(foldersOf(files)))) return findingsOf(first, outcome);
  return searchAgain(search, first, outcome, wanted, context);
}

async function searchAgain(
  search: Search,
  first: Collector,
  outcome: RipgrepOutcome,
  wanted: number,
  context: ToolContext,
): Promise<GrepFindings> {
  const files = first.files().toSorted(comparePaths);
  const names = new Map<string, string>();
  const again = collect(search, wanted, (lent) => names.get(lent) ?? null);
  let last = outcome;
  for (let from = 0; from < Math.min(files.length, MAX_SEARCHED_AGAIN); from += LENT_AT_ONCE) {
    const group = files.slice(from, from + LENT_AT_ONCE);
    const lent = await search.folder.lend(group);
    try {
      names.clear();
      for (const [index, file] of lent.files.entries()) if (file !== null) names.set(file.path, group[index] ?? '');
      if (names.size === 0) continue;
      again.startRun();
      last = await runOver(search, again, ['--', ...names.keys()], context, LEAST_MS);
      if (last.ended !== 'finished') break;
    } finally {
      await lent.giveBack();
    }
  }
  const isCut = files.length > MAX_SEARCHED_AGAIN;
  const ended = outcome.ended !== 'finished' ? outcome.ended : isCut ? 'stopped' : last.ended;
  const isUnreadable = outcome.exitCode === 2 || last.exitCode === 2;
  return { ...findingsOf(again, { ...last, ended }), hidden: first.hidden, unreadable: isUnreadable };
}

function collect({ input, named, hides, filter }: Search, wanted: number, nameOf: Naming): Collector {
  return collectFindings({
    mode: input.output_mode ?? 'files_with_matches',
    wanted,
    named,
    nameOf: (file) => {
      const name = nameOf(file);
      return name !== null && filter.accepts(name) ? name : null;
    },
    hides,
  });
}

/**
 * @param more arguments that say what is searched
 * @param leastMs time that it gets, whatever is left
 */
async function runOver(
  { input, folder, leftMs }: Search,
  collector: Collector,
  more: readonly string[],
  context: ToolContext,
  leastMs = 1,
): Promise<RipgrepOutcome> {
  let records = 0;
  const outcome = await runRipgrep(
    {
      arguments: [...searchArguments(input), ...more],
      cwd: folder.cwd,
      separator: input.output_mode === 'content' || input.output_mode === 'count' ? 'newline' : 'nul',
      deadlineMs: leftMs(leastMs),
      onRecord(record) {
        collector.take(record);
        records += 1;
        return records < MAX_RECORDS;
      },
    },
    context,
  );
  refuseFailed(outcome);
  return outcome;
}

function findingsOf(collector: Collector, { ended, exitCode }: RipgrepOutcome): GrepFindings {
  return { ...collector.findings(), hidden: collector.hidden, ended, unreadable: exitCode === 2 };
}

function foldersOf(files: readonly string[]): readonly string[] {
  return [...new Set(files.map((file) => path.dirname(file)))];
}

/** When they were changed, if that decides on their order. */
async function datedFiles(findings: GrepFindings, { input, named, folder }: Search): Promise<GrepFindings> {
  const isByTime = input.output_mode === undefined || input.output_mode === 'files_with_matches';
  if (!isByTime || findings.total > MAX_SORTED_BY_TIME) return findings;
  const stats = await folder.lstatAll(findings.files.map((file) => path.relative(named, file.path)));
  const dated = findings.files.map((file, index) => ({ ...file, mtimeMs: stats[index]?.mtimeMs ?? 0 }));
  return { ...findings, files: dated.sort(newestFirst) };
}

/** With file errors kept quiet, an error text means that the search itself was wrong. */
function refuseFailed(outcome: RipgrepOutcome): void {
  if (outcome.exitCode !== 2 || outcome.errorText === '') return;
  const advice = 'Correct the pattern, type or glob; escape characters that are meant literally, such as \\( or \\{.';
  throw new ToolError(`The search failed: ${outcome.errorText}\n${advice}`);
}

/** A type narrows which files are gone through, and no file that was opened. */
function typeArguments({ input, filter }: Search): readonly string[] {
  return input.type === undefined ? filter.typeArguments : ['--type', input.type];
}

function searchArguments(input: GrepInput): string[] {
  const content = input.output_mode === 'content';
  return [
    '--no-messages',
    ...(NEEDS_PCRE.test(input.pattern) ? ['--engine=auto'] : []),
    '--color=never',
    '--null',
    '--with-filename',
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(content ? contentArguments(input) : [input.output_mode === 'count' ? '--count' : '--files-with-matches']),
    '--regexp',
    input.pattern,
  ];
}

function contentArguments(input: GrepInput): string[] {
  const around = input.context ?? input['-C'] ?? 0;
  return [
    '--line-number',
    '--no-heading',
    '--no-context-separator',
    `--max-columns=${MAX_LINE_BYTES}`,
    '--max-columns-preview',
    `--after-context=${wholeNumber(input['-A'] ?? around)}`,
    `--before-context=${wholeNumber(input['-B'] ?? around)}`,
  ];
}

/** A count that ripgrep accepts: not negative, not broken, not absurd. */
function wholeNumber(value: number): number {
  return Math.min(Math.max(0, Math.floor(value) || 0), 1_000);
}

// The files that `glob` of a Grep call means: exclusions are ripgrep's work, inclusions are checked here.

interface PathFilter {
  /** Takes a path relative to where the search runs. */
  accepts(relative: string): boolean;
  /** Exclusions, which ripgrep may do itself. */
  readonly arguments: readonly string[];
  /** Narrows the walk by file name; only if the input names no type, because types add up. */
  readonly typeArguments: readonly string[];
}

/**
 * Reads `glob`. A pattern ripgrep includes by would undo .gitignore, so inclusion is checked here; it may be relative
 * to the search's folder or to the working directory.
 */
function createPathFilter(glob: string | undefined, root: string, cwd: string): PathFilter {
  const patterns = splitGlobs(glob ?? '');
  const excluded = patterns.filter((pattern) => pattern.startsWith('!'));
  const included = patterns.filter((pattern) => !pattern.startsWith('!')).map(compileInclusion);
  const lastParts = included.map((pattern) => pattern.lastParts);
  const names = lastParts.every((parts) => parts !== null) ? lastParts.flat() : [];
  return {
    arguments: excluded.flatMap(expandExclusion),
    typeArguments:
      names.length === 0 ? [] : [...names.flatMap((name) => ['--type-add', `wanted:${name}`]), '--type', 'wanted'],
    accepts(file) {
      if (included.length === 0) return true;
      const absolute = path.resolve(root, file);
      const ways = [path.relative(root, absolute), path.relative(cwd, absolute), absolute];
      return included.some((pattern) => ways.some((way) => pattern.matches(way)));
    },
  };
}

/**
 * Several globs may stand in one text, with commas between them outside of braces. Spaces divide it too if each
 * part has a star, so that a folder's name may hold one.
 */
function splitGlobs(glob: string): string[] {
  const patterns = glob.split(/,(?![^{]*\})/).flatMap((text) => {
    const words = text.trim().split(/\s+/);
    return words.every((word) => word.includes('*')) ? words : [text.trim()];
  });
  return patterns.filter((pattern) => pattern !== '');
}

function expandExclusion(pattern: string): string[] {
  return readPattern(() => expandBraces(pattern.slice(1))).flatMap((text) => ['--glob', `!${text}`]);
}

function compileInclusion(pattern: string): GlobPattern {
  const relative = pattern.replace(/^\.\//, '');
  const folder = relative.endsWith('/') ? `${relative}**` : relative;
  return readPattern(() => compileGlob(folder.includes('/') ? folder : `**/${folder}`));
}

/** A pattern that cannot be read is the model's mistake. */
function readPattern<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ToolError(errorText(error));
  }
}
