// Each way out of the sandbox by each of the routes by which something runs inside.
import { expect, it } from 'vitest';
import { ESCAPE_ATTEMPTS } from '../support/escape-attempts.js';
import { openEscapePlace } from '../support/escape-place.js';
import { ESCAPE_ROUTES } from '../support/escape-routes.js';
import { recordFigure } from '../support/figures.js';

it('none gets out', async () => {
  const place = await openEscapePlace();
  const out: string[] = [];
  let tried = 0;
  try {
    for (const route of ESCAPE_ROUTES)
      for (const attempt of ESCAPE_ATTEMPTS) {
        const endings: (() => void | Promise<void>)[] = [];
        const found = await place.tryOn(route, attempt, (ending) => endings.push(ending));
        for (const ending of endings.reverse()) await ending();
        tried++;
        if (found.length > 0) out.push(`${route.name}, ${attempt.name}: ${found.join(', ')}`);
      }
  } finally {
    place.close();
  }
  recordFigure('escapes', `ways out of the sandbox, each by ${ESCAPE_ROUTES.length} routes`, tried, 'attempts');
  recordFigure('escapes', 'of them that got out', out.length, 'attempts');
  expect(out).toEqual([]);
});
