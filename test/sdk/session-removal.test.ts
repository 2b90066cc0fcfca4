import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from '../../src/host/memory/memory-host.js';
import { cleanSessions, deleteSession, forkSession, getSessionInfo, listSessions } from '../../src/sdk/sessions.js';
import { takeSessionLock } from '../../src/session/store/session-lock.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { plainStore } from '../support/plain-store.js';
import { answer, type Line, prompt, toText, transcriptLines, writeSession } from '../support/transcripts.js';

const HOME = '/home/user/.turnwright';
const FOLDER = `${HOME}/projects/-project`;
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const hashOf = (n: number) => n.toString(16).padStart(64, '0');

interface Kept {
  readonly lines?: readonly Line[];
  /** Beside the transcript, by path below the session's own folder. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** Sessions a day apart, the first the oldest; the last was written a day ago. */
async function machine(sessions: readonly Kept[], options: MemoryHostOptions = {}): Promise<MemoryHost> {
  const host = createMemoryHost(options);
  for (const [n, { lines = [prompt(`prompt ${n}`), answer('hi')], beside = {} }] of sessions.entries()) {
    host.fs.addFile(
      `${FOLDER}/${idOf(n)}.jsonl`,
      toText(transcriptLines(lines, { sessionId: idOf(n), cwd: '/project' })),
    );
    for (const [name, content] of Object.entries(beside)) host.fs.addFile(`${FOLDER}/${idOf(n)}/${name}`, content);
    await host.advance(DAY);
  }
  return host;
}

const ids = async (host: MemoryHost) =>
  (await listSessions({ host })).map(({ sessionId }) => Number(sessionId.slice(-12)));
const names = (host: MemoryHost) =>
  Object.keys(host.files())
    .map((file) => file.slice(FOLDER.length + 1))
    .sort();

describe('deleteSession', () => {
  it('leaves nothing of a real session behind, and nothing else goes', async () => {
    const mark = 'MARK-OF-THIS-SESSION';
    const model = scriptedModel([toolCall('Probe', { value: mark }), text(`done ${mark}`)]);
    const { engine, home } = await testEngine(model, { tools: [probeTool({ run: async () => mark })] });
    const [init] = await collect(engine.submitMessage(`go ${mark}`));
    await engine.close();
    const sessionId = init?.session_id ?? '';
    const env = { TURNWRIGHT_HOME: home };
    const other = await writeSession(home, [prompt('another')], { cwd: '/elsewhere' });
    for (let n = 0; n < 520; n++) await writeSession(home, [prompt(`filler ${n}`)], { cwd: '/fill' });
    // The cache of lists has the title too.
    expect((await listSessions({ env })).length).toBe(522);
    expect(await filesWith(home, mark)).toHaveLength(2);
    await deleteSession(sessionId, { env });
    expect(await filesWith(home, mark)).toEqual([]);
    expect(await filesWith(home, sessionId)).toEqual([]);
    expect(await getSessionInfo(other.sessionId, { env })).toBeDefined();
  });

  it('takes all that is beside the transcript, and follows no link', async () => {
    const beside = {
      'subagents/agent-a.jsonl': 'x',
      'tool-results/t.txt': 'x',
      'checkpoints/blobs/b': 'x',
      'archived.json': 'x',
    };
    const host = await machine([{ beside }, {}]);
    host.fs.addFile('/outside/kept', 'x');
    host.symlink(`${FOLDER}/${idOf(0)}/link`, '/outside');
    await deleteSession(idOf(0), { host });
    expect(Object.keys(host.files())).toEqual([`${FOLDER}/${idOf(1)}.jsonl`, '/outside/kept']);
    await expect(deleteSession(idOf(0), { host })).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('refuses a session that is written, unless it is forced', async () => {
    const files = new Map<string, string>();
    const host = await machine([{}]);
    const lock = await takeSessionLock(host, `${FOLDER}/${idOf(0)}.jsonl`);
    for (const [name, content] of Object.entries(host.files())) files.set(name, content);
    await expect(deleteSession(idOf(0), { host })).rejects.toMatchObject({
      code: 'session_in_use',
      message: expect.stringContaining('--force') as string,
    });
    expect(new Map(Object.entries(host.files()))).toEqual(files);
    await deleteSession(idOf(0), { host, force: true });
    expect(host.files()).toEqual({});
    await lock.release();
    expect(host.files()).toEqual({});
  });

  it('deletes the session of a process that died', async () => {
    const host = await machine([{}], { process: { pid: 2 }, alive: new Set() });
    const dead = {
      pid: 99,
      started: '1',
      boot: 'memory',
      space: '',
      machine: 'memory',
      nonce: randomUUID(),
      since: '',
    };
    host.fs.addFile(`${FOLDER}/${idOf(0)}.lock`, JSON.stringify(dead));
    await deleteSession(idOf(0), { host });
    expect(host.files()).toEqual({});
  });

  it('can be repeated if something could not be removed', async () => {
    const host = await machine([{ beside: { 'tool-results/t.txt': 'x' } }]);
    for (let nth = 0; nth < 2; nth++) {
      host.failNext('remove', 'EACCES');
      await expect(deleteSession(idOf(0), { host })).rejects.toMatchObject({ code: 'transcript_unwritable' });
      expect(await ids(host)).toEqual([0]);
    }
    await deleteSession(idOf(0), { host });
    expect(host.files()).toEqual({});
  });

  it('takes every copy of the session', async () => {
    const host = await machine([{}]);
    const copy = host.files()[`${FOLDER}/${idOf(0)}.jsonl`] ?? '';
    host.fs.addFile(`${HOME}/projects/-moved/${idOf(0)}.jsonl`, copy);
    await deleteSession(idOf(0), { host });
    expect(host.files()).toEqual({});
  });

  it('asks a store to delete, if it can', async () => {
    const host = createMemoryHost();
    const key = { projectKey: '-project', sessionId: idOf(0) };
    const entries = transcriptLines([prompt('x')], { sessionId: idOf(0) }) as { type: string }[];
    const sessionStore = plainStore('delete');
    await sessionStore.append(key, entries);
    await deleteSession(idOf(0), { host, sessionStore });
    expect(sessionStore.data.size).toBe(0);
    const forever = plainStore();
    await forever.append(key, entries);
    await deleteSession(idOf(0), { host, sessionStore: forever });
    expect(forever.data.size).toBe(1);
    await expect(deleteSession('../x', { host, sessionStore })).rejects.toMatchObject({ code: 'session_invalid' });
  });
});

/** Files below a folder that have this text in their name or content. */
async function filesWith(folder: string, wanted: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const content = entry.isFile() ? await readFile(file, 'latin1') : '';
      return file.includes(wanted) || content.includes(wanted) ? file : null;
    }),
  );
  return found.filter((file) => file !== null);
}

