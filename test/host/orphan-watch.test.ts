// The watch over programs costs one process for as long as somebody may start some, and none afterwards.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';

/** Shells of this process that watch, but for those that were there before: tests of other files may still be ending theirs. */
function watches(before: readonly string[]): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (before.includes(pid)) return false;
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      const isOurs = Number(fields[1]) === process.pid && fields[0] !== 'Z';
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('turnwright-watch');
    } catch {
      return false; // no process, or one that ended meanwhile
    }
  });
}

/** Looks for those that come from now on. */
function newWatches(): () => string[] {
  const before = watches([]);
  return () => watches(before);
}

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
    const ours = newWatches();
    const programs = await Promise.all([1, 2].map(() => exec.open({ ...place, command: ['/bin/cat'] })));
    expect(ours()).toHaveLength(1);
    await Promise.all(programs.map((program) => program.stop()));
    await expect.poll(ours).toEqual([]);
  });

  it('is kept from one to the next while somebody holds it, and starts with none', async () => {
    const { exec } = createNodeHost();
    const ours = newWatches();
    const release = exec.hold?.();
    await expect.poll(ours).toEqual([]);
    await run(exec, '/bin/true');
    const kept = ours();
    expect(kept).toHaveLength(1);
    await run(exec, '/bin/true');
    await expect.poll(ours).toEqual(kept);
    release?.();
    release?.();
    await expect.poll(ours).toEqual([]);
  });

  it('is not left behind by a program that cannot be started', async () => {
    const { exec } = createNodeHost();
    const ours = newWatches();
    await expect(run(exec, '/nonexistent/program')).rejects.toThrow(/Cannot start/);
    await expect.poll(ours).toEqual([]);
  });

  it('that somebody ended is started again for the next program', async () => {
    const { exec } = createNodeHost();
    const ours = newWatches();
    const program = await exec.open({ ...place, command: ['/bin/cat'] });
    const [watch] = ours();
    process.kill(Number(watch), 'SIGKILL');
    while (ours().includes(watch ?? '')) await new Promise((resolve) => setImmediate(resolve));
    // Its end is heard of some time after it.
    while (ours().length === 0) await run(exec, '/bin/true');
    await program.stop();
    await expect.poll(ours).toEqual([]);
  });
});
