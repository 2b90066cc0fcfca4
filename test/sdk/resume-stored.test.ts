// Sessions of a store of the host's own on a machine that does not have them: resume, continue, fork.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { MessageParam } from '../../src/protocol/content.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { SessionStore } from '../../src/protocol/session-store.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import {
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSubagents,
} from '../../src/sdk/sessions.js';
import { projectFolder } from '../../src/session/store/session-places.js';
import { createMemoryStore } from '../../src/session/store/session-stores.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { delegate, modelOfAgents } from '../support/agents.js';
import { temporaryFolder } from '../support/engine.js';
import { plainStore } from '../support/plain-store.js';

const host = createNodeHost();

interface Machine {
  readonly cwd: string;
  readonly home: string;
}

const machine = async (cwd?: string): Promise<Machine> => ({
  cwd: cwd ?? (await temporaryFolder()),
  home: await temporaryFolder(),
});

function run({ cwd, home }: Machine, prompt: string, model: ScriptedModel, more: Options = {}): Promise<SDKMessage[]> {
  const options = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, limits: { maxRetries: 0 }, ...more };
  return collect(query({ prompt, options }));
}

const answering = (answer: string): ScriptedModel => scriptedModel([text(answer)]);

/** One prompt, answered by "answer to …". @returns the session's id */
async function say(at: Machine, prompt: string, more: Options): Promise<string> {
  return lastResult(await run(at, prompt, answering(`answer to ${prompt}`), more)).session_id;
}

const heard = (model: ScriptedModel): string[] =>
  (model.requests[0]?.messages ?? []).flatMap(({ content }: MessageParam) =>
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );

const filesOf = async ({ home }: Machine): Promise<string[]> =>
  (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile())
    .map(({ name }) => name);

const storedTexts = async (store: SessionStore, at: Machine, id: string): Promise<string> => {
  const projectKey = path.basename(await projectFolder(host, at.home, at.cwd));
  return JSON.stringify(await store.load({ projectKey, sessionId: id }));
};

describe('resume of a session that only the store has', () => {
  it('goes on with a local copy, and gives the store what is new', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    const second = await machine(first.cwd);
    const model = answering('answer to two');
    const messages = await run(second, 'two', model, { resume: id, sessionStore: store });
    expect(lastResult(messages)).toMatchObject({ session_id: id, subtype: 'success' });
    expect(heard(model)).toEqual(['one', 'answer to one', 'two']);
    expect(await filesOf(second)).toEqual([`${id}.jsonl`]);
    expect(await storedTexts(store, first, id)).toContain('answer to two');

    // The copy is whole without the store, and the store without the copy.
    const alone = answering('ok');
    await run(second, 'three', alone, { resume: id });
    expect(heard(alone)).toEqual(['one', 'answer to one', 'two', 'answer to two', 'three']);
    const third = answering('ok');
    await run(await machine(first.cwd), 'four', third, { resume: id, sessionStore: store });
    expect(heard(third)).toEqual(['one', 'answer to one', 'two', 'answer to two', 'four']);
  });

  it('goes on in the store alone with persistSession: false', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const alone = { sessionStore: store, persistSession: false };
    const before = lastResult(await run(first, 'one', answering('answer to one'), alone));
    const id = before.session_id;
    const second = await machine(first.cwd);
    const model = answering('ok');
    const result = lastResult(await run(second, 'two', model, { ...alone, resume: id }));
    expect(heard(model)).toEqual(['one', 'answer to one', 'two']);
    expect(result.usage.output_tokens).toBeGreaterThan(before.usage.output_tokens);
    expect(await filesOf(second)).toEqual([]);
    expect(await storedTexts(store, first, id)).toContain('two');
  });

  it('has its subagents and its large content with it', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const long = 'a long text '.repeat(8_000);
    const model = modelOfAgents({ main: [delegate(null, 'look'), text('seen')], general: [text('found')] });
    const id = lastResult(await run(first, long, model, { sessionStore: store })).session_id;
    const second = await machine(first.cwd);
    const next = answering('ok');
    await run(second, 'two', next, { resume: id, sessionStore: store });
    expect(heard(next)[0]).toBe(long);
    const here = { dir: second.cwd, env: { TURNWRIGHT_HOME: second.home } };
    const [agentId = ''] = await listSubagents(id, here);
    expect(JSON.stringify(await getSubagentMessages(id, agentId, here))).toContain('found');
    // As a session that was written here has it: in a file of its own, and not in the line.
    const line = await readFile(path.join(await projectFolder(host, second.home, second.cwd), `${id}.jsonl`), 'utf8');
    expect(line.length).toBeLessThan(long.length / 2);
  });

  it('takes the conversation up to a message, and refuses to cut off more than is meant', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    await say(first, 'two', { resume: id, sessionStore: store });
    const all = await getSessionMessages(id, { dir: first.cwd, sessionStore: store });
    const at = { resume: id, sessionStore: store, resumeSessionAt: all[1]?.uuid ?? '' };
    const refused = await run(await machine(first.cwd), 'x', answering('ok'), {
      ...at,
      resumeDropsTurn: all[0]?.uuid ?? '',
    });
    expect(JSON.stringify(lastResult(refused))).toContain('Resume rejected by --resume-drops-turn:');
    const model = answering('ok');
    await run(await machine(first.cwd), 'three', model, { ...at, resumeDropsTurn: all[2]?.uuid ?? '' });
    expect(heard(model)).toEqual(['one', 'answer to one', 'three']);
  });

  it('has what was set back', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    const [one] = await getSessionMessages(id, { dir: first.cwd, sessionStore: store });
    const options = { cwd: first.cwd, env: { TURNWRIGHT_HOME: first.home }, sessionStore: store, resume: id };
    const session = query({ prompt: nothing(), options });
    expect(await session.rewind(one?.uuid ?? '', { scope: 'conversation' })).toMatchObject({ status: 'success' });
    await collect(session);
    const model = answering('ok');
    await run(await machine(first.cwd), 'two', model, { resume: id, sessionStore: store });
    expect(heard(model)).toEqual(['two']);
  });
});

