// Turns a Grep input into one ripgrep search and collects what it finds. Rule: everything found is counted, whatever
// part of it is shown.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import type { GrepInput } from '../../protocol/tool-io.js';
import { compileGlob, expandBraces, type GlobPattern } from '../../util/glob-pattern.js';
import { errorText } from '../../util/text.js';
import { type RipgrepOutcome, runRipgrep } from '../ripgrep.js';
import { MAX_SORTED_BY_TIME } from '../search-limits.js';
import { checkRoot, comparePaths, createFirstItems, walkArguments } from '../search-paths.js';
import type { ToolContext } from '../tool.js';
import { collectLines } from './collect-lines.js';
import { createRecordJoiner, type FoundFile, type FoundLine, parseCount, parseLine } from './parse-record.js';

/** A line of a file is cut to this many bytes, by ripgrep, which marks the cut. */
const MAX_LINE_BYTES = 2_000;
/** A search that has seen this many lines or files ends; its pattern says nothing. */
const MAX_RECORDS = 200_000;

/**
 * Look-around and back-references, which only ripgrep's second engine knows. Other patterns stay with the first: it
 * refuses a line break outside of multiline mode, where the second silently finds nothing.
 */
const NEEDS_PCRE = /\(\?<?[=!]|\\[1-9]/;

/** What a search found. Paths are absolute. */
export interface GrepFindings {
  /** The first lines in order of path; content mode only. */
  readonly lines: readonly FoundLine[];
  /** The first files in order of path; the other modes. */
  readonly files: readonly FoundFile[];
  /** Lines (content) or files (other modes) in all. */
  readonly total: number;
  /** Matching lines; in files_with_matches, matching files. */
  readonly matches: number;
  readonly ended: RipgrepOutcome['ended'];
  /** True where some files could not be read. */
  readonly unreadable: boolean;
  /** Files with matches that a rule keeps from being read. */
  readonly hidden: number;
  /** True where lines that were asked for are missing because they were too long to keep. */
  readonly overflowed: boolean;
}

/**
 * Runs the search an input asks for.
 * @param wanted how many lines or files can be shown, counted from the first
 * @throws ToolError for a bad pattern, type, glob or path
 */
export async function searchContent(
  input: GrepInput,
  context: ToolContext,
  wanted: number,
  deadlineMs: number,
): Promise<GrepFindings> {
  const start = path.resolve(context.cwd, input.path ?? '.');
  const isFile = (await checkRoot(start, context)) === 'file';
  const cwd = isFile ? path.dirname(start) : start;
  const filter = createPathFilter(input.glob, cwd, context.cwd);
  const hides = (await context.hiddenFiles?.(start)) ?? null;
  const content = input.output_mode === 'content';
  let hidden = 0;
  let last = { path: '', isShown: true };
  /** Records of one file come one after the other. */
  const isShown = (relative: string): boolean => {
    if (!filter.accepts(relative)) return false;
    if (hides === null) return true;
    if (last.path !== relative) {
      last = { path: relative, isShown: !hides(path.resolve(cwd, relative)) };
      if (!last.isShown) hidden += 1;
    }
    return last.isShown;
  };
  const lines = collectLines(wanted);
  const files = createFirstItems<FoundFile>(Math.max(wanted, MAX_SORTED_BY_TIME), (a, b) =>
    comparePaths(a.path, b.path),
  );
  let matches = 0;
  let records = 0;
  const join = createRecordJoiner();
  const takeRecord = (record: string): void => {
    if (content) {
      const line = parseLine(record);
      if (line !== null && isShown(line.path)) lines.add({ ...line, path: path.resolve(cwd, line.path) });
      return;
    }
    const file = parseCount(record);
    if (file === null || !isShown(file.path)) return;
    matches += file.count;
    files.add({ ...file, path: path.resolve(cwd, file.path) });
  };
  const outcome = await runRipgrep(
    {
      arguments: [...searchArguments(input, filter, cwd), '--', isFile ? `./${path.basename(start)}` : './'],
      cwd,
      separator: input.output_mode === 'content' || input.output_mode === 'count' ? 'newline' : 'nul',
      deadlineMs,
      onRecord(record) {
        // Names only come with nothing behind their NUL; they are read as files that count once.
        const whole = content || input.output_mode === 'count' ? join(record) : `${record}\0${1}`;
        if (whole !== null) takeRecord(whole);
        records += 1;
        return records < MAX_RECORDS;
      },
    },
    context,
  );
  refuseFailed(outcome);
  return {
    lines: content ? lines.first() : [],
    files: files.items(),
    total: content ? lines.lines : files.total(),
    matches: content ? lines.matches : matches,
    ended: outcome.ended,
    unreadable: outcome.exitCode === 2,
    hidden,
    overflowed: lines.overflowed,
  };
}

/** With file errors kept quiet, an error text means that the search itself was wrong. */
function refuseFailed(outcome: RipgrepOutcome): void {
  if (outcome.exitCode !== 2 || outcome.errorText === '') return;
  const advice = 'Correct the pattern, type or glob; escape characters that are meant literally, such as \\( or \\{.';
  throw new ToolError(`The search failed: ${outcome.errorText}\n${advice}`);
}

function searchArguments(input: GrepInput, filter: PathFilter, root: string): string[] {
  const content = input.output_mode === 'content';
  return [
    ...walkArguments(root),
    ...filter.arguments,
    ...(input.type === undefined ? filter.typeArguments : ['--type', input.type]),
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

interface PathFilter {
  /** Takes a path relative to where the search runs. */
  accepts(relative: string): boolean;
  /** Exclusions, which ripgrep may do itself. */
  readonly arguments: readonly string[];
  /** Narrows the walk by file name; only where the input names no type, for types add up. */
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
 * Several globs may stand in one text, with commas between them outside of braces. Spaces divide it too where each
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
