// How a job asks for tool calls (a generator that yields calls and gets their results), and what it found out, as an answer or
// a file tells it. Run again over the recorded results a job takes the same way, so nothing is kept between turns.

import { count } from '../../util/text.js';
import type { Facet, Operands } from './grammar.js';

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface CallResult {
  readonly call: Call;
  readonly text: string;
  readonly isError: boolean;
}

/** Calls for one reply, and a sentence that says what they are for. */
export interface Batch {
  readonly say: string;
  readonly calls: readonly Call[];
}

export type Flow<Value> = Generator<Batch, Value, CallResult[]>;

export interface Situation {
  readonly operands: Operands;
  readonly found: readonly Finding[];
  /** Null if the request does not tell. */
  readonly cwd: string | null;
  /** Names of the tools on offer. */
  readonly tools: ReadonlySet<string>;
}

/** Ends a job with a reason for people. */
export class JobFailure extends Error {}

/** Runs calls side by side. @throws JobFailure in the tool's own words if one fails that must not */
export function* callAll(
  { tools }: Situation,
  say: string,
  calls: readonly Call[],
  mayFail = false,
): Flow<CallResult[]> {
  const missing = calls.find((call) => !tools.has(call.name));
  if (missing !== undefined) throw new JobFailure(`The tool ${missing.name} is not offered in this session.`);
  const results = yield { say, calls };
  const failure = results.find(({ isError }) => isError);
  if (failure !== undefined && !mayFail) throw failed(failure);
  return results;
}

/** Of a denial only what happened: what follows is advice for a model that can take some. */
export function failed({ call, text }: CallResult): JobFailure {
  const [denial] = new RegExp(`^${call.name} was denied: [^]*? Nothing of it ran\\.`).exec(text) ?? [];
  return new JobFailure(denial ?? `${call.name}: ${text.trim().slice(0, 1_500) || 'it gave no reason.'}`);
}

// Reads the texts of tool results. A line that is not of the expected form never becomes a fact.

/** What a tool lists, and its sentences on what it does not show. */
interface Listing {
  readonly files: readonly FileFact[];
  readonly notes: readonly string[];
  /** The number of all entries, shown or not. */
  readonly total: number;
  /** Set if the tool shows more from there on. */
  readonly nextOffset: number | null;
}

const NOTE = /^\[(.+)\]$/;
/** Paths of Glob and Grep, Grep's counts and lines, and the lines that Read shows. */
const LINES = {
  paths: /^(?<path>.+)$/,
  counts: /^(?<path>.+):(?<lines>\d+)$/,
  matches: /^(?<path>"(?:[^"\\]|\\.)*"|.+?):(?<line>\d+):(?<text>.*)$/,
  shown: /^\s*(?<line>\d+)\t(?<text>.*)$/,
};

/** What a result lists, each in the form of a line; what else Read says is a note. */
export function readListing({ text }: { readonly text: string } = { text: '' }, form: keyof typeof LINES): Listing {
  const lines = text.split('\n').filter((line) => line !== '' && !/^No (?:files|matches) found/.test(line));
  const isNote = (line: string) => NOTE.test(line) || (form === 'shown' && !LINES.shown.test(line));
  const notes = lines.filter(isNote).map((line) => NOTE.exec(line)?.[1] ?? line);
  const files = lines.flatMap((entry): FileFact[] => {
    const groups = isNote(entry) ? undefined : LINES[form].exec(entry)?.groups;
    if (groups === undefined) return [];
    const { path = '', lines: counted, line, text: shown } = groups;
    const count = counted === undefined ? {} : { lines: Number(counted) };
    return [{ path: unquote(path), ...count, ...(shown === undefined ? {} : { line: Number(line), text: shown }) }];
  });
  const total = Math.max(Number(/\bof (\d+)\b/.exec(notes.join())?.[1] ?? 0), files.length);
  const offset = /\boffset (\d+) for more/.exec(notes.join())?.[1];
  return { files, notes, total, nextOffset: offset === undefined ? null : Number(offset) };
}

/** An odd name comes quoted as JSON. */
function unquote(name: string): string {
  try {
    return name.startsWith('"') ? String(JSON.parse(name)) : name;
  } catch {
    // A name that begins with a quotation mark.
    return name;
  }
}

