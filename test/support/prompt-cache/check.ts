// Runs the scenarios, and holds every request against what is written down of it.
import { expect } from 'vitest';
import { BASIC_SCENARIOS, type Scenario } from './scenarios.js';
import { SPECIAL_SCENARIOS } from './special-scenarios.js';
import { createStage } from './stage.js';

export const SCENARIOS: readonly Scenario[] = [...BASIC_SCENARIOS, ...SPECIAL_SCENARIOS];

export interface CacheFigures {
  requests: number;
  /** Tokens. */
  input: number;
  cached: number;
  possible: number;
  breaks: number;
  unexplained: number;
}

export function noCacheFigures(): CacheFigures {
  return { requests: 0, input: 0, cached: 0, possible: 0, breaks: 0, unexplained: 0 };
}

/** The smallest part of what was possible that a scenario may read from the cache. */
const LEAST_SHARE = 0.9;

/** One scenario; its figures are added to `total`. */
export async function checkScenario(scenario: Scenario, scale: number, total: CacheFigures): Promise<void> {
  const stage = createStage(scenario.rules, scenario.model);
  await scenario.run(stage, scale);
  const { readings } = stage;
  const begins = readings.filter(({ before }) => before === 0).length;
  const told = readings
    .map(({ breaks, difference }, at) => ({ at, breaks, difference }))
    .filter(({ breaks }) => breaks.length > 0);
  expect({ begins, breaks: told.flatMap(({ breaks }) => breaks) }, JSON.stringify(told)).toEqual({
    begins: scenario.begins ?? 1,
    breaks: scenario.breaks ?? [],
  });
  const sum = (of: (reading: (typeof readings)[number]) => number) => readings.reduce((all, one) => all + of(one), 0);
  const [cached, possible] = [sum((one) => one.cached), sum((one) => one.possible)];
  expect(cached).toBeGreaterThanOrEqual(possible * LEAST_SHARE);
  total.requests += readings.length;
  total.input += sum((one) => one.input);
  total.cached += cached;
  total.possible += possible;
  total.breaks += told.length;
  total.unexplained += told.filter(({ breaks }) => breaks.includes('unexplained')).length;
}
