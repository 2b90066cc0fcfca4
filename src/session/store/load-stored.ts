// Asks a user's store for what it keeps of a session. A store that fails, does not answer or gives something else ends
// in a clear error: nothing of a session is guessed.
import type { HostClock } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { errorText } from '../../util/text.js';

/** How long one call may take where nobody says otherwise, milliseconds. */
const LOAD_TIMEOUT_MS = 60_000;

export interface StoreReader {
  /** Null where the store has no such transcript, or an empty one. @throws SessionError */
  load(key: SessionKey): Promise<readonly SessionStoreEntry[] | null>;
  /** The subpaths of a session; none where the store cannot list them. @throws SessionError */
  subpaths(key: SessionKey): Promise<readonly string[]>;
  /** The sessions of a project, the newest first; null where the store cannot list. @throws SessionError */
  newest(projectKey: string): Promise<readonly ListedSession[] | null>;
}

export interface ListedSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly mtime: number;
}

/** @param timeoutMs of each call */
export function createStoreReader(store: SessionStore, clock: HostClock, timeoutMs = LOAD_TIMEOUT_MS): StoreReader {
  const ask = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    let cancel: () => void = () => undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(timeoutMs, () =>
        reject(failed(what, `It did not answer within ${timeoutMs / 1_000} seconds (loadTimeoutMs).`)),
      );
    });
    try {
      // A store may be plain JavaScript, and throw before it gives a promise.
      return await Promise.race([Promise.resolve().then(call), tooLate]);
    } catch (error) {
      throw error instanceof SessionError ? error : failed(what, errorText(error), error);
    } finally {
      cancel();
    }
  };
  return {
    async load(key) {
      const what = key.subpath === undefined ? `session ${key.sessionId}` : `${key.subpath} of ${key.sessionId}`;
      const entries: unknown = await ask(what, () => store.load(key));
      if (entries === null || entries === undefined) return null;
      if (!Array.isArray(entries)) throw failed(what, 'It gave no list of entries.');
      return entries.length === 0 ? null : (entries as SessionStoreEntry[]);
    },
    async subpaths({ projectKey, sessionId }) {
      if (store.listSubkeys === undefined) return [];
      return ask(
        `the subagents of ${sessionId}`,
        async () => (await store.listSubkeys?.({ projectKey, sessionId })) ?? [],
      );
    },
    async newest(projectKey) {
      if (store.listSessionSummaries === undefined && store.listSessions === undefined) return null;
      const listed = await ask('the list of sessions', async () =>
        store.listSessions === undefined
          ? ((await store.listSessionSummaries?.(projectKey)) ?? [])
          : store.listSessions(projectKey),
      );
      return [...listed].sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? -1 : 1));
    },
  };
}

function failed(what: string, why: string, cause?: unknown): SessionError {
  return new SessionError('session_invalid', `The sessionStore could not give ${what}: ${why}`, cause);
}
