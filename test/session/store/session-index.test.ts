import { describe, expect, it } from 'vitest';
import type { FileEnds, FileStat } from '../../../src/host/host.js';
import { createMemoryHost, type MemoryHost } from '../../../src/host/memory/memory-host.js';
import {
  forgetSessions,
  type ListPage,
  listFiles,
  openIndexCache,
  readOne,
  readPage,
} from '../../../src/session/store/session-index.js';
import { locateSession, placeIn, projectKey, sessionFolders } from '../../../src/session/store/session-places.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../../support/transcripts.js';

const HOME = '/home/user/.turnwright';
const folderOf = (cwd: string) => `${HOME}/projects/${projectKey(cwd)}`;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Sessions one minute apart, in the order given. */
async function machine(...sessions: { cwd?: string; lines?: Line[]; id?: string }[]): Promise<MemoryHost> {
  const host = createMemoryHost();
  for (const [index, { cwd = '/work', lines = [prompt(`prompt ${index}`), answer('hi')], id }] of sessions.entries()) {
    await host.advance(60_000);
    const sessionId = id ?? idOf(index);
    const text = toText(transcriptLines(lines, { sessionId, cwd, startedAt: host.clock.now() }));
    host.fs.addFile(`${folderOf(cwd)}/${sessionId}.jsonl`, text);
  }
  return host;
}

async function list(host: MemoryHost, dir: string | undefined, page: ListPage = {}, includeWorktrees = true) {
  const folders = await sessionFolders(host, HOME, dir, includeWorktrees);
  return readPage(host, await listFiles(host, folders), page, null);
}

const titles = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ summary }) => summary);

