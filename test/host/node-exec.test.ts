// Processes: whatever a program does, run() settles in time, tells how it ended, and leaves nothing alive.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/host/host.js';
import { createNodeExec } from '../../src/host/processes/node-exec.js';
import { withMoreTime } from '../support/more-time.js';
import { findProcesses } from '../support/process-scan.js';
import { sharedFolder } from '../support/shared-folder.js';

const exec = createNodeExec();
const cwd = sharedFolder('exec');
const plainFile = join(cwd, 'plain.txt');
writeFileSync(plainFile, 'no program', { mode: 0o644 });

interface Run extends RunOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  readonly survivors: number[];
}

interface RunSettings {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly input?: string;
  readonly onStdout?: (text: string) => void;
}

async function run(script: string, settings: RunSettings = {}): Promise<Run> {
  const word = `probe-${randomUUID()}`;
  let stdout = '';
  let stderr = '';
  const start = performance.now();
  const outcome = await exec.run({
    command: ['/bin/bash', '-c', script],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, PROBE: word },
    signal: settings.signal ?? new AbortController().signal,
    timeoutMs: settings.timeoutMs ?? 45_000,
    ...(settings.input === undefined ? {} : { input: settings.input }),
    onStdout: (chunk) => {
      const text = Buffer.from(chunk).toString();
      if (stdout.length < 10_000) stdout += text;
      settings.onStdout?.(text);
    },
    onStderr: (chunk) => {
      stderr += Buffer.from(chunk).toString();
    },
  });
  return { ...outcome, stdout, stderr, ms: performance.now() - start, survivors: findProcesses(word) };
}

describe('what a program reads', () => {
  const LARGE = 'ä'.repeat(3_000_000);

  it('is the input, whole, and then the end; without one only the end', async () => {
    expect(await run('cat; echo "|$?"', { input: 'one\ntwo' })).toMatchObject({ stdout: 'one\ntwo|0\n' });
    expect(await run('cat; echo "|$?"', { input: '' })).toMatchObject({ stdout: '|0\n' });
    expect(await run('cat; echo "|$?"')).toMatchObject({ stdout: '|0\n' });
    expect(await run('wc -c', { input: LARGE })).toMatchObject({ stdout: '6000000\n' });
  });

  it.each([
    ['it ends first', 'exit 3', 3],
    ['it closes its end first', 'exec <&-; sleep 0.1; exit 4', 4],
    ['it reads a part', 'head -c 10 > /dev/null; exit 5', 5],
    ['what it started reads on', '(sleep 60; cat) & exit 6', 6],
  ])('need not be read: %s', async (_how, script, exitCode) => {
    const ran = await run(script, { input: LARGE });
    expect(ran).toMatchObject({ exitCode, ended: 'exited', survivors: [] });
    expect(ran.ms).toBeLessThan(30_000);
  });

  it('does not keep one alive that is aborted while it is written', async () => {
    const abort = new AbortController();
    const ran = await run("trap '' TERM; echo started; sleep 60", {
      input: LARGE,
      signal: abort.signal,
      onStdout: () => abort.abort(),
    });
    expect(ran).toMatchObject({ ended: 'aborted', survivors: [] });
  });
});

