import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { countQuestions } from '../support/soak/fatigue.js';

it.each([true, false])(
  'what was answered with always is not asked again, and each question has a reason (sandbox: %s)',
  async (sandboxed) => {
    const { calls, questions, repeated, unexplained, denied } = await countQuestions(8, SEED, sandboxed);
    expect({ calls, repeated, unexplained, denied }).toEqual({ calls: 800, repeated: 0, unexplained: 0, denied: 0 });
    // Somebody was asked, or nothing was shown.
    expect(questions).toBeGreaterThan(8);
  },
);
