import { describe, expect, it } from 'vitest';
import type { Host, ProcessIdentity } from '../../../src/host/host.js';
import { createMemoryHost, type MemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { SessionError } from '../../../src/protocol/errors.js';
import { lockPath, sessionOwner, takeSessionLock } from '../../../src/session/store/session-lock.js';
import { temporaryFolder } from '../../support/engine.js';

const FILE = '/home/user/s.jsonl';
const LOCK = '/home/user/s.lock';

/** The same disk, as another process sees it. */
function asProcess(machine: MemoryHost, process: Partial<ProcessIdentity>, alive?: ReadonlySet<number>): Host {
  const { processes } = createMemoryHost({ process, ...(alive === undefined ? {} : { alive }) });
  return { ...machine, processes };
}

async function inUse(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SessionError);
  expect((error as SessionError).code).toBe('session_in_use');
  return (error as SessionError).message;
}

describe('the lock of a session', () => {
  it('is a private file beside the transcript, and gone once it is released', async () => {
    const host = createMemoryHost();
    const lock = await takeSessionLock(host, FILE);
    expect(lockPath(FILE)).toBe(LOCK);
    expect(await host.fs.stat(LOCK)).toMatchObject({ kind: 'file', mode: 0o600 });
    expect(await lock.isHeld()).toBe(true);
    expect(await sessionOwner(host, FILE)).toMatchObject({ pid: 1 });
    await lock.release();
    expect(Object.keys(host.files())).toEqual([]);
    expect(await lock.isHeld()).toBe(false);
    expect(await sessionOwner(host, FILE)).toBeNull();
    await lock.release();
  });

  it('is had by one: another engine of the process, and another process, read who has it and what to do', async () => {
    const host = createMemoryHost({ process: { pid: 7 } });
    await takeSessionLock(host, FILE);
    for (const other of [host, asProcess(host, { pid: 8 })]) {
      const told = await inUse(takeSessionLock(other, FILE));
      expect(told).toMatch(/process 7 on memory, since 2025-01-01T00:00:00.000Z/);
      expect(told).toMatch(/forkSession \(--fork-session\)/);
    }
    expect(Object.keys(host.files())).toEqual([LOCK]);
  });

  it.each<[string, Partial<ProcessIdentity>, ReadonlySet<number>]>([
    ['that ended', { pid: 8 }, new Set([8])],
    ['whose number another process has now', { pid: 7, started: '99' }, new Set([7])],
    ['of before the machine was started again', { pid: 8, boot: 'later' }, new Set([7, 8])],
  ])('of a process %s is taken over', async (_which, process, alive) => {
    const host = createMemoryHost({ process: { pid: 7 } });
    const dead = await takeSessionLock(host, FILE);
    const lock = await takeSessionLock(asProcess(host, process, alive), FILE);
    expect(await lock.isHeld()).toBe(true);
    expect(await dead.isHeld()).toBe(false);
    // The one that was taken for dead takes nothing away.
    await dead.release();
    expect(await lock.isHeld()).toBe(true);
    expect(Object.keys(host.files())).toEqual([LOCK]);
  });

  it('of a process that cannot be seen is taken over once nothing was written for ten minutes', async () => {
    const host = createMemoryHost({ process: { pid: 7 } });
    const here = asProcess(host, { machine: 'elsewhere' });
    await takeSessionLock(host, FILE);
    await host.advance(9 * 60_000);
    host.fs.addFile(FILE, 'a line');
    await inUse(takeSessionLock(here, FILE));
    await host.advance(9 * 60_000);
    await inUse(takeSessionLock(here, FILE));
    await host.advance(60_000);
    expect(await (await takeSessionLock(here, FILE)).isHeld()).toBe(true);
  });

  it.each(['', '{"pid":', '[]', '{"pid":-1}', '{"nonce":"../../x","pid":9}'])(
    'that says %j is no hindrance for longer than it may take to make one',
    async (content) => {
      const host = createMemoryHost({ alive: new Set() });
      host.fs.addFile(LOCK, content);
      if (!content.includes('9')) await inUse(takeSessionLock(host, FILE));
      await host.advance(10 * 60_000);
      expect(await (await takeSessionLock(host, FILE)).isHeld()).toBe(true);
      expect(Object.keys(host.files())).toEqual([LOCK]);
    },
  );

  it('is had by one of many that take over from the same dead owner, in any order, whatever others die at', async () => {
    const random = createMemoryHost({ seed: 42 }).ids;
    const draw = (below: number) => Math.floor(random.random() * below);
    for (let round = 0; round < 300; round++) {
      const alive = new Set([10, 11, 12, 13]);
      const machine = createMemoryHost({ process: { pid: 7 } });
      await takeSessionLock(machine, FILE);
      const takers = [
        // Two of them end after some operation: they make no other, and are seen as dead.
        ...[8, 9].map((pid) => unsteady(asProcess(machine, { pid }, alive), draw, 1 + draw(8))),
        ...[...alive].map((pid) => unsteady(asProcess(machine, { pid }, alive), draw, null)),
      ];
      const taken = await Promise.all(takers.map(({ host, ended }) => Promise.race([attempt(host), ended])));
      const winners = taken.slice(2).flatMap((result) => (typeof result === 'object' ? [result] : []));
      const held = await Promise.all(winners.map((lock) => lock.isHeld()));
      const refused = taken.slice(2).filter((result) => result === 'session_in_use').length;
      expect({ round, held, refused }).toEqual({ round, held: [true], refused: 3 });
      expect(await attempt(asProcess(machine, { pid: 14 }, new Set([...alive, 14])))).toBe('session_in_use');
    }
  });

  it('gives up on what can be neither read nor made', async () => {
    const host = createMemoryHost();
    host.symlink(LOCK, '/nowhere');
    await expect(takeSessionLock(host, FILE)).rejects.toThrow(/Remove \/home\/user\/s\.lock/);
  });

  it('is had by one of twenty on the disk', async () => {
    const file = `${await temporaryFolder()}/projects/s.jsonl`;
    const host = createNodeHost();
    const taken = await Promise.allSettled(Array.from({ length: 20 }, () => takeSessionLock(host, file)));
    const [winner, ...others] = taken.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(others).toEqual([]);
    expect(await sessionOwner(host, file)).toMatchObject({ pid: process.pid });
    await winner?.release();
    expect(await host.fs.readdir(file.replace('/s.jsonl', ''))).toEqual([]);
  });
});

async function attempt(host: Host) {
  try {
    return await takeSessionLock(host, FILE);
  } catch (error) {
    if (error instanceof SessionError) return error.code;
    throw error;
  }
}

/** A host whose operations take random time, and whose process may end with the n-th: none after it settles. */
function unsteady(host: Host, draw: (below: number) => number, diesAt: number | null) {
  let count = 0;
  let end: (how: 'died') => void = () => undefined;
  const ended = new Promise<'died'>((resolve) => {
    end = resolve;
  });
  const wait = async () => {
    for (let left = draw(12); left > 0; left--) await Promise.resolve();
  };
  const fs = new Proxy(host.fs, {
    get(target, name: keyof Host['fs']) {
      return async (...args: unknown[]) => {
        await wait();
        count += 1;
        if (diesAt !== null && count > diesAt) return new Promise<never>(() => undefined);
        try {
          return await (target[name] as (...args: unknown[]) => Promise<unknown>)(...args);
        } finally {
          if (count === diesAt) end('died');
          await wait();
        }
      };
    },
  });
  return { host: { ...host, fs }, ended };
}
