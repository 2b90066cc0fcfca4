// Bash: what the model reads, what the caller gets, what goes to the file, and what is refused.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/protocol/errors.js';
import type { BashInput, BashOutput } from '../../src/protocol/tool-io.js';
import { bashTool } from '../../src/tools/bash.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { withMoreTime } from '../support/more-time.js';
import { findProcesses } from '../support/process-scan.js';
import { createToolContext } from '../support/tool-context.js';

interface BashResult {
  readonly text: string;
  readonly data: BashOutput;
  readonly isError: boolean;
}

async function bash(input: string | BashInput, context: ToolContext = createToolContext()): Promise<BashResult> {
  const outcome = await bashTool.run(typeof input === 'string' ? { command: input } : input, context);
  if (typeof outcome.model !== 'string') throw new Error('Bash gives text');
  return { text: outcome.model, data: outcome.data, isError: outcome.isError ?? false };
}

async function fail(input: string | BashInput, context: ToolContext = createToolContext()): Promise<ToolError> {
  const error = await bash(input, context).catch((thrown: unknown) => thrown);
  if (!(error instanceof ToolError)) throw new Error(`expected a ToolError, got ${String(error)}`);
  return error;
}

function spoolFile(context: ToolContext): string {
  const folder = context.spoolDirectory ?? '';
  const [name, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name ?? '');
}

describe('the result', () => {
  it('is stdout alone if there is nothing else to say', async () => {
    expect(await bash('echo one; echo two')).toEqual({
      text: 'one\ntwo',
      data: { stdout: 'one\ntwo\n', stderr: '', exitCode: 0 },
      isError: false,
    });
  });

  it('marks stderr if both streams have content', async () => {
    const { text, data } = await bash('echo out; echo err >&2');
    expect(text).toBe('out\n[stderr]\nerr');
    expect(data).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 0 });
  });

  it('is an error with the code if the command failed', async () => {
    const { text, data, isError } = await bash('echo broken >&2; exit 7');
    expect(text).toBe('broken\nExit code 7');
    expect(data.exitCode).toBe(7);
    expect(isError).toBe(true);
  });

  it('names the signal that ended the command', async () => {
    expect((await bash('kill -KILL $$')).text).toBe('Exit code 137 (SIGKILL)');
  });

  it('says so if there is no output', async () => {
    expect(await bash('true')).toMatchObject({ text: '(no output)', isError: false });
  });

  it('says what it terminated', async () => {
    const { text, isError } = await bash('sleep 60 & sleep 60 & echo started');
    expect(text).toBe('started\n[Terminated when the command ended: 2 processes it had left running.]');
    expect(isError).toBe(false);
  });

  it('gives the output so far at a timeout', async () => {
    const early = (timeout: number) => bash({ command: 'echo early; sleep 60', timeout });
    const { text, data, isError } = await withMoreTime(400, early, (one) => one.data.stdout !== '');
    expect(text).toMatch(/^early\n\[Terminated: the command ran longer than \d+ ms\./);
    const { timedOutAfterMs, ...rest } = data;
    expect(rest).toEqual({ stdout: 'early\n', stderr: '', exitCode: 124, interrupted: true });
    expect(timedOutAfterMs).toBeGreaterThanOrEqual(400);
    expect(isError).toBe(true);
  });

  it("uses the session's timeout if the call has none", async () => {
    const { text } = await bash('sleep 60', createToolContext({ toolTimeoutMs: 50 }));
    expect(text).toContain('longer than 50 ms');
  });
});

describe('the shell', () => {
  it('is bash, in the folder of the session, without a terminal', async () => {
    const context = createToolContext();
    const { text } = await bash(
      '[ -n "$BASH_VERSION" ] && echo bash; pwd; [ -t 0 ] || [ -t 1 ] || echo no tty',
      context,
    );
    expect(text).toBe(`bash\n${context.cwd}\nno tty`);
  });

  it('has defaults that wait for nobody, which win over the session', async () => {
    const context = createToolContext();
    const childEnv = { ...context.childEnv, PAGER: 'less', TERM: 'xterm', OWN: 'kept' };
    const { text } = await bash('echo $PAGER $GIT_PAGER $TERM $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND $OWN', {
      ...context,
      childEnv,
    });
    expect(text).toBe('cat cat dumb 0 noninteractive kept');
  });

  it('does not wait for an editor', async () => {
    const setup = 'git init -q . && git config user.email a@b.c && git config user.name n && touch f && git add f';
    const { text } = await bash(`${setup} && git commit; echo "commit: $?"; git log 2>&1 | head -1`);
    expect(text).toContain('commit: 1');
  });

  it('runs a command that begins with a dash as a command', async () => {
    expect((await bash('-x')).text).toContain('command not found');
  });

  it('runs 200 KB of command text intact', async () => {
    const word = 'x'.repeat(200_000);
    const context = createToolContext();
    expect((await bash(`text='${word}'; echo \${#text}`, context)).text).toBe('200000');
    expect((await fail(`: ${word}`, { ...context, spoolDirectory: null })).message).toContain('too long');
  });

  it('is another shell if there is no bash on this machine', async () => {
    const context = createToolContext();
    const fs: typeof context.host.fs = {
      ...context.host.fs,
      stat: (path) => context.host.fs.stat(path.endsWith('/bash') ? '/no/such/file' : path),
    };
    const { text } = await bash('echo "$0"', { ...context, host: { ...context.host, fs } });
    expect(text).toBe('/bin/sh');
  });
});