describe('cleanSessions', () => {
  it('deletes no session unless it is told which', async () => {
    const host = await machine([{ beside: { 'tool-results/t.txt': 'x' } }, {}]);
    await host.advance(1_000 * DAY);
    const before = host.files();
    expect(await cleanSessions({ host })).toEqual({ removed: [], kept: [], remainingBytes: null });
    expect(host.files()).toEqual(before);
  });

  it('deletes sessions that are too old, with all that is theirs', async () => {
    const host = await machine([{ beside: { 'tool-results/t.txt': '12345' } }, {}, {}, {}]);
    const size = (await getSessionInfo(idOf(0), { host }))?.fileSize ?? 0;
    const dry = await cleanSessions({ host, olderThanDays: 2.5, dryRun: true });
    expect(await ids(host)).toEqual([3, 2, 1, 0]);
    const done = await cleanSessions({ host, olderThanDays: 2.5 });
    expect(done).toEqual(dry);
    expect(done.removed.map(({ kind, sessionId }) => [kind, sessionId])).toEqual([
      ['session', idOf(0)],
      ['session', idOf(1)],
    ]);
    expect(done.removed[0]).toMatchObject({ bytes: size + 5, lastModified: host.clock.now() - 4 * DAY });
    expect(await ids(host)).toEqual([3, 2]);
    expect(done.remainingBytes).toBe(Object.values(host.files()).join('').length);
  });

  it('deletes the oldest until the others fit', async () => {
    const host = await machine([{}, { beside: { 'checkpoints/big': 'x'.repeat(10_000) } }, {}, {}]);
    const size = (await getSessionInfo(idOf(0), { host }))?.fileSize ?? 0;
    const { remainingBytes } = await cleanSessions({ host, maxBytes: 3 * size + 10_000 });
    expect(await ids(host)).toEqual([3, 2, 1]);
    expect(remainingBytes).toBe(3 * size + 10_000);
    await cleanSessions({ host, maxBytes: 3 * size });
    expect(await ids(host)).toEqual([3, 2]);
    await cleanSessions({ host, maxBytes: 1 });
    expect(Object.keys(host.files())).toEqual([]);
    expect(await host.fs.readdir(`${HOME}/projects`)).toEqual([]);
  });

  it('never touches a session that runs, whatever its age', async () => {
    const beside = { 'blobs/x': 'x', [`blobs/${hashOf(1)}`]: 'x', 'subagents/.turnwright-a.tmp': 'x' };
    const host = await machine([{ beside }]);
    await takeSessionLock(host, `${FOLDER}/${idOf(0)}.jsonl`);
    await host.advance(100 * DAY);
    const before = names(host);
    for (const dryRun of [true, false]) {
      const { removed, kept } = await cleanSessions({ host, olderThanDays: 1, maxBytes: 1, dryRun });
      expect(removed.filter(({ kind }) => kind !== 'temporary')).toEqual([]);
      expect(kept[0]?.reason).toMatch(/in use/);
    }
    expect(names(host)).toEqual(before.filter((name) => !name.endsWith('.tmp')));
  });

  it('removes what crashes left, once it is an hour old', async () => {
    const named = [prompt('look', { blobs: [{ sha256: hashOf(1) }] }), answer('hi')];
    const host = await machine([{ lines: named }], { process: { pid: 2 }, alive: new Set([7]) });
    const owner = (pid: number) =>
      JSON.stringify({ pid, started: '1', boot: 'memory', machine: 'memory', nonce: `n${pid}` });
    const subagent = transcriptLines([prompt('task', { blobs: [{ sha256: hashOf(2) }] })], { sessionId: idOf(0) });
    const garbage: Record<string, string> = {
      [`${idOf(0)}/blobs/${hashOf(3)}`]: 'nobody names it',
      [`${idOf(0)}/checkpoints/.turnwright-0a1b.tmp`]: 'half',
      '.turnwright-0a1b.tmp': 'half',
      [`${idOf(8)}/tool-results/t.txt`]: 'its session is gone',
      [`${idOf(9)}.lock`]: owner(99),
      [`${idOf(6)}.lock.n99`]: owner(99),
    };
    const kept: Record<string, string> = {
      [`${idOf(0)}/blobs/${hashOf(1)}`]: 'named by a line',
      [`${idOf(0)}/blobs/${hashOf(2)}`]: 'named by a subagent',
      [`${idOf(0)}/blobs/notes.txt`]: 'no blob',
      [`${idOf(0)}/subagents/agent-a.jsonl`]: toText(subagent),
      [`${idOf(7)}.lock`]: owner(7),
      [`${idOf(7)}/tool-results/t.txt`]: 'of a session that begins',
      'notes.txt': 'not ours',
      'memory/facts.md': 'not ours',
    };
    for (const [name, content] of Object.entries({ ...garbage, ...kept }))
      host.fs.addFile(`${FOLDER}/${name}`, content);
    const young = await cleanSessions({ host });
    expect(young).toMatchObject({ removed: [], kept: [] });
    await host.advance(2 * HOUR);
    const dry = await cleanSessions({ host, dryRun: true });
    expect(names(host).length).toBe(Object.keys(garbage).length + Object.keys(kept).length + 1);
    const { removed, kept: left } = await cleanSessions({ host });
    expect(removed).toEqual(dry.removed);
    expect(left).toEqual([]);
    expect(removed.map(({ kind }) => kind).sort()).toEqual([
      'blob',
      'folder',
      'lock',
      'lock',
      'temporary',
      'temporary',
    ]);
    expect(names(host)).toEqual([...Object.keys(kept), `${idOf(0)}.jsonl`].sort());
  });

  it('keeps a blob that only a damaged line names, and one that a fork shares nothing of', async () => {
    const host = await machine([{ beside: { [`blobs/${hashOf(1)}`]: 'x' } }]);
    await (await host.fs.openAppend(`${FOLDER}/${idOf(0)}.jsonl`)).append(`{"half a line ${hashOf(1)}\n`);
    await host.advance(2 * HOUR);
    expect((await cleanSessions({ host })).removed).toEqual([]);
    const { sessionId } = await forkSession(idOf(0), { host });
    await deleteSession(sessionId, { host });
    expect(names(host)).toEqual([`${idOf(0)}.jsonl`, `${idOf(0)}/blobs/${hashOf(1)}`]);
  });

  it('finds the name of a blob where one piece of the file ends and the next begins', async () => {
    const named = (padding: number) => [answer('x'.repeat(padding)), prompt('p', { blobs: [{ sha256: hashOf(1) }] })];
    const textOf = (padding: number) =>
      toText(transcriptLines(named(padding), { sessionId: idOf(0), cwd: '/project' }));
    for (const beforeEnd of [1, 32, 63]) {
      const padding = 1_048_576 - beforeEnd - textOf(0).indexOf(hashOf(1));
      expect(textOf(padding).indexOf(hashOf(1))).toBe(1_048_576 - beforeEnd);
      const host = await machine([{ lines: named(padding), beside: { [`blobs/${hashOf(1)}`]: 'x' } }]);
      await host.advance(2 * HOUR);
      expect((await cleanSessions({ host })).removed).toEqual([]);
    }
  });

  it('tells what could not be removed, and goes on', async () => {
    const host = await machine([{}, {}, {}]);
    host.failNext('remove', 'EACCES');
    const { removed, kept } = await cleanSessions({ host, olderThanDays: 0.5 });
    expect(kept).toEqual([{ path: `${FOLDER}/${idOf(0)}.jsonl`, reason: expect.stringContaining('EACCES') as string }]);
    expect(removed.length).toBe(2);
    expect(await ids(host)).toEqual([0]);
  });

  it('stops if it is told to, and refuses what it could misunderstand', async () => {
    const host = await machine([{}, {}]);
    const signal = AbortSignal.abort();
    expect((await cleanSessions({ host, olderThanDays: 0.1, signal })).removed).toEqual([]);
    expect(await ids(host)).toEqual([1, 0]);
    for (const options of [
      { olderThanDays: 0 },
      { olderThanDays: -1 },
      { olderThanDays: Number.NaN },
      { maxBytes: 0 },
      { maxBytes: '5' as never },
    ]) {
      await expect(cleanSessions({ host, ...options })).rejects.toMatchObject({ code: 'config_invalid' });
    }
  });
});
