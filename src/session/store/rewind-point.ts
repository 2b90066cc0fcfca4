// The moment before a message of the user, as a transcript tells it: on whatever branch it stands, and behind whatever
// compaction. Only reads.
import type { CompactionState } from '../../engine/state/index.js';
import type { TodoItem } from '../../tools/tool.js';
import type { Message } from '../messages/index.js';
import { toConversation } from './conversation.js';
import { isPrompt } from './drops-turn.js';
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
 * @returns the moment before it; `not_found`; `no_prompt` where it is something else
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
