// A session survives the death of its process: nothing acknowledged is lost, and the next request is valid.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MockStep } from '../../src/testing/index.js';
import { type MockProvider, startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { SEED } from '../support/figures.js';
import { findProcesses } from '../support/process-scan.js';
import { checkCrashes } from '../support/soak/crashes.js';
import { buildEntry, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

interface SentMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string; readonly is_error?: boolean }[];
}

async function crashed(steps: readonly MockStep[], killAt: (mock: MockProvider, cwd: string) => Promise<void>) {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  const cwd = temporaryFolder();
  const home = temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'hello\n');
  const env = { ...mockEnv(mock.url), TURNWRIGHT_HOME: home };
  const args = ['-p', 'do the work', '--allowedTools', 'Bash', '--output-format', 'stream-json'];
  const run = startCli(args, { cwd, env });
  await killAt(mock, cwd);
  run.child.kill('SIGKILL');
  const acknowledged = (await run.ended).stdout
    .split('\n')
    .filter((line) => line.includes('"type":"assistant"') || line.includes('"type":"user"'));
  const next = await runCli(['-p', 'go on', '--continue', '--output-format', 'json'], { cwd, env });
  return { mock, cwd, acknowledged, next, last: mock.requests.at(-1)?.body as { messages: SentMessage[] } };
}

/** Settles when a file below a folder has some text. */
async function fileHas(file: () => Promise<string>, wanted: string): Promise<void> {
  for (;;) {
    const content = await file().catch(() => ''); // not there yet
    if (content.includes(wanted)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('kill -9', () => {
  it('while a reply streams: the prompt is kept, and the next request is valid', async () => {
    const { next, last, mock } = await crashed(
      [{ blocks: [text('half of an answer')], stallAfterEvents: 3 }, text('whole')],
      (mock) => mock.waitForRequests(1),
    );
    expect(next.code).toBe(0);
    expect(JSON.parse(next.stdout)).toMatchObject({ subtype: 'success', result: 'whole' });
    expect(JSON.stringify(last.messages)).toContain('do the work');
    expect(JSON.stringify(last.messages)).not.toContain('half of');
    mock.assertClean();
  });

  it('while a command runs: the call is told as one with unknown effects, and is not run again', async () => {
    const mark = `turnwright-crash-${process.pid}`;
    const { next, last, acknowledged, mock, cwd } = await crashed(
      [
        reply(text('Running.'), toolCall('Bash', { command: `echo started >> log.txt; exec -a ${mark} sleep 60` })),
        text('I see.'),
      ],
      (_mock, folder) => fileHas(() => readFile(path.join(folder, 'log.txt'), 'utf8'), 'started'),
    );
    onTestFinished(() => {
      for (const pid of findProcesses(mark)) process.kill(pid, 'SIGKILL');
    });
    expect(next.code).toBe(0);
    expect(acknowledged).toHaveLength(1);
    expect(last.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(last.messages[2])).toMatch(/"is_error":true/);
    expect(JSON.stringify(last.messages[2])).toMatch(/effects are unknown/);
    expect(await readFile(path.join(cwd, 'log.txt'), 'utf8')).toBe('started\n');
    expect(next.stderr).toMatch(/tool call had not ended/);
    mock.assertClean();
  });

  it('after a tool result was shown: the result is kept', async () => {
    const { next, last, acknowledged, mock } = await crashed(
      [toolCall('Read', { file_path: 'a.txt' }), { stall: true }, text('It says hello.')],
      (mock) => mock.waitForRequests(2),
    );
    expect(next.code).toBe(0);
    for (const line of acknowledged) {
      const { message } = JSON.parse(line) as { message: { content: { type: string }[] } };
      for (const block of message.content) expect(JSON.stringify(last.messages)).toContain(block.type);
    }
    mock.assertClean();
  });

  it('at random moments and in the middle of writes: nothing acknowledged is lost, and the session goes on', {
    timeout: 240_000,
  }, async () => {
    const { kills, ...figures } = await checkCrashes(10, SEED);
    expect(kills).toBeGreaterThan(9);
    expect(figures).toMatchObject({ lost: 0, unresumable: 0, repeated: 0 });
  });
});
