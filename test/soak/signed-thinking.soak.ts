import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkSignedThinking } from '../support/soak/signed-thinking.js';

it('signed thinking is the same byte for byte from the stream to the next request', async () => {
  const { blocks, cuts } = await checkSignedThinking(5_000, SEED);
  recordFigure('signed-thinking', 'signed blocks, the same after stream, transcript and resume', blocks, 'blocks');
  recordFigure('signed-thinking', 'places at which their streams were cut', cuts, 'bytes');
  expect(blocks).toBeGreaterThanOrEqual(5_000);
});
