// Programs that stay: whatever they do, stop() settles in time, and nothing of them is left.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeExec } from '../../src/host/processes/node-exec.js';
import { findProcesses } from '../support/process-scan.js';
import { sharedFolder } from '../support/shared-folder.js';

const exec = createNodeExec();
const cwd = sharedFolder('open');

async function open(script: string) {
  const word = `probe-${randomUUID()}`;
  let stdout = '';
  let heard: () => void = () => undefined;
  const process_ = await exec.open({
    command: ['/bin/bash', '-c', script],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PROBE: word },
    onStdout: (chunk) => {
      stdout += Buffer.from(chunk).toString();
      heard();
    },
    onStderr: () => undefined,
  });
  onTestFinished(() => process_.stop().then(() => undefined));
  const until = async (text: string) => {
    while (!stdout.includes(text)) await new Promise<void>((resolve) => (heard = resolve));
  };
  return { ...process_, until, said: () => stdout, survivors: () => findProcesses(word) };
}

const CASES = {
  'ends with its input': 'echo up; cat',
  'ignores TERM': `trap '' TERM; echo up; while :; do sleep 1; done`,
  'has a grandchild behind a wrapper': 'bash -c "echo up; while :; do sleep 1; done"; true',
  'has a grandchild that left the group': 'setsid bash -c "trap : TERM; echo up; while :; do sleep 1; done" & wait',
};

describe('a program that stays', () => {
  it('takes what is written and gives what it prints', async () => {
    const program = await open('while read -r line; do echo "got $line"; done; echo rest');
    expect(await program.write('one\ntwo\n')).toBe(true);
    await program.until('got two');
    expect(await program.stop()).toEqual({ exitCode: 0, signal: null });
    expect(program.said()).toBe('got one\ngot two\nrest\n');
    expect(await program.write('three\n')).toBe(false);
  });

  it.each(Object.entries(CASES))('that %s is gone after stop', async (_, script) => {
    const program = await open(script);
    await program.until('up');
    expect(program.survivors().length).toBeGreaterThan(0);
    const start = performance.now();
    await program.stop();
    // A machine may stand still for seconds: what is held is that it ends at all.
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(program.survivors()).toEqual([]);
    await program.stop();
  });

  it('that ends by itself leaves nothing, and says how it ended', async () => {
    const program = await open('setsid sleep 60 & echo up; exit 7');
    expect(await program.ended).toEqual({ exitCode: 7, signal: null, leftovers: 1 });
    expect(program.survivors()).toEqual([]);
  });

  it('that ends by itself leaves nothing, not even what is becoming another program at that moment', async () => {
    const again = `exec sh -c "$0" "$0"`;
    for (let round = 0; round < 5; round++) {
      const program = await open(`setsid sh -c '${again}' '${again}' & echo up`);
      expect(await program.ended).toEqual({ exitCode: 0, signal: null, leftovers: 1 });
      expect(program.survivors()).toEqual([]);
    }
  });

  it('prints no faster than it is read, and all that it printed is read', async () => {
    let bytes = 0;
    let go: (() => void) | null = null;
    let hold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const place = { cwd, env: { PATH: process.env['PATH'] ?? '' }, onStderr: () => undefined };
    const program = await exec.open({
      ...place,
      command: ['/bin/bash', '-c', 'head -c 4000000 /dev/zero'],
      onStdout: (chunk) => {
        bytes += chunk.length;
      },
      pause() {
        if (go !== null || bytes < 1_000_000) return null;
        hold();
        return new Promise<void>((resolve) => {
          go = resolve;
        });
      },
    });
    let isOver = false;
    void program.ended.then(() => {
      isOver = true;
    });
    await held;
    const atFirst = bytes;
    // Another program has the time to come and go.
    const { signal } = new AbortController();
    await exec.run({ ...place, command: ['/bin/true'], signal, timeoutMs: 0, onStdout: () => undefined });
    expect([bytes, isOver]).toEqual([atFirst, false]);
    (go as (() => void) | null)?.();
    expect(await program.ended).toEqual({ exitCode: 0, signal: null });
    expect(bytes).toBe(4_000_000);
  });

  it('cannot be started in a folder that is not there', async () => {
    const opening = exec.open({
      command: ['/bin/true'],
      cwd: join(cwd, 'none'),
      env: {},
      onStdout: () => undefined,
      onStderr: () => undefined,
    });
    await expect(opening).rejects.toThrow(/Choose a folder that exists/);
  });
});