async function* nothing() {
  // A session without a prompt.
}

describe('a session that went on elsewhere', () => {
  it('goes on from there, and the local copy gets what it lacks', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    await say(await machine(first.cwd), 'two', { resume: id, sessionStore: store });
    const model = answering('ok');
    await run(first, 'three', model, { resume: id, sessionStore: store });
    const whole = ['one', 'answer to one', 'two', 'answer to two', 'three'];
    expect(heard(model)).toEqual(whole);
    const local = answering('ok');
    const found = await run(first, 'four', local, { resume: id });
    expect(heard(local)).toEqual([...whole, 'ok', 'four']);
    expect(JSON.stringify(found)).not.toContain('transcript_damaged');
  });

  it('is taken as it is here if the store does not know its end', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    await say(first, 'two', { resume: id });
    const model = answering('ok');
    await run(first, 'three', model, { resume: id, sessionStore: store });
    expect(heard(model)).toEqual(['one', 'answer to one', 'two', 'answer to two', 'three']);
  });
});

describe('continue with a store', () => {
  it.each(['listSessions', 'listSessionSummaries'] as const)('takes the newest by %s', async (part) => {
    const store = plainStore(part);
    const first = await machine();
    await say(first, 'older', { sessionStore: store });
    await say(first, 'newer', { sessionStore: store });
    const model = answering('ok');
    await run(await machine(first.cwd), 'go on', model, { continue: true, sessionStore: store });
    expect(heard(model)).toEqual(['newer', 'answer to newer', 'go on']);
  });

  it('takes the one of this machine if that was spoken in later', async () => {
    const store = plainStore('listSessions'); // its time is that of 1970
    const first = await machine();
    await say(first, 'elsewhere', { sessionStore: store });
    const second = await machine(first.cwd);
    await say(second, 'here', {});
    const model = answering('ok');
    await run(second, 'go on', model, { continue: true, sessionStore: store });
    expect(heard(model)[0]).toBe('here');
  });

  it('passes over what holds no conversation, and starts anew if nothing is left', async () => {
    const store = plainStore('listSessions');
    const at = await machine();
    const projectKey = path.basename(await projectFolder(host, at.home, at.cwd));
    const id = await say(at, 'one', { sessionStore: store });
    await store.append({ projectKey, sessionId: '77777777-7777-4777-8777-777777777777' }, [{ type: 'tag', tag: 'x' }]);
    await store.append({ projectKey, sessionId: 'of-another-program' }, [{ type: 'user' }]);
    const found = await run(await machine(at.cwd), 'two', answering('ok'), { continue: true, sessionStore: store });
    expect(lastResult(found).session_id).toBe(id);

    const other = await run(await machine(), 'two', answering('ok'), { continue: true, sessionStore: plainStore() });
    const notice = other.find((message) => message.type === 'system' && message.subtype === 'notice');
    expect(notice).toMatchObject({ code: 'no_session_to_continue', remedy: expect.stringContaining('listSessions') });
  });
});