describe('a list of sessions', () => {
  it('has the newest first, page by page', async () => {
    const host = await machine({}, {}, { lines: [answer('no title')] }, {}, {});
    expect(await titles(host, '/work')).toEqual(['prompt 4', 'prompt 3', 'prompt 1', 'prompt 0']);
    expect(await titles(host, '/work', { limit: 2 })).toEqual(['prompt 4', 'prompt 3']);
    // What has no title is no part of any page.
    expect(await titles(host, '/work', { limit: 2, offset: 1 })).toEqual(['prompt 3', 'prompt 1']);
    expect(await titles(host, '/work', { offset: 3 })).toEqual(['prompt 0']);
    expect(await titles(host, '/work', { offset: 9, limit: 1 })).toEqual([]);
    expect(await titles(host, '/work', { limit: 0 })).toEqual([]);
  });

  it('reads no more transcripts than the page needs', async () => {
    const read: string[] = [];
    const host = createMemoryHost({
      onOperation: (operation, path) => void (operation === 'lookAtEnds' && read.push(path)),
    });
    for (let n = 0; n < 30; n++) {
      await host.advance(1);
      host.fs.addFile(`${folderOf('/work')}/${idOf(n)}.jsonl`, toText(transcriptLines([prompt(`${n}`)])));
    }
    expect(await titles(host, '/work', { limit: 3 })).toEqual(['29', '28', '27']);
    expect(read.length).toBe(3);
  });

  it('is of one folder, of its worktrees, or of all', async () => {
    const host = await machine({ cwd: '/repo' }, { cwd: '/trees/one' }, { cwd: '/repo/sub' }, { cwd: '/elsewhere' });
    host.fs.addFile('/repo/.git/HEAD', 'ref: refs/heads/main\n');
    host.fs.addFile('/repo/.git/worktrees/one/gitdir', '/trees/one/.git\n');
    host.fs.addFile('/repo/.git/worktrees/one/commondir', '../..\n');
    host.fs.addFile('/repo/.git/worktrees/broken/gitdir', '');
    host.fs.addFile('/trees/one/.git', 'gitdir: /repo/.git/worktrees/one\n');
    host.fs.addDirectory('/repo/sub');
    expect(await titles(host, '/repo')).toEqual(['prompt 1', 'prompt 0']);
    expect(await titles(host, '/trees/one')).toEqual(['prompt 1', 'prompt 0']);
    expect(await titles(host, '/repo/sub')).toEqual(['prompt 2', 'prompt 1', 'prompt 0']);
    expect(await titles(host, '/repo', {}, false)).toEqual(['prompt 0']);
    expect(await titles(host, '/elsewhere')).toEqual(['prompt 3']);
    expect(await titles(host, undefined)).toEqual(['prompt 3', 'prompt 2', 'prompt 1', 'prompt 0']);
    expect(await titles(host, '/nowhere')).toEqual([]);
  });

  it('finds the folder of a path that was too long for its key, whoever wrote it', async () => {
    const long = `/${'deep/'.repeat(60)}end`;
    const host = await machine({ cwd: long });
    host.fs.addDirectory(long);
    const other = folderOf(long).replace(/-[^-]*$/, '-otherhash');
    host.fs.addFile(`${other}/${idOf(7)}.jsonl`, toText(transcriptLines([prompt('by another writer')])));
    expect((await titles(host, long)).sort()).toEqual(['by another writer', 'prompt 0']);
  });

  it('has a session that lies in two folders once, as it is in the newer file', async () => {
    const host = await machine({ id: idOf(1), cwd: '/old' }, { id: idOf(1), cwd: '/new' });
    expect(await titles(host, undefined)).toEqual(['prompt 1']);
    expect((await locateSession(host, HOME, idOf(1), undefined))?.folder).toBe(folderOf('/new'));
    expect((await locateSession(host, HOME, idOf(1), '/old'))?.folder).toBe(folderOf('/old'));
    expect(await locateSession(host, HOME, idOf(2), undefined)).toBeNull();
  });

  it('passes over what is no transcript', async () => {
    const host = await machine({});
    const folder = folderOf('/work');
    host.fs.addFile(`${folder}/${idOf(20)}.jsonl`, '');
    host.fs.addFile(`${folder}/${idOf(21)}.jsonl`, '\0\0\0');
    host.fs.addFile(`${folder}/${idOf(22)}.jsonl`, Uint8Array.from([0xff, 0xfe, 0x0a, 0x80]));
    host.fs.addFile(`${folder}/notes.jsonl`, toText([prompt('x')]));
    host.fs.addFile(`${folder}/${idOf(23)}.json`, toText([prompt('x')]));
    host.fs.addFile(`${folder}/../outside.jsonl`, toText([prompt('x')]));
    host.fs.addDirectory(`${folder}/${idOf(24)}.jsonl`);
    host.fs.special(`${folder}/${idOf(25)}.jsonl`);
    host.fs.addFile('/secret', toText(transcriptLines([prompt('secret')])));
    host.fs.addSymlink(`${folder}/${idOf(26)}.jsonl`, '/secret');
    host.fs.addFile(`${HOME}/projects/stray-file`, 'x');
    expect(await titles(host, '/work')).toEqual(['prompt 0']);
    expect(await titles(host, undefined)).toEqual(['prompt 0']);
    for (const n of [20, 24, 25, 26]) expect(await locateSession(host, HOME, idOf(n), '/work')).toBeNull();
  });

  it('passes over a file that cannot be read', async () => {
    const host = await machine({}, {});
    host.failNext('lookAtEnds', 'EACCES');
    expect(await titles(host, '/work')).toEqual(['prompt 0']);
    host.failNext('entries', 'EACCES');
    expect(await titles(host, '/work')).toEqual([]);
  });

  it('refuses an id or a folder that cannot be one', async () => {
    const host = await machine({});
    for (const id of ['../../etc/passwd', 'x', '', `${idOf(0)}/..`]) {
      await expect(locateSession(host, HOME, id, undefined)).rejects.toMatchObject({ code: 'session_invalid' });
    }
    for (const dir of ['', 'a\0b', 7 as never, null as never]) {
      await expect(sessionFolders(host, HOME, dir)).rejects.toMatchObject({ code: 'config_invalid' });
    }
  });

  it('leaves out what programs wrote, if that is wanted', async () => {
    const host = await machine(
      { lines: [prompt('by hand')] },
      { lines: [prompt('by program', { entrypoint: 'sdk-ts' })] },
    );
    expect(await titles(host, '/work')).toEqual(['by program', 'by hand']);
    expect(await titles(host, '/work', { includeProgrammatic: false, limit: 1 })).toEqual(['by hand']);
  });
});

