// Who this process is, and whether another still lives: over real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessIdentity } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';

const { processes } = createNodeHost();
const hasProc = process.platform === 'linux';

function startChild(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe('processes', () => {
  it('know this one, always by the same name', async () => {
    const self = await processes.self();
    expect(self.pid).toBe(process.pid);
    expect(await processes.self()).toEqual(self);
    expect(await processes.stateOf(self)).toBe('alive');
    expect(JSON.parse(JSON.stringify(self))).toEqual(self);
  });

  it('see another live and end', async () => {
    const child = startChild();
    const other: ProcessIdentity = { ...(await processes.self()), pid: child.pid ?? 0, started: '' };
    expect(await processes.stateOf(other)).toBe('alive');
    await ended(child);
    expect(await processes.stateOf(other)).toBe('ended');
  });

  it.runIf(hasProc)('tell a process from an earlier one with its number', async () => {
    const self = await processes.self();
    expect(self.started).toMatch(/^\d+$/);
    expect(await processes.stateOf({ ...self, started: String(Number(self.started) - 1) })).toBe('ended');
  });

  it.runIf(hasProc)('know that nothing outlives a boot', async () => {
    const self = await processes.self();
    expect(self.boot).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    expect(await processes.stateOf({ ...self, boot: 'another' })).toBe('ended');
  });

  it.each<[string, Partial<ProcessIdentity>]>([
    ['in another container', { space: 'pid:[1]' }],
    ['on another machine', { machine: 'elsewhere', boot: 'another' }],
    ['on a machine whose boot is not known', { machine: 'elsewhere', boot: '' }],
  ])('%s are unknown, not ended', async (_where, other) => {
    expect(await processes.stateOf({ ...(await processes.self()), ...other })).toBe('unknown');
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 60])('a number such as %s names none', async (pid) => {
    expect(await processes.stateOf({ ...(await processes.self()), pid })).toBe('ended');
  });
});
