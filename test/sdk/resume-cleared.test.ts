// What `/clear` ended stays ended, however the session goes on.
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../src/protocol/content.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { getSessionMessages, listSessions } from '../../src/sdk/sessions.js';
import { InMemorySessionStore } from '../../src/session/store/session-stores.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const ID = '22222222-2222-4222-8222-222222222222';

const saidTo = (model: ScriptedModel): readonly MessageParam[] => model.requests[0]?.messages ?? [];

async function clearedSession(more: Options = {}) {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const base: Options = { cwd, env: { TURNWRIGHT_HOME: home }, ...more };
  const run = async (prompt: string, options: Options) => {
    const model = scriptedModel([text(`answer to ${prompt}`)]);
    const messages = await collect(query({ prompt, options: { ...base, provider: model, ...options } }));
    return { model, messages, result: lastResult(messages) };
  };
  const { messages } = await run('old secret', { sessionId: ID });
  await run('/clear', { resume: ID });
  const answer = messages.find(({ type }) => type === 'assistant');
  return { run, cwd, home, answerId: answer?.uuid ?? '' };
}

describe('a session that ended with /clear', () => {
  it.each<[string, Options]>([
    ['resume', { resume: ID }],
    ['continue', { continue: true }],
    ['a fork', { resume: ID, forkSession: true }],
  ])('goes on by %s without what was before', async (_name, options) => {
    const { run } = await clearedSession();
    const { model, result } = await run('new', options);
    expect(result).toMatchObject({ subtype: 'success', result: 'answer to new' });
    expect(saidTo(model)).toEqual([{ role: 'user', content: 'new' }]);
    const { model: next } = await run('newer', { resume: result.session_id });
    expect(saidTo(next).map(({ content }) => content)).toEqual(['new', [text('answer to new')], 'newer']);
  });

  it('has no messages any more, and is still in the list', async () => {
    const { cwd, home } = await clearedSession();
    const at = { dir: cwd, env: { TURNWRIGHT_HOME: home } };
    expect(await getSessionMessages(ID, at)).toEqual([]);
    expect((await listSessions(at)).map(({ sessionId }) => sessionId)).toEqual([ID]);
  });

  it('goes on from a message before if that is named', async () => {
    const { run, answerId } = await clearedSession();
    const { model } = await run('new', { resume: ID, resumeSessionAt: answerId });
    expect(saidTo(model).map(({ content }) => content)).toEqual(['old secret', [text('answer to old secret')], 'new']);
  });

  it('is the same in a store of the host’s own', async () => {
    const sessionStore = new InMemorySessionStore();
    const { run } = await clearedSession({ sessionStore, persistSession: false });
    const { model } = await run('new', { resume: ID });
    expect(saidTo(model)).toEqual([{ role: 'user', content: 'new' }]);
  });
});
