// The first 8 characters of a session's id name it wherever the SDK takes an id, as long as they name one session only.
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, SessionError } from '../../src/protocol/errors.js';
import { query } from '../../src/sdk/query.js';
import * as sessions from '../../src/sdk/sessions.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function place() {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const env = { TURNWRIGHT_HOME: home };
  const ask = async (options: Parameters<typeof query>[0]['options'] = {}) =>
    lastResult(
      await collect(query({ prompt: 'hi', options: { cwd, env, provider: scriptedModel([text('ok')]), ...options } })),
    );
  const { session_id: id } = await ask();
  return { cwd, home, env, ask, id, short: id.slice(0, 8) };
}

describe('8 characters of an id', () => {
  it('go on with the session, and with a copy of it', async () => {
    const { ask, id, short } = await place();
    expect((await ask({ resume: short })).session_id).toBe(id);
    expect((await ask({ resume: short.toUpperCase() })).session_id).toBe(id);
    expect((await ask({ resume: short, forkSession: true })).session_id).not.toBe(id);
  });

  it('do for every function over stored sessions', async () => {
    const { env, id, short } = await place();
    expect(await sessions.getSessionInfo(short, { env })).toMatchObject({ sessionId: id });
    const messages = await sessions.getSessionMessages(short, { env });
    expect(messages).toEqual(await sessions.getSessionMessages(id, { env }));
    expect(messages).toHaveLength(2);
    expect(await sessions.listSubagents(short, { env })).toEqual([]);
    expect(await sessions.getSubagentMessages(short, 'a1', { env })).toEqual([]);
    await sessions.renameSession(short, 'Mine', { env });
    await sessions.tagSession(short, 'kept', { env });
    await sessions.archiveSession(short, { env });
    expect(await sessions.getSessionInfo(id, { env })).toMatchObject({
      customTitle: 'Mine',
      tag: 'kept',
      archived: true,
    });
    await sessions.unarchiveSession(short, { env });
    expect(await sessions.exportSession(short, { env, format: 'markdown' })).toContain('Mine');
    expect((await sessions.forkSession(short, { env })).sessionId).not.toBe(id);
    const [point] = await sessions.listRewindPoints(short, { env });
    await sessions.rewindSession(short, point?.uuid ?? '', { env, dryRun: true });
    await sessions.deleteSession(short, { env });
    expect(await sessions.getSessionInfo(id, { env })).toBeUndefined();
  });

  it('name none if two begin so, and no path ever', async () => {
    const { home, env, ask, id, short } = await place();
    const other = await ask();
    const [project = ''] = await readdir(path.join(home, 'projects'));
    const folder = path.join(home, 'projects', project);
    const twin = `${short}${other.session_id.slice(8)}`;
    await rename(path.join(folder, `${other.session_id}.jsonl`), path.join(folder, `${twin}.jsonl`));
    await expect(sessions.getSessionMessages(short, { env })).rejects.toThrow(ConfigError);
    await expect(ask({ resume: short })).rejects.toThrow(/2 sessions have ids that begin with/);
    await expect(sessions.getSessionMessages(id.slice(0, 7), { env })).rejects.toThrow(SessionError);
    await expect(sessions.getSessionMessages('../../../x', { env })).rejects.toThrow(SessionError);
    const missing = { code: 'session_not_found', message: expect.stringMatching(/no session.* begins with 00000000/) };
    await expect(sessions.getSessionMessages('00000000', { env })).rejects.toMatchObject(missing);
    await expect(ask({ resume: '00000000' })).rejects.toMatchObject(missing);
  });
});
