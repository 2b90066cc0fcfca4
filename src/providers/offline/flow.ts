// How a job asks for tool calls: a generator that yields calls and gets their results. Run again from the start over the
// recorded results it takes the same way, so nothing is kept between turns.
import type { FileFact, Finding } from './finding.js';
import type { Operands } from './grammar.js';

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
