// File tools beside a process that does nothing but swap folders and files for links that lead out of the workspace.
import { expect, it } from 'vitest';
import { recordFigure, SEED } from '../support/figures.js';
import { raceLinks } from '../support/link-race.js';

it.each([
  ['a confined command', 10_000, true],
  ['a process beside the session', 2_000, false],
])('get nothing in or out while %s swaps links', async (who, count, isSandboxed) => {
  const { calls, done, stale, denied, swaps, out, left } = await raceLinks(count, SEED, isSandboxed);
  recordFigure('link-race', `calls of file tools beside ${who} that swaps links`, calls, 'calls');
  recordFigure('link-race', `of these, done, ${who}`, done, 'calls');
  recordFigure('link-race', `of these, refused because something else stood there, ${who}`, stale, 'calls');
  recordFigure('link-race', `of these, led outside when they were decided about, ${who}`, denied, 'calls');
  recordFigure('link-race', `names swapped, ${who}`, swaps, 'swaps');
  recordFigure('link-race', `content or names shown from outside, and changes there, ${who}`, out.length, 'findings');
  recordFigure('link-race', `temporary files left behind, ${who}`, left.length, 'files');
  expect({ out: out.slice(0, 20), left }).toEqual({ out: [], left: [] });
  expect(calls).toBe(count);
  expect(Math.min(done, stale, denied)).toBeGreaterThan(count / 50);
});
