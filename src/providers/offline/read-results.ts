// Reads the texts of tool results. Tolerant: a line that is not of the expected form is a note or is left out, and
// never becomes a fact.
import type { MatchFact } from './findings.js';

/** A listing and what the tool said about it. */
export interface Listing<Entry> {
  readonly entries: readonly Entry[];
  /** Sentences of the tool on what it does not show, without brackets. */
  readonly notes: readonly string[];
  /** Number of all entries, where the tool tells it. */
  readonly total: number | null;
  /** Where to read on, where the tool tells it. */
  readonly nextOffset: number | null;
}

const NOTE = /^(?:\[(.+)\]|\((.+)\)|<.+>)$/;
const NOTHING = /^(?:no (?:files|matches)\b.*|found \d+ .*|\(no .*\)|--)$/i;

function readListing<Entry>(text: string, readEntry: (line: string) => Entry | null): Listing<Entry> {
  const entries: Entry[] = [];
  const notes: string[] = [];
  for (const line of text.split('\n')) {
    const bare = line.replace(/\r$/, '');
    const note = NOTE.exec(bare.trim());
    if (note !== null) notes.push(note[1] ?? note[2] ?? '');
    else if (bare.trim() !== '' && !NOTHING.test(bare.trim())) {
      const entry = readEntry(bare);
      if (entry !== null) entries.push(entry);
    }
  }
  const said = notes.join(' ');
  const total = /\b\d+ of (\d+)\b|\bto \d+ of (\d+)\b/.exec(said);
  const next = /\boffset (\d+)/.exec(said);
  return {
    entries,
    notes: notes.filter((note) => note !== ''),
    total: total === null ? null : Number(total[1] ?? total[2]),
    nextOffset: next === null ? null : Number(next[1]),
  };
}

/** Glob, and Grep's files_with_matches: a path per line; odd names come quoted as JSON. */
export function readPaths(text: string): Listing<string> {
  return readListing(text, unquote);
}

/** Grep's count mode: `path:count`; a lone number is the count of the one file that was searched. */
export function readCounts(text: string, onlyFile: string | null): Listing<{ path: string; count: number }> {
  return readListing(text, (line) => {
    const match = /^(?:(.+):)?\s*(\d+)$/.exec(line);
    const path = match?.[1] === undefined ? onlyFile : unquote(match[1]);
    return match === null || path === null ? null : { path, count: Number(match[2]) };
  });
}

/** Grep's content mode: `path:line:text`, or `line:text` where one file was searched. */
export function readMatches(text: string, onlyFile: string | null): Listing<MatchFact> {
  return readListing(text, (line) => {
    const match = /^("(?:[^"\\]|\\.)*"|.+?):(\d+):(.*)$/.exec(line);
    if (match?.[1] !== undefined) return { path: unquote(match[1]), line: Number(match[2]), text: match[3] ?? '' };
    const lone = /^(\d+):(.*)$/.exec(line);
    return lone === null || onlyFile === null ? null : { path: onlyFile, line: Number(lone[1]), text: lone[2] ?? '' };
  });
}

/** `wc`: a number, then a path; the sums that wc adds are left out. */
export function readSizes(text: string): { path: string; count: number }[] {
  return readListing(text, (line) => {
    const match = /^\s*(\d+)\s+(.+)$/.exec(line);
    return match?.[2] === undefined || match[2] === 'total'
      ? null
      : { path: match[2].replace(/^\.\//, ''), count: Number(match[1]) };
  }).entries.slice();
}

export interface ReadText {
  readonly lines: readonly string[];
  readonly first: number;
  /** Where to read on, or null where the end of the file was shown. */
  readonly nextOffset: number | null;
}

/** Read: `  12<tab>text`. Null where it shows no line because the file did not change since it was shown. */
export function readNumbered(text: string): ReadText | null {
  const lines: string[] = [];
  const notes: string[] = [];
  let first = 1;
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)[\t→](.*)$/s.exec(line);
    if (match === null) {
      notes.push(line);
      continue;
    }
    if (lines.length === 0) first = Number(match[1]);
    lines.push((match[2] ?? '').replace(/\r$/, ''));
  }
  const said = notes.join(' ');
  if (lines.length === 0 && /\bunchanged\b|has not changed/i.test(said)) return null;
  const next = /\boffset (\d+)/.exec(said);
  const goesOn = /\b(?:truncated|goes on|more lines|remaining)\b/i.test(said);
  return {
    lines,
    first,
    nextOffset: next !== null ? Number(next[1]) : goesOn && lines.length > 0 ? first + lines.length : null,
  };
}

/** Bash: output, and the exit code it names. Null where the text names none although the call failed. */
export function readOutput(text: string, isError: boolean): { text: string; exitCode: number } | null {
  const match = /(?:^|\n)\[?\(?exit code:? (\d+)[^\n]*$/i.exec(text) ?? /^exit code:? (\d+)[^\n]*(?:\n|$)/i.exec(text);
  if (match === null && isError) return null;
  const body = match === null ? text : text.slice(0, match.index) + text.slice(match.index + match[0].length);
  return {
    text: /^\(no output\)$/.test(body.trim()) ? '' : body.replace(/\n+$/, ''),
    exitCode: Number(match?.[1] ?? 0),
  };
}

function unquote(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : line;
  } catch {
    // Not JSON: a name that begins with a quotation mark.
    return line;
  }
}
