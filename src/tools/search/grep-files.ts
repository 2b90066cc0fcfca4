// One search in the content of files: what was found, page by page, and what the result does not show.
import { ToolError } from '../../protocol/errors.js';
import type { GrepInput, GrepOutput } from '../../protocol/tool-io.js';
import { count } from '../../util/text.js';
import { DEFAULT_HEAD_LIMIT } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import type { FoundLine } from './collect-findings.js';
import { type GrepFindings, searchContent } from './search-content.js';
import { refuseNul, showPath } from './search-paths.js';

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
