// Reading a whole file by Read calls, page by page; and what to do where Read says only that nothing changed.
import type { TextFact } from './findings.js';
import {
  ask,
  askAll,
  type Call,
  type CallResult,
  type Flow,
  type Situation,
  StepFailure,
  shellQuote,
  toAbsolute,
} from './flow.js';
import { locate } from './locate.js';
import { readMatches, readNumbered, readOutput } from './read-results.js';
import type { LineRange } from './step.js';

/** Pages read of one file at most; Read shows 2,000 lines a page. */
const MAX_PAGES = 10;

/** The text of each file, or the part of it that `range` names. @throws StepFailure where one cannot be read */
export function* readFiles(paths: readonly string[], range: LineRange | null, situation: Situation): Flow<TextFact[]> {
  if (!situation.tools.has('Read') && situation.tools.has('Bash')) return yield* readByShell(paths, situation);
  const calls = paths.map((path) => readCall(path, range, situation));
  const say = `Reading ${paths.length > 3 ? `${paths.length} files` : paths.join(', ')}.`;
  const results = yield* askAll(situation, say, calls);
  const texts: TextFact[] = [];
  for (const [index, result] of results.entries()) {
    texts.push(yield* readOn(paths[index] ?? '', result, range, situation));
  }
  return texts;
}

function readCall(path: string, range: LineRange | null, situation: Situation): Call {
  const part = range?.kind === 'span' ? { offset: range.from, limit: range.count } : {};
  return { name: 'Read', input: { file_path: toAbsolute(situation, path), ...part } };
}

function* readOn(path: string, first: CallResult, range: LineRange | null, situation: Situation): Flow<TextFact> {
  const located = first.isError ? yield* locate(path, first, situation) : path;
  const result =
    located === path ? first : yield* ask(situation, `Reading ${located}.`, readCall(located, range, situation));
  const shown = readNumbered(result.text);
  if (shown === null) return partOf(located, yield* recallText(located, result, situation), range);
  if (range?.kind === 'span')
    return { path: located, lines: shown.lines.slice(0, range.count), first: shown.first, whole: false };
  const lines = [...shown.lines];
  let next = shown.nextOffset;
  for (let page = 1; next !== null && page < MAX_PAGES; page++) {
    const call = { name: 'Read', input: { file_path: toAbsolute(situation, located), offset: next } };
    const [more] = yield* askAll(situation, `Reading on in ${located}.`, [call]);
    const read = more === undefined || more.isError ? null : readNumbered(more.text);
    if (read === null || read.lines.length === 0) break;
    lines.push(...read.lines);
    next = read.nextOffset !== null && read.nextOffset > next ? read.nextOffset : null;
  }
  const text: TextFact = { path: located, lines, first: shown.first, whole: next === null };
  return range === null ? text : partOf(located, lines, range);
}

/** A file that Read does not show again is known from before; else Grep shows all its lines. */
function* recallText(path: string, unchanged: CallResult, situation: Situation): Flow<readonly string[]> {
  const known = situation.recall(toAbsolute(situation, path), unchanged.turn);
  if (known !== null) return known;
  const input = { pattern: '^', path: toAbsolute(situation, path), output_mode: 'content', head_limit: 0 };
  const result = yield* ask(situation, `Reading ${path}.`, { name: 'Grep', input });
  const listing = readMatches(result.text, path);
  if (listing.notes.length > 0)
    throw new StepFailure(`${path} is known to Read already and too long to be shown again.`);
  return listing.entries.map((entry) => entry.text);
}

function partOf(path: string, lines: readonly string[], range: LineRange | null): TextFact {
  if (range === null) return { path, lines, first: 1, whole: true };
  const start = range.kind === 'last' ? Math.max(0, lines.length - range.count) : range.from - 1;
  return { path, lines: lines.slice(start, start + range.count), first: start + 1, whole: false };
}

function* readByShell(paths: readonly string[], situation: Situation): Flow<TextFact[]> {
  const texts: TextFact[] = [];
  for (const path of paths) {
    const command = `cat -- ${shellQuote(toAbsolute(situation, path))}`;
    const result = yield* ask(situation, `Reading ${path}.`, {
      name: 'Bash',
      input: { command, description: `Show ${path}` },
    });
    const text = readOutput(result.text, false)?.text ?? '';
    texts.push({ path, lines: text === '' ? [] : text.split('\n'), first: 1, whole: true });
  }
  return texts;
}
