// Grep: searches the content of files for a regular expression. It leaves out what .gitignore names, counts all it
// finds, and says in the result what it does not show.
import path from 'node:path';
import type { JsonSchema } from '../protocol/json.js';
import type { GrepInput, GrepOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { DEFAULT_HEAD_LIMIT } from './search-limits.js';
import { defineTool, type Tool } from './tool.js';

/** After this long what was found so far is returned. */
const DEADLINE_MS = 5_000;
const MAX_TITLE_LENGTH = 80;

export const grepInputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: "The regular expression, in ripgrep's (Rust's) syntax." },
    path: { type: 'string', description: 'The file or folder to search. Default: the working directory.' },
    glob: { type: 'string', description: 'Only files whose path matches, for example `*.{ts,tsx}`; `!` excludes.' },
    type: { type: 'string', description: 'Only files of this ripgrep type, for example `ts`, `py`, `rust`.' },
    output_mode: {
      type: 'string',
      enum: ['content', 'files_with_matches', 'count'],
      description:
        '`files_with_matches` (default): paths of matching files. `content`: the matching lines. `count`: matching lines per file.',
    },
    head_limit: {
      type: 'number',
      description: `Show at most this many lines or files. Default ${DEFAULT_HEAD_LIMIT}; 0 shows as many as fit.`,
    },
    offset: { type: 'number', description: 'Skip this many lines or files first. Default 0.' },
    context: { type: 'number', description: 'Lines to show before and after each match (content mode).' },
    '-A': { type: 'number', description: 'Lines to show after each match (content mode).' },
    '-B': { type: 'number', description: 'Lines to show before each match (content mode).' },
    '-C': { type: 'number', description: 'The same as `context`.' },
    '-i': { type: 'boolean', description: 'Ignore case.' },
    '-n': { type: 'boolean', description: 'Show line numbers (content mode). Default true.' },
    multiline: { type: 'boolean', description: 'Let a match span lines, and `.` match line ends. Default false.' },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Searches the content of files with ripgrep. Use it instead of grep or rg in Bash.

- \`pattern\` is a regular expression: \`log.*Error\`, \`function\\s+\\w+\`. Escape braces and parentheses meant literally: \`interface\\{\\}\`. Look-around works.
- \`output_mode\`: \`files_with_matches\` (default; newest file first), \`content\` (lines as \`path:line:text\`, context lines as \`path-line-text\`), \`count\`.
- Narrow it with \`path\`, \`glob\` (\`*.ts\`, \`src/**/*.{ts,tsx}\`, \`!*.test.ts\`) or \`type\` (\`ts\`, \`py\`).
- Patterns match within one line unless \`multiline\` is true.
- Hidden files are searched; files ignored by .gitignore, .git and binary files are not, and symbolic links are not followed. Paths inside the working directory are shown relative to it.
- At most \`head_limit\` lines or files are shown; the result says how many there are. Use \`offset\` to see the next ones.`;

/** A Grep tool with a deadline of its own, for tests and slow disks. */
export function createGrepTool(options: { readonly deadlineMs: number }): Tool<GrepInput, GrepOutput> {
  return defineTool<GrepInput, GrepOutput>({
    name: 'Grep',
    description: DESCRIPTION,
    inputSchema: grepInputSchema,
    readOnly: true,
    concurrencySafe: true,
    title: (input) => shorten(`Search ${input.pattern}${input.path ? ` in ${input.path}` : ''}`, MAX_TITLE_LENGTH),
    subject: (input, cwd) => ({ kind: 'path', path: path.resolve(cwd, input.path ?? '.'), access: 'read' }),
    run: async (input, context) => (await import('./grep/grep-files.js')).grepFiles(input, context, options.deadlineMs),
  });
}

/** Searches file contents. `matchCount` counts matching lines, or files in files_with_matches, shown or not. */
export const grepTool: Tool<GrepInput, GrepOutput> = createGrepTool({ deadlineMs: DEADLINE_MS });
