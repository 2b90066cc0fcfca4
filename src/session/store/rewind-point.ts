// The moment before a message of the user, as a transcript tells it: on whatever branch it stands, and behind whatever
// compaction. Only reads.
import type { CompactionState } from '../../engine/state/index.js';
import type { TodoItem } from '../../tools/tool.js';
import type { Message } from '../messages/index.js';
import { toConversation } from './conversation.js';
import { REWOUND } from './entry.js';
import type { EntryValue } from './read-entry.js';
import type { ReadEntry, TranscriptRead } from './read-transcript.js';
import { restoreState } from './restore-state.js';

/** What a conversation is set back to. */
export interface RewindPoint {
  /** The line that the next one follows; null if the conversation is empty. */
  readonly leafUuid: string | null;
  readonly messages: readonly Message[];
  readonly todos: readonly TodoItem[];
  readonly compaction: CompactionState;
}

/** The conversation up to and including an entry. Empty if there is no such entry. */
export type ReadUpTo = (uuid: string) => Promise<TranscriptRead>;

/**
 * @param uuid of a message of the user, or of an earlier rewind, which is then taken back
 * @returns the moment before it; `not_found`; `no_prompt` if it is something else
 */
export async function findRewindPoint(read: ReadUpTo, uuid: string): Promise<RewindPoint | 'not_found' | 'no_prompt'> {
  const found = await read(uuid);
  const at = found.entries.findLastIndex((entry) => entry.uuid === uuid);
  const target = found.entries[at];
  if (target === undefined) return 'not_found';
  if (isRewind(target)) return beforeRewind(read, found, target);
  return isPrompt(target) ? toPoint(found, found.entries.slice(0, at)) : 'no_prompt';
}

async function beforeRewind(
  read: ReadUpTo,
  found: TranscriptRead,
  { value }: ReadEntry,
): Promise<RewindPoint | 'not_found'> {
  const from = (value.rewind as EntryValue | null | undefined)?.fromUuid;
  if (typeof from !== 'string') return toPoint(found, []);
  const before = await read(from);
  return before.entries.length === 0 ? 'not_found' : toPoint(before, before.entries);
}

function isRewind({ value }: ReadEntry): boolean {
  return value.type === 'system' && value.subtype === REWOUND;
}

function toPoint(read: TranscriptRead, entries: readonly ReadEntry[]): RewindPoint {
  const messages = toConversation(entries);
  const { state } = restoreState({ ...read, entries, isPart: true }, messages);
  return {
    // What lies beside the chain is an answer or a part of a reply, and is followed by none.
    leafUuid: entries.findLast(({ isBeside }) => !isBeside)?.uuid ?? null,
    messages,
    todos: entries.length === 0 ? [] : state.todos,
    compaction: state.compaction,
  };
}

// Whether a conversation may be cut behind a message: what is cut off must be the turn that the caller means, and nothing
// that the caller may not have seen.

/**
 * Null if everything behind `upTo` belongs to the turn that the prompt `promptUuid` began, else why not.
 * @param entries the whole conversation, oldest first
 */
export function whyNotDropped(entries: readonly ReadEntry[], upTo: string, promptUuid: string): string | null {
  const at = entries.findIndex(({ uuid }) => uuid === upTo);
  if (at < 0) return `the message ${upTo} is not in the conversation as it is now`;
  const dropped = entries.slice(at + 1);
  if (dropped.length === 0) return null;
  const prompt = dropped.findIndex(({ uuid }) => uuid === promptUuid);
  if (prompt < 0) return `the prompt ${promptUuid} is not behind the message ${upTo}`;
  const before = dropped.slice(0, prompt).find((entry) => !isMark(entry));
  if (before !== undefined) return `${nameOf(before)} ${before.uuid} belongs to the turn that is kept`;
  const other = dropped.slice(prompt + 1).find((entry) => isPrompt(entry));
  return other === undefined ? null : `the message ${other.uuid} came later and is no part of that turn`;
}

/** What an interrupt leaves behind a turn: it says nothing that would be missed. */
function isMark(entry: ReadEntry): boolean {
  if (entry.role === 'assistant') return false;
  if (entry.role === null) return !isOutput(entry.value);
  return entry.value.isMeta === true || isInterrupt(entry.value) || isFailedAnswer(entry.value);
}

/** The value that a turn ended with. */
function isOutput({ type, attachment }: EntryValue): boolean {
  return type === 'attachment' && (attachment as EntryValue | undefined)?.type === 'structured_output';
}

/** True for what a person said; not for results, summaries and notes of the engine. */
export function isPrompt(entry: Pick<ReadEntry, 'role' | 'value'>): boolean {
  if (entry.role !== 'user' || entry.value.isMeta === true || entry.value.isCompactSummary === true) return false;
  return !isInterrupt(entry.value) && !blocksOf(entry.value).some((block) => block?.type === 'tool_result');
}

function isFailedAnswer(value: EntryValue): boolean {
  const blocks = blocksOf(value);
  return blocks.length > 0 && blocks.every((block) => block?.type === 'tool_result' && block.is_error === true);
}

function isInterrupt(value: EntryValue): boolean {
  const { content } = value.message as EntryValue;
  const text = typeof content === 'string' ? content : blocksOf(value)[0]?.text;
  return typeof text === 'string' && text.startsWith('[Request interrupted');
}

function blocksOf(value: EntryValue): readonly (EntryValue | null | undefined)[] {
  const { content } = value.message as EntryValue;
  return Array.isArray(content) ? content : [];
}

function nameOf(entry: ReadEntry): string {
  return entry.role === 'assistant' ? 'the reply' : entry.role === 'user' ? 'the tool result' : 'the entry';
}