describe('how a run ends', () => {
  it('reports output and exit code', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, signal: null, ended: 'exited', stdout: 'out\n', stderr: 'err\n' });
    expect(result.leftovers).toBeUndefined();
  });

  it('reports a signal as 128 + n', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: 139, signal: 'SIGSEGV', ended: 'exited' });
  });

  it('starts nothing if the signal was aborted before', async () => {
    const result = await run('echo started', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exitCode: null, ended: 'aborted', stdout: '' });
  });

  it('gives all output written before the end', async () => {
    let bytes = 0;
    await run('head -c 20000000 /dev/zero; echo tail', { onStdout: (text) => (bytes += text.length) });
    expect(bytes).toBe(20_000_005);
  });

  it('takes the last lines of a child that outlives the shell by a moment', async () => {
    // A moment is real time: a machine that takes the child from its work for longer is asked again.
    const late = (delayMs: number) =>
      run(
        `exec > >(while read -r line; do echo "got $line"; done; sleep ${delayMs / 1_000}; echo end); echo one; echo two`,
      );
    const whole = 'got one\ngot two\nend\n';
    let { stdout } = await late(40);
    for (let tries = 1; tries < 5 && stdout !== whole; tries++) ({ stdout } = await late(0));
    expect(stdout).toBe(whole);
  });

  it('holds the reading back while pause asks for it', async () => {
    let release: () => void = () => undefined;
    let calls = 0;
    let bytes = 0;
    const finished = exec.run({
      command: ['/bin/bash', '-c', 'head -c 5000000 /dev/zero'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '' },
      signal: new AbortController().signal,
      timeoutMs: 45_000,
      onStdout: (chunk) => {
        bytes += chunk.length;
      },
      onStderr: () => undefined,
      pause: () => {
        calls += 1;
        if (calls > 1) return null;
        return new Promise((resolve) => {
          release = resolve;
          // The program still waits for its output to be read when the next turn of the loop comes.
          setImmediate(() => {
            expect(bytes).toBeLessThan(5_000_000);
            release();
          });
        });
      },
    });
    expect((await finished).exitCode).toBe(0);
    expect(bytes).toBe(5_000_000);
  });
});

describe('what cannot start', () => {
  const start = (command: string[], folder = cwd) =>
    exec.run({
      command,
      cwd: folder,
      env: {},
      signal: new AbortController().signal,
      timeoutMs: 0,
      onStdout: () => undefined,
      onStderr: () => undefined,
    });

  it.each([
    ['a missing program', ['/no/such/program'], cwd, 'ENOENT', '/no/such/program'],
    ['a file that is not a program', [plainFile], cwd, 'EACCES', plainFile],
    ['a missing folder', ['/bin/ls'], '/no/such/folder', 'ENOENT', '/no/such/folder'],
    ['a folder that is a file', ['/bin/ls'], plainFile, 'ENOTDIR', plainFile],
    ['no program at all', [], cwd, 'EINVAL', ''],
    ['a NUL in an argument', ['/bin/ls', 'a\0b'], cwd, 'EINVAL', '/bin/ls'],
    ['an argument that is too long', ['/bin/ls', 'x'.repeat(3_000_000)], cwd, 'E2BIG', '/bin/ls'],
  ])('rejects %s with FileError', async (_case, command, folder, code, path) => {
    await expect(start(command, folder)).rejects.toMatchObject({ name: 'FileError', code, path });
  });
});

// Each command ends by itself; what it leaves behind must not hold up the run, nor outlive it.
const ENDING: [script: string, stdout: RegExp][] = [
  ['cat', /^$/],
  ['read -r x; echo "read: $?"', /read: 1/],
  ['read -r x < /dev/tty; echo "tty: $?"', /tty: 1/],
  ['head -c 3 && wc -c', /^0/],
  ['sleep 60 & echo ok', /ok/],
  ['sleep 60 > /dev/null 2>&1 & echo ok', /ok/],
  ['(sleep 60; echo late) & disown; echo ok', /ok/],
  ['nohup sleep 60 > /dev/null 2>&1 & echo ok', /ok/],
  ['yes & sleep 0.05; echo ok', /y|ok/],
  ['(while :; do echo tick; sleep 0.01; done) & sleep 0.05; echo ok', /ok/],
  ['setsid sleep 60 & sleep 0.05; echo ok', /ok/],
  ['setsid -f sleep 60; echo ok', /ok/],
  ['setsid -f bash -c "sleep 60 & sleep 61" > /dev/null 2>&1; echo ok', /ok/],
  ['bash -c "bash -c \'sleep 60 & sleep 61\' &" ; echo ok', /ok/],
  ['trap "echo trapped" EXIT; sleep 60 & echo ok', /ok\ntrapped/],
  ['mkfifo p$$; cat p$$ & echo ok', /ok/],
  ['(trap "" TERM; while :; do sleep 0.05; done) & echo ok', /ok/],
  ['setsid -f bash -c "trap \'\' TERM; while :; do sleep 0.05; done"; echo ok', /ok/],
  ['kill -STOP $BASHPID & sleep 0.02; echo ok', /ok/],
  ['ssh-keygen -t ed25519 -f ./key-$$ 2>&1; echo ok', /ok/],
  ['git init -q repo-$$ && cd repo-$$ && git commit 2>&1; echo "commit: $?"', /commit: [1-9]/],
  ['python3 -m http.server 0 --bind 127.0.0.1 & echo ok', /ok/],
];

