// The stores of our own against the cases that every store must pass.
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../../src/protocol/session-store.js';
import { takeSessionLock } from '../../../src/session/store/session-lock.js';
import { createFileStore, createMemoryStore, InMemorySessionStore } from '../../../src/session/store/session-stores.js';
import { sessionStoreConformance } from '../../../src/testing/session-store-conformance.js';
import { temporaryFolder } from '../../support/engine.js';

const KEY: SessionKey = { projectKey: '-p', sessionId: '88888888-8888-4888-8888-888888888888' };
const entry = (uuid: string): SessionStoreEntry => ({ type: 'user', uuid });

describe('the store in memory', () => {
  it.each(sessionStoreConformance({ create: () => new InMemorySessionStore() }))('$name', ({ run }) => run());

  it('has what tests want to look at', async () => {
    const store = createMemoryStore({ now: () => 1_700_000_000_000.9 });
    await store.append(KEY, [entry('a')]);
    await store.append({ ...KEY, subpath: 'x' }, [entry('b')]);
    expect([store.size, store.getEntries(KEY), store.getEntries({ ...KEY, sessionId: 'none' })]).toEqual([
      1,
      [entry('a')],
      [],
    ]);
    expect(await store.listSessions('-p')).toEqual([{ sessionId: KEY.sessionId, mtime: 1_700_000_000_000 }]);
    store.clear();
    expect([store.size, await store.load(KEY)]).toEqual([0, null]);
  });
});

describe('the store of files, on the disk', () => {
  const homes = new WeakMap<SessionStore, string>();
  const open = (home: string): SessionStore => {
    const store = createFileStore({ home, host: createNodeHost() });
    homes.set(store, home);
    return store;
  };
  const cases = sessionStoreConformance({
    create: async () => open(await temporaryFolder()),
    reopen: (store) => open(homes.get(store) ?? ''),
  });
  it.each(cases)('$name', ({ run }) => run());
});

describe('the store of files, in memory', () => {
  const cases = sessionStoreConformance({
    create: () => createFileStore({ home: '/home/user/t', host: createMemoryHost({ now: Date.UTC(2025, 0, 1) }) }),
  });
  it.each(cases)('$name', ({ run }) => run());

  it.each<[string, SessionKey]>([
    ['a project that is a path', { ...KEY, projectKey: '../other' }],
    ['a project that is not a name', { ...KEY, projectKey: '..' }],
    ['no project', { ...KEY, projectKey: '' }],
    ['a session that is a path', { ...KEY, sessionId: '../x' }],
    ['a subpath that leaves the session', { ...KEY, subpath: '../../x' }],
    ['a subpath from the root', { ...KEY, subpath: '/etc/passwd' }],
    ['an empty subpath', { ...KEY, subpath: '' }],
    ['a subpath with a NUL', { ...KEY, subpath: 'a\0b' }],
    ['a subpath without an end', { ...KEY, subpath: Array.from({ length: 20 }, () => 'a').join('/') }],
  ])('refuses %s', async (_what, key) => {
    const host = createMemoryHost();
    const store = createFileStore({ home: '/home/user/t', host });
    await expect(store.append(key, [entry('a')])).rejects.toThrow();
    await expect(store.load(key)).rejects.toThrow();
    await expect(store.delete(key)).rejects.toThrow();
    expect(host.files()).toEqual({});
  });

  it('does not write into, or delete, a session that is in use', async () => {
    const host = createMemoryHost();
    const store = createFileStore({ home: '/home/user/t', host });
    await store.append(KEY, [entry('a')]);
    const lock = await takeSessionLock(host, `/home/user/t/projects/-p/${KEY.sessionId}.jsonl`);
    await expect(store.append(KEY, [entry('b')])).rejects.toMatchObject({ code: 'session_in_use' });
    await expect(store.delete(KEY)).rejects.toMatchObject({ code: 'session_in_use' });
    await lock.release();
    await store.append(KEY, [entry('b')]);
    expect(await store.load(KEY)).toEqual([entry('a'), entry('b')]);
    await store.delete(KEY);
    expect(host.files()).toEqual({});
  });

  it('passes over lines that cannot be read, and ends one that was cut', async () => {
    const file = `/home/user/t/projects/-p/${KEY.sessionId}.jsonl`;
    const host = createMemoryHost({ files: { [file]: `${JSON.stringify(entry('a'))}\n\n[1]\n{"type":"us` } });
    const store = createFileStore({ home: '/home/user/t', host });
    await store.append(KEY, [entry('a'), entry('b')]);
    expect(await store.load(KEY)).toEqual([entry('a'), entry('b')]);
  });
});

describe('the cases', () => {
  const faults: readonly [string, (store: InMemorySessionStore) => void][] = [
    ['forgets', (store) => Object.assign(store, { append: async () => undefined })],
    [
      'adds twice',
      (store) => {
        const append = store.append.bind(store);
        Object.assign(store, {
          append: (key: SessionKey, entries: SessionStoreEntry[]) =>
            append(
              key,
              entries.map(
                ({ uuid, ...rest }) => ({ ...rest, ...(uuid === undefined ? {} : { id: uuid }) }) as SessionStoreEntry,
              ),
            ),
        });
      },
    ],
    [
      'gives its own list away',
      (store) => {
        const lists = new Map<string, SessionStoreEntry[]>();
        Object.assign(store, {
          append: async (key: SessionKey, entries: SessionStoreEntry[]) =>
            void lists.set(JSON.stringify(key), [...(lists.get(JSON.stringify(key)) ?? []), ...entries]),
          load: async (key: SessionKey) => lists.get(JSON.stringify(key)) ?? null,
        });
      },
    ],
    ['never had anything', (store) => Object.assign(store, { load: async () => [] })],
    [
      'has no subpaths',
      (store) => {
        const [append, load] = [store.append.bind(store), store.load.bind(store)];
        const main = ({ projectKey, sessionId }: SessionKey) => ({ projectKey, sessionId });
        Object.assign(store, {
          append: (key: SessionKey, entries: SessionStoreEntry[]) => append(main(key), entries),
          load: (key: SessionKey) => load(main(key)),
        });
      },
    ],
    ['deletes nothing', (store) => Object.assign(store, { delete: async () => undefined })],
    [
      'lists subpaths as sessions',
      (store) => Object.assign(store, { listSessions: async () => [{ sessionId: 'a', mtime: 1.5 }] }),
    ],
  ];

  it.each(faults)('find a store that %s', async (_what, spoil) => {
    const cases = sessionStoreConformance({
      create() {
        const store = new InMemorySessionStore();
        spoil(store);
        return store;
      },
    });
    const settled = await Promise.allSettled(cases.map(({ run }) => run()));
    const reasons = settled.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons[0]).toMatch(/The session store is not as it must be/);
  });
});
