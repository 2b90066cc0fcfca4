// The session stores that programs may give: one in memory, under the name that the published SDKs give it, and the folder of
// transcripts, for programs that move sessions between places and want this one too.
import { createNodeHost } from '../../host/node-host.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from '../../protocol/session-store.js';
import { DOORS } from '../features.js';
import type { FileSessionStore, FileSessionStoreOptions } from './file-store-access.js';
import { foldSessionSummary } from './session-facts.js';

interface Kept {
  readonly key: SessionKey;
  /** One JSON text an entry: nobody can change what is kept. */
  readonly lines: string[];
  readonly uuids: Set<string>;
  summary: SessionSummaryEntry;
}

/** Keeps sessions as long as it lives. For tests, and for programs that keep sessions elsewhere at the end. */
export class InMemorySessionStore implements SessionStore {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  /** @param clock milliseconds since the epoch; by default this machine's */
  constructor(clock: { now(): number } = createNodeHost().clock) {
    this.#now = () => Math.floor(clock.now());
  }

  async append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
    const name = nameOf(key);
    const kept = this.#kept.get(name) ?? newlyKept(key);
    const added = entries.filter(({ uuid }) => {
      if (uuid === undefined) return true;
      if (kept.uuids.has(uuid)) return false;
      kept.uuids.add(uuid);
      return true;
    });
    for (const entry of added) kept.lines.push(JSON.stringify(entry));
    kept.summary = foldSessionSummary(kept.summary, key, added, { mtime: this.#now() });
    this.#kept.set(name, kept);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const kept = this.#kept.get(nameOf(key));
    return kept === undefined ? null : kept.lines.map((line) => JSON.parse(line) as SessionStoreEntry);
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return this.#mainOf(projectKey).map(({ summary: { sessionId, mtime } }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return this.#mainOf(projectKey).map(({ summary }) => structuredClone(summary));
  }

  async delete(key: SessionKey): Promise<void> {
    if (key.subpath !== undefined) {
      this.#kept.delete(nameOf(key));
      return;
    }
    for (const [name, kept] of this.#kept) if (isOf(kept, key)) this.#kept.delete(name);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...this.#kept.values()].flatMap((kept) => (isOf(kept, key) ? (kept.key.subpath ?? []) : []));
  }

  /** What is kept under a key, for tests. Empty if there is nothing. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    const lines = this.#kept.get(nameOf(key))?.lines ?? [];
    return lines.map((line) => JSON.parse(line) as SessionStoreEntry);
  }

  /** Number of sessions; transcripts beside a main one do not count. */
  get size(): number {
    return [...this.#kept.values()].filter(({ key }) => key.subpath === undefined).length;
  }

  clear(): void {
    this.#kept.clear();
  }

  #mainOf(projectKey: string): Kept[] {
    return [...this.#kept.values()].filter(({ key }) => key.projectKey === projectKey && key.subpath === undefined);
  }
}

/** A new store in memory, as the class. */
export function createMemoryStore(clock?: { now(): number }): InMemorySessionStore {
  return new InMemorySessionStore(clock);
}

function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}

function newlyKept(key: SessionKey): Kept {
  return { key: { ...key }, lines: [], uuids: new Set(), summary: foldSessionSummary(undefined, key, []) };
}

function isOf({ key }: Kept, { projectKey, sessionId }: { projectKey: string; sessionId: string }): boolean {
  return key.projectKey === projectKey && key.sessionId === sessionId;
}

// The folder of transcripts as a session store: for programs that move sessions between places, and want this one too.
// What does the work is loaded with the first call.

/**
 * Sessions in the layout of transcripts. An append takes the session as a running one does: if the session is in use,
 * it rejects with the `SessionError` `session_in_use`. Lines that cannot be read are left out of `load`.
 */
export function createFileStore(options: FileSessionStoreOptions = {}): FileSessionStore {
  let opening: Promise<FileSessionStore> | null = null;
  const store = (): Promise<FileSessionStore> => {
    opening ??= DOORS.store().then(({ openFileStore }) => openFileStore(options));
    return opening;
  };
  return {
    append: async (key, entries) => (await store()).append(key, entries),
    load: async (key) => (await store()).load(key),
    listSessions: async (projectKey) => (await store()).listSessions(projectKey),
    delete: async (key) => (await store()).delete(key),
    listSubkeys: async (key) => (await store()).listSubkeys(key),
  };
}
