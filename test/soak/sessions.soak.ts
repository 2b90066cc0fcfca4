// Ten thousand sessions of one folder, each with a first prompt, replies and a title: how long a list of them takes.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { listSessions } from '../../src/sdk/sessions.js';
import { temporaryFolder } from '../support/engine.js';
import { recordFigure, SEED } from '../support/figures.js';
import { createRandom } from '../support/soak/random.js';
import { answer, prompt, writeSession } from '../support/transcripts.js';

const SESSIONS = 10_000;
const MAX_LIST_MS = 300;
/** Every twentieth session is longer than the two ends that a list reads. */
const LONG_EVERY = 20;
const LONG_REPLIES = 160;

it('lists 10,000 sessions', async () => {
  const home = await temporaryFolder();
  const random = createRandom(SEED);
  for (let n = 0; n < SESSIONS; n++) {
    const replies = n % LONG_EVERY === 0 ? LONG_REPLIES : random.int(2, 7);
    const text = `reply ${n} `.repeat(random.int(80, 119));
    const lines = [prompt(`prompt ${n}`), ...Array.from({ length: replies }, () => answer(text))];
    const named = n % 3 === 0 ? [...lines, { type: 'custom-title', customTitle: `title ${n}` }] : lines;
    await writeSession(home, named, { sessionId: randomUUID(), startedAt: 1_700_000_000_000 + n });
  }
  const options = { env: { TURNWRIGHT_HOME: home } };
  const measure = async (limit?: number): Promise<{ ms: number; sessions: number }> => {
    const startedAt = performance.now();
    const sessions = await listSessions(limit === undefined ? options : { ...options, limit });
    return { ms: performance.now() - startedAt, sessions: sessions.length };
  };
  const best = async (limit?: number): Promise<number> => {
    const runs = [];
    for (let run = 0; run < 5; run++) runs.push(await measure(limit));
    expect(runs.every(({ sessions }) => sessions === (limit ?? SESSIONS))).toBe(true);
    return Math.min(...runs.map(({ ms }) => ms));
  };
  const page = await best(50);
  const first = await measure();
  const all = await best();
  expect(first.sessions).toBe(SESSIONS);
  recordFigure('sessions', 'list of 50 of 10,000 sessions', page.toFixed(0), 'ms');
  recordFigure('sessions', 'list of all 10,000 sessions, the first time', first.ms.toFixed(0), 'ms');
  recordFigure('sessions', 'list of all 10,000 sessions, again', all.toFixed(0), 'ms');
  // Measured once, so it has room for a moment in which the machine did something else.
  expect(first.ms).toBeLessThan(2 * MAX_LIST_MS);
  expect(page).toBeLessThan(MAX_LIST_MS);
  expect(all).toBeLessThan(MAX_LIST_MS);
});
