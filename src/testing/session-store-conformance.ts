// What every session store must do, as a list of cases for any test runner: each has a name, and a function that
// rejects if the store does something else.
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/session-store.js';

export interface StoreCase {
  readonly name: string;
  /** Contract: rejects with an Error that says what was expected and what came. */
  run(): Promise<void>;
}

export interface StoreConformanceOptions {
  /** A store with nothing in it, for each case another. */
  create(): SessionStore | Promise<SessionStore>;
  /**
   * The same store as a later process finds it. Absent: the store keeps nothing beyond its own life, and nothing is
   * asked of it.
   */
  reopen?(store: SessionStore): SessionStore | Promise<SessionStore>;
}

const PROJECT = '-home-me-project';
const OTHER_PROJECT = '-home-me-other';
const KEY: SessionKey = { projectKey: PROJECT, sessionId: '11111111-1111-4111-8111-111111111111' };
const OTHER: SessionKey = { projectKey: PROJECT, sessionId: '22222222-2222-4222-8222-222222222222' };
const AGENT: SessionKey = { ...KEY, subpath: 'subagents/agent-a1b2' };

/**
 * The cases a store must pass; those of optional methods check nothing if the store does not have them.
 * @example for (const { name, run } of sessionStoreConformance({ create: () => new MyStore() })) test(name, run);
 */
export function sessionStoreConformance(options: StoreConformanceOptions): readonly StoreCase[] {
  const toCase = ([name, run]: [string, (store: SessionStore) => Promise<void>]): StoreCase => ({
    name,
    run: async () => run(await options.create()),
  });
  return [...CASES.map(toCase), ...OPTIONAL_CASES.map(toCase), ...reopenCases(options)];
}

const CASES: readonly [string, (store: SessionStore) => Promise<void>][] = [
  [
    'load gives null for a key that was never written',
    async (store) => {
      same(await store.load(KEY), null, 'load of a key that was never written');
      await store.append(KEY, [entry(1)]);
      same(await store.load(OTHER), null, 'load of another session');
      same(await store.load(AGENT), null, 'load of a subpath that was never written');
    },
  ],
  [
    'load gives what was appended, in that order',
    async (store) => {
      await store.append(KEY, [entry(1), entry(2)]);
      await store.append(KEY, [entry(3)]);
      await store.append(KEY, [entry(4), entry(5)]);
      await holds(store, KEY, [entry(1), entry(2), entry(3), entry(4), entry(5)]);
    },
  ],
  [
    'appends that do not wait for each other keep the order of their calls',
    async (store) => {
      const entries = Array.from({ length: 20 }, (_, index) => entry(index));
      await Promise.all(entries.map((one) => store.append(KEY, [one])));
      await holds(store, KEY, entries);
    },
  ],
  [
    'an entry whose uuid is there is not added again',
    async (store) => {
      await store.append(KEY, [entry(1), entry(2)]);
      await store.append(KEY, [entry(2), entry(3), entry(3)]);
      await store.append(KEY, [entry(1)]);
      await holds(store, KEY, [entry(1), entry(2), entry(3)]);
      await store.append(AGENT, [entry(1)]);
      await store.append(OTHER, [entry(1)]);
      await holds(store, AGENT, [entry(1)]);
      await holds(store, OTHER, [entry(1)]);
    },
  ],
  [
    'entries without a uuid are always added',
    async (store) => {
      await store.append(KEY, [title('a'), title('a')]);
      await store.append(KEY, [title('a')]);
      await holds(store, KEY, [title('a'), title('a'), title('a')]);
    },
  ],
  [
    'sessions, projects and subpaths are apart',
    async (store) => {
      const elsewhere = { ...KEY, projectKey: OTHER_PROJECT };
      const keys = [KEY, OTHER, elsewhere, AGENT, { ...KEY, subpath: 'subagents/agent-c3d4' }];
      for (const [index, key] of keys.entries()) await store.append(key, [entry(index)]);
      for (const [index, key] of keys.entries()) await holds(store, key, [entry(index)]);
    },
  ],
  [
    'any JSON comes back as it was',
    async (store) => {
      await store.append(KEY, [...ODD_ENTRIES]);
      await holds(store, KEY, ODD_ENTRIES);
    },
  ],
  [
    'what was given or taken may be changed without a change of what is kept',
    async (store) => {
      const given = { ...entry(1), message: { role: 'user', content: ['kept'] } };
      const entries: SessionStoreEntry[] = [given];
      await store.append(KEY, entries);
      given.message.content.push('changed');
      entries.push(entry(2));
      const taken = await store.load(KEY);
      taken?.push(entry(3));
      (taken?.[0] as { message?: unknown }).message = 'changed';
      await holds(store, KEY, [{ ...entry(1), message: { role: 'user', content: ['kept'] } }]);
    },
  ],
  [
    'an empty append changes nothing',
    async (store) => {
      await store.append(KEY, [entry(1)]);
      await store.append(KEY, []);
      await holds(store, KEY, [entry(1)]);
    },
  ],
  [
    'a batch of 2,000 entries and an entry of a megabyte are whole',
    async (store) => {
      const many = Array.from({ length: 2_000 }, (_, index) => entry(index));
      const large = { ...entry(5_000), message: 'x'.repeat(1_000_000) };
      await store.append(KEY, many);
      await store.append(KEY, [large]);
      await holds(store, KEY, [...many, large]);
    },
  ],
];

