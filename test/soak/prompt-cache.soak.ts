import { expect, it } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { checkScenario, noCacheFigures, SCENARIOS } from '../support/prompt-cache/check.js';

const SCALE = 6;

it('the prompt cache of a provider is found again wherever it can be', async () => {
  const total = noCacheFigures();
  for (const scenario of SCENARIOS) await checkScenario(scenario, SCALE, total);
  const share = (part: number, whole: number) => Math.round((part / whole) * 1_000) / 10;
  recordFigure('prompt-cache', 'sessions', SCENARIOS.length, 'sessions');
  recordFigure('prompt-cache', 'requests', total.requests, 'requests');
  recordFigure('prompt-cache', 'read from the cache, of what was possible', share(total.cached, total.possible), '%');
  recordFigure('prompt-cache', 'read from the cache, of all input', share(total.cached, total.input), '%');
  recordFigure('prompt-cache', 'breaks, each with its cause', total.breaks, 'requests');
  recordFigure('prompt-cache', 'breaks that nothing explains', total.unexplained, 'requests');
  expect(share(total.cached, total.possible)).toBeGreaterThanOrEqual(90);
});
