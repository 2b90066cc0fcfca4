// Glob: finds files by the pattern of their path. It leaves out what .gitignore names and never follows symbolic
// links; a search that takes too long returns what it found and says so.
import type { JsonSchema } from '../protocol/json.js';
import type { GlobInput, GlobOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadSearch } from './bodies.js';
import { planSearch } from './plan-search.js';
import { MAX_FILES_SHOWN, MAX_SORTED_BY_TIME } from './shared/index.js';
import { defineTool, type Tool } from './tool.js';

/** After this long the files found so far are returned. */
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

const DESCRIPTION = `Finds files whose path matches a pattern. To search in their content, use Grep.

- \`*\` and \`?\` match within a name, \`**\` any number of folders, \`{a,b}\` alternatives, \`[a-z]\` one character: \`**/*.test.ts\`, \`src/*.{js,ts}\`.
- A pattern without a slash matches at any depth: \`*.ts\` is \`**/*.ts\`. Others start at \`path\`, or may be absolute.
- Hidden files are found. Files that .gitignore names are not, unless the pattern or \`path\` names their folder; nor is anything in .git. Symbolic links are not followed.
- Returns absolute paths of files, not folders: at most ${MAX_FILES_SHOWN}, newest first, with the number of all matches. Over ${MAX_SORTED_BY_TIME} matches they are ordered by path.`;

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
    run: async (input, context) => (await loadSearch()).findFiles(input, context, options.deadlineMs),
  });
}

/** Finds files by pattern. Its `tool_use_result` holds the files shown and the number of all matches. */
export const globTool: Tool<GlobInput, GlobOutput> = createGlobTool({ deadlineMs: DEADLINE_MS });
