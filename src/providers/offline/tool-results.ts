// Reads the texts of tool results. A line that is not of the expected form never becomes a fact.

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What a tool lists, and its sentences on what it does not show. */
export interface Listing<Entry> {
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
