import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { checkEdits } from '../support/soak/edit-pairs.js';

const PAIRS = 1_000;

it('edits real files right at first try, with twelve ways of telling them wrongly, and never in a wrong place', async () => {
  const all = readdirSync(join(import.meta.dirname, '../../src'), { recursive: true, encoding: 'utf8' });
  const files = all
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => join('src', file));
  const { perturbed, right, refused, lost, wrongPlace, wrongText } = await checkEdits(files, PAIRS, SEED);
  recordFigure('edits', 'edits told differently, 1,000 pairs in 10 ways', perturbed, 'edits');
  recordFigure('edits', 'of them right at first try', ((100 * right) / perturbed).toFixed(1), '%');
  recordFigure('edits', 'of them refused', refused, 'edits');
  recordFigure('edits', 'edits that cannot be meant, in 2 ways', lost, 'edits');
  recordFigure('edits', 'edits in a wrong place', wrongPlace.length, 'edits');
  expect(wrongPlace).toEqual([]);
  expect(right / perturbed, wrongText.slice(0, 5).join('\n\n')).toBeGreaterThanOrEqual(0.97);
});
