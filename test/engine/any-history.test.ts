// The reduced version of test/soak/histories.soak.ts.
import { describe, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { checkHistories } from '../support/soak/histories.js';

describe('any history, however damaged', () => {
  it('makes a request that the strict validator accepts', () => checkHistories(800, SEED));
});
