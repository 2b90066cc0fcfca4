// One line of a transcript as what it says, or what is wrong with it, and what was wrong counted and said in words. Whatever
// stands in the line, nothing is thrown, and what comes out is safe to walk and to write again.
import { isNestedDeeper } from '../../util/json.js';
import { count } from '../../util/text.js';
import { REWOUND } from './entry.js';
import { isSessionId } from './session-places.js';

/** One line, without its line break. */
export interface Line {
  /** Byte offset of its start. */
  readonly at: number;
  /** Bytes; of a line that is too long as well. */
  readonly length: number;
  /** Null if it was not decoded, because it is no UTF-8 or `isTooLong`. */
  readonly text: string | null;
  /** The line if `text` is null; only its first bytes if `isTooLong`. */
  readonly bytes: Uint8Array;
  /** Longer than `MAX_LINE_BYTES`. */
  readonly isTooLong: boolean;
}

/** A line as it was written: a plain object of JSON. Contract: at most `MAX_DEPTH` deep. */
export type EntryValue = Readonly<Record<string, unknown>>;

/** What can be wrong with a line, or with its place in the conversation. */
type DamageKind =
  | 'not_json'
  | 'cut_off'
  | 'too_long'
  | 'too_deep'
  | 'not_utf8'
  | 'no_content'
  | 'other_session'
  | 'unknown_type'
  | 'repeated'
  | 'circle'
  | 'gap';

interface DamagedLine {
  readonly kind: DamageKind;
  /** The entry it follows, as far as its start can be read; null for the root of a conversation. */
  readonly parent: string | null | undefined;
}

export type ParsedLine =
  | { readonly value: EntryValue /** Some of its characters are lost. */; readonly isLossy: boolean }
  | { readonly value: null; readonly damage: DamagedLine };

/** Deeper than any tool input, and shallow enough for every recursive function that may see the value. */
const MAX_DEPTH = 200;

const LENIENT = new TextDecoder('utf-8');
const HEAD_LENGTH = 512;
const PARENT = /^\s*\{"parentUuid":\s*(?:null|"([^"\\]{1,100})")\s*,(?:\s*"logicalParentUuid":\s*"([^"\\]{1,100})")?/;

/** @param isTorn the file ends with it, and without a line break */
export function parseLine({ text: decoded, bytes, isTooLong }: LineContent, isTorn: boolean): ParsedLine {
  if (isTooLong) return damaged('too_long', LENIENT.decode(bytes.subarray(0, HEAD_LENGTH)));
  const read = decoded ?? LENIENT.decode(bytes);
  const isWhole = isFramed(read);
  const text = isWhole ? read : withoutNul(read).trimEnd();
  const broken = isTorn ? 'cut_off' : 'not_json';
  // Told without the price of an exception.
  if (!isWhole && !isFramed(text)) return damaged(broken, text);
  let value: EntryValue;
  try {
    value = JSON.parse(text) as EntryValue;
  } catch {
    return damaged(broken, text); // the caller counts it
  }
  if (!hasFewBrackets(text) && isNestedDeeper(value, MAX_DEPTH)) return damaged('too_deep', text);
  return { value, isLossy: decoded === null };
}

/** Fewer than levels that are allowed: most lines are told by a look at their text, at half the price of a walk. */
const FEW_BRACKETS = 40;

function hasFewBrackets(text: string): boolean {
  let found = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++found > FEW_BRACKETS) return false;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++found > FEW_BRACKETS) return false;
  return true;
}

/** As every line is that was written whole. */
function isFramed(text: string): boolean {
  return text.charCodeAt(0) === 0x7b && text.charCodeAt(text.length - 1) === 0x7d;
}

type LineContent = Pick<Line, 'text' | 'bytes' | 'isTooLong'>;

/** For what is not read line by line; null if it is no object of JSON. */
export function parseBytes(bytes: Uint8Array): EntryValue | null {
  return parseLine({ text: null, bytes, isTooLong: false }, false).value;
}

function damaged(kind: DamageKind, text: string): ParsedLine {
  const found = PARENT.exec(text.slice(0, HEAD_LENGTH));
  // A root that continues another conversation counts as following its last entry.
  return { value: null, damage: { kind, parent: found === null ? undefined : (found[1] ?? found[2] ?? null) } };
}

/** If the storage lost a block, a file has NUL bytes in its place; around a whole line they do no harm. */
function withoutNul(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) === 0) from += 1;
  while (to > from && text.charCodeAt(to - 1) === 0) to -= 1;
  return text.slice(from, to);
}

