// Every file operation of the checkpoints fails once, in turn, or ends the process. One rule: what the agent did is set
// back, or it is said that it is not; what it did not do stays.
import { describe, expect, it } from 'vitest';
import type { RewindFilesResult } from '../../../src/protocol/rewind.js';
import { fileError, type MemorySession, memorySession, ProcessEnded, ROOT } from '../../support/memory-checkpoints.js';

const FILES: Readonly<Record<string, string>> = {
  [`${ROOT}/a`]: 'one',
  [`${ROOT}/src/b`]: 'two',
  [`${ROOT}/src/c`]: 'three',
  [`${ROOT}/mine`]: 'user',
};
/** The second leaves half of what was to be written. */
const CODES = ['EIO', 'ESHORT'];

async function work({ checkpoints, host, ...session }: MemorySession): Promise<void> {
  const { fs } = host;
  await checkpoints.beginPrompt('p1');
  await session.pathCall(`${ROOT}/a`, () => fs.writeFileAtomic(`${ROOT}/a`, 'agent'));
  await session.command(async () => {
    await fs.writeFileAtomic(`${ROOT}/src/b`, 'agent');
    await fs.remove(`${ROOT}/src/c`);
    await fs.writeFileAtomic(`${ROOT}/made/d`, 'agent');
  });
  await checkpoints.beginPrompt('p2');
  await session.command(async () => {
    await fs.writeFileAtomic(`${ROOT}/src/b`, 'agent again');
  });
  await session.pathCall(`${ROOT}/made/d`, () => fs.writeFileAtomic(`${ROOT}/made/d`, 'agent again'));
}

/** Without the store. */
const project = (session: MemorySession): Record<string, string> =>
  Object.fromEntries(Object.entries(session.host.files()).filter(([name]) => name.startsWith(`${ROOT}/`)));

/** Paths that are not as they were, and that nothing in the result speaks of. */
function silent(session: MemorySession, result: RewindFilesResult): string[] {
  if (!result.canRewind) return [];
  const gaps = result.notCovered ?? [];
  if (gaps.some(({ path, reason }) => path === null && reason !== 'outside_workspace')) return [];
  const told = [...gaps, ...(result.conflicts ?? []), ...(result.failed ?? [])].map(({ path }) => path);
  const now = project(session);
  const names = new Set([...Object.keys(FILES), ...Object.keys(now)]);
  const isTold = (name: string): boolean => told.some((path) => name === path || name.startsWith(`${path}/`));
  return [...names].filter((name) => now[name] !== FILES[name] && !isTold(name));
}

async function countOperations(run: (session: MemorySession) => Promise<unknown>): Promise<number> {
  const session = memorySession(FILES);
  await run(session);
  return session.operations();
}

describe('a failing disk', () => {
  it('keeps no call from running while it is recorded, and is told', async () => {
    const operations = await countOperations(work);
    expect(operations).toBeGreaterThan(50);
    let whole = 0;
    for (const code of CODES) {
      for (let n = 1; n <= operations; n++) {
        const session = memorySession(FILES);
        session.failWith((_operation, count) => {
          if (count === n) throw fileError(code);
        });
        await work(session);
        session.failWith(null);
        expect(project(session)[`${ROOT}/made/d`]).toBe('agent again');
        const notices = session.checkpoints.takeNotices();
        const result = await session.checkpoints.rewind('p1');
        expect({ code, n, silent: silent(session, result), mine: project(session)[`${ROOT}/mine`] }).toEqual({
          code,
          n,
          silent: [],
          mine: 'user',
        });
        const isWhole = Object.entries(FILES).every(([name, content]) => project(session)[name] === content);
        if (isWhole) whole++;
        else expect({ code, n, notices: notices.length }).not.toEqual({ code, n, notices: 0 });
      }
    }
    // Most failures cost nothing: what they kept from being written is written later.
    expect(whole).toBeGreaterThan((CODES.length * operations) / 3);
  });

  it('lets a rewind be repeated, whatever it could not do at first', async () => {
    const prepared = async (): Promise<MemorySession> => {
      const session = memorySession(FILES);
      await work(session);
      session.failWith(null);
      return session;
    };
    const operations = await countOperations(async (session) => {
      await work(session);
      session.failWith(null);
      await session.checkpoints.rewind('p1');
    });
    expect(operations).toBeGreaterThan(30);
    for (const code of CODES) {
      for (let n = 1; n <= operations; n++) {
        const session = await prepared();
        session.failWith((_operation, count) => {
          if (count === n) throw fileError(code);
        });
        const first = await session.checkpoints.rewind('p1');
        session.failWith(null);
        expect({ code, n, silent: silent(session, first) }).toEqual({ code, n, silent: [] });
        expect(await session.checkpoints.rewind('p1')).toMatchObject({ canRewind: true, failed: [], conflicts: [] });
        expect({ code, n, files: project(session) }).toEqual({ code, n, files: FILES });
      }
    }
  });
});

