// The list of sessions of a user's own store: by its summaries if it keeps some, else by loading what is shown.
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type {
  SDKSessionInfo,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../protocol/session-store.js';
import { mapBounded } from '../../util/map-bounded.js';
import { factsOfSummary, foldEntry, type SessionFacts, timeOf, toSessionInfo } from './session-facts.js';
import type { ListPage } from './session-index.js';

/** Sessions loaded at the same time. */
const LOADS_AT_ONCE = 8;

interface Listed {
  readonly sessionId: string;
  readonly mtime: number;
  /** Undefined if the store has no summary, or an old one. */
  readonly facts: SessionFacts | undefined;
}

/** @throws ConfigError if the store cannot list. Whatever the store throws is passed on. */
export async function listStore(
  store: SessionStore,
  projectKey: string,
  { offset = 0, limit = Number.POSITIVE_INFINITY }: ListPage,
): Promise<SDKSessionInfo[]> {
  const listed = await listNewestFirst(store, projectKey);
  const wanted = offset + limit;
  const shown: SDKSessionInfo[] = [];
  for (let start = 0; start < listed.length && shown.length < wanted; ) {
    const batch = listed.slice(start, start + Math.min(Math.max(wanted - shown.length, 1), listed.length));
    const infos = await mapBounded(batch, LOADS_AT_ONCE, async ({ sessionId, mtime, facts }) => {
      const known = facts ?? factsOf((await store.load({ projectKey, sessionId })) ?? []);
      return toSessionInfo(known, { sessionId, lastModified: mtime });
    });
    shown.push(...infos.filter((info) => info !== null));
    start += batch.length;
  }
  return shown.slice(offset, wanted);
}

async function listNewestFirst(store: SessionStore, projectKey: string): Promise<Listed[]> {
  const [summaries, sessions] = await Promise.all([
    store.listSessionSummaries?.(projectKey),
    store.listSessions?.(projectKey),
  ]);
  if (summaries === undefined && sessions === undefined) {
    throw new ConfigError('This sessionStore cannot be listed: it has neither listSessions nor listSessionSummaries.', {
      code: 'not_supported',
    });
  }
  const bySession = new Map<string, SessionSummaryEntry>();
  for (const summary of summaries ?? []) bySession.set(summary.sessionId, summary);
  const listed = (sessions ?? summaries ?? []).map(({ sessionId, mtime }): Listed => {
    const summary = bySession.get(sessionId);
    const isCurrent = summary !== undefined && summary.mtime >= mtime;
    return { sessionId, mtime, facts: isCurrent ? factsOfSummary(summary) : undefined };
  });
  return listed.sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? -1 : 1));
}

/** One session; null if the store has none of that id, or nothing in it to show. */
export async function readStored(store: SessionStore, key: SessionKey): Promise<SDKSessionInfo | null> {
  const entries = await store.load(key);
  if (entries === null) return null;
  const listed = await store.listSessions?.(key.projectKey);
  const mtime = listed?.find(({ sessionId }) => sessionId === key.sessionId)?.mtime ?? newestTime(entries);
  return toSessionInfo(factsOf(entries), { sessionId: key.sessionId, lastModified: mtime });
}

/** @throws SessionError if the store has no such session */
export async function requireStored(store: SessionStore, key: SessionKey): Promise<void> {
  const listed = await store.listSessions?.(key.projectKey);
  if (listed?.some(({ sessionId }) => sessionId === key.sessionId)) return;
  if ((await store.load(key)) !== null) return;
  throw new SessionError(
    'session_not_found',
    `The sessionStore has no session ${key.sessionId} for the project ${key.projectKey}.`,
  );
}

function factsOf(entries: readonly SessionStoreEntry[]): SessionFacts {
  return entries.reduce<SessionFacts>((facts, entry) => foldEntry(facts, entry), {});
}

function newestTime(entries: readonly SessionStoreEntry[]): number {
  return entries.reduce((newest, entry) => Math.max(newest, timeOf(entry) ?? 0), 0);
}
