// The facts of a transcript from its first and last 64 KiB, however long it is. What is damaged tells nothing; nothing
// here throws over the content of a file.
import type { FileEnds } from '../../host/host.js';
import { foldEntry, metadataOf, promptOf, type SessionFacts, timeOf } from './session-facts.js';

/** Bytes at each end of a transcript that a list reads. */
export const END_BYTES = 65_536;

type Entry = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** What the ends of a transcript tell. Of a title and a tag the last counts, of a prompt the first. */
export function factsOfEnds({ head, tail }: Pick<FileEnds, 'head' | 'tail'>): SessionFacts {
  const first = decoder.decode(head);
  const last = tail.length === 0 ? '' : decoder.decode(tail);
  const metadata = last === '' ? newestMetadata(first) : { ...newestMetadata(first), ...newestMetadata(last) };
  const branch = newestBranch(last === '' ? first : last);
  return { ...opening(first, tail.length > 0), ...metadata, ...(branch === null ? {} : { gitBranch: branch }) };
}

/** When a person last typed something, milliseconds since the epoch; null where the ends do not say. */
export function lastPromptAt({ head, tail }: Pick<FileEnds, 'head' | 'tail'>): number | null {
  for (const bytes of [tail, head]) {
    for (const line of linesBackwards(decoder.decode(bytes))) {
      if (!line.includes('"user"')) continue;
      const entry = parse(line);
      if (entry !== null && promptOf(entry) !== null) return timeOf(entry);
    }
  }
  return null;
}

/** Folder, time and first prompt stand in the first lines; reading ends where they are known. */
function opening(text: string, isCut: boolean): SessionFacts {
  let facts: SessionFacts = {};
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    if (end === -1 && isCut) return foldEntry(facts, { ...cutEntry(text.slice(start)) });
    const entry = parse(text.slice(start, end === -1 ? text.length : end));
    if (entry !== null && metadataOf(entry) === null) facts = foldEntry(facts, entry);
    if (facts.firstPrompt !== undefined && facts.cwd !== undefined && facts.createdAt !== undefined) break;
    if (end === -1) break;
    start = end + 1;
  }
  return facts;
}

/** A line whose end was not read, such as a first prompt with a large paste in it: as much of it as a list needs. */
function cutEntry(line: string): Entry {
  const field = (name: string) => textOf(new RegExp(`"${name}":\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(line)?.[1]);
  const isUser = /"type":\s*"user"/.test(line) && !line.includes('"tool_result"');
  const [cwd, timestamp, gitBranch] = [field('cwd'), field('timestamp'), field('gitBranch')];
  return {
    type: isUser ? 'user' : 'unknown',
    isMeta: /"isMeta":\s*true/.test(line),
    isSidechain: /"isSidechain":\s*true/.test(line),
    isCompactSummary: /"isCompactSummary":\s*true/.test(line),
    message: { content: field('text') ?? field('content') ?? '' },
    ...(cwd === undefined ? {} : { cwd }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
  };
}

/** The text of a JSON string whose end may be missing. */
function textOf(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  try {
    // A cut may leave half of an escape.
    return JSON.parse(`"${raw.replace(/\\(u[0-9a-fA-F]{0,3})?$/, '')}"`) as string;
  } catch {
    return undefined; // no text that could be shown
  }
}

/** Lines that begin with a type tell of the session, not of the conversation: all writers put it first. */
const METADATA = '{"type":"';

function newestMetadata(text: string): SessionFacts {
  let facts: SessionFacts = {};
  if (!text.includes(METADATA)) return facts;
  for (const line of linesBackwards(text)) {
    if (!line.startsWith(METADATA)) continue;
    const entry = parse(line);
    const found = entry === null ? null : metadataOf(entry);
    // Read from the end, so what is known already is newer.
    if (found !== null) facts = { ...found, ...facts };
  }
  return facts;
}

/** Lines looked at for a branch: the newest ones have it, unless many of them tell of the session alone. */
const BRANCH_LINES = 20;
const BRANCH = /"gitBranch":\s*"((?:[^"\\]|\\.){1,400})"/;

function newestBranch(text: string): string | null {
  let lines = 0;
  for (const line of linesBackwards(text)) {
    const branch = textOf(BRANCH.exec(line)?.[1]);
    if (branch !== undefined) return branch;
    lines += 1;
    if (lines === BRANCH_LINES) break;
  }
  return null;
}

function* linesBackwards(text: string): Generator<string> {
  for (let end = text.length; end > 0; ) {
    const at = text.lastIndexOf('\n', end - 1);
    if (at + 1 < end) yield text.slice(at + 1, end);
    end = at;
  }
}

function parse(line: string): Entry | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : null;
  } catch {
    return null; // damaged, cut by the window, or no transcript at all: it tells nothing
  }
}
