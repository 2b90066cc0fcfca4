import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseArgs } from '../../src/cli/args/args.js';
import { type CliIo, createOutput } from '../../src/cli/cli-io.js';
import { runLineMode } from '../../src/cli/lines/line-mode.js';
import { NO_DEBUG_LOG } from '../../src/sdk/logs/debug-log.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { inBackground, until } from '../support/background-tasks.js';

/** A line mode on streams that say they are a terminal. `type` sends what a person types. */
async function start(steps: MockStep[], flags: readonly string[] = [], env: CliIo['env'] = { NO_COLOR: '1' }) {
  const provider = await startMockProvider({ steps });
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-line-'));
  onTestFinished(async () => {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  const shown = { stdout: '', stderr: '' };
  stdout.on('data', (chunk) => {
    shown.stdout += String(chunk);
  });
  stderr.on('data', (chunk) => {
    shown.stderr += String(chunk);
  });
  const io: CliIo = {
    stdin,
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env,
    startedIn: () => folder,
    lifetime: new AbortController(),
    exit: (code) => {
      throw new Error(`exit ${code}`);
    },
  };
  const args = parseArgs(['--model', 'claude-sonnet-4-5', '--cwd', folder, ...flags]);
  args.options.env = {
    ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'k',
    TURNWRIGHT_HOME: join(folder, 'home'),
  };
  const ended = runLineMode(args, io, NO_DEBUG_LOG);
  const prompts = () => shown.stderr.split('> ').length - 1;
  return {
    provider,
    folder,
    shown,
    ended,
    prompts,
    type: (line: string) => stdin.write(line),
    close: () => stdin.end(),
  };
}

describe('runLineMode', () => {
  it('says that it works while a command is silent, and takes that back', async () => {
    const waits = toolCall('Bash', { command: 'until [ -e go ]; do sleep 0.1; done' });
    const { shown, ended, type, folder, prompts } = await start(
      [waits, text('Done.')],
      ['--dangerously-skip-permissions'],
      {},
    );
    type('wait\n');
    await expect.poll(() => shown.stderr).toMatch(/[|/\\-] \d+ s \(Ctrl-C interrupts\)$/);
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => prompts()).toBe(2);
    expect(shown.stdout).toBe('Done.\n');
    type('/exit\n');
    expect(await ended).toBe(0);
    // Nothing else is on such a line, and each is taken back.
    const lines = shown.stderr.split('\r\x1b[K');
    for (const line of lines.filter((each) => each.includes('interrupts')))
      expect(line).toMatch(/^[|/\\-] \d+ s \(Ctrl-C interrupts\)$/);
    expect(lines.at(-1)).not.toContain('interrupts');
  });

  it('lets a command go on in the background after Ctrl-B and Enter, and says so', async () => {
    const { shown, ended, type, folder, prompts } = await start(
      [toolCall('Bash', { command: until('go') }), text('Meanwhile.'), text('It ended.')],
      ['--dangerously-skip-permissions'],
    );
    type('\x02\n');
    type('wait\n');
    await expect.poll(() => shown.stderr).toContain(until('go').slice(0, 10));
    // The command may have been told of before it runs.
    await expect
      .poll(
        () => {
          if (!shown.stderr.includes('It goes on')) type('\x02\n');
          return shown.stderr;
        },
        { interval: 200 },
      )
      .toContain('It goes on in the background.');
    await expect.poll(() => shown.stdout).toContain('Meanwhile.');
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => shown.stdout).toContain('It ended.');
    await expect.poll(() => prompts()).toBeGreaterThan(2);
    type('/exit\n');
    expect(await ended).toBe(0);
  });

  it('runs prompts of one session until /exit', async () => {
    const { provider, shown, ended, type, prompts } = await start([text('Hello Ada.'), text('You are Ada.')]);
    type('I am Ada\n');
    await expect.poll(() => prompts()).toBe(2);
    type('\nwho \\\nam I?\n');
    await expect.poll(() => shown.stdout).toBe('Hello Ada.\nYou are Ada.\n');
    type('/exit\n');
    expect(await ended).toBe(0);
    expect(shown.stderr.match(/1 turn · /g)).toHaveLength(2);
    const body = JSON.stringify(provider.requests[1]?.body);
    expect(body).toContain('I am Ada');
    expect(body).toContain('who \\nam I?');
    provider.assertClean();
  });

  it('asks what the model wants to know, without asking whether it may ask', async () => {
    const options = [
      { label: 'blue', description: 'as the sky' },
      { label: 'red', description: 'as a rose' },
    ];
    const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }];
    const { provider, shown, ended, type } = await start([
      toolCall('AskUserQuestion', { questions }),
      text('Red it is.'),
    ]);
    type('paint it\n');
    await expect.poll(() => shown.stderr).toContain('your own words');
    expect(shown.stderr).toContain('    2) red  as a rose\n');
    expect(shown.stderr).not.toContain('wants to run');
    type('2\n');
    await expect.poll(() => shown.stdout).toBe('Red it is.\n');
    const results = JSON.parse(JSON.stringify(provider.requests[1]?.body)).messages.at(-1).content;
    expect(results).toMatchObject([{ content: 'The user answered:\n"Which colour?": red' }]);
    type('/exit\n');
    expect(await ended).toBe(0);
  });

  it('asks before a tool runs, tells what came of it, and ends with the input', async () => {
    const call = toolCall('Bash', { command: 'mkdir -p made && echo it ran' });
    const { shown, ended, type, close } = await start([call, text('First.'), call, text('Second.')]);
    type('one\n');
    await expect.poll(() => shown.stderr).toContain('[n] no');
    expect(shown.stderr).toContain('    mkdir -p made && echo it ran\n');
    type('n\n');
    await expect.poll(() => shown.stdout).toBe('First.\n');
    expect(shown.stderr).toContain('The user refused this call');
    type('two\n');
    await expect.poll(() => shown.stderr.split('[n] no').length).toBe(3);
    type('y\n');
    await expect.poll(() => shown.stdout).toBe('First.\nSecond.\n');
    expect(shown.stderr).toContain('  ⎿ it ran\n');
    close();
    expect(await ended).toBe(0);
  });

  it('goes on after a prompt that failed', async () => {
    const { shown, ended, type, close } = await start([{ status: 400 }, text('Better.')]);
    type('one\n');
    await expect.poll(() => shown.stderr).toContain('error: ');
    type('two\n');
    await expect.poll(() => shown.stdout).toBe('Better.\n');
    close();
    expect(await ended).toBe(0);
  });
});