/** A file, or a line of one that was searched for. */
export interface FileFact {
  /** Relative to the working directory if it lies in it. */
  readonly path: string;
  /** How many it has. */
  readonly lines?: number;
  /** One line of it, with its number. */
  readonly text?: string;
  readonly line?: number;
}

/** All of it comes from tool results. */
export interface Finding {
  /** For people: `Largest TypeScript file in src, by line count`; of a change the whole sentence. */
  readonly title: string;
  readonly isChange?: true;
  readonly files?: readonly FileFact[];
  /** The number of files, matches or lines that the job was to find. */
  readonly count?: number;
  /** The lines of all files together. */
  readonly lines?: number;
  /** The content of files, or the output of a command. */
  readonly text?: string;
  readonly exitCode?: number;
  /** What the tools say they did not show. */
  readonly notes?: readonly string[];
}

/** Lines of one finding that an answer shows. */
const MAX_SHOWN = 400;

/** A finding as it stands in an answer. */
export function describe({ title, isChange, files, count: counted, text, exitCode, notes = [] }: Finding): string {
  const told = (...lines: string[]) => [...lines, ...notes.map((note) => `(${note})`)].join('\n');
  if (isChange === true) return told(title);
  if (text !== undefined) {
    const code = exitCode === undefined ? '' : ` (exit code ${exitCode})`;
    return told(`${title}${code}:`, ...(text === '' ? ['(nothing)'] : fenced(text)));
  }
  const heading = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
  const [only] = files ?? [];
  // A single file, or its number of lines, stands behind the title.
  if (files?.length === 1 && only?.lines !== undefined) return told(`${heading}: ${counted ?? describeFile(only)}.`);
  const total = counted ?? files?.length ?? 0;
  const list = files?.map((file) => `- ${describeFile(file)}`) ?? [];
  return told(`${heading}: ${files !== undefined && total === 0 ? 'none found' : total}.`, ...clip(list));
}

/** The content of a file at `path`; null if what was found last does not say what is asked for. */
export function reportOf(found: readonly Finding[], facets: readonly Facet[], path: string): string | null {
  const data = found.findLast((finding) => finding.isChange !== true);
  const lines = data === undefined ? [] : linesOf(data, facets);
  if (data === undefined || lines.length === 0) return null;
  if (data.text !== undefined) return `${data.text.replace(/\n$/, '')}\n`;
  if (/\.json$/i.test(path)) return `${JSON.stringify(data, null, 2)}\n`;
  const all = [...lines, ...(data.notes ?? []).map((note) => `Note: ${note}`)];
  const isMarkdown = /\.(?:md|markdown)$/i.test(path);
  return `${isMarkdown ? `# ${data.title}\n\n- ${all.join('\n- ')}` : all.join('\n')}\n`;
}

/** A finding as lines, or what `facets` name of it. */
function linesOf({ files, count: total, text }: Finding, facets: readonly Facet[]): readonly string[] {
  const isWhole = facets.includes('all');
  if (isWhole && text !== undefined) return [text];
  const wants = (facet: Facet): boolean => isWhole || facets.includes(facet);
  const lines = (files ?? []).flatMap((file) => {
    if (wants('path')) return wants('lines') ? describeFile(file) : file.path;
    return wants('lines') && file.lines !== undefined ? count(file.lines, 'line') : [];
  });
  const isCounted = facets.includes('count') || (isWhole && files === undefined);
  return [...new Set(lines), ...(isCounted && total !== undefined ? [`Count: ${total}`] : [])];
}

/** Each once. */
export function pathsOf(files: readonly FileFact[]): readonly string[] {
  return [...new Set(files.map(({ path }) => path))];
}

function describeFile({ path, lines, line, text }: FileFact): string {
  if (text !== undefined) return `${path}:${line}: ${text.trim()}`;
  return lines === undefined ? path : `${path} (${count(lines, 'line')})`;
}

function clip(lines: readonly string[]): string[] {
  const left = lines.length - MAX_SHOWN;
  return left > 0 ? [...lines.slice(0, MAX_SHOWN), `… ${count(left, 'more line')}`] : [...lines];
}

/** In a fence that the text does not end. */
function fenced(text: string): string[] {
  const [longest = '``'] = (text.match(/`{3,}/g) ?? []).toSorted((a, b) => b.length - a.length);
  return [`${longest}\``, ...clip(text.replace(/\n$/, '').split('\n')), `${longest}\``];
}
