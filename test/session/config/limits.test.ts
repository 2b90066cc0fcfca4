// The limits of a session: each has its variable, its line in the reference and its default.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { LIMITS, resolveLimits } from '../../../src/session/config/limits.js';

const NAMES = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

it.each(NAMES)('%s is set by its variable, beaten by the option, and stands in the reference', async (name) => {
  const { variable } = LIMITS[name];
  expect(resolveLimits({ [variable]: '17' })[name]).toBe(17);
  expect(resolveLimits({ [variable]: '17' }, { [name]: 5 })[name]).toBe(5);
  expect(() => resolveLimits({ [variable]: 'soon' })).toThrow(`${variable} is "soon"`);
  expect(await readFile('docs/reference/limits.md', 'utf8')).toContain(variable);
});

it('a reply may go without content for ten minutes, and in silence for two', () => {
  expect(resolveLimits({})).toMatchObject({ streamIdleMs: 120_000, contentIdleMs: 600_000 });
});
