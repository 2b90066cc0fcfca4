// The session functions of the published SDKs over sessions that Turnwright wrote, and ours over what they leave.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { query as claudeQuery } from '../../src/claude.js';
import type { SDKSessionInfo, SessionMessage } from '../../src/protocol/session-store.js';
import { query as qoderQuery } from '../../src/qoder.js';
import { query } from '../../src/sdk/query.js';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
} from '../../src/sdk/sessions.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { answer, prompt, toText, transcriptLines } from '../support/transcripts.js';
import { type Call, callClient } from './drive.js';

const CLIENTS = [
  { name: '@anthropic-ai/claude-agent-sdk', homeVariable: 'CLAUDE_CONFIG_DIR', archives: true },
  { name: '@qoder-ai/qoder-agent-sdk', homeVariable: 'QODER_CONFIG_DIR', archives: false },
];

/** A session of two prompts with two calls at once, as the engine writes it. */
async function session(): Promise<{ home: string; cwd: string; sessionId: string }> {
  const model = scriptedModel([
    reply(text('Looking.'), toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' })),
    text('First answer.'),
    text('Second answer.'),
  ]);
  const { engine, home, folder } = await testEngine(model, {
    tools: [probeTool({ readOnly: true, concurrencySafe: true })],
  });
  const [init] = await collect(engine.submitMessage('first prompt'));
  await collect(engine.submitMessage('second prompt'));
  await engine.close();
  return { home, cwd: folder, sessionId: init?.session_id ?? '' };
}

describe.each(CLIENTS)('$name', ({ name, homeVariable, archives }) => {
  const call = (home: string, ...calls: Call[]): unknown[] =>
    callClient(name, { [homeVariable]: home }, calls).map((given) => {
      if ('error' in given) throw new Error(given.error);
      return given.value;
    });
  const refused = (home: string, given: Call): string => {
    const [answered] = callClient(name, { [homeVariable]: home }, [given]);
    return answered !== undefined && 'error' in answered ? answered.error : '';
  };

  it('lists and describes a session as we do', async () => {
    const { home, cwd, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    const [all, ofFolder, one, none] = call(
      home,
      ['listSessions'],
      ['listSessions', { dir: cwd }],
      ['getSessionInfo', sessionId],
      ['listSessions', { dir: '/elsewhere' }],
    ) as [SDKSessionInfo[], SDKSessionInfo[], SDKSessionInfo, SDKSessionInfo[]];
    expect(all).toMatchObject([{ sessionId, firstPrompt: 'first prompt', cwd }]);
    expect(ofFolder).toEqual(all);
    expect(none).toEqual([]);
    const ours = await getSessionInfo(sessionId, { env });
    // One of them keeps fractions of a millisecond, and says that there is no branch by an empty one.
    const { lastModified, gitBranch, ...facts } = one;
    expect(ours).toMatchObject(facts);
    expect(ours?.gitBranch ?? '').toBe(gitBranch ?? '');
    expect(Math.abs((ours?.lastModified ?? 0) - lastModified)).toBeLessThan(1);
    expect(await listSessions({ env, dir: cwd })).toEqual([ours]);
  });

  it('reads the same messages', async () => {
    const { home, sessionId } = await session();
    const [theirs] = call(home, ['getSessionMessages', sessionId]) as [SessionMessage[]];
    const ours = await getSessionMessages(sessionId, { env: { TURNWRIGHT_HOME: home } });
    const essence = (messages: readonly SessionMessage[]) =>
      messages.map(({ type, uuid, session_id, message, parent_tool_use_id }) => ({
        type,
        uuid,
        session_id,
        message,
        parent_tool_use_id,
      }));
    expect(theirs.length).toBeGreaterThanOrEqual(6);
    expect(essence(JSON.parse(JSON.stringify(ours)) as SessionMessage[])).toEqual(essence(theirs));
  });

  it('reads what is left after a compaction, and we the same', async () => {
    const summary = `<summary>${'what was said and done before, '.repeat(10)}</summary>`;
    const model = scriptedModel([text('one'), text(summary), text('two')]);
    const { engine, home } = await testEngine(model);
    const [init] = await collect(engine.submitMessage('first prompt'));
    await collect(engine.submitMessage('/compact'));
    await collect(engine.submitMessage('after it'));
    await engine.close();
    const sessionId = init?.session_id ?? '';
    const [theirs] = call(home, ['getSessionMessages', sessionId]) as [SessionMessage[]];
    const ours = await getSessionMessages(sessionId, { env: { TURNWRIGHT_HOME: home } });
    expect(ours.map(({ uuid }) => uuid)).toEqual(theirs.map(({ uuid }) => uuid));
    expect(JSON.stringify(theirs)).toContain('what was said and done before');
    expect(JSON.stringify(theirs.at(-1))).toContain('two');
  });

  it('renames and tags, and sees what we renamed and tagged', async () => {
    const { home, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    call(home, ['renameSession', sessionId, 'Their title'], ['tagSession', sessionId, 'theirs']);
    expect(await getSessionInfo(sessionId, { env })).toMatchObject({ customTitle: 'Their title', tag: 'theirs' });
    await renameSession(sessionId, 'Our title', { env });
    await tagSession(sessionId, 'ours', { env });
    const [info] = call(home, ['getSessionInfo', sessionId]);
    expect(info).toMatchObject({ summary: 'Our title', customTitle: 'Our title', tag: 'ours' });
    call(home, ['tagSession', sessionId, null]);
    expect(await getSessionInfo(sessionId, { env })).not.toHaveProperty('tag');
    await tagSession(sessionId, null, { env });
    expect((call(home, ['getSessionInfo', sessionId])[0] as SDKSessionInfo).tag).toBeUndefined();
  });

  it('archives if it can, and is not misled by what we archived', async () => {
    const { home, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    if (!archives) {
      // It has no such function, and no such field: an archived session is one like any other.
      expect(refused(home, ['archiveSession', sessionId])).toContain('is not a function');
      await archiveSession(sessionId, { env });
      expect(call(home, ['getSessionInfo', sessionId])[0]).toMatchObject({ sessionId, firstPrompt: 'first prompt' });
      expect((await getSessionInfo(sessionId, { env }))?.archived).toBe(true);
      return;
    }
    call(home, ['archiveSession', sessionId]);
    expect((await getSessionInfo(sessionId, { env }))?.archived).toBe(true);
    call(home, ['unarchiveSession', sessionId]);
    expect((await getSessionInfo(sessionId, { env }))?.archived).toBe(false);
    await archiveSession(sessionId, { env });
    expect(call(home, ['getSessionInfo', sessionId])[0]).toMatchObject({ archived: true });
  });

  it('forks, and we read, resume and fork its fork; and the other way round', async () => {
    const { home, cwd, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    const contents = async (id: string) => (await getSessionMessages(id, { env })).map(({ message }) => message);
    const original = await contents(sessionId);

    const [theirs] = call(home, ['forkSession', sessionId, { title: 'Their fork' }]) as [{ sessionId: string }];
    expect(await contents(theirs.sessionId)).toEqual(original);
    expect((await getSessionInfo(theirs.sessionId, { env }))?.summary).toBe('Their fork');
    const model = scriptedModel([text('Third answer.')]);
    const options = { cwd, env, provider: model, resume: theirs.sessionId, tools: [] };
    const resumed = await collect(query({ prompt: 'third prompt', options }));
    expect(lastResult(resumed).subtype).toBe('success');
    expect((await contents(theirs.sessionId)).length).toBe(original.length + 2);

    const ours = await forkSession(sessionId, { env, title: 'Our fork' });
    const [read, info] = call(home, ['getSessionMessages', ours.sessionId], ['getSessionInfo', ours.sessionId]);
    expect((read as SessionMessage[]).map(({ message }) => message)).toEqual(JSON.parse(JSON.stringify(original)));
    expect(info).toMatchObject({ summary: 'Our fork' });

    const upTo = (await getSessionMessages(sessionId, { env }))[0]?.uuid ?? '';
    const [cut] = call(home, ['forkSession', sessionId, { upToMessageId: upTo }]) as [{ sessionId: string }];
    const ourCut = await forkSession(sessionId, { env, upToMessageId: upTo });
    expect(await contents(ourCut.sessionId)).toEqual(await contents(cut.sessionId));
    expect((await contents(cut.sessionId)).length).toBe(1);
  });

  it('finds subagents where we do', async () => {
    const { home, cwd, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    const [project = ''] = readdirSync(path.join(home, 'projects'));
    const folder = path.join(home, 'projects', project, sessionId, 'subagents');
    mkdirSync(folder, { recursive: true });
    const lines = transcriptLines(
      [prompt('task', { isSidechain: true, agentId: 'a1' }), answer('done', { isSidechain: true, agentId: 'a1' })],
      {
        sessionId,
        cwd,
      },
    );
    writeFileSync(path.join(folder, 'agent-a1.jsonl'), toText(lines));
    const [ids, messages] = call(home, ['listSubagents', sessionId], ['getSubagentMessages', sessionId, 'a1']);
    expect(await listSubagents(sessionId, { env })).toEqual(ids);
    expect(ids).toEqual(['a1']);
    const ours = await getSubagentMessages(sessionId, 'a1', { env });
    expect(ours.map(({ uuid }) => uuid)).toEqual((messages as SessionMessage[]).map(({ uuid }) => uuid));
    expect(ours.length).toBe(2);
  });

  it('deletes, and does not find what we deleted', async () => {
    const { home, sessionId } = await session();
    const env = { TURNWRIGHT_HOME: home };
    const { sessionId: other } = await forkSession(sessionId, { env });
    call(home, ['deleteSession', sessionId]);
    expect((await listSessions({ env })).map((info) => info.sessionId)).toEqual([other]);
    await deleteSession(other, { env });
    expect(call(home, ['listSessions'])).toEqual([[]]);
    expect(refused(home, ['renameSession', other, 'x'])).toMatch(/not found/i);
  });

  it('never meets a home that is not there', async () => {
    const home = await temporaryFolder();
    expect(call(home, ['listSessions'])).toEqual([[]]);
    expect(existsSync(path.join(home, 'projects'))).toBe(false);
    expect(await listSessions({ env: { TURNWRIGHT_HOME: home } })).toEqual([]);
  });
});

describe('a session of a dialect', () => {
  it.each([
    { name: '@anthropic-ai/claude-agent-sdk', variable: 'CLAUDE_CONFIG_DIR', start: claudeQuery },
    { name: '@qoder-ai/qoder-agent-sdk', variable: 'QODER_CONFIG_DIR', start: qoderQuery },
  ])('is found by $name without a word about where it is', async ({ name, variable, start }) => {
    const home = await temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: home, [variable]: home };
    const options = { cwd: home, env, provider: scriptedModel([text('Done.')]) };
    for await (const _message of start({ prompt: 'first words', options }));
    expect(callClient(name, { [variable]: home }, [['listSessions']])).toMatchObject([
      { value: [{ firstPrompt: 'first words' }] },
    ]);
  });
});