const OPTIONAL_CASES: readonly [string, (store: SessionStore) => Promise<void>][] = [
  [
    'listSessions names the sessions of a project, with whole milliseconds that do not go back',
    async (store) => {
      if (store.listSessions === undefined) return;
      same(await store.listSessions(PROJECT), [], 'listSessions of a project without sessions');
      await store.append(KEY, [entry(1)]);
      await store.append(AGENT, [entry(2)]);
      await store.append({ ...OTHER, projectKey: OTHER_PROJECT }, [entry(1)]);
      const [before, ...others] = await store.listSessions(PROJECT);
      same([before?.sessionId, others], [KEY.sessionId, []], 'listSessions of a project with one session');
      check(Number.isInteger(before?.mtime) && (before?.mtime ?? 0) > 1_000_000_000_000, `mtime is ${before?.mtime}`);
      await store.append(KEY, [entry(3)]);
      const [after] = await store.listSessions(PROJECT);
      check((after?.mtime ?? 0) >= (before?.mtime ?? 0), `mtime went from ${before?.mtime} to ${after?.mtime}`);
    },
  ],
  [
    'listSessionSummaries has one for each session, with the mtime of listSessions, and data that is plain JSON',
    async (store) => {
      if (store.listSessionSummaries === undefined) return;
      same(await store.listSessionSummaries(PROJECT), [], 'summaries of a project without sessions');
      await store.append(KEY, [entry(1), title('mine')]);
      await store.append(AGENT, [entry(2)]);
      const [summary, ...others] = await store.listSessionSummaries(PROJECT);
      same([summary?.sessionId, others], [KEY.sessionId, []], 'summaries of a project with one session');
      check(
        JSON.stringify(summary?.data).includes('mine'),
        `the summary does not know the title: ${JSON.stringify(summary)}`,
      );
      const [listed] = (await store.listSessions?.(PROJECT)) ?? [];
      if (listed !== undefined) same(summary?.mtime, listed.mtime, 'the mtime of a summary');
    },
  ],
  [
    'listSubkeys names the transcripts beside the main one',
    async (store) => {
      if (store.listSubkeys === undefined) return;
      same(await store.listSubkeys(KEY), [], 'listSubkeys of a session that is not there');
      const subpaths = ['subagents/agent-a1b2', 'subagents/agent-c3d4'];
      await store.append(KEY, [entry(1)]);
      for (const subpath of subpaths) await store.append({ ...KEY, subpath }, [entry(2)]);
      await store.append({ ...OTHER, subpath: 'subagents/agent-e5f6' }, [entry(3)]);
      same([...(await store.listSubkeys(KEY))].sort(), subpaths, 'listSubkeys');
    },
  ],
  [
    'delete of a session takes all of it, and nothing else',
    async (store) => {
      if (store.delete === undefined) return;
      for (const key of [KEY, AGENT, OTHER, { ...KEY, projectKey: OTHER_PROJECT }]) await store.append(key, [entry(1)]);
      await store.delete(KEY);
      same(await store.load(KEY), null, 'load of a session that was deleted');
      same(await store.load(AGENT), null, 'load of a subpath of a session that was deleted');
      same((await store.listSubkeys?.(KEY)) ?? [], [], 'listSubkeys of a session that was deleted');
      await holds(store, OTHER, [entry(1)]);
      await holds(store, { ...KEY, projectKey: OTHER_PROJECT }, [entry(1)]);
      await store.append(KEY, [entry(1)]);
      await holds(store, KEY, [entry(1)]);
    },
  ],
  [
    'delete of a subpath takes that alone; of what is not there, nothing',
    async (store) => {
      if (store.delete === undefined) return;
      await store.delete(KEY);
      await store.append(KEY, [entry(1)]);
      await store.append(AGENT, [entry(2)]);
      await store.delete(AGENT);
      same(await store.load(AGENT), null, 'load of a subpath that was deleted');
      await holds(store, KEY, [entry(1)]);
    },
  ],
];

