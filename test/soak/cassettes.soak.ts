// A long session recorded once and played back: the same messages each time, in another folder too, and soon.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/index.js';
import { recordCassette, replayCassette } from '../../src/testing/cassettes/cassette.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { recordFigure } from '../support/figures.js';

const TURNS = 2_000;
const MAX_REPLAY_MS = 10_000;

const folder = await mkdtemp(path.join(tmpdir(), 'turnwright-cassettes-'));

/** One prompt, a file read in each turn; what a caller gets of it, as text. */
async function session(url: string, cwd: string): Promise<string> {
  const name = (turn: number) => `${cwd}/file-${turn}.txt`;
  const content = (turn: number) => `file ${turn} ${'of lines that differ '.repeat(5)}\n`;
  const files = Object.fromEntries(Array.from({ length: TURNS }, (_, turn) => [name(turn), content(turn)]));
  const host = fakeHost({ files });
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-for-a-cassette' };
  const options = { host, env, cwd, persistSession: false, tools: ['Read'] };
  const messages = await collect(query({ prompt: 'Read them all.', options }));
  return messages.map((message) => JSON.stringify(message)).join('\n');
}

it('plays 2,000 turns back to the same messages, twice and in another folder, within ten seconds', async () => {
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'session.jsonl');
  const read = (turn: number) => toolCall('Read', { file_path: `file-${turn}.txt` });
  const mock = await startMockProvider({ steps: (_request, turn) => (turn < TURNS ? read(turn) : text('Done.')) });
  const recorder = await recordCassette(file, { upstream: mock.url, folders: { project: '/project' } });
  const recorded = await session(recorder.url, '/project');
  await recorder.close();
  await mock.close();
  expect(recorded.split('\n').length).toBeGreaterThan(TURNS);

  let longest = 0;
  for (const cwd of ['/project', '/project', '/another/place']) {
    const start = performance.now();
    const player = await replayCassette(file, { folders: { project: cwd } });
    const played = await session(player.url, cwd);
    longest = Math.max(longest, performance.now() - start);
    player.assertDone();
    await player.close();
    expect(played.replaceAll(cwd, '/project') === recorded).toBe(true);
  }
  recordFigure('cassettes', 'turns of a recorded session', TURNS, 'turns');
  recordFigure('cassettes', 'played back three times, twice the same place: messages that differ', 0, 'messages');
  recordFigure('cassettes', 'playing it back, longest', (longest / 1_000).toFixed(1), 's');
  expect(longest).toBeLessThan(MAX_REPLAY_MS);
});
