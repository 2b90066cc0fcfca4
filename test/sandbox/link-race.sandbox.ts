// A command in the sandbox against the file tools, which run outside of it: what it can make, move and swap shows them
// nothing that it must not read, and has them write nothing if it must not write.
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { SEED } from '../support/figures.js';
import { raceLinks } from '../support/link-race.js';
import { sandboxed } from '../support/sandboxed.js';

it('file tools get nothing in or out while a confined command swaps links', async () => {
  const { calls, done, stale, denied, swaps, out, left } = await raceLinks(100, SEED, true);
  expect({ out, left }).toEqual({ out: [], left: [] });
  expect(calls).toBe(100);
  expect([swaps > 200, done > 0, stale + denied > 0]).toEqual([true, true, true]);
});

it('a confined command makes no hard link to a file outside, nor moves one in', async () => {
  const { run, workspace, outside } = await sandboxed({ files: { 'outside/file': 'x' } });
  const tries = [
    `ln ${outside}/file linked`,
    `ln -P ${outside}/file linked`,
    `cp -l ${outside}/file linked`,
    `mv ${outside}/file moved`,
    `mv ${outside} moved`,
  ];
  for (const attempt of tries) expect([attempt, (await run(attempt)).code === 0]).toEqual([attempt, false]);
  expect(await readdir(outside)).toEqual(['file']);
  expect((await readdir(workspace)).filter((name) => name === 'linked')).toEqual([]);
});