function reopenCases({ create, reopen }: StoreConformanceOptions): readonly StoreCase[] {
  if (reopen === undefined) return [];
  return [
    {
      name: 'a later process finds the entries, and does not add one again whose uuid is there',
      async run() {
        const first = await create();
        await first.append(KEY, [entry(1), title('a')]);
        await first.append(AGENT, [entry(2)]);
        const later = await reopen(first);
        await later.append(KEY, [entry(1), entry(3)]);
        await holds(later, KEY, [entry(1), title('a'), entry(3)]);
        await holds(later, AGENT, [entry(2)]);
      },
    },
  ];
}

/** Names and texts that a careless encoding, a template or a prototype breaks. */
const ODD_ENTRIES: readonly SessionStoreEntry[] = [
  {
    type: 'user',
    uuid: 'odd-1',
    timestamp: '2025-01-01T00:00:00.000Z',
    text: 'line\nbreak\ttab "quote" \\ \u2028 \u0000',
  },
  { type: 'user', uuid: 'odd-2', numbers: [0, -1, 1.5, 1e21, 9_007_199_254_740_991], flags: [true, false, null] },
  { type: 'user', uuid: 'odd-3', empty: { text: '', list: [], object: {} }, deep: { a: { b: { c: [{ d: 1 }] } } } },
  { type: 'user', uuid: 'odd-4', emoji: '👩‍👩‍👧', rtl: 'שלום', '': 'empty key', 'a.b': 1, $where: 'x', length: 3 },
  JSON.parse('{"type":"user","uuid":"odd-5","__proto__":{"polluted":true},"constructor":"x"}') as SessionStoreEntry,
];

function entry(n: number): SessionStoreEntry {
  const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  return {
    type: 'user',
    uuid,
    timestamp: '2025-01-01T00:00:00.000Z',
    message: { role: 'user', content: `entry ${n}` },
  };
}

function title(customTitle: string): SessionStoreEntry {
  return { type: 'custom-title', customTitle, sessionId: KEY.sessionId };
}

async function holds(store: SessionStore, key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
  same(await store.load(key), entries, `load of ${JSON.stringify(key)}`);
}

/** Equal as JSON values: the order of keys does not matter. */
function same(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [canonical(actual), canonical(expected)];
  check(got === wanted, `${what}: expected ${shown(wanted)}, got ${shown(got)}`);
}

function check(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(`The session store is not as it must be: ${problem}.`);
}

function shown(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 400)}… (${text.length} characters)`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}
