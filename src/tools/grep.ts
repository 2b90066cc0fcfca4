// Grep: searches the content of files for a regular expression. It leaves out what .gitignore names, counts all it
// finds, and says in the result what it does not show.
import path from 'node:path';
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { GrepInput, GrepOutput } from '../protocol/tool-io.js';
import { count, shorten } from '../util/text.js';
import type { FoundFile, FoundLine } from './grep/parse-record.js';
import { type GrepFindings, searchContent } from './grep/search.js';
import { MAX_SORTED_BY_TIME, refuseNul, showPath, sortNewestFirst } from './search-paths.js';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from './tool.js';

const DEFAULT_HEAD_LIMIT = 250;
/** Lines or files that can be reached with `head_limit` and `offset`. */
const MAX_REACH = 20_000;
const MAX_RESULT_CHARACTERS = 30_000;
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
    run: (input, context) => grep(input, context, options.deadlineMs),
  });
}

/** Searches file contents. `matchCount` counts matching lines, or files in files_with_matches, shown or not. */
export const grepTool: Tool<GrepInput, GrepOutput> = createGrepTool({ deadlineMs: DEADLINE_MS });

async function grep(input: GrepInput, context: ToolContext, deadlineMs: number): Promise<ToolOutcome<GrepOutput>> {
  refuseNul({ pattern: input.pattern, path: input.path, glob: input.glob, type: input.type });
  if (input.pattern === '') throw new ToolError('The pattern is empty. Give a regular expression.');
  const page = choosePage(input);
  const findings = await searchContent(input, context, page.offset + page.limit, deadlineMs);
  const entries = await renderEntries(input, findings, context);
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
async function renderEntries(input: GrepInput, findings: GrepFindings, context: ToolContext): Promise<string[]> {
  if (input.output_mode === 'content') return renderLines(input, findings.lines, context.cwd);
  if (input.output_mode === 'count') {
    return findings.files.map((file) => `${showPath(file.path, context.cwd)}:${file.count}`);
  }
  const paths = findings.files.map((file: FoundFile) => file.path);
  const sorted = findings.total <= MAX_SORTED_BY_TIME ? await sortNewestFirst(paths, context) : paths;
  return sorted.map((file) => showPath(file, context.cwd));
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
  if (findings.unreadable) notes.push('Some files could not be read and were not searched.');
  return notes;
}