describe('what is refused', () => {
  it('runs nothing in the background if nothing may outlive a call', async () => {
    const context = createToolContext();
    const error = await fail({ command: 'touch made', run_in_background: true }, context);
    expect(error.message).toContain('Nothing can run in the background here');
    expect(existsSync(join(context.cwd, 'made'))).toBe(false);
  });

  it('refuses a NUL byte and an empty command', async () => {
    expect((await fail('echo a\0b')).message).toContain('NUL');
    expect((await fail('  \n')).message).toContain('empty');
  });

  it('says that the folder is gone', async () => {
    expect((await fail('true', createToolContext({ cwd: '/no/such/folder' }))).message).toContain('/no/such/folder');
  });

  it('tells an interrupted command from one that never started', async () => {
    const context = createToolContext({ signal: AbortSignal.abort() });
    expect((await fail('touch made', context)).message).toContain('before the command started');
    expect(existsSync(join(context.cwd, 'made'))).toBe(false);
  });

  it('keeps the partial output of an interrupted command and calls its effects unknown', async () => {
    const controller = new AbortController();
    const word = `probe-${randomUUID()}`;
    const context = createToolContext({ signal: controller.signal, onProgress: () => controller.abort() });
    const error = await fail(`echo ${word}; setsid -f sleep 61; sleep 60`, context);
    expect(error.message).toMatch(/interrupted while it ran; its effects are unknown.*\nprobe-/s);
    expect(error.data).toMatchObject({ stdout: `${word}\n`, interrupted: true });
    expect(findProcesses(word)).toEqual([]);
  });
});

