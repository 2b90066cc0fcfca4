// What stands in the place of a session's files and is none: links are not followed, and everything can be removed.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/sdk/query.js';
import {
  deleteSession,
  exportSession,
  forkSession,
  getSubagentMessages,
  listRewindPoints,
  listSubagents,
} from '../../src/sdk/sessions.js';
import { createFileStore } from '../../src/session/store/session-stores.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { answer, prompt, toText, transcriptLines, writeSession } from '../support/transcripts.js';

const ID = '22222222-2222-4222-8222-222222222222';

/** A session with a subagent. Its own folder, or the part of it that is named, is a link to somewhere else. */
async function linkedSession(part: string | null) {
  const [home, cwd, outside] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
  await writeSession(home, [prompt('go'), answer('gone')], { sessionId: ID, cwd });
  const [key = ''] = await readdir(path.join(home, 'projects'));
  const own = path.join(home, 'projects', key, ID);
  await mkdir(path.join(own, 'subagents'), { recursive: true });
  const lines = transcriptLines([prompt('secret of somebody else')], { sessionId: ID, cwd });
  const sidechain = lines.map((line) => ({ ...line, isSidechain: true }));
  await writeFile(path.join(own, 'subagents', 'agent-a1.jsonl'), toText(sidechain));
  const linked = part === null ? own : path.join(own, part);
  if (part !== null) await mkdir(linked, { recursive: true });
  await rename(linked, path.join(outside, 'there'));
  await symlink(path.join(outside, 'there'), linked);
  return { at: { dir: cwd, env: { TURNWRIGHT_HOME: home } }, home, cwd, key, own, outside };
}

describe.each([
  ['folder', null],
  ['folder of subagents', 'subagents'],
])('a session whose %s is a link', (_name, part) => {
  it('is read without what is behind it', async () => {
    const { at, home, key } = await linkedSession(part);
    expect(await listSubagents(ID, at)).toEqual([]);
    expect(await getSubagentMessages(ID, 'a1', at)).toEqual([]);
    expect(await exportSession(ID, { ...at, format: 'markdown' })).not.toContain('secret of somebody else');
    expect((await listRewindPoints(ID, at)).map((point) => point.prompt)).toEqual(['go']);
    const store = createFileStore({ home });
    expect(await store.load({ projectKey: key, sessionId: ID, subpath: 'subagents/agent-a1' })).toBeNull();
    expect(await store.listSubkeys({ projectKey: key, sessionId: ID })).toEqual([]);
  });

  it('is forked without what is behind it', async () => {
    const { at, own } = await linkedSession(part);
    const { sessionId } = await forkSession(ID, at);
    expect(existsSync(path.join(path.dirname(own), sessionId, 'subagents'))).toBe(false);
  });

  it('is not gone on with, and nothing is written behind the link', async () => {
    const { at, cwd, outside, home, key } = await linkedSession(part);
    const model = scriptedModel([text('never')]);
    const options = { cwd, env: at.env, provider: model, resume: ID, enableFileCheckpointing: true };
    const result = lastResult(await collect(query({ prompt: 'more', options })));
    expect(result).toMatchObject({ is_error: true, result: expect.stringContaining('is a symbolic link') as string });
    expect(model.calls).toBe(0);
    const entry = { type: 'user', uuid: 'u1' };
    const store = createFileStore({ home });
    const appended = store.append({ projectKey: key, sessionId: ID, subpath: 'subagents/agent-b' }, [entry]);
    await expect(appended).rejects.toMatchObject({ code: 'session_invalid' });
    const left = (await readdir(path.join(outside, 'there'), { recursive: true })).map(String).sort();
    expect(left).toEqual(part === null ? ['subagents', 'subagents/agent-a1.jsonl'] : ['agent-a1.jsonl']);
  });

  it('is deleted, and what is behind the link stays', async () => {
    const { at, own, outside } = await linkedSession(part);
    await deleteSession(ID, at);
    expect(await readdir(path.dirname(own))).toEqual([]);
    expect(await readdir(path.join(outside, 'there'))).toHaveLength(1);
  });
});

it('a link in the place of the folder of a session to be is refused', async () => {
  const { at, own, cwd, outside } = await linkedSession(null);
  const id = '44444444-4444-4444-8444-444444444444';
  await symlink(outside, path.join(path.dirname(own), id));
  const prompted = collect(query({ prompt: 'x', options: { cwd, env: at.env, sessionId: id } }));
  await expect(prompted).rejects.toMatchObject({ code: 'session_invalid' });
});

describe('deleteSession', () => {
  it.each<[string, (file: string) => unknown]>([
    ['an empty file', (file) => writeFile(file, '')],
    ['a folder', (file) => mkdir(file)],
    ['a link', (file) => symlink('/etc/passwd', file)],
    ['a link to nothing', (file) => symlink('/nothing/there', file)],
    ['a FIFO', (file) => execFileSync('mkfifo', [file])],
  ])('removes %s in the place of a transcript', async (_name, make) => {
    const home = await temporaryFolder();
    const folder = path.join(home, 'projects', '-somewhere');
    await mkdir(folder, { recursive: true });
    await make(path.join(folder, `${ID}.jsonl`));
    await deleteSession(ID, { env: { TURNWRIGHT_HOME: home } });
    expect(await readdir(folder)).toEqual([]);
    const again = deleteSession(ID, { env: { TURNWRIGHT_HOME: home } });
    await expect(again).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
