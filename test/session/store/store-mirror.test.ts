import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../../src/protocol/session-store.js';
import { InMemorySessionStore } from '../../../src/session/store/session-stores.js';
import { createStoreMirror } from '../../../src/session/store/store-mirror.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { secretSamples } from '../../secrets/secret-samples.js';
import { probeTool, testEngine } from '../../support/engine.js';

const KEY: SessionKey = { projectKey: '-p', sessionId: '99999999-9999-4999-8999-999999999999' };
const line = (uuid: string): string => JSON.stringify({ type: 'user', uuid });

function mirrorOn(append: SessionStore['append'], flush: 'batched' | 'eager' = 'batched') {
  const { clock } = createMemoryHost();
  const errors: string[] = [];
  const batches: string[][] = [];
  const store: SessionStore = {
    append: async (key, entries) => {
      batches.push(entries.map(({ uuid }) => uuid ?? ''));
      await append(key, entries);
    },
    load: async () => null,
  };
  const mirror = createStoreMirror({ store, key: KEY, flush, clock, onError: (error) => void errors.push(error) });
  return { mirror, clock, errors, batches };
}

describe('the mirror', () => {
  it('gathers entries for a tenth of a second, or to the end of a prompt', async () => {
    const { mirror, clock, batches } = mirrorOn(async () => undefined);
    mirror.add(line('a'));
    await clock.advance(50);
    mirror.add(line('b'));
    await clock.advance(49);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toEqual([['a', 'b']]);
    mirror.add(line('c'));
    await mirror.flush();
    expect(batches).toEqual([['a', 'b'], ['c']]);
    expect(clock.pending()).toBe(0);
  });

  it('gives each entry by itself if it is eager, one after the other', async () => {
    let running = 0;
    const { mirror, batches } = mirrorOn(async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running -= 1;
    }, 'eager');
    for (const uuid of ['a', 'b', 'c']) mirror.add(line(uuid));
    await mirror.flush();
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });

  it('sends a large batch at once', async () => {
    const { mirror, batches } = mirrorOn(async () => undefined);
    for (let index = 0; index < 501; index++) mirror.add(line(String(index)));
    await mirror.flush();
    expect(batches.map((batch) => batch.length)).toEqual([500, 1]);
  });

  it('offers three times what a store refuses, keeps the order meanwhile, then drops it and says so', async () => {
    let refusals = 5;
    const { mirror, clock, errors, batches } = mirrorOn(async () => {
      if (refusals-- > 0) throw new Error('busy');
    }, 'eager');
    for (const uuid of ['a', 'b', 'c']) mirror.add(line(uuid));
    const done = mirror.flush();
    await clock.advance(199);
    expect(batches).toEqual([['a']]);
    await clock.advance(1);
    await clock.advance(800);
    expect(errors).toEqual(['busy']);
    await clock.advance(1_000);
    await done;
    expect(batches).toEqual([['a'], ['a'], ['a'], ['b'], ['b'], ['b'], ['c']]);
    expect(errors).toEqual(['busy']);
    expect(clock.pending()).toBe(0);
  });

  it('does not offer again what a store has not answered for a minute: it may still take it', async () => {
    const { mirror, clock, errors, batches } = mirrorOn(() => new Promise(() => undefined), 'eager');
    mirror.add(line('a'));
    const done = mirror.flush();
    await clock.advance(59_999);
    expect(errors).toEqual([]);
    await clock.advance(1);
    await done;
    expect(errors).toEqual(['The store did not answer within 60 seconds.']);
    expect(batches).toEqual([['a']]);
  });

  it('does not keep a session from ending, and leaves no timer', async () => {
    const { mirror, clock } = mirrorOn(() => new Promise(() => undefined));
    mirror.add(line('a'));
    const done = mirror.close();
    await clock.advance(2_000);
    await done;
    expect(clock.pending()).toBe(0);
  });

  it('tells of a store that throws at once as of one that rejects', async () => {
    const { mirror, clock, errors } = mirrorOn(() => {
      throw new Error('no');
    });
    mirror.add(line('a'));
    const done = mirror.flush();
    await clock.advance(1_000);
    await done;
    expect(errors).toEqual(['no']);
  });
});

describe('a session with a store', () => {
  const types = (entries: readonly SessionStoreEntry[] | null) => entries?.map(({ type }) => type);
  const mirrorErrors = (messages: readonly SDKMessage[]) =>
    messages.filter((message) => message.type === 'system' && message.subtype === 'mirror_error');

  it('has every line there when the result comes, as in the file, with large content in it', async () => {
    const store = new KeyedStore();
    const long = 'long\n'.repeat(50_000);
    const token = secretSamples(5)[0]?.text ?? '';
    const probe = probeTool({ run: async () => `${long}${token}` });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), {
      tools: [probe],
      sessionStore: store,
      sessionId: KEY.sessionId,
    });
    let atResult: SessionStoreEntry[] | null = null;
    for await (const message of engine.submitMessage('go')) {
      const [key] = store.keys;
      if (message.type === 'result' && key !== undefined) atResult = await store.load(key);
    }
    expect(types(atResult)).toEqual(['user', 'assistant', 'user', 'assistant', 'last-prompt', 'turnwright-state']);
    const kept = JSON.stringify(atResult);
    expect(kept).toContain(JSON.stringify(long).slice(1, -1));
    expect(kept).not.toContain(token);
    expect(kept).not.toContain('blobs/');
  });

  it('is kept there alone with persistSession false', async () => {
    const store = new KeyedStore();
    const host = createMemoryHost();
    const { engine } = await testEngine(scriptedModel([text('done')]), {
      sessionStore: store,
      sessionStoreFlush: 'eager',
      persistSession: false,
      host,
      cwd: '/project',
    });
    await collect(engine.submitMessage('go'));
    await engine.close();
    const [key] = store.keys;
    expect(key?.projectKey).toBe('-project');
    expect(types((key && (await store.load(key))) ?? null)).toEqual([
      'user',
      'assistant',
      'last-prompt',
      'turnwright-state',
    ]);
    expect(host.files()).toEqual({});
  });

  it('goes on if the store fails, and says what is missing there before the result', async () => {
    const store: SessionStore = {
      append: async () => {
        throw new Error('the bucket is gone');
      },
      load: async () => null,
    };
    const { clock } = createNodeHost();
    const hasty = { ...clock, after: (ms: number, callback: () => void) => clock.after(ms / 100, callback) };
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      sessionStore: store,
      host: createNodeHost({ clock: hasty }),
    });
    const messages = await collect(engine.submitMessage('go'));
    // One for each batch, and how many there are depends on the time the prompt takes.
    const told = mirrorErrors(messages);
    expect(told.length).toBeGreaterThan(0);
    for (const error of told) {
      expect(error).toMatchObject({ error: 'the bucket is gone', key: { projectKey: expect.any(String) } });
    }
    expect(lastResult(messages).result).toBe('one');
    expect(lastResult(await collect(engine.submitMessage('more'))).result).toBe('two');
  });

  it('ends at once after an abort, also if the store does not answer', async () => {
    const abort = new AbortController();
    const store: SessionStore = { append: () => new Promise(() => undefined), load: async () => null };
    const probe = probeTool({
      run: async () => {
        abort.abort();
        return 'ok';
      },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), {
      tools: [probe],
      sessionStore: store,
      abortController: abort,
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('aborted');
  });
});

/** Knows the keys it was given. */
class KeyedStore extends InMemorySessionStore {
  readonly keys: SessionKey[] = [];

  override async append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
    this.keys.push(key);
    await super.append(key, entries);
  }
}
