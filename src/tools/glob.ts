// Glob: finds files by the pattern of their path. It leaves out what .gitignore names and never follows symbolic
// links; a search that takes too long returns what it found and says so.
import path from 'node:path';
import { isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { GlobInput, GlobOutput } from '../protocol/tool-io.js';
import { compileGlob, type GlobPattern, isMagic, splitGlobRoot } from '../util/glob-pattern.js';
import { errorText, shorten } from '../util/text.js';
import { type RipgrepOutcome, runRipgrep } from './ripgrep.js';
import {
  checkRoot,
  comparePaths,
  createFirstItems,
  MAX_SORTED_BY_TIME,
  quoteOddName,
  refuseNul,
  sortNewestFirst,
  walkArguments,
} from './search-paths.js';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from './tool.js';

const MAX_FILES_SHOWN = 100;
/** After this long the files found so far are returned. */
const DEADLINE_MS = 5_000;
const MAX_TITLE_LENGTH = 80;
/** Longer patterns are a mistake. */
const MAX_PATTERN_LENGTH = 4_096;

export const globInputSchema = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      description: 'The pattern of the paths to find, for example `src/**/*.ts`.',
    },
    path: {
      type: 'string',
      description: 'The folder the pattern starts at. Default: the working directory.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Finds files by a pattern of their path. Use it instead of find or ls to locate files whose name or place you know; use Grep to search in their content.

- \`*\` and \`?\` match within a name, \`**\` any folders, \`{a,b}\` alternatives, \`[a-z]\` one character: \`**/*.test.ts\`, \`src/*.{js,ts}\`.
- The pattern is relative to \`path\`. A pattern without a slash matches at any depth: \`*.ts\` is \`**/*.ts\`. An absolute pattern is allowed.
- Hidden files are found. Files ignored by .gitignore and everything in .git are not, unless pattern or \`path\` names the ignored folder. Symbolic links are not followed.
- Returns absolute paths of files (not folders), newest first, at most ${MAX_FILES_SHOWN}, with the number of all matches. Past ${MAX_SORTED_BY_TIME} matches they are ordered by path.`;

/** A Glob tool with a deadline of its own, for tests and slow disks. */
export function createGlobTool(options: { readonly deadlineMs: number }): Tool<GlobInput, GlobOutput> {
  return defineTool<GlobInput, GlobOutput>({
    name: 'Glob',
    description: DESCRIPTION,
    inputSchema: globInputSchema,
    readOnly: true,
    concurrencySafe: true,
    title: (input) => shorten(`Find ${input.pattern}${input.path ? ` in ${input.path}` : ''}`, MAX_TITLE_LENGTH),
    subject: (input, cwd) => ({ kind: 'path', path: planSearch(input, cwd).root, access: 'read' }),
    run: (input, context) => findFiles(input, context, options.deadlineMs),
  });
}

/** Finds files by pattern. Its `tool_use_result` holds the files shown and the number of all matches. */
export const globTool: Tool<GlobInput, GlobOutput> = createGlobTool({ deadlineMs: DEADLINE_MS });

interface SearchPlan {
  /** The folder `path` names. */
  readonly base: string;
  /** The folder that is walked: `base` and the plain folders of the pattern. */
  readonly root: string;
  /** What a path relative to `root` must match. */
  readonly rest: string;
}

/** Pure: where a pattern starts and what is left of it. */
function planSearch(input: GlobInput, cwd: string): SearchPlan {
  const base = path.resolve(cwd, input.path ?? '.');
  const pattern = input.pattern.endsWith('/') ? `${input.pattern}**` : input.pattern.replace(/^(?:\.\/+)+/, '');
  if (!pattern.includes('/')) return { base, root: base, rest: pattern === '**' ? pattern : `**/${pattern}` };
  const { root, rest } = splitGlobRoot(pattern);
  return { base, root: path.resolve(base, root), rest: rest.replace(/\/{2,}/g, '/') };
}

async function findFiles(input: GlobInput, context: ToolContext, deadlineMs: number): Promise<ToolOutcome<GlobOutput>> {
  refuseNul({ pattern: input.pattern, path: input.path });
  const plan = planSearch(input, context.cwd);
  const pattern = compilePattern(input.pattern, plan.rest);
  if ((await checkRoot(plan.base, context)) === 'file') {
    throw new ToolError(`\`path\` is a file: ${plan.base}. Give a folder, or read the file.`);
  }
  const plainFile = await findPlainFile(plan, context);
  if (plainFile !== null) return report([plainFile], 1, 'finished', deadlineMs);
  if (plan.root !== plan.base && !(await isFolder(plan.root, context))) return report([], 0, 'finished', deadlineMs);

  const prefix = plan.root.endsWith('/') ? plan.root : `${plan.root}/`;
  const found = createFirstItems<string>(MAX_SORTED_BY_TIME, comparePaths);
  const outcome = await runRipgrep(
    {
      arguments: ['--files', '--null', ...walkArguments(plan.root), ...narrowArguments(pattern), '--', './'],
      cwd: plan.root,
      separator: 'nul',
      deadlineMs,
      onRecord(record) {
        const relative = record.startsWith('./') ? record.slice(2) : record;
        if (pattern.matches(relative)) found.add(prefix + relative);
        return true;
      },
    },
    context,
  );
  if (outcome.exitCode === 2 && outcome.errorText !== '') {
    throw new ToolError(`The search failed: ${outcome.errorText}`);
  }
  const inOrder = found.items();
  const files = found.total() <= MAX_SORTED_BY_TIME ? await sortNewestFirst(inOrder, context) : inOrder;
  return report(files, found.total(), outcome.ended, deadlineMs);
}

function compilePattern(given: string, rest: string): GlobPattern {
  if (given.length > MAX_PATTERN_LENGTH) throw new ToolError('The pattern is too long. Give a shorter one.');
  if (given.trim() === '') throw new ToolError('The pattern is empty. Give one such as `**/*.ts`.');
  try {
    return compileGlob(rest);
  } catch (error) {
    throw new ToolError(errorText(error));
  }
}

/** A path without any pattern in it needs no walk, and is found even where it is ignored. */
async function findPlainFile(plan: SearchPlan, context: ToolContext): Promise<string | null> {
  if (isMagic(plan.rest)) return null;
  const file = path.join(plan.root, plan.rest);
  return (await readKind(file, context)) === 'file' ? file : null;
}

async function isFolder(file: string, context: ToolContext): Promise<boolean> {
  return (await readKind(file, context)) === 'directory';
}

async function readKind(file: string, context: ToolContext): Promise<string | null> {
  try {
    return (await context.host.fs.stat(file)).kind;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

/** Lets ripgrep leave out early what cannot match. A type filter, not `--glob`: a glob would undo .gitignore. */
function narrowArguments(pattern: GlobPattern): string[] {
  const types = (pattern.lastParts ?? []).flatMap((part) => ['--type-add', `wanted:${part}`]);
  return [
    ...(types.length > 0 ? [...types, '--type', 'wanted'] : []),
    ...(pattern.maxDepth === null ? [] : ['--max-depth', String(pattern.maxDepth)]),
  ];
}

function report(
  files: readonly string[],
  total: number,
  ended: RipgrepOutcome['ended'],
  deadlineMs: number,
): ToolOutcome<GlobOutput> {
  const shown = files.slice(0, MAX_FILES_SHOWN);
  const late = ended === 'deadline';
  const lines = shown.map(quoteOddName);
  if (total === 0) lines.push(late ? 'No files found so far.' : 'No files found.');
  if (total > shown.length) {
    const order = total > MAX_SORTED_BY_TIME ? 'by path' : 'newest first';
    lines.push(`[Truncated: ${shown.length} of ${total} files shown, ${order}. Use a narrower pattern or path.]`);
  }
  if (late) {
    lines.push(`[Stopped after ${deadlineMs} ms: the result is partial. Use a narrower pattern or path.]`);
  }
  const truncated = late || total > shown.length;
  return {
    model: lines.join('\n'),
    data: { files: [...shown], totalMatches: total, ...(truncated && { truncated }) },
  };
}
