import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkStructuredOutput } from '../support/soak/structured-output.js';

it('200 schemas and eight ways to miss them: no success without a value that fits', async () => {
  const { prompts, values, broken } = await checkStructuredOutput(SEED, 200);
  recordFigure('structured-output', 'prompts, of 200 schemas and eight kinds of models', prompts, 'prompts');
  recordFigure('structured-output', 'of them with a value that fits', values, 'prompts');
  recordFigure('structured-output', 'success without such a value, or no word why', broken.length, 'prompts');
  expect(broken).toEqual([]);
});
