// What plain JavaScript may give a public function: each of them answers with an error of ours, in words, or does without.
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import * as sdk from '../../src/index.js';
import { isEngineError } from '../../src/protocol/errors.js';

/** Functions over messages and stored entries that the types of a caller already hold, and classes. */
const READERS =
  /Error$|^(QueryEngine|InMemorySessionStore|is[A-Z].*|get(Message|Permission|System).*|with.*|fold.*|decide.*)$/;

const WRONG = [undefined, null, 5, Number.NaN, 'x', true, [], {}, () => undefined, Symbol('x')];

const host = createMemoryHost({});
/** What fits each function, so that one argument at a time is wrong. */
const GOOD: Readonly<Record<string, readonly unknown[]>> = {
  checkPermission: [{ tool: 'Read', input: { file_path: '/a' } }, host],
  testPermissionRules: [{ cwd: '/', settingSources: [] }, host],
  importSessionToStore: ['00000000-0000-4000-8000-000000000000', sdk.createMemoryStore(), { host }],
  renameSession: ['00000000-0000-4000-8000-000000000000', 'title', { host }],
  tagSession: ['00000000-0000-4000-8000-000000000000', 'tag', { host }],
  rewindSession: ['00000000-0000-4000-8000-000000000000', 'id', { host }],
  getSubagentMessages: ['00000000-0000-4000-8000-000000000000', 'a1', { host }],
  listSessions: [{ host }],
  cleanSessions: [{ host }],
  query: [{ prompt: 'x', options: { host, model: 'offline' } }],
  startup: [{ options: { host, model: 'offline' } }],
  prewarm: [{ options: { host, model: 'offline' } }],
  resolveSettings: [{ host }],
  parseRule: ['Read', {}],
  createBudget: [1, 0],
  explainCommand: ['ls', { cwd: '/', home: null }],
  createSdkMcpServer: [{ name: 'a', tools: [] }],
  tool: ['a', 'b', {}, () => undefined, {}],
};

const functions = Object.entries<unknown>(sdk).filter(
  (entry): entry is [string, (...args: unknown[]) => unknown] =>
    typeof entry[1] === 'function' && !READERS.test(entry[0]),
);

/** What became of a call: null if all is well. */
async function fault(call: () => unknown): Promise<unknown> {
  try {
    const made = await call();
    if (typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function') made.close();
    return null;
  } catch (error) {
    return isEngineError(error) ? null : error;
  }
}

describe('a public function that is given what it does not take', () => {
  it.each(functions)('%s', async (name, run) => {
    const good = GOOD[name] ?? ['00000000-0000-4000-8000-000000000000', { host }];
    for (const [at] of good.entries()) {
      for (const wrong of WRONG) {
        const args = good.with(at, wrong);
        expect(await fault(() => run(...args)), `${name}(${args.map(String).join(', ')})`).toBeNull();
      }
    }
  });

  it('new QueryEngine', async () => {
    for (const wrong of [undefined, null, 5, 'x', []])
      expect(await fault(() => new sdk.QueryEngine(wrong as never))).toBeNull();
  });

  it('the tools of a server', async () => {
    for (const wrong of [...WRONG, { name: 'a' }, { name: 'a', description: 'b' }]) {
      expect(await fault(() => sdk.createSdkMcpServer({ name: 'a', tools: [wrong as never] }))).toBeNull();
      expect(await fault(() => sdk.defineTool(wrong as never))).toBeNull();
    }
  });
});
