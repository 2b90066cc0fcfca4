// Glob and Grep: files by the pattern of their path or by what they hold. They leave out what .gitignore names and never follow
// symbolic links; a search that takes too long returns what it found, and what is not shown is told.
import path from 'node:path';
import type { JsonSchema } from '../protocol/json.js';
import type { GlobInput, GlobOutput, GrepInput, GrepOutput } from '../protocol/tool-io.js';
import { splitGlobRoot } from '../util/posix-path.js';
import { shorten } from '../util/text.js';
import { loadSearch } from './bodies.js';
import { DEFAULT_HEAD_LIMIT, MAX_FILES_SHOWN, MAX_SORTED_BY_TIME } from './shared/index.js';
import { defineTool, type Tool } from './tool.js';

export interface SearchPlan {
  /** The folder `path` names. */
  readonly base: string;
  /** The folder that is walked: `base` and the plain folders of the pattern. */
  readonly root: string;
  /** What a path relative to `root` must match. */
  readonly rest: string;
}

/** Pure: where a pattern starts and what is left of it. */
export function planSearch(input: GlobInput, cwd: string): SearchPlan {
  const base = path.resolve(cwd, input.path ?? '.');
  const pattern = input.pattern.endsWith('/') ? `${input.pattern}**` : input.pattern.replace(/^(?:\.\/+)+/, '');
  if (!pattern.includes('/')) return { base, root: base, rest: pattern === '**' ? pattern : `**/${pattern}` };
  const { root, rest } = splitGlobRoot(pattern);
  return { base, root: path.resolve(base, root), rest: rest.replace(/\/{2,}/g, '/') };
}

/** After this long what was found so far is returned. */
const DEADLINE_MS = 5_000;
const MAX_TITLE_LENGTH = 80;

export const globInputSchema = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      description: 'The pattern, for example `src/**/*.ts`.',
    },
    path: {
      type: 'string',
      description: 'The folder to start at. Default: the working directory.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const GLOB_DESCRIPTION = `Finds files whose path matches a pattern. To search in their content, use Grep.

- \`*\` and \`?\` match within a name, \`**\` any number of folders, \`{a,b}\` alternatives, \`[a-z]\` one character: \`**/*.test.ts\`, \`src/*.{js,ts}\`.
- A pattern without a slash matches at any depth: \`*.ts\` is \`**/*.ts\`. Others start at \`path\`, or may be absolute.
- Hidden files are found. Files that .gitignore names are not, unless the pattern or \`path\` names their folder; nor is anything in .git. Symbolic links are not followed.
- Returns absolute paths of files, not folders: at most ${MAX_FILES_SHOWN}, newest first, with the number of all matches. Over ${MAX_SORTED_BY_TIME} matches they are ordered by path.`;

/** A Glob tool with a deadline of its own, for tests and slow disks. */
export function createGlobTool(options: { readonly deadlineMs: number }): Tool<GlobInput, GlobOutput> {
  return defineTool<GlobInput, GlobOutput>({
    name: 'Glob',
    description: GLOB_DESCRIPTION,
    inputSchema: globInputSchema,
    readOnly: true,
    concurrencySafe: true,
    title: (input) => shorten(`Find ${input.pattern}${input.path ? ` in ${input.path}` : ''}`, MAX_TITLE_LENGTH),
    subject: (input, cwd) => ({ kind: 'path', path: planSearch(input, cwd).root, access: 'read' }),
    run: async (input, context) => (await loadSearch()).findFiles(input, context, options.deadlineMs),
  });
}

/** Finds files by pattern. Its `tool_use_result` holds the files shown and the number of all matches. */
export const globTool: Tool<GlobInput, GlobOutput> = createGlobTool({ deadlineMs: DEADLINE_MS });

export const grepInputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: "The regular expression, in ripgrep's syntax." },
    path: { type: 'string', description: 'The file or folder to search. Default: the working directory.' },
    glob: { type: 'string', description: 'Only files whose path matches: `*.{ts,tsx}`, `!*.test.ts`.' },
    type: { type: 'string', description: 'Only files of this type: `ts`, `py`, `rust`.' },
    output_mode: {
      type: 'string',
      enum: ['content', 'files_with_matches', 'count'],
      description: 'What to show. Default `files_with_matches`.',
    },
    head_limit: {
      type: 'number',
      description: `Show at most this many lines or files. Default ${DEFAULT_HEAD_LIMIT}; 0: as many as fit.`,
    },
    offset: { type: 'number', description: 'Skip this many lines or files. Default 0.' },
    context: { type: 'number', description: 'Lines before and after each match (content mode).' },
    '-A': { type: 'number', description: 'Lines after each match.' },
    '-B': { type: 'number', description: 'Lines before each match.' },
    '-C': { type: 'number', description: 'The same as `context`.' },
    '-i': { type: 'boolean', description: 'Ignore case.' },
    '-n': { type: 'boolean', description: 'Line numbers (content mode). Default true.' },
    multiline: { type: 'boolean', description: 'Let a match span lines, and `.` match line breaks.' },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const GREP_DESCRIPTION = `Searches the content of files with ripgrep.

- \`pattern\` is a regular expression: \`log.*Error\`, \`function\\s+\\w+\`. Escape what is meant literally: \`interface\\{\\}\`. Look-around works. A match stays within one line unless \`multiline\` is true.
- By default you get the paths of matching files, newest first. \`output_mode\` \`content\` gives lines as \`path:line:text\` (context lines as \`path-line-text\`), \`count\` the number of matching lines in each file.
- Narrow a search with \`path\`, \`glob\` or \`type\`.
- Hidden files are searched; what .gitignore names, .git and binary files are not. Symbolic links are not followed.
- The result says how many lines or files there are in all. Use \`offset\` for those after \`head_limit\`.`;

/** A Grep tool with a deadline of its own, for tests and slow disks. */
export function createGrepTool(options: { readonly deadlineMs: number }): Tool<GrepInput, GrepOutput> {
  return defineTool<GrepInput, GrepOutput>({
    name: 'Grep',
    description: GREP_DESCRIPTION,
    inputSchema: grepInputSchema,
    otherFields: {
      '-o': 'lines are shown whole, so leave it out',
      '-l': 'use output_mode files_with_matches',
      '-c': 'use output_mode count',
      include: 'use glob',
    },
    readOnly: true,
    concurrencySafe: true,
    title: (input) => shorten(`Search ${input.pattern}${input.path ? ` in ${input.path}` : ''}`, MAX_TITLE_LENGTH),
    subject: (input, cwd) => ({ kind: 'path', path: path.resolve(cwd, input.path ?? '.'), access: 'read' }),
    run: async (input, context) => (await loadSearch()).grepFiles(input, context, options.deadlineMs),
  });
}

/** Searches file contents. `matchCount` counts matching lines, or files in files_with_matches, shown or not. */
export const grepTool: Tool<GrepInput, GrepOutput> = createGrepTool({ deadlineMs: DEADLINE_MS });
