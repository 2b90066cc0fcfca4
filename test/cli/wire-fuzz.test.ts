// The reduced version of test/soak/wire.soak.ts.
import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { fuzzWire } from '../support/soak/wire-fuzz.js';

it('random clients of the wire: each session ends, each request is answered, nothing is left unhandled', async () => {
  const { sessions, requests } = await fuzzWire(40, SEED);
  expect(sessions).toBe(40);
  expect(requests).toBeGreaterThan(40);
}, 120_000);
