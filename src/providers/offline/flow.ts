// How a job asks for tool calls: a generator that yields calls and gets their results. Run again from the start over the
// recorded results it takes the same way, so nothing is kept between turns.
import type { Operands } from './operands.js';

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

export type Flow<Value> = Generator<Batch, Value, readonly CallResult[]>;

export interface FileFact {
  /** Relative to the working directory if it lies in it. */
  readonly path: string;
  readonly lines?: number;
}

/** What a job found out or did, all of it from tool results. */
export interface Finding {
  /** For people: `Largest TypeScript file in src, by line count`; of a change the whole sentence. */
  readonly title: string;
  readonly isChange?: true;
  readonly files?: readonly FileFact[];
  readonly matches?: readonly Match[];
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

/** Runs calls side by side and gives every result, errors included. */
export function* callAll(situation: Situation, say: string, calls: readonly Call[]): Flow<readonly CallResult[]> {
  const missing = calls.find((call) => !situation.tools.has(call.name));
  if (missing !== undefined) throw new JobFailure(`The tool ${missing.name} is not offered in this session.`);
  return yield { say, calls };
}

/** Runs calls and gives the texts of their results. @throws JobFailure in the tool's own words if one fails */
export function* callEach(situation: Situation, say: string, calls: readonly Call[]): Flow<readonly string[]> {
  const results = yield* callAll(situation, say, calls);
  return results.map((result) => {
    if (result.isError) throw failed(result);
    return result.text;
  });
}

export function* callOne(situation: Situation, say: string, call: Call): Flow<CallResult> {
  const [result] = yield* callAll(situation, say, [call]);
  return result ?? { call, text: '', isError: true };
}

/** Of a denial only what happened: what follows is advice for a model that can take some. */
export function failed({ call, text }: CallResult): JobFailure {
  const [denial] = new RegExp(`^${call.name} was denied: [^]*? Nothing of it ran\\.`).exec(text) ?? [];
  return new JobFailure(denial ?? `${call.name}: ${text.trim().slice(0, 1_500) || 'it gave no reason.'}`);
}

/** The files that "it" or "them" means: those of the newest finding that has some. */
export function previousFiles(found: readonly Finding[], most: number): readonly FileFact[] {
  const files = found.findLast((finding) => finding.files !== undefined)?.files;
  if (files === undefined) throw new JobFailure('It is not clear which file is meant. Name it.');
  if (files.length === 0) throw new JobFailure('No file was found before, so there is nothing to go on with.');
  if (files.length > most) throw tooMany(files.length);
  return files;
}

export function tooMany(files: number): JobFailure {
  return new JobFailure(`These are ${files} files, too many at once. Name a folder or a kind of files.`);
}

// Reads the texts of tool results. A line that is not of the expected form never becomes a fact.

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What a tool lists, and its sentences on what it does not show. */
interface Listing<Entry> {
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
  /** The number of all entries, shown or not. */
  readonly total: number;
  /** Set if the tool shows more from there on. */
  readonly nextOffset: number | null;
}

const NOTE = /^\[(.+)\]$/;

function readListing<Entry>(text: string, read: (line: string) => Entry | null): Listing<Entry> {
  const lines = text.split('\n').filter((line) => line !== '' && !/^No (?:files|matches) found/.test(line));
  const notes = lines.flatMap((line) => NOTE.exec(line)?.[1] ?? []);
  const entries = lines.filter((line) => !NOTE.test(line)).flatMap((line) => read(line) ?? []);
  const total = Number(/\bof (\d+)\b/.exec(notes.join())?.[1] ?? 0);
  const offset = /\boffset (\d+) for more/.exec(notes.join())?.[1];
  return {
    entries,
    notes,
    total: Math.max(total, entries.length),
    nextOffset: offset === undefined ? null : Number(offset),
  };
}

/** Glob, and Grep if it shows files. */
export function readPaths(text: string): Listing<string> {
  return readListing(text, unquote);
}

/** Grep's counts: `path:12`. */
export function readCounts(text: string): Listing<{ readonly path: string; readonly lines: number }> {
  return readListing(text, (line) => {
    const [, path, lines] = /^(.+):(\d+)$/.exec(line) ?? [];
    return path === undefined ? null : { path: unquote(path), lines: Number(lines) };
  });
}

/** Grep's lines: `path:12:text`. */
export function readMatches(text: string): Listing<Match> {
  return readListing(text, (line) => {
    const [, path, number, rest = ''] = /^("(?:[^"\\]|\\.)*"|.+?):(\d+):(.*)$/.exec(line) ?? [];
    return path === undefined ? null : { path: unquote(path), line: Number(number), text: rest };
  });
}

/** The lines that Read shows, without their numbers; null if it only says that they were shown before. */
export function readLines(text: string): Pick<Listing<string>, 'entries' | 'notes'> | null {
  const lines = text.split('\n').map((line) => ({ line, shown: /^\s*\d+\t(.*)$/.exec(line)?.[1] }));
  const entries = lines.flatMap(({ shown }) => shown ?? []);
  const notes = lines.flatMap(({ line, shown }) => (shown === undefined && line !== '' ? [line] : []));
  return entries.length === 0 && /\bunchanged since\b/.test(text) ? null : { entries, notes };
}

/** A command's output without the words on its exit code; null if it failed and names none. */
export function readOutput(
  text: string,
  isError: boolean,
): { readonly text: string; readonly exitCode: number } | null {
  const code = /(?:^|\n)Exit code (\d+)[^\n]*/.exec(text);
  if (code === null && isError) return null;
  const output = code === null ? text : text.replace(code[0], '');
  return { text: output.trim() === '(no output)' ? '' : output, exitCode: Number(code?.[1] ?? 0) };
}

/** An odd name comes quoted as JSON. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    // A name that begins with a quotation mark.
    return name;
  }
}