describe('forkSession with a store', () => {
  it.each([true, false])(
    'of a session that only the store has is there as a whole, persistSession: %s',
    async (persistSession) => {
      const store = createMemoryStore();
      const first = await machine();
      const model = modelOfAgents({ main: [delegate(null, 'look'), text('seen')], general: [text('found')] });
      const id = lastResult(await run(first, 'one', model, { sessionStore: store })).session_id;
      const before = await storedTexts(store, first, id);
      const second = await machine(first.cwd);
      const options = { resume: id, forkSession: true, sessionStore: store, persistSession };
      const fork = lastResult(await run(second, 'two', answering('ok'), options)).session_id;
      expect(fork).not.toBe(id);
      expect(await storedTexts(store, first, id)).toBe(before);
      expect((await filesOf(second)).filter((name) => name === `${fork}.jsonl`)).toHaveLength(persistSession ? 1 : 0);
      const third = answering('ok');
      await run(await machine(first.cwd), 'three', third, { resume: fork, sessionStore: store });
      expect(heard(third)).toEqual(['one', 'seen', 'two', 'ok', 'three']);
      const inStore = { dir: first.cwd, sessionStore: store };
      const [agentId = ''] = await listSubagents(fork, inStore);
      expect(JSON.stringify(await getSubagentMessages(fork, agentId, inStore))).toContain('found');
    },
  );

  it('of a session of this machine is in the store from its beginning', async () => {
    const store = createMemoryStore();
    const at = await machine();
    const id = await say(at, 'one', {});
    const fork = await say(at, 'two', { resume: id, forkSession: true, sessionStore: store });
    const model = answering('ok');
    await run(await machine(at.cwd), 'three', model, { resume: fork, sessionStore: store });
    expect(heard(model)).toEqual(['one', 'answer to one', 'two', 'answer to two', 'three']);
  });
});

describe('a store that cannot give the session', () => {
  const failing = (load: SessionStore['load']): SessionStore => ({ append: async () => undefined, load });
  const ID = '66666666-6666-4666-8666-666666666666';

  it.each([
    ['refuses', failing(() => Promise.reject(new Error('no network'))), 'no network'],
    [
      'throws',
      failing((() => {
        throw new Error('no promise');
      }) as SessionStore['load']),
      'no promise',
    ],
    ['does not answer', failing(() => new Promise(() => undefined)), 'did not answer within 0.02 seconds'],
    ['gives something else', failing((async () => 'text') as unknown as SessionStore['load']), 'no list of entries'],
    ['has no such session', failing(async () => null), 'and in the sessionStore'],
    ['has nothing in it', failing(async () => [{ type: 'tag', tag: 'x' }, null, 3] as never), 'no conversation'],
  ])('that %s: the query says so, and nothing is written', async (_what, store, word) => {
    const at = await machine();
    const model = answering('never');
    const running = run(at, 'go on', model, { resume: ID, sessionStore: store, loadTimeoutMs: 20 });
    await expect(running).rejects.toMatchObject({ name: 'SessionError', message: expect.stringContaining(word) });
    expect(model.requests).toEqual([]);
    expect(await filesOf(at)).toEqual([]);
  });

  it('is told if the copy cannot be written, and what is no time is refused', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const id = await say(first, 'one', { sessionStore: store });
    const second = await machine(first.cwd);
    // What is not a file cannot be replaced by one.
    const folder = await projectFolder(host, second.home, second.cwd);
    await mkdir(path.join(folder, `${id}.jsonl.copy`, 'in-the-way'), { recursive: true });
    const more = { resume: id, sessionStore: store };
    await expect(run(second, 'x', answering('ok'), more)).rejects.toThrow(/persistSession: false/);
    await expect(run(first, 'x', answering('ok'), { ...more, loadTimeoutMs: 0 })).rejects.toThrow(/loadTimeoutMs/);
  });
});

describe('importSessionToStore', () => {
  it('gives large content with it, so that another machine has it', async () => {
    const store = createMemoryStore();
    const first = await machine();
    const long = 'a long text '.repeat(8_000);
    const id = await say(first, long, {});
    await importSessionToStore(id, store, { dir: first.cwd, env: { TURNWRIGHT_HOME: first.home } });
    const model = answering('ok');
    await run(await machine(first.cwd), 'two', model, { resume: id, sessionStore: store });
    expect(heard(model)[0]).toBe(long);
  });
});
