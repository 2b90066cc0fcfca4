// The machine in memory: its clock, its ids, its programs, and its failures on demand.
import { describe, expect, it } from 'vitest';
import { FileError, type RunOptions } from '../../src/host/host.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';

const START = 1_000_000;

function runOptions(...command: string[]): RunOptions {
  const ignore = (): void => undefined;
  const { signal } = new AbortController();
  return { command, cwd: '/project', env: {}, signal, timeoutMs: 0, onStdout: ignore, onStderr: ignore };
}

describe('memory clock', () => {
  it('stands still, then runs timers in order at their own times', async () => {
    const { clock, advance } = createMemoryHost({ now: START });
    const ran: [string, number][] = [];
    const log = (name: string) => (): void => void ran.push([name, clock.now() - START]);
    clock.after(30, log('c'));
    clock.after(10, log('a'));
    clock.after(10, log('b'));
    clock.after(500, log('late'));
    expect([clock.now(), clock.monotonic()]).toEqual([START, 0]);
    await advance(100);
    expect(ran).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 30],
    ]);
    expect([clock.now(), clock.monotonic(), clock.pending()]).toEqual([START + 100, 100, 1]);
  });

  it('lets promise callbacks run between timers, so that they can set and cancel more', async () => {
    const { clock, advance } = createMemoryHost({ now: START });
    const ran: number[] = [];
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    const cancel = clock.after(25, () => ran.push(-1));
    const work = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await wait(10);
        await Promise.resolve().then(() => Promise.resolve());
        ran.push(clock.monotonic());
        if (turn === 1) cancel();
      }
    })();
    await advance(100);
    await work;
    expect(ran).toEqual([10, 20, 30]);
  });
});

describe('memory host', () => {
  it('starts with the files it is given and stamps changes with its clock', async () => {
    const host = createMemoryHost({ files: { '/a/b.txt': 'text', '/bin': Uint8Array.from([1]) }, now: START });
    await host.advance(50);
    await host.fs.writeFileAtomic('/a/new', 'x');
    expect(host.files()).toEqual({ '/a/b.txt': 'text', '/a/new': 'x', '/bin': '\u0001' });
    expect((await host.fs.stat('/a/b.txt')).mtimeMs).toBe(START);
    expect((await host.fs.stat('/a/new')).mtimeMs).toBe(START + 50);
    for (const folder of [host.platform.cwd, host.platform.homedir, host.platform.tmpdir]) {
      expect((await host.fs.stat(folder)).kind).toBe('directory');
    }
  });

  it('gives the same ids and numbers each time', () => {
    const [one, two, other] = [createMemoryHost(), createMemoryHost(), createMemoryHost({ seed: 2 })];
    expect(one.ids.uuid()).toBe('9e3779b1-0000-4000-8000-000000000001');
    expect(one.ids.uuid()).toBe('3c6ef362-0000-4000-8000-000000000002');
    const numbers = Array.from({ length: 1_000 }, () => one.ids.random());
    expect(numbers).toEqual(Array.from({ length: 1_000 }, () => two.ids.random()));
    expect(other.ids.random()).not.toBe(numbers[0]);
    expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(numbers.reduce((sum, n) => sum + n, 0) / 1_000).toBeCloseTo(0.5, 1);
  });

  it('fails the next call of an operation, once', async () => {
    const host = createMemoryHost({ files: { '/file': 'old' } });
    host.failNext('writeFileAtomic', 'ENOSPC');
    await expect(host.fs.writeFileAtomic('/file', 'new')).rejects.toMatchObject({ name: 'FileError', code: 'ENOSPC' });
    expect(host.files()).toEqual({ '/file': 'old' });
    await host.fs.writeFileAtomic('/file', 'new');
    expect(host.files()).toEqual({ '/file': 'new' });
  });

  it('leaves a torn line behind a short append', async () => {
    const host = createMemoryHost();
    const handle = await host.fs.openAppend('/log');
    await handle.append('whole\n');
    host.failNext('append', 'ESHORT');
    await expect(handle.append('12345678')).rejects.toMatchObject({ code: 'ESHORT' });
    host.failNext('append', 'ENOSPC');
    await expect(handle.append('nothing')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(host.files()['/log']).toBe('whole\n1234');
  });

  it('lets a hook fail the n-th operation of a piece of work, for every n', async () => {
    const work = async (fail: number): Promise<number> => {
      let calls = 0;
      const host = createMemoryHost({
        files: { '/in': 'x' },
        onOperation(operation, path) {
          calls += 1;
          if (calls === fail) throw new FileError('EIO', path, `${operation} failed`);
        },
      });
      const handle = await host.fs.openRead('/in');
      const bytes = await handle.read(0, 10);
      await host.fs.writeFileAtomic('/out', bytes);
      const log = await host.fs.openAppend('/log');
      await log.append('done\n');
      await log.sync();
      return calls;
    };
    const total = await work(0);
    expect(total).toBe(6);
    for (let n = 1; n <= total; n++) await expect(work(n)).rejects.toMatchObject({ code: 'EIO' });
  });

  it('answers programs from its script and knows no others', async () => {
    const host = createMemoryHost({
      commands: ({ command, onStdout }) => {
        if (command[0] !== 'echo') return undefined;
        onStdout(new TextEncoder().encode(`${command[1]}\n`));
        return Promise.resolve({ exitCode: 0, signal: null, ended: 'exited' });
      },
    });
    let output = '';
    const options = {
      ...runOptions('echo', 'hi'),
      onStdout: (chunk: Uint8Array) => {
        output += new TextDecoder().decode(chunk);
      },
    };
    expect(await host.exec.run(options)).toEqual({ exitCode: 0, signal: null, ended: 'exited' });
    expect(output).toBe('hi\n');
    await expect(host.exec.run(runOptions('rm'))).rejects.toMatchObject({ name: 'FileError', code: 'ENOENT' });
    expect(await host.exec.run({ ...options, signal: AbortSignal.abort() })).toMatchObject({ ended: 'aborted' });
    host.failNext('run', 'EAGAIN');
    await expect(host.exec.run(options)).rejects.toMatchObject({ code: 'EAGAIN' });
  });

  it('appends in time that follows what is appended', async () => {
    const host = createMemoryHost();
    const handle = await host.fs.openAppend('/log');
    for (let turn = 0; turn < 20_000; turn++) await handle.append('0123456789');
    expect((await host.fs.stat('/log')).size).toBe(200_000);
  });

  it('makes links from path to target', async () => {
    const host = createMemoryHost({ files: { '/project/real.txt': 'x' } });
    host.symlink('/project/link.txt', 'real.txt');
    expect(await host.fs.readlink('/project/link.txt')).toBe('real.txt');
    expect(new TextDecoder().decode(await host.fs.readFile('/project/link.txt'))).toBe('x');
  });
});

describe('memory processes', () => {
  it('are who the test says, and end when it says', async () => {
    const alive = new Set([7]);
    const { processes } = createMemoryHost({ process: { pid: 3 }, alive });
    const self = await processes.self();
    expect(self.pid).toBe(3);
    expect(await processes.stateOf(self)).toBe('alive');
    expect(await processes.stateOf({ ...self, started: '2' })).toBe('ended');
    expect(await processes.stateOf({ ...self, pid: 7 })).toBe('alive');
    alive.delete(7);
    expect(await processes.stateOf({ ...self, pid: 7 })).toBe('ended');
    expect(await processes.stateOf({ ...self, boot: 'earlier' })).toBe('ended');
    expect(await processes.stateOf({ ...self, machine: 'elsewhere' })).toBe('unknown');
  });
});