/** Contract: ends for any value, also for one that holds itself. */
export function isShallow(value: unknown): boolean {
  return !isNestedDeeper(value, MAX_DEPTH);
}

/** Where a line was found. */
interface EntryPlace {
  readonly at: number;
  readonly length: number;
  /** Some of its characters are lost. */
  readonly isLossy: boolean;
  /** How much had been read when it was found. */
  readonly bytesRead: number;
  readonly linesRead: number;
}

export interface ScannedEntry extends EntryPlace {
  readonly uuid: string;
  readonly parent: string | null;
  /** At a root: what the conversation before it ended with. */
  readonly logicalParent: string | null;
  /** Null for a line that is a link of the chain and says nothing to the model. */
  readonly role: 'user' | 'assistant' | null;
  /** Of an assistant's: the reply it is a part of. Writers of this layout may give each block a line of its own. */
  readonly replyId: string | null;
  /** The conversation was set back here: if it ends with this, it ends with what this follows. */
  readonly isRewind: boolean;
  /** A user message of nothing but tool results. */
  readonly isAnswer: boolean;
  /** False for a line of another session: it counts only if the chain leads to it. */
  readonly isOwn: boolean;
  /** Null if it was too much to hold: read it again. */
  value: EntryValue | null;
  isTaken: boolean;
  /** It does not lie on the way from the newest entry to the root, but belongs to a reply that does. */
  isBeside: boolean;
}

export interface EntryRules {
  /** Entries of other sessions are left out. Null: whatever the entries say. */
  readonly sessionId: string | null;
  /** True for the transcript of a subagent, whose entries are all marked as aside. */
  readonly isSidechain: boolean;
}

/** Types of lines that are no part of the conversation, or only link it. Anything else is told. */
const QUIET_TYPES: ReadonlySet<unknown> = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'summary',
  'custom-title',
  'ai-title',
  'tag',
  'last-prompt',
  'lastPrompt',
  'queue-operation',
  'file-history-snapshot',
  'turnwright-state',
  'turnwright-deferred',
  'turnwright-decided',
  'turnwright-settings',
]);

/** `metadata`: a line about the session. */
type Classified = ScannedEntry | 'metadata' | 'aside' | 'other_session' | 'unknown_type';

/** Contract: keeps nothing of `place`. */
export function classify(value: EntryValue, place: EntryPlace, rules: EntryRules): Classified {
  const { type, uuid } = value;
  if (typeof type !== 'string') return 'unknown_type';
  const isOwn = isOfSession(value.sessionId, rules.sessionId);
  if (typeof uuid !== 'string' || uuid === '') {
    if (!isOwn) return 'other_session';
    return QUIET_TYPES.has(type) ? 'metadata' : 'unknown_type';
  }
  if ((value.isSidechain === true) !== rules.isSidechain) return 'aside';
  const role = roleOf(value);
  // Field by field: a spread would take longer than all the rest.
  return {
    at: place.at,
    length: place.length,
    isLossy: place.isLossy,
    bytesRead: place.bytesRead,
    linesRead: place.linesRead,
    uuid,
    // A compaction starts the conversation over, also if its writer kept the chain in one piece.
    parent: isBoundary(value) ? null : textOrNull(value.parentUuid),
    logicalParent: isBoundary(value) ? replacedBy(value) : textOrNull(value.logicalParentUuid),
    role,
    replyId: role === 'assistant' ? textOrNull((value.message as EntryValue).id) : null,
    isRewind: type === 'system' && value.subtype === REWOUND,
    isAnswer: role === 'user' && isAnswer((value.message as EntryValue).content),
    isOwn,
    value,
    isTaken: false,
    isBeside: false,
  };
}

/** True for a line that says something only to readers newer than this one. */
export function isUnknownType({ type }: EntryValue): boolean {
  return !QUIET_TYPES.has(type);
}

/** True if a compaction made the conversation start over here. */
export function isBoundary({ type, subtype }: EntryValue): boolean {
  return type === 'system' && subtype === 'compact_boundary';
}

/** The last entry of what a compaction replaced; null if the boundary does not say. */
export function replacedBy(boundary: EntryValue): string | null {
  return textOrNull(boundary.logicalParentUuid) ?? textOrNull(boundary.parentUuid);
}