describe('long output', () => {
  it('keeps both ends, counts the rest exactly and saves all of it', async () => {
    const context = createToolContext();
    const { text, data } = await bash('seq 1 100000', context);
    const total = 588_895;
    const file = spoolFile(context);
    const shown = /^(1\n2\n.*)\n\[… (\d+) bytes omitted; the full output .* is in (.*) …\]\n(.*100000)$/s.exec(text);
    expect(shown).not.toBeNull();
    expect(Number(shown?.[2]) + 30_000).toBe(total);
    expect(shown?.[3]).toBe(file);
    expect(text.length).toBeLessThan(31_000);
    expect(data.stdout.trimEnd()).toBe(text);
    expect(readFileSync(file, 'utf8')).toBe(`${Array.from({ length: 100_000 }, (_, index) => index + 1).join('\n')}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('writes no file for output that fits', async () => {
    const context = createToolContext();
    await bash('head -c 30000 /dev/zero | tr "\\0" x', context);
    expect(existsSync(context.spoolDirectory ?? '')).toBe(false);
  });

  it('says so if the rest was not saved', async () => {
    const { text } = await bash('seq 1 10000', createToolContext({ spoolDirectory: null }));
    expect(text).toContain('bytes omitted; the full output was not saved');
  });

  it('says why the rest could not be saved', async () => {
    const { text, isError } = await bash('seq 1 10000', createToolContext({ spoolDirectory: '/dev/null/nowhere' }));
    expect(text).toContain('the full output could not be saved');
    expect(isError).toBe(false);
  });

  it('shares the space between both streams', async () => {
    const { data } = await bash('seq 1 20000; seq 1 20000 >&2');
    expect(data.stdout.length).toBeGreaterThan(19_000);
    expect(data.stderr.length).toBeGreaterThan(9_000);
    expect(data.stdout.length + data.stderr.length).toBeLessThan(31_000);
  });

  it('takes 200 MB in bounded memory', async () => {
    // However slow the disk is.
    const context = createToolContext({ toolTimeoutMs: 110_000 });
    global.gc?.();
    const before = process.memoryUsage().rss;
    let peak = before;
    const onProgress = (): void => {
      peak = Math.max(peak, process.memoryUsage().rss);
    };
    const { text } = await bash('yes 0123456789 | head -c 200000000', { ...context, onProgress });
    expect(text).toContain(`[… ${200_000_000 - 30_000} bytes omitted`);
    expect(statSync(spoolFile(context)).size).toBe(200_000_000);
    rmSync(context.cwd, { recursive: true });
    expect(peak - before).toBeLessThan(120 * 1024 * 1024);
  });
});

// Things that programs print. Every one fits a cap or is cut; none breaks the text.
const PRODUCERS: [name: string, command: string, expected: RegExp][] = [
  ['a line of 5 MB', 'head -c 5000000 /dev/zero | tr "\\0" a', /4970000 bytes omitted/],
  ['a line of 5 MB on stderr', 'head -c 5000000 /dev/zero | tr "\\0" a >&2', /4970000 bytes omitted/],
  ['100,000 lines', 'yes line | head -n 100000', /470000 bytes omitted/],
  ['many empty lines', 'yes "" | head -n 50000; echo end', /omitted.*end/s],
  ['colours', 'printf "\\033[31mred\\033[0m\\n"', /^.\[31mred/],
  ['a progress bar', 'for i in 1 2 3; do printf "%s%%\\r" $i; done; echo', /1%\r2%\r3%/],
  ['invalid UTF-8', 'printf "a\\377b\\n"', /^a\ufffdb$/],
  ['half a character at the end', 'printf "a\\342\\202"', /^a\ufffd$/],
  ['Latin-1', 'printf "caf\\351\\n"', /^caf\ufffd$/],
  ['NUL bytes', 'printf "a\\0b\\n"', /^a\0b$/],
  ['random bytes', 'head -c 100000 /dev/urandom', /omitted/],
  ['a program file', 'cat /bin/ls', /ELF/],
  ['a byte order mark', 'printf "\\357\\273\\277text\\n"', /text/],
  ['CRLF', 'printf "a\\r\\nb\\r\\n"', /^a\r\nb$/],
  ['emoji cut in the middle', 'yes 😀 | head -n 20000 | tr -d "\\n"', /^(😀)+\n\[… \d+ bytes omitted[^\n]*\n(😀)+$/u],
  ['one byte at a time', 'for i in $(seq 1 500); do printf x; done', /^x{500}$/],
  ['both streams mixed', 'for i in $(seq 1 50); do echo o$i; echo e$i >&2; done', /o50\n\[stderr\]\ne1/],
  ['blank output', 'printf "\\n \\n\\t\\n"', /^\(no output\)$/],
  ['a text that looks like our marker', 'echo "[… 5 bytes omitted …]"', /^\[… 5 bytes omitted …\]$/],
  ['output after stdin ended', 'cat; echo after', /^after$/],
];

describe.concurrent('producers', () => {
  it.each(PRODUCERS)('takes %s', async (_name, command, expected) => {
    const { text, data } = await bash(command);
    expect(text).toMatch(expected);
    expect(Buffer.byteLength(data.stdout) + Buffer.byteLength(data.stderr)).toBeLessThan(100_000);
    expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
  });
});

describe('progress', () => {
  it('reports what was printed, in order, while the command runs', async () => {
    const reports: string[] = [];
    let finished = false;
    const context = createToolContext({
      onProgress: (text) => {
        expect(finished).toBe(false);
        reports.push(text);
        // The command goes on only once its first line was heard of.
        writeFileSync(join(context.cwd, 'heard'), '');
      },
    });
    await bash('echo 1; while [ ! -e heard ]; do sleep 0.02; done; echo 2', context);
    finished = true;
    expect(reports).toEqual(['1\n', '2\n']);
  });
});

describe('what is declared', () => {
  it('is the command, with one line as its title', () => {
    const input = { command: '  make -j4 \\\n  all\n' };
    expect(bashTool.subject(input, '/')).toEqual({ kind: 'command', command: input.command });
    expect(bashTool.title(input)).toBe('make -j4 \\');
    expect(bashTool.title({ command: 'x', description: 'Build\nall' })).toBe('Build all');
    expect(bashTool.title({ command: 'y'.repeat(200) })).toHaveLength(80);
    expect([bashTool.readOnly, bashTool.concurrencySafe]).toEqual([false, false]);
  });
});