describe('runLineMode, if a background task ends while nobody talks', () => {
  const BYPASS = ['--permission-mode', 'bypassPermissions', '--allow-dangerously-skip-permissions'];
  const task = inBackground(until('go'));

  it('shows what the model says of it, asks for a line again, and takes what was typed once', async () => {
    const { folder, shown, provider, ended, type, prompts } = await start(
      [task, text('Started.'), text('It ended.'), text('Bye.')],
      BYPASS,
    );
    type('start it\n');
    await expect.poll(() => prompts()).toBe(2);
    type('half of a line, ');
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => shown.stdout).toBe('Started.\nIt ended.\n');
    await expect.poll(() => prompts()).toBe(3);
    type('and its end\n');
    await expect.poll(() => shown.stdout).toBe('Started.\nIt ended.\nBye.\n');
    await expect.poll(() => prompts()).toBe(4);
    type('/exit\n');
    expect(await ended).toBe(0);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('half of a line, and its end');
    expect(provider.requests).toHaveLength(4);
    provider.assertClean();
  });

  it('takes a line that is typed while the model speaks of it as the next prompt, whose result it waits for', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { folder, shown, provider, ended, type, prompts } = await start(
      [task, text('Started.'), { blocks: [text('It ended.')], waitFor: released }, text('First.'), text('Second.')],
      BYPASS,
    );
    type('start it\n');
    await expect.poll(() => prompts()).toBe(2);
    writeFileSync(join(folder, 'go'), '');
    await provider.waitForRequests(3);
    type('one\ntwo\n');
    release();
    await expect.poll(() => shown.stdout).toBe('Started.\nIt ended.\nFirst.\nSecond.\n');
    await expect.poll(() => prompts()).toBe(4);
    type('/exit\n');
    expect(await ended).toBe(0);
    provider.assertClean();
  });

  it('asks what it has to ask meanwhile, and the next line is a prompt again', async () => {
    const { folder, shown, ended, type, prompts } = await start([
      task,
      text('Started.'),
      toolCall('Bash', { command: 'mkdir made' }),
      text('It ended.'),
      text('Heard.'),
    ]);
    type('start it\n');
    await expect.poll(() => prompts()).toBe(2);
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => shown.stderr.includes('[n] no')).toBe(true);
    type('y\n');
    await expect.poll(() => shown.stdout).toBe('Started.\nIt ended.\n');
    expect(existsSync(join(folder, 'made'))).toBe(true);
    type('hello\n');
    await expect.poll(() => shown.stdout).toBe('Started.\nIt ended.\nHeard.\n');
    type('/exit\n');
    expect(await ended).toBe(0);
  });

  it('leaves at once, and says which tasks it stopped', async () => {
    const { shown, ended, type, prompts } = await start([inBackground('sleep 600'), text('Started.')], BYPASS);
    type('start it\n');
    await expect.poll(() => prompts()).toBe(2);
    const leftAt = performance.now();
    type('/exit\n');
    expect(await ended).toBe(0);
    // Far below the ten minutes of the task.
    expect(performance.now() - leftAt).toBeLessThan(60_000);
    expect(shown.stderr).toContain('stopped: the job: was stopped after');
  });
});
