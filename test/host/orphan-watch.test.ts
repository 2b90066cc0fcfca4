// The watch over programs costs one process for as long as somebody may start some, and none afterwards.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';

/** Shells of this process that watch. */
function watches(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      const isOurs = Number(fields[1]) === process.pid && fields[0] !== 'Z';
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('turnwright-watch');
    } catch {
      return false; // no process, or one that ended meanwhile
    }
  });
}

/** One that was ended may be seen until the system has cleared it away. */
const GONE = { timeout: 20_000 };

const place = {
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '' },
  timeoutMs: 0,
  onStdout: () => undefined,
  onStderr: () => undefined,
};
const run = (exec: ReturnType<typeof createNodeHost>['exec'], ...command: string[]) =>
  exec.run({ ...place, command, signal: new AbortController().signal });

describe.runIf(process.platform === 'linux')('the watch over programs', () => {
  it('is one for all that run, and goes with the last', async () => {
    const { exec } = createNodeHost();
    const before = watches();
    const programs = await Promise.all([1, 2].map(() => exec.open({ ...place, command: ['/bin/cat'] })));
    expect(watches().length).toBe(before.length + 1);
    await Promise.all(programs.map((program) => program.stop()));
    await expect.poll(watches, GONE).toEqual(before);
  });

  it('is kept from one to the next while somebody holds it, and starts with none', async () => {
    const { exec } = createNodeHost();
    const before = watches();
    const release = exec.hold?.();
    await expect.poll(watches, GONE).toEqual(before);
    await run(exec, '/bin/true');
    const kept = watches();
    expect(kept.length).toBe(before.length + 1);
    await run(exec, '/bin/true');
    await expect.poll(watches, GONE).toEqual(kept);
    release?.();
    release?.();
    await expect.poll(watches, GONE).toEqual(before);
  });

  it('is not left behind by a program that cannot be started', async () => {
    const { exec } = createNodeHost();
    const before = watches();
    await expect(run(exec, '/nonexistent/program')).rejects.toThrow(/Cannot start/);
    await expect.poll(watches, GONE).toEqual(before);
  });

  it('that somebody ended is started again for the next program', async () => {
    const { exec } = createNodeHost();
    const before = watches();
    const program = await exec.open({ ...place, command: ['/bin/cat'] });
    const [watch] = watches().filter((pid) => !before.includes(pid));
    process.kill(Number(watch), 'SIGKILL');
    while (watches().includes(watch ?? '')) await new Promise((resolve) => setImmediate(resolve));
    // Its end is heard of some time after it.
    while (watches().length === before.length) await run(exec, '/bin/true');
    await program.stop();
    await expect.poll(watches, GONE).toEqual(before);
  });
});
