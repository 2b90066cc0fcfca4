// listRewindPoints() and rewindSession(): stored sessions, without a query.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKUserMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import { getSessionMessages, listRewindPoints, rewindSession } from '../../src/sdk/sessions.js';
import { createMemoryStore } from '../../src/session/store/session-stores.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

interface Stored {
  readonly cwd: string;
  readonly id: string;
  readonly at: { readonly env: { readonly TURNWRIGHT_HOME: string } };
}

/** Three prompts, `u1` to `u3`; the second writes a file, which was there. */
async function stored(enableFileCheckpointing = true): Promise<Stored> {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(path.join(cwd, 'a.txt'), 'before');
  const change = toolCall('Write', { file_path: 'a.txt', content: 'after' });
  const steps = [text('1'), toolCall('Read', { file_path: 'a.txt' }), change, text('2'), text('3')];
  const env = { TURNWRIGHT_HOME: home };
  const options = { cwd, env, provider: scriptedModel(steps), enableFileCheckpointing };
  const messages = await collect(query({ prompt: prompts(), options: { ...options, permissionMode: 'acceptEdits' } }));
  return { cwd, id: messages[0]?.session_id ?? '', at: { env } };
}

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  for (const uuid of ['u1', 'u2', 'u3']) {
    yield { type: 'user', message: { role: 'user', content: `prompt\n${uuid}` }, parent_tool_use_id: null, uuid };
  }
}

describe('listRewindPoints', () => {
  it('has the prompts with the files they changed, and after a rewind those that are left', async () => {
    const { cwd, id, at } = await stored();
    const file = path.join(cwd, 'a.txt');
    const points = await listRewindPoints(id, at);
    expect(points).toMatchObject([
      { uuid: 'u1', prompt: 'prompt u1', filesChanged: [] },
      { uuid: 'u2', prompt: 'prompt u2', filesChanged: [file] },
      { uuid: 'u3', prompt: 'prompt u3', filesChanged: [] },
    ]);
    expect(Math.abs((points[0]?.at ?? 0) - Date.now())).toBeLessThan(600_000);
    await rewindSession(id, 'u3', at);
    expect((await listRewindPoints(id, at)).map(({ uuid }) => uuid)).toEqual(['u1', 'u2']);
  });

  it('says so if there are no checkpoints, or if there is no session', async () => {
    const { id, at } = await stored(false);
    expect((await listRewindPoints(id, at)).map(({ filesChanged }) => filesChanged)).toEqual([null, null, null]);
    const missing = listRewindPoints('99999999-9999-4999-8999-999999999999', at);
    await expect(missing).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('rewindSession', () => {
  it('sets files and conversation back from any folder, and takes it back', async () => {
    const { cwd, id, at } = await stored();
    const file = path.join(cwd, 'a.txt');
    expect(await rewindSession(id, 'u2', { ...at, dryRun: true })).toMatchObject({ status: 'ready' });
    const result = await rewindSession(id, 'u2', at);
    expect(result).toMatchObject({ status: 'success', filesChanged: [file], removedMessageIds: { length: 8 } });
    expect(await readFile(file, 'utf8')).toBe('before');
    expect(await getSessionMessages(id, at)).toHaveLength(2);
    expect(await rewindSession(id, result.rewindId ?? '', at)).toMatchObject({ status: 'success' });
    expect(await readFile(file, 'utf8')).toBe('after');
    expect(await getSessionMessages(id, at)).toHaveLength(10);
  });

  it('of one part leaves the other', async () => {
    const { cwd, id, at } = await stored();
    await rewindSession(id, 'u2', { ...at, scope: 'files' });
    expect(await getSessionMessages(id, at)).toHaveLength(10);
    await writeFile(path.join(cwd, 'a.txt'), 'mine');
    expect(await rewindSession(id, 'u1', { ...at, scope: 'conversation' })).toMatchObject({ status: 'success' });
    expect(await readFile(path.join(cwd, 'a.txt'), 'utf8')).toBe('mine');
    expect(await getSessionMessages(id, at)).toEqual([]);
  });

  it('is rejected without checkpoints, unless the conversation alone is meant', async () => {
    const { id, at } = await stored(false);
    expect(await rewindSession(id, 'u2', at)).toMatchObject({ status: 'rejected', error: expect.any(String) });
    expect(await rewindSession(id, 'u2', { ...at, scope: 'conversation' })).toMatchObject({ status: 'success' });
  });
});

describe('in a sessionStore', () => {
  /** Two prompts, `u1` and `u2`, in a store alone. */
  async function inStore() {
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const [sessionStore, env] = [createMemoryStore(), { TURNWRIGHT_HOME: home }];
    const said = async function* (): AsyncGenerator<SDKUserMessage> {
      for (const uuid of ['u1', 'u2'])
        yield { type: 'user', message: { role: 'user', content: uuid }, parent_tool_use_id: null, uuid };
    };
    const options = { cwd, env, sessionStore, persistSession: false };
    const provider = scriptedModel([text('1'), text('2')]);
    const messages = await collect(query({ prompt: said(), options: { ...options, provider } }));
    const id = messages[0]?.session_id ?? '';
    return { id, home, options, at: { env, sessionStore, dir: cwd } };
  }

  it('the conversation is set back, goes on from there, and the rewind can be taken back', async () => {
    const { id, home, options, at } = await inStore();
    const points = await listRewindPoints(id, at);
    expect(points).toMatchObject([
      { uuid: 'u1', prompt: 'u1', filesChanged: null },
      { uuid: 'u2', prompt: 'u2', filesChanged: null },
    ]);
    expect(await rewindSession(id, 'u2', { ...at, scope: 'conversation', dryRun: true })).toMatchObject({
      status: 'ready',
    });
    const result = await rewindSession(id, 'u2', { ...at, scope: 'conversation' });
    expect(result).toMatchObject({ status: 'success', removedMessageIds: { length: 2 } });
    expect((await listRewindPoints(id, at)).map(({ uuid }) => uuid)).toEqual(['u1']);
    expect(await getSessionMessages(id, at)).toHaveLength(2);
    const provider = scriptedModel([text('3')]);
    await collect(query({ prompt: 'on', options: { ...options, provider, resume: id } }));
    expect(provider.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    const back = await rewindSession(id, result.rewindId ?? '', { ...at, scope: 'conversation' });
    expect(back).toMatchObject({ status: 'success' });
    expect((await listRewindPoints(id, at)).map(({ uuid }) => uuid)).toEqual(['u1', 'u2']);
    expect(await readdir(home)).toEqual([]);
  });

  it('says what cannot be done there', async () => {
    const { id, at } = await inStore();
    for (const scope of ['files', 'both', undefined] as const) {
      const how = scope === undefined ? at : { ...at, scope };
      const rejected = { status: 'rejected', error: expect.stringContaining('not in a sessionStore') };
      expect(await rewindSession(id, 'u2', how)).toMatchObject(rejected);
    }
    const noPrompt = await rewindSession(id, 'nothing', { ...at, scope: 'conversation' });
    expect(noPrompt).toMatchObject({ status: 'rejected', error: expect.stringContaining('no message') });
    const other = '99999999-9999-4999-8999-999999999999';
    await expect(listRewindPoints(other, at)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(rewindSession(other, 'u1', at)).rejects.toMatchObject({ code: 'session_not_found' });
    const gone = rewindSession(id, 'u1', { ...at, scope: 'conversation', sessionStore: 7 as never });
    await expect(gone).rejects.toMatchObject({ code: 'config_invalid' });
    expect(await getSessionMessages(id, at)).toHaveLength(4);
  });
});
