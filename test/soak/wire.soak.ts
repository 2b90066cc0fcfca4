// The published SDKs are not the only clients: whatever is said over the wire, the session ends in order.
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { fuzzWire } from '../support/soak/wire-fuzz.js';

const SESSIONS = 1000;

it('1,000 random clients of the wire: no hang, no unhandled rejection, exit codes of the table', async () => {
  const { frames, requests, codes } = await fuzzWire(SESSIONS, SEED);
  recordFigure('wire', 'random sessions over the wire, all ended', SESSIONS, 'sessions');
  recordFigure('wire', 'control requests in them, all answered', requests, 'requests');
  recordFigure('wire', 'lines written, all frames', frames, 'lines');
  recordFigure('wire', 'exit codes 0 / 1 / 141', [0, 1, 141].map((code) => codes[code] ?? 0).join(' / '), 'sessions');
  expect(Object.values(codes).reduce((sum, count) => sum + count, 0)).toBe(SESSIONS);
});
