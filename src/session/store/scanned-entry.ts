// What the reader of a transcript knows of a line: its identity and its place. The content is fetched when it is used.
import { REWOUND } from './entry.js';
import type { EntryValue } from './read-entry.js';
import { isSessionId } from './store-path.js';

/** Where a line was found. */
export interface EntryPlace {
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
export type Classified = ScannedEntry | 'metadata' | 'aside' | 'other_session' | 'unknown_type';

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
