// The published Python SDK drives our command line, unmodified; so does a client that was written after the protocol alone.
// `npm run test:clients` installs the SDK if Python and its registry are to be had.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';

const PYTHON = process.env['TURNWRIGHT_TEST_PYTHON'] ?? '';
const PROGRAM = fileURLToPath(new URL('python_sdk.py', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../examples/28-python', import.meta.url));
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
const IS_THERE = PYTHON !== '' && spawnSync(PYTHON, ['-c', 'import claude_agent_sdk']).status === 0;

beforeAll(buildEntry, 120_000);

interface Told {
  readonly kinds: string[];
  readonly results: [subtype: string, isError: boolean, result: string | null, sessionId: string][];
  readonly notes: unknown[];
  readonly thrown: string | null;
}

function run(scenario: string, steps: readonly MockStep[]): Promise<Told> {
  return python<Told>([PROGRAM, scenario], steps);
}

async function python<Answer>(words: readonly string[], steps: readonly MockStep[]): Promise<Answer> {
  const mock = await startMockProvider({ steps });
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const child = spawn(PYTHON === '' ? 'python3' : PYTHON, words, {
    env: {
      ...(process.env['PYTHONPATH'] === undefined ? {} : { PYTHONPATH: process.env['PYTHONPATH'] }),
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      TURNWRIGHT_HOME: home,
      CLI: ENTRY,
      WORK: cwd,
      ...mockEnv(mock.url),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  await mock.close();
  expect(mock.violations).toEqual([]);
  return JSON.parse(output) as Answer;
}

describe.skipIf(!IS_THERE)('the Python SDK', () => {
  it('runs a prompt, whose end of input comes before the first reply', async () => {
    const told = await run('one_prompt', [text('pong')]);
    expect(told).toMatchObject({ thrown: null, results: [['success', false, 'pong', expect.any(String)]] });
    expect(told.kinds).toEqual(['SystemMessage', 'AssistantMessage', 'ResultMessage']);
  });

  it('answers permissions, hooks and an MCP server of its own', async () => {
    const told = await run('tools', [
      reply(toolCall('Bash', { command: 'touch x' })),
      reply(toolCall('Bash', { command: 'touch refused' })),
      reply(toolCall('mcp__calc__add', { a: 2, b: 3 })),
      text('done'),
    ]);
    expect(told).toMatchObject({ thrown: null, results: [['success', false, 'done', expect.any(String)]] });
    expect(told.notes).toEqual([
      ['UserPromptSubmit', null, null],
      ['PreToolUse', 'Bash', 'toolu_0001'],
      ['asked', 'Bash', 'list'],
      ['PostToolUse', 'Bash', 'toolu_0001'],
      ['PreToolUse', 'Bash', 'toolu_0002'],
      ['asked', 'Bash', 'list'],
      ['PreToolUse', 'mcp__calc__add', 'toolu_0003'],
      ['asked', 'mcp__calc__add', 'list'],
      ['PostToolUse', 'mcp__calc__add', 'toolu_0003'],
      ['Stop', null, null],
      ['other'],
    ]);
  });

  it('controls the session between prompts and interrupts one', async () => {
    const told = await run('controls', [text('one'), { stall: true }, text('three')]);
    expect(told.thrown).toBeNull();
    expect(told.notes).toEqual([
      ['commands', true],
      ['servers', []],
      ['usage', true, true, expect.stringContaining('haiku')],
      ['refused', expect.stringMatching(/no-task/)],
      ['refused', expect.stringMatching(/none/)],
      ['refused', expect.stringMatching(/none/)],
      expect.anything(),
      'interrupted',
    ]);
    expect(told.results.map(([subtype]) => subtype)).toEqual(['success', 'error_during_execution', 'success']);
  });

  it('resumes, forks and continues, and reads, names and forks the sessions', async () => {
    const told = await run(
      'sessions',
      ['one', 'two', 'three', 'four', 'five'].map((each) => text(each)),
    );
    expect(told.thrown).toBeNull();
    expect(told.results.map(([, , result]) => result)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(told.notes).toEqual([
      [true, true, false, expect.any(Boolean)],
      2,
      ['user', 'assistant', 'user', 'assistant'],
      'A name',
      true,
    ]);
  });

  it('sees the end of a program that is terminated, in time, and goes on with its session', async () => {
    const told = await run('terminated', [
      { blocks: [{ type: 'text', text: 'x'.repeat(200) }], stallAfter: 3 } as never,
      text('two'),
    ]);
    expect(told.notes).toEqual([
      ['ProcessError', 143],
      ['in time', true],
      [1, ['user']],
    ]);
    expect(told.results.at(-1)).toEqual(['success', false, 'two', expect.any(String)]);
  });

  it('reads lines of its length, however long a reply is', async () => {
    const told = await run('long_lines', [text('x'.repeat(3_000_000))]);
    expect(told).toMatchObject({ thrown: null, notes: [true] });
  });

  it('hears why a prompt failed and why a session cannot begin', async () => {
    const told = await run('failed', [reply(toolCall('Read', { file_path: 'x' }))]);
    expect(told.notes).toEqual(['ResultError', [true, 'Exception']]);
    expect(told.results.map(([subtype]) => subtype)).toEqual(['error_max_turns']);
  });

  it('keeps a copy of the transcript in a store of its own, and goes on from it', async () => {
    const told = await run('mirrored', [text('kept'), text('on')]);
    expect(told.thrown).toBeNull();
    expect(told.notes).toEqual([['user', 'assistant']]);
    expect(told.results[1]).toEqual(['success', false, 'on', told.results[0]?.[3]]);
  });

  it('gets an answer by a schema', async () => {
    const told = await run('structured', [text('{"n": 7}')]);
    expect(told).toMatchObject({ thrown: null, notes: [{ n: 7 }] });
  });
});

it.skipIf(!HAS_PYTHON)(
  'a client of the standard library resumes, forks, ends its input early, and terminates',
  async () => {
    const stalled = { blocks: [{ type: 'text', text: 'x'.repeat(200) }], stallAfter: 3 } as never;
    const program = fileURLToPath(new URL('python_wire.py', import.meta.url));
    const told = await python([program, EXAMPLE, ENTRY], [text('1'), text('2'), text('3'), text('4'), stalled]);
    expect(told).toEqual({
      results: ['1', '2', '3'],
      same: [true, false],
      early: [0, ['4']],
      stopped: [143, true],
    });
  },
);
