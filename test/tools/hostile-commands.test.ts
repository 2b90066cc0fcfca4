// Commands that do not want to end, or leave something behind; all of them at full size: test/soak/hostile-commands.soak.ts.
import { expect, it } from 'vitest';
import { HOSTILE, runHostile } from '../support/hostile-commands.js';

const SHORT = HOSTILE.filter(({ isLong }) => isLong !== true);

it.each(SHORT.filter((_, at) => at % 3 === 0))(
  'nothing of it is alive when its call is back: $command',
  async (hostile) => {
    const { lateMs, survivors } = await runHostile(hostile);
    expect(survivors).toBe(0);
    // Far below the minute that it would take; a slow machine may take its time.
    expect(lateMs).toBeLessThan(40_000);
  },
);
