// A fork within a user's store: the entries of a session with new ids, under another key. The original is only read.
import type { Host } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { toConversation } from './conversation.js';
import { toStateLine } from './entry.js';
import { entriesSource } from './entry-source.js';
import { createForkMap } from './fork-entry.js';
import type { EntryValue } from './read-entry.js';
import { readTranscript } from './read-transcript.js';
import { EMPTY_LEDGER, restoreState } from './restore-state.js';
import { foldEntry, lastingTitle, type SessionFacts } from './session-facts.js';

export interface StoreFork {
  /** Id of the fork: a UUID that no session has. */
  readonly sessionId: string;
  /** The last entry of the original that the fork has, by its uuid. Default: all. */
  readonly upTo?: string;
  /** Default: the title of the original and " (fork)". */
  readonly title?: string;
  /** Transcripts beside the session's own that the fork has too. Default: none. */
  readonly subpaths?: readonly string[];
  readonly load?: (subpath: string) => Promise<readonly SessionStoreEntry[] | null>;
}

/** @throws SessionError where `upTo` is not in the original; whatever the store throws */
export async function forkInStore(
  host: Pick<Host, 'clock'>,
  store: SessionStore,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  { sessionId, upTo, title, subpaths = [], load = async () => null }: StoreFork,
): Promise<void> {
  const rules = { sessionId: key.sessionId, isSidechain: false };
  const read = await readTranscript(entriesSource(entries), upTo === undefined ? rules : { ...rules, upTo });
  const messages = toConversation(read.entries);
  if (messages.length === 0) {
    const what = upTo === undefined ? 'no conversation' : `no message ${JSON.stringify(upTo)}`;
    throw new SessionError('session_invalid', `Session ${key.sessionId} has ${what}, so it cannot be forked.`);
  }
  const end = upTo === undefined ? entries.length : (read.entries.at(-1)?.at ?? 0) + 1;
  const taken: readonly EntryValue[] = entries.slice(0, end);
  const map = createForkMap(key.sessionId, sessionId);
  const facts = taken.reduce<SessionFacts>((known, entry) => foldEntry(known, entry), {});
  const customTitle = title ?? `${lastingTitle(facts, sessionId)} (fork)`;
  const state = { ...restoreState(read, messages).state, ledger: EMPTY_LEDGER };
  const leafUuid = read.lastUuid === null ? null : map.id(read.lastUuid);
  for (const subpath of subpaths) {
    const beside = ((await load(subpath)) ?? []).map((entry) => map.record(entry) as SessionStoreEntry);
    if (beside.length > 0) await store.append({ projectKey: key.projectKey, sessionId, subpath }, beside);
  }
  const lines = [
    ...taken.filter(({ uuid }) => typeof uuid === 'string').map((entry) => map.entry(entry)),
    { type: 'custom-title', customTitle, sessionId },
    { ...toStateLine(state, leafUuid, new Date(host.clock.now()).toISOString()), sessionId },
  ];
  await store.append({ projectKey: key.projectKey, sessionId }, lines as SessionStoreEntry[]);
}
