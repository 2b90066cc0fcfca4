import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkStructuredOutput, MISBEHAVIOURS } from '../support/soak/structured-output.js';

it('a prompt that asked for a value never ends as success without one that fits', async () => {
  const { prompts, values, broken } = await checkStructuredOutput(SEED, 15);
  expect(broken).toEqual([]);
  expect(prompts).toBe(15 * Object.keys(MISBEHAVIOURS).length);
  // Those that wrap the value or give it late are understood.
  expect(values).toBeGreaterThanOrEqual(30);
});