describe.concurrent('a program that ends', () => {
  it.each(ENDING)('returns and leaves nothing: %s', async (script, stdout) => {
    const result = await run(script);
    expect(result.ended).toBe('exited');
    expect(result.stdout).toMatch(stdout);
    expect(result.survivors).toEqual([]);
    // Far below the 60 s of what was left behind; a slow machine may take its time.
    expect(result.ms).toBeLessThan(30_000);
  });

  it('counts what it ended', async () => {
    expect((await run('sleep 60 & sleep 61 & echo ok')).leftovers).toBe(2);
  });
});

// Each command would never end.
const ENDLESS: string[] = [
  'sleep 60',
  'yes > /dev/null',
  'yes',
  'while :; do :; done',
  'trap "" TERM INT HUP; while :; do sleep 0.05; done',
  'setsid -w bash -c "trap \'\' TERM; while :; do sleep 0.05; done"',
  'sleep 60 | cat | cat',
  'tail -f /dev/null',
  'trap "setsid -f sleep 60" TERM; while :; do sleep 0.05; done',
  'kill -STOP $$',
];

describe.concurrent('a program that does not end', () => {
  it.each(ENDLESS)('is terminated at its timeout: %s', async (script) => {
    const result = await run(script, { timeoutMs: 150 });
    expect(result).toMatchObject({ ended: 'timed_out', exitCode: null, survivors: [] });
    expect(result.ms).toBeGreaterThanOrEqual(149);
    // It was ended, and did not end by itself; how fast is a figure of the long tests.
    expect(result.ms).toBeLessThan(30_000);
  });

  it('keeps the output it gave before the timeout', async () => {
    const early = (timeoutMs: number) => run('echo early; sleep 60', { timeoutMs });
    expect((await withMoreTime(300, early, ({ stdout }) => stdout !== '')).stdout).toBe('early\n');
  });

  it('is ended by an abort at any moment', async () => {
    const script = 'setsid -f sleep 60; sleep 61 & while :; do echo line; sleep 0.01; done';
    for (const afterMs of [0, 1, 3, 7, 15, 40, 90]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), afterMs);
      const result = await run(script, { signal: controller.signal });
      expect(result).toMatchObject({ ended: 'aborted', exitCode: null, survivors: [] });
      expect(result.ms).toBeLessThan(30_000);
    }
  });

  it('is ended also if the machine stands still in the middle of that', async () => {
    const controller = new AbortController();
    const script = 'trap "setsid -f sleep 60; echo heard" TERM; echo up; while :; do sleep 0.05; done';
    const onStdout = (text: string) => {
      if (text.includes('up')) controller.abort();
      // As long as nothing of this process runs, no time of it may be over.
      if (text.includes('heard')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    };
    const result = await run(script, { signal: controller.signal, onStdout });
    expect(result).toMatchObject({ ended: 'aborted', survivors: [] });
  });

  it('is ended by an abort from inside its own output', async () => {
    const controller = new AbortController();
    const result = await run('echo first; sleep 60', { signal: controller.signal, onStdout: () => controller.abort() });
    expect(result).toMatchObject({ ended: 'aborted', stdout: 'first\n', survivors: [] });
  });
});

describe('nested runs', () => {
  it('keeps the mark of an outer run, so that the outer run finds what an inner one started', async () => {
    let environment = '';
    await exec.run({
      command: ['/bin/bash', '-c', 'echo $TURNWRIGHT_RUN_ID'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', TURNWRIGHT_RUN_ID: 'outer' },
      signal: new AbortController().signal,
      timeoutMs: 0,
      onStdout: (chunk) => {
        environment += Buffer.from(chunk).toString();
      },
      onStderr: () => undefined,
    });
    expect(environment).toMatch(/^outer,[0-9a-f-]{36}\n$/);
  });
});