describe('somebody who changes files while they are set back', () => {
  it('is not overwritten, and what was set aside is gone', async () => {
    const operations = await countOperations(async (session) => {
      await work(session);
      session.failWith(null);
      await session.checkpoints.rewind('p1');
    });
    const ends = new Set<string>();
    for (let n = 1; n <= operations; n++) {
      const session = memorySession(FILES);
      await work(session);
      let isDone = false;
      session.failWith((operation, count) => {
        // Between the last look and the step itself there is no time that could be used up here.
        if (count < n || isDone || operation === 'rename' || operation === 'removeEntry') return;
        isDone = true;
        // Both at once, without time passing: what tells them apart is the file itself.
        // Both in this very moment: what the look that follows sees is theirs.
        const { fs } = session.host;
        const write = (name: string) => fs.writeFileAtomic(`${ROOT}/${name}`, 'user');
        void session.aside(() => Promise.all([write('a'), write('made/d')]));
      });
      const result = await session.checkpoints.rewind('p1');
      session.failWith(null);
      const conflicts = new Set(result.conflicts?.map(({ path }) => path));
      for (const name of [`${ROOT}/a`, `${ROOT}/made/d`]) {
        const now = project(session)[name];
        // Written before the file was set back, it stays; written after that, it stays as well.
        expect({ n, name, now, isTold: conflicts.has(name) || result.filesChanged?.includes(name) }).toEqual({
          n,
          name,
          now: 'user',
          isTold: true,
        });
        ends.add(`${name} ${conflicts.has(name)}`);
      }
      expect(Object.keys(project(session)).filter((name) => name.includes('.tmp'))).toEqual([]);
    }
    expect(ends.size).toBe(4);
  });
});

describe('a process that ends', () => {
  const endAt = (session: MemorySession, n: number): void =>
    session.failWith((_operation, count) => {
      if (count >= n) throw new ProcessEnded();
    });

  it('while calls are recorded leaves what can be set back, or is told', async () => {
    const operations = await countOperations(work);
    let conflicts = 0;
    for (let n = 1; n <= operations; n++) {
      const session = memorySession(FILES);
      endAt(session, n);
      await work(session).catch((error: unknown) => expect(error).toBeInstanceOf(ProcessEnded));
      session.failWith(null);
      session.reopen();
      const result = await session.checkpoints.rewind('p1');
      const changed = Object.entries(project(session)).some(([name, content]) => FILES[name] !== content);
      if (changed) expect({ n, silent: silent(session, result) }).toEqual({ n, silent: [] });
      expect(project(session)[`${ROOT}/mine`]).toBe('user');
      conflicts += result.conflicts?.filter(({ reason }) => reason === 'interrupted').length ?? 0;
    }
    expect(conflicts).toBeGreaterThan(0);
  });

  it('in the middle of a rewind lets another process go on with it', async () => {
    const operations = await countOperations(async (session) => {
      await work(session);
      session.failWith(null);
      await session.checkpoints.rewind('p1');
    });
    for (let n = 1; n <= operations; n++) {
      const session = memorySession(FILES);
      await work(session);
      endAt(session, n);
      await session.checkpoints.rewind('p1').catch((error: unknown) => expect(error).toBeInstanceOf(ProcessEnded));
      session.failWith(null);
      session.reopen();
      expect(await session.checkpoints.rewind('p1')).toMatchObject({ canRewind: true, failed: [], conflicts: [] });
      expect({ n, files: project(session) }).toEqual({ n, files: FILES });
    }
  });
});
