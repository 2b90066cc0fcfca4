// The facts of a transcript from its first and last 64 KiB, however long it is. What is damaged tells nothing; nothing
// here throws over the content of a file.
import type { FileEnds } from '../../host/host.js';
import { parseRecord } from '../../util/json.js';
import { foldEntry, metadataOf, promptOf, type SessionFacts, timeOf } from './session-facts.js';

/** Bytes at each end of a transcript that a list reads. */
export const END_BYTES = 65_536;

type Entry = Readonly<Record<string, unknown>>;

const LINE_BREAK = 0x0a;

/**
 * What the ends of a transcript tell. Of a title and a tag the last counts, of a prompt the first.
 * Contract: only the lines that tell something become texts; a list reads ten thousand files.
 */
export function factsOfEnds({ head, tail }: Pick<FileEnds, 'head' | 'tail'>): SessionFacts {
  const [first, last] = [viewOf(head), viewOf(tail)];
  const facts: Facts = opening(first, last.length > 0);
  addMetadata(facts, first);
  if (last.length > 0) addMetadata(facts, last);
  const branch = newestBranch(last.length > 0 ? last : first);
  if (branch !== null) facts.gitBranch = branch;
  return facts;
}

type Facts = { -readonly [Name in keyof SessionFacts]: SessionFacts[Name] };

/** The same bytes: a Buffer finds others in them, and makes a text of a part, without walking over them in JavaScript. */
function viewOf(bytes: Uint8Array): Buffer {
  // An editor may have put a mark of the encoding in front.
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (from === 0 && Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from);
}

/** When a person last typed something, milliseconds since the epoch; null if the ends do not say. */
export function lastPromptAt({ head, tail }: Pick<FileEnds, 'head' | 'tail'>): number | null {
  for (const bytes of [tail, head]) {
    for (const line of linesBackwards(viewOf(bytes))) {
      if (!line.includes('"user"')) continue;
      const entry = parseRecord(line) as Entry | null;
      if (entry !== null && promptOf(entry) !== null) return timeOf(entry);
    }
  }
  return null;
}

/** Folder, time and first prompt stand in the first lines; reading ends once they are known. */
function opening(bytes: Buffer, isCut: boolean): SessionFacts {
  let facts: SessionFacts = {};
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_BREAK, start);
    const line = bytes.toString('utf8', start, end === -1 ? bytes.length : end);
    if (end === -1 && isCut) return foldEntry(facts, { ...cutEntry(line) });
    const entry = parseRecord(line) as Entry | null;
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
const METADATA = Buffer.from('{"type":"');
const METADATA_LINE = Buffer.from('\n{"type":"');

/** What the newest line of each kind says. */
function addMetadata(facts: Facts, bytes: Buffer): void {
  // The second letter of a key tells most lines apart without a call.
  if (bytes[2] === METADATA[2] && bytes.indexOf(METADATA) === 0) addLine(facts, bytes, 0);
  for (let at = bytes.indexOf(METADATA_LINE); at !== -1; at = bytes.indexOf(METADATA_LINE, at + 1))
    addLine(facts, bytes, at + 1);
}

function addLine(facts: Facts, bytes: Buffer, start: number): void {
  const end = bytes.indexOf(LINE_BREAK, start);
  const entry = parseRecord(bytes.toString('utf8', start, end === -1 ? bytes.length : end)) as Entry | null;
  if (entry !== null) Object.assign(facts, metadataOf(entry));
}

/** Lines looked at for a branch: the newest ones have it, unless many of them tell of the session alone. */
const BRANCH_LINES = 20;
const BRANCH = /"gitBranch":\s*"((?:[^"\\]|\\.){1,400})"/;
const BRANCH_KEY = Buffer.from('"gitBranch":"');
/** Of the value: nearly all are shorter, and a line whose value is not is looked at whole. */
const BRANCH_BYTES = 100;

function newestBranch(bytes: Buffer): string | null {
  return lastLineBranch(bytes) ?? branchOfLines(bytes);
}

/** As most files end: with a whole line that has one. Null if that has to be looked at more closely. */
function lastLineBranch(bytes: Buffer): string | null {
  const last = bytes.length - 1;
  if (bytes[last] !== LINE_BREAK) return null;
  const at = bytes.indexOf(BRANCH_KEY, bytes.lastIndexOf(LINE_BREAK, last - 1) + 1);
  if (at === -1) return null;
  const from = at + BRANCH_KEY.length;
  const value = bytes.toString('latin1', from, Math.min(from + BRANCH_BYTES, last));
  return PLAIN_VALUE.exec(value)?.[1] ?? null;
}

const PLAIN_VALUE = /^([\w./@#+-]+)"/;

function branchOfLines(bytes: Buffer): string | null {
  let lines = 0;
  for (const line of linesBackwards(bytes)) {
    const branch = textOf(BRANCH.exec(line)?.[1]);
    if (branch !== undefined) return branch;
    lines += 1;
    if (lines === BRANCH_LINES) break;
  }
  return null;
}

function* linesBackwards(bytes: Buffer): Generator<string> {
  for (let end = bytes.length; end > 0; ) {
    const at = bytes.lastIndexOf(LINE_BREAK, end - 1);
    if (at + 1 < end) yield bytes.toString('utf8', at + 1, end);
    end = at;
  }
}
