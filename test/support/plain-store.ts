// A session store as a user would write it: maps, and the optional parts only if a test asks for them.
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../src/protocol/session-store.js';
import { foldSessionSummary } from '../../src/session/store/session-facts.js';

type Optional = 'listSessions' | 'listSessionSummaries' | 'delete' | 'listSubkeys';

export interface PlainStore extends SessionStore {
  /** Every call, in order: `load <sessionId>`, `append <sessionId> <entries>` … */
  readonly calls: string[];
  readonly data: Map<string, SessionStoreEntry[]>;
}

/** @param parts the optional methods it has. Time goes on by 1 with each append. */
export function plainStore(...parts: readonly Optional[]): PlainStore {
  const data = new Map<string, SessionStoreEntry[]>();
  const mtimes = new Map<string, number>();
  const calls: string[] = [];
  let now = 1_000;
  const nameOf = ({ projectKey, sessionId, subpath }: SessionKey) => [projectKey, sessionId, subpath ?? ''].join('|');
  const mains = (projectKey: string) =>
    [...data.keys()].map((name) => name.split('|')).filter(([key, , subpath]) => key === projectKey && subpath === '');
  const all: Required<SessionStore> = {
    async append(key, entries) {
      calls.push(`append ${key.sessionId}${key.subpath === undefined ? '' : ` ${key.subpath}`} ${entries.length}`);
      const kept = data.get(nameOf(key)) ?? [];
      const known = new Set(kept.map(({ uuid }) => uuid));
      const added = entries.filter(({ uuid }) => uuid === undefined || !known.has(uuid));
      data.set(nameOf(key), [...kept, ...structuredClone(added)]);
      if (key.subpath === undefined) mtimes.set(nameOf(key), ++now);
    },
    async load(key) {
      calls.push(`load ${key.sessionId}${key.subpath === undefined ? '' : ` ${key.subpath}`}`);
      return structuredClone(data.get(nameOf(key)) ?? null);
    },
    async listSessions(projectKey) {
      calls.push('listSessions');
      return mains(projectKey).map(([, sessionId = '']) => ({
        sessionId,
        mtime: mtimes.get(nameOf({ projectKey, sessionId })) ?? 0,
      }));
    },
    async listSessionSummaries(projectKey) {
      calls.push('listSessionSummaries');
      return mains(projectKey).map(([, sessionId = '']) => {
        const key = { projectKey, sessionId };
        return foldSessionSummary(undefined, key, data.get(nameOf(key)) ?? [], { mtime: mtimes.get(nameOf(key)) ?? 0 });
      });
    },
    async delete(key) {
      calls.push(`delete ${key.sessionId}`);
      for (const name of [...data.keys()]) {
        if (name === nameOf(key) || (key.subpath === undefined && name.startsWith(nameOf(key)))) data.delete(name);
      }
    },
    async listSubkeys({ projectKey, sessionId }) {
      calls.push(`listSubkeys ${sessionId}`);
      const names = [...data.keys()].map((name) => name.split('|'));
      return names
        .filter(([key, id, subpath]) => key === projectKey && id === sessionId && subpath !== '')
        .map(([, , subpath = '']) => subpath);
    },
  };
  const chosen = Object.fromEntries(parts.map((name) => [name, all[name]]));
  return { append: all.append, load: all.load, ...chosen, calls, data };
}
