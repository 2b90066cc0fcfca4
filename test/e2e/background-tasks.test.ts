// Background tasks of the built package: what `turnwright -p` makes of one, and that none outlives its session, however
// that ends. Real processes over loopback.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MockStep } from '../../src/testing/index.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script.js';
import { inBackground, until } from '../support/background-tasks.js';
import { SEED } from '../support/figures.js';
import { checkOrphans, someEndings } from '../support/soak/orphans.js';
import { buildEntry, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

const ARGS = ['-p', 'go', '--allowedTools', 'Bash', '--output-format'];

async function mocked(steps: readonly MockStep[]) {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  return { mock, cwd: temporaryFolder(), env: mockEnv(mock.url) };
}

describe('turnwright -p with a background task', () => {
  /** The job ends once the model has been asked for what it says of its start, and is waited for as long as it takes. */
  async function endsNearly(steps: readonly MockStep[], format: string) {
    const { mock, cwd, env } = await mocked([inBackground(until('go')), text('Started.'), ...steps]);
    const run = startCli([...ARGS, format], { cwd, env: { ...env, TURNWRIGHT_BACKGROUND_WAIT_MS: '600000' } });
    await mock.waitForRequests(2);
    writeFileSync(join(cwd, 'go'), '');
    return { mock, ...(await run.ended) };
  }

  it.each([
    ['text', 'It ended.\n'],
    ['json', '"result":"It ended."'],
    ['stream-json', '"result":"It ended."'],
  ])('that is nearly done: %s has what the model says of it', async (format, expected) => {
    const { mock, code, stdout } = await endsNearly([text('It ended.')], format);
    expect(code).toBe(0);
    expect(stdout).toContain(expected);
    expect(stdout.match(/"type":"result"/g)?.length).toBe({ text: undefined, json: 1, 'stream-json': 2 }[format]);
    mock.assertClean();
  });

  it('that is not: it is stopped, and told after the result; the exit code is that of the result', async () => {
    const { mock, cwd, env } = await mocked([inBackground('sleep 600'), text('Started.')]);
    const wait = { TURNWRIGHT_BACKGROUND_WAIT_MS: '100' };
    const { code, stdout } = await runCli([...ARGS, 'stream-json'], { cwd, env: { ...env, ...wait } });
    expect(code).toBe(0);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = messages.findIndex(({ type }) => type === 'result');
    expect(messages[result]).toMatchObject({ result: 'Started.' });
    const told = messages.slice(result + 1).filter(({ subtype }) => subtype === 'task_notification');
    expect(told).toMatchObject([{ status: 'stopped' }]);
    mock.assertClean();
  });

  it('whose end makes a prompt that fails: 1', async () => {
    expect(await endsNearly([{ status: 400 }], 'json')).toMatchObject({ code: 1 });
  });

  it('beside a call that waits for a decision: 3, and nobody waits for the task', async () => {
    const { mock, cwd, env } = await mocked([
      inBackground(until('go')),
      { blocks: [{ type: 'tool_use', name: 'Write', input: { file_path: join('/nowhere', 'x'), content: '' } }] },
    ] as never);
    const flags = ['--defer-permissions', '--output-format', 'json'];
    const wait = { TURNWRIGHT_BACKGROUND_WAIT_MS: '600000' };
    const end = await runCli(['-p', 'go', '--allowedTools', 'Bash', ...flags], { cwd, env: { ...env, ...wait } });
    expect(end).toMatchObject({ code: 3 });
    mock.assertClean();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends at once by %s while it waits for one', async (signal, code) => {
    const { mock, cwd, env } = await mocked([inBackground('sleep 600'), text('Started.')]);
    const wait = { TURNWRIGHT_BACKGROUND_WAIT_MS: '600000' };
    const run = startCli([...ARGS, 'stream-json'], { cwd, env: { ...env, ...wait } });
    await expect.poll(() => run.output.stdout).toContain('"type":"result"');
    const at = performance.now();
    run.child.kill(signal);
    const end = await run.ended;
    expect(end.code).toBe(code);
    // Far below the ten minutes of the task, and of the wait for it.
    expect(performance.now() - at).toBeLessThan(60_000);
    expect(end.stdout).toContain('"status":"stopped"');
    mock.assertClean();
  });
});

// All ways to end, also in the sandbox: test/soak/tasks.soak.ts.
it('nothing of a task outlives its session, whatever it did to live on, and the program leaves by itself', async () => {
  const endings = someEndings(SEED);
  const { sessions, survivors, leftMs } = await checkOrphans(endings, false);
  expect(sessions).toBe(endings.length);
  expect(survivors).toEqual([]);
  // Far below what a task takes; how fast is a figure of the long tests.
  expect(leftMs).toBeLessThan(60_000);
});
