import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import {
  archiveSession,
  getSessionInfo,
  listSessions,
  renameSession,
  tagSession,
  unarchiveSession,
} from '../../src/sdk/sessions.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn } from '../../src/session/store/session-places.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { testEngine } from '../support/engine.js';
import { plainStore } from '../support/plain-store.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../support/transcripts.js';

const HOME = '/home/user/.turnwright';
const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const fileOf = (sessionId: string) => `${HOME}/projects/-project/${sessionId}.jsonl`;

/** A machine with one session of `/project`. */
function machine(lines: readonly Line[] = [prompt('hello'), answer('hi')]): MemoryHost {
  const host = createMemoryHost();
  host.fs.addFile(fileOf(ID), toText(transcriptLines(lines, { sessionId: ID, cwd: '/project' })));
  return host;
}

const linesOf = (host: MemoryHost) => (host.files()[fileOf(ID)] ?? '').split('\n');

describe('on the disk', () => {
  it('lists and finds sessions, in one folder or in all', async () => {
    const host = machine();
    const expected = expect.objectContaining({ sessionId: ID, summary: 'hello', cwd: '/project', gitBranch: 'main' });
    expect(await listSessions({ host })).toEqual([expected]);
    expect(await listSessions({ host, dir: '/project' })).toEqual([expected]);
    expect(await listSessions({ host, dir: '/other' })).toEqual([]);
    expect(await getSessionInfo(ID, { host })).toEqual((await listSessions({ host }))[0]);
    expect(await getSessionInfo(ID.toUpperCase(), { host, dir: '/project' })).toEqual(expected);
    expect(await getSessionInfo(ID, { host, dir: '/other' })).toBeUndefined();
    expect(await getSessionInfo(OTHER, { host })).toBeUndefined();
  });

  it('looks in the home that TURNWRIGHT_HOME names', async () => {
    const host = machine();
    expect(await listSessions({ host, env: { TURNWRIGHT_HOME: '/elsewhere' } })).toEqual([]);
    expect((await listSessions({ host, env: { TURNWRIGHT_HOME: HOME } })).length).toBe(1);
  });

  it('renames and tags by appending', async () => {
    const host = machine();
    const before = linesOf(host);
    await renameSession(ID, '  A title\ud800 ', { host });
    await tagSession(ID, 'later', { host });
    expect(await getSessionInfo(ID, { host })).toMatchObject({ customTitle: 'A title\ufffd', tag: 'later' });
    await renameSession(ID, 'Another', { host, dir: '/project' });
    await tagSession(ID, null, { host });
    const after = await getSessionInfo(ID, { host });
    expect(after).toMatchObject({ summary: 'Another', customTitle: 'Another' });
    expect(after).not.toHaveProperty('tag');
    expect(linesOf(host).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(linesOf(host).slice(2)).toEqual([
      `{"type":"custom-title","customTitle":"A title\ufffd","sessionId":"${ID}"}`,
      `{"type":"tag","tag":"later","sessionId":"${ID}"}`,
      `{"type":"custom-title","customTitle":"Another","sessionId":"${ID}"}`,
      `{"type":"tag","tag":"","sessionId":"${ID}"}`,
      '',
    ]);
  });

  it('appends a line of its own if a crash left half of one', async () => {
    const host = machine();
    await (await host.fs.openAppend(fileOf(ID))).append('{"type":"user","mess');
    await renameSession(ID, 'title', { host });
    expect(linesOf(host).slice(-3)).toEqual([
      '{"type":"user","mess',
      `{"type":"custom-title","customTitle":"title","sessionId":"${ID}"}`,
      '',
    ]);
  });

  it('archives beside the transcript, and takes it back', async () => {
    const host = machine();
    const before = host.files()[fileOf(ID)];
    await archiveSession(ID, { host });
    expect((await getSessionInfo(ID, { host }))?.archived).toBe(true);
    const mark = `${HOME}/projects/-project/${ID}/archived.json`;
    expect(JSON.parse(host.files()[mark] ?? '')).toEqual({
      archived: true,
      at: new Date(host.clock.now()).toISOString(),
      by: 'turnwright',
    });
    expect((await host.fs.stat(mark)).mode).toBe(0o600);
    await unarchiveSession(ID, { host });
    expect((await listSessions({ host }))[0]?.archived).toBe(false);
    expect(host.files()[fileOf(ID)]).toBe(before);
  });

  it.each<[string, (host: MemoryHost) => Promise<unknown>, string]>([
    ['a path as an id', (host) => renameSession('../../etc/passwd', 't', { host }), 'session_invalid'],
    ['an endless id', (host) => getSessionInfo('x'.repeat(100_000), { host }), 'session_invalid'],
    ['a path as an id of a reader', (host) => getSessionInfo('../x', { host }), 'session_invalid'],
    ['no id', (host) => archiveSession('', { host }), 'session_invalid'],
    ['an unknown session', (host) => tagSession(OTHER, 't', { host }), 'session_not_found'],
    ['a session of another folder', (host) => renameSession(ID, 't', { host, dir: '/other' }), 'session_not_found'],
    ['an empty title', (host) => renameSession(ID, '  ', { host }), 'config_invalid'],
    ['a title that is not a text', (host) => renameSession(ID, 7 as never, { host }), 'config_invalid'],
    ['a title that no reader would find', (host) => renameSession(ID, 'x'.repeat(2_001), { host }), 'config_invalid'],
    ['an id that is a list', (host) => getSessionInfo([ID] as never, { host }), 'session_invalid'],
    ['a secret as a title', (host) => renameSession(ID, `key ${SECRET}`, { host }), 'config_invalid'],
    ['a secret as a tag', (host) => tagSession(ID, SECRET, { host }), 'config_invalid'],
    [
      'the value of a credential',
      (host) => renameSession(ID, 'it is correct-horse-battery', { host, env: { MY_TOKEN: 'correct-horse-battery' } }),
      'config_invalid',
    ],
    ['an empty tag', (host) => tagSession(ID, '', { host }), 'config_invalid'],
    ['a limit that is none', (host) => listSessions({ host, limit: -1 }), 'config_invalid'],
    ['an offset that is none', (host) => listSessions({ host, offset: 1.5 }), 'config_invalid'],
    ['a folder that is none', (host) => listSessions({ host, dir: '' }), 'config_invalid'],
    ['a store that is none', (host) => listSessions({ host, sessionStore: {} as never }), 'config_invalid'],
  ])('refuses %s, and changes nothing', async (_name, call, code) => {
    const host = machine();
    const before = host.files();
    const error: unknown = await call(host).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain(SECRET);
    expect(String(error).length).toBeLessThan(300);
    expect(host.files()).toEqual(before);
  });

  it('says so if a session cannot be written', async () => {
    const host = machine();
    host.failNext('append', 'ENOSPC');
    await expect(renameSession(ID, 't', { host })).rejects.toMatchObject({
      code: 'transcript_unwritable',
      message: expect.stringContaining('ENOSPC') as string,
    });
    host.failNext('writeFileAtomic', 'EROFS');
    await expect(archiveSession(ID, { host })).rejects.toMatchObject({ code: 'transcript_unwritable' });
  });
});

describe('in a store', () => {
  const host = createMemoryHost();
  const key = { projectKey: '-project', sessionId: ID };
  const entries = (text: string, sessionId = ID) =>
    transcriptLines([prompt(text), answer('hi')], { sessionId, startedAt: 0 }) as { type: string }[];

  it('lists by loading, by summaries, and both if a summary is old', async () => {
    for (const parts of [
      ['listSessions'],
      ['listSessionSummaries'],
      ['listSessions', 'listSessionSummaries'],
    ] as const) {
      const sessionStore = plainStore(...parts);
      await sessionStore.append(key, entries('first'));
      await sessionStore.append({ ...key, sessionId: OTHER }, entries('second', OTHER));
      await sessionStore.append({ ...key, subpath: 'subagents/agent-1' }, entries('sub'));
      await sessionStore.append({ ...key, projectKey: '-else' }, entries('else'));
      const calls = sessionStore.calls.splice(0);
      expect(calls.length).toBe(4);
      const sessions = await listSessions({ host, sessionStore });
      expect(sessions.map(({ summary }) => summary)).toEqual(['second', 'first']);
      expect(sessions[0]).not.toHaveProperty('fileSize');
      const loads = sessionStore.calls.filter((call) => call.startsWith('load'));
      expect([parts, loads.length]).toEqual([parts, parts.length === 1 && parts[0] === 'listSessions' ? 2 : 0]);
      expect((await listSessions({ host, sessionStore, limit: 1, offset: 1 })).map((info) => info.summary)).toEqual([
        'first',
      ]);
    }
    const stale = plainStore('listSessions', 'listSessionSummaries');
    await stale.append(key, entries('first'));
    const kept = await stale.listSessionSummaries?.('-project');
    stale.listSessionSummaries = async () => (kept ?? []).map((summary) => ({ ...summary, mtime: 1, data: {} }));
    expect((await listSessions({ host, sessionStore: stale })).map(({ summary }) => summary)).toEqual(['first']);
  });

  it('finds one session', async () => {
    const sessionStore = plainStore();
    await sessionStore.append(key, entries('first'));
    expect(await getSessionInfo(ID, { host, sessionStore })).toMatchObject({ summary: 'first', lastModified: 1_000 });
    expect(await getSessionInfo(OTHER, { host, sessionStore })).toBeUndefined();
    expect(await getSessionInfo(ID, { host, sessionStore, dir: '/other' })).toBeUndefined();
  });

  it('renames and tags by appending', async () => {
    const sessionStore = plainStore('listSessions');
    await sessionStore.append(key, entries('first'));
    await renameSession(ID, 'title', { host, sessionStore });
    await tagSession(ID, 'tag', { host, sessionStore });
    expect(await getSessionInfo(ID, { host, sessionStore })).toMatchObject({ summary: 'title', tag: 'tag' });
    await expect(renameSession(OTHER, 'title', { host, sessionStore })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    expect(sessionStore.data.size).toBe(1);
  });

  it('refuses what a store cannot do', async () => {
    await expect(listSessions({ host, sessionStore: plainStore() })).rejects.toMatchObject({ code: 'not_supported' });
    await expect(archiveSession(ID, { host, sessionStore: plainStore() })).rejects.toMatchObject({
      code: 'not_supported',
    });
    await expect(getSessionInfo('../x', { host, sessionStore: plainStore() })).rejects.toMatchObject({
      code: 'session_invalid',
    });
  });
});

it('renames a session that runs, and takes nothing from it', async () => {
  const model = scriptedModel([text('one'), text('two')]);
  const { engine, home } = await testEngine(model, { sessionId: ID });
  await collect(engine.submitMessage('first'));
  await renameSession(ID, 'while it runs', { env: { TURNWRIGHT_HOME: home } });
  await collect(engine.submitMessage('second'));
  await engine.close();
  const [info] = await listSessions({ env: { TURNWRIGHT_HOME: home } });
  expect(info).toMatchObject({ sessionId: ID, customTitle: 'while it runs', firstPrompt: 'first' });
  const resumed = await resumeSession(
    createNodeHost(),
    placeIn(path.join(home, 'projects', (await readdir(path.join(home, 'projects')))[0] ?? ''), ID),
  );
  expect(resumed.messages.length).toBe(4);
  expect(resumed.notices).toEqual([]);
});