/**
 * Whether a line counts as one of the session `wanted`.
 * Contract: what is no id of any session, such as a path, does not make it another's: the file it stands in decides.
 */
export function isOfSession(sessionId: unknown, wanted: string | null): boolean {
  if (sessionId === wanted || wanted === null || typeof sessionId !== 'string') return true;
  return sessionId.toLowerCase() === wanted || !isSessionId(sessionId);
}

/** Null if the entry holds no message that could be sent. */
function roleOf({ type, message }: EntryValue): ScannedEntry['role'] {
  if (type !== 'user' && type !== 'assistant') return null;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const { content } = message as EntryValue;
  return typeof content === 'string' || Array.isArray(content) ? type : null;
}

function isAnswer(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((block) => (block as EntryValue | null)?.type === 'tool_result')
  );
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export type DamageCounts = Readonly<Partial<Record<DamageKind, number>>>;

export interface DamageLog {
  /** Counts at once: for what is wrong with the order of the entries, not with a line. */
  count(kind: DamageKind): void;
  /** Waits until the conversation's part of the file reaches `at`. */
  add(kind: DamageKind, at: number): void;
  addLine(line: DamagedLine, at: number): void;
  /** What lies at `at` or behind it belongs to the conversation's part of the file. */
  countFrom(at: number): void;
  countAll(): void;
  /** Damaged lines before `before`, the newest first, that are not older than `from`. */
  linesBetween(from: number, before: number): readonly DamagedLine[];
  readonly counts: DamageCounts;
}

/** Beyond this, damage is counted without looking where it lies. */
const MAX_PLACES = 10_000;
/** If many lines in a row are damaged, only the last ones are asked what they followed. */
const MAX_LOOKED_AT = 20;

export function createDamageLog(): DamageLog {
  const counts: Partial<Record<DamageKind, number>> = {};
  /** The newest first; those before `next` are counted. */
  const places: { readonly kind: DamageKind; readonly at: number; readonly line: DamagedLine | null }[] = [];
  let next = 0;
  const increase = (kind: DamageKind): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const add = (kind: DamageKind, at: number, line: DamagedLine | null): void => {
    if (places.length < MAX_PLACES) places.push({ kind, at, line });
    else increase(kind);
  };
  const countFrom = (from: number): void => {
    for (let place = places[next]; place !== undefined && place.at >= from; place = places[++next])
      increase(place.kind);
  };
  return {
    count: increase,
    add: (kind, at) => add(kind, at, null),
    addLine: (line, at) => add(line.kind, at, line),
    countFrom,
    countAll: () => countFrom(Number.NEGATIVE_INFINITY),
    linesBetween(from, before) {
      const lines: DamagedLine[] = [];
      for (const { at, line } of places.slice(next, next + MAX_LOOKED_AT))
        if (line !== null && at >= from && at < before) lines.push(line);
      return lines;
    },
    counts,
  };
}

const WORDS: Readonly<Record<DamageKind, (n: number) => string>> = {
  not_json: (n) => `${count(n, 'line')} could not be read`,
  cut_off: () => 'the last line was cut off while it was written',
  too_long: (n) => `${count(n, 'line')} ${n === 1 ? 'is' : 'are'} too long for any request`,
  too_deep: (n) => `${count(n, 'line')} ${n === 1 ? 'is' : 'are'} nested too deeply`,
  not_utf8: (n) => `${count(n, 'line')} ${n === 1 ? 'has' : 'have'} characters that could not be read`,
  no_content: (n) => `${count(n, 'message')} had no content`,
  other_session: (n) => `${count(n, 'line')} ${n === 1 ? 'belongs' : 'belong'} to another session`,
  unknown_type: (n) =>
    `${count(n, 'line')} of a kind that this version does not know ${n === 1 ? 'was' : 'were'} passed over`,
  repeated: (n) => `${count(n, 'line')} ${n === 1 ? 'repeats' : 'repeat'} another`,
  circle: () => 'messages name each other as the one before',
  gap: (n) =>
    `the conversation is interrupted ${n === 1 ? 'once' : `${n} times`}, and goes on with what stands before in the file`,
};

/** What to tell the user; null if nothing is wrong. */
export function damageText(counts: DamageCounts): string | null {
  const parts = (Object.keys(WORDS) as DamageKind[]).flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [WORDS[kind](n)];
  });
  return parts.length === 0 ? null : `The transcript is damaged: ${parts.join('; ')}. The rest is used.`;
}