describe('an archived session', () => {
  const mark = (archived: unknown, at = '2025-01-01T00:02:00.000Z') => JSON.stringify({ archived, at, by: 'sdk' });
  const folder = `${folderOf('/work')}/${idOf(0)}`;
  const archived = async (host: MemoryHost) => (await readOne(host, placeIn(folderOf('/work'), idOf(0))))?.archived;

  it('says so, until it is taken back or a prompt was sent', async () => {
    const host = await machine({});
    expect(await archived(host)).toBeUndefined();
    for (const [text, expected] of [
      [mark(true), true],
      [mark(false), false],
      [mark(true, '2025-01-01T00:00:59.000Z'), false],
      [mark('yes'), undefined],
      ['not json', undefined],
      ['null', undefined],
    ] as const) {
      await host.fs.writeFileAtomic(`${folder}/archived.json`, text);
      expect([text, await archived(host)]).toEqual([text, expected]);
      expect((await list(host, '/work'))[0]?.archived).toBe(expected);
    }
  });
});

describe('the cache of a list', () => {
  /** So many sessions that a cache is worth its while, all of one moment. */
  function crowd(): MemoryHost {
    const host = createMemoryHost();
    for (let n = 0; n < 520; n++) {
      const text = toText(transcriptLines([prompt(`prompt ${n}`)], { sessionId: idOf(n) }));
      host.fs.addFile(`${folderOf('/work')}/${idOf(n)}.jsonl`, text);
    }
    return host;
  }

  async function cachedList(host: MemoryHost): Promise<{ titles: string[]; reads: number }> {
    const files = await listFiles(host, await sessionFolders(host, HOME, '/work'));
    let reads = 0;
    const fs = {
      ...host.fs,
      lookAtEnds<T>(path: string, stat: FileStat, length: number, look: (ends: FileEnds) => T) {
        reads += 1;
        return host.fs.lookAtEnds(path, stat, length, look);
      },
    };
    const cache = await openIndexCache(host, HOME, files.length);
    const found = await readPage({ fs }, files, {}, cache);
    await cache?.save(files);
    return { titles: found.map(({ summary }) => summary), reads };
  }

  it('saves reading what did not change, and never hides what did', async () => {
    const host = crowd();
    const first = await cachedList(host);
    expect(first.reads).toBe(520);
    const second = await cachedList(host);
    expect(second).toEqual({ titles: first.titles, reads: 0 });

    const file = `${folderOf('/work')}/${idOf(3)}.jsonl`;
    await (await host.fs.openAppend(file)).append(
      `${JSON.stringify({ type: 'custom-title', customTitle: 'renamed' })}\n`,
    );
    const third = await cachedList(host);
    expect(third.reads).toBe(1);
    expect(third.titles).toContain('renamed');
  });

  it('is done without if there are few sessions, if it is damaged, and if it cannot be written', async () => {
    expect(await openIndexCache(await machine({}), HOME, 499)).toBeNull();
    const host = crowd();
    for (const text of [
      '',
      'null',
      '{"format":1,"sessions":[1]}',
      '{"format":1,"sessions":{"a":[1],"b":7}}',
      '{"format":9}',
    ]) {
      await host.fs.writeFileAtomic(`${HOME}/session-index.json`, text);
      expect((await cachedList(host)).titles.length).toBe(520);
    }
    await host.fs.remove(`${HOME}/session-index.json`);
    host.failNext('writeFileAtomic', 'ENOSPC');
    expect((await cachedList(host)).titles.length).toBe(520);
    expect((await cachedList(host)).reads).toBe(520);
  });

  it('is private, and forgets a session', async () => {
    const host = crowd();
    await cachedList(host);
    const file = `${HOME}/session-index.json`;
    expect((await host.fs.stat(file)).mode).toBe(0o600);
    expect(host.files()[file]).toContain(idOf(3));
    await forgetSessions(host, HOME, [placeIn(folderOf('/work'), idOf(3))]);
    expect(host.files()[file]).not.toContain(idOf(3));
    expect(host.files()[file]).not.toContain('"prompt 3"');
    expect((await cachedList(host)).reads).toBe(1);
  });

  it('drops what is gone when it is written again', async () => {
    const host = crowd();
    await cachedList(host);
    for (let n = 0; n < 10; n++) await host.fs.remove(`${folderOf('/work')}/${idOf(n)}.jsonl`);
    for (let n = 100; n < 210; n++) {
      const handle = await host.fs.openAppend(`${folderOf('/work')}/${idOf(n)}.jsonl`);
      await handle.append('{"type":"tag","tag":"t"}\n');
    }
    await cachedList(host);
    expect(host.files()[`${HOME}/session-index.json`]).not.toContain(idOf(5));
  });
});
