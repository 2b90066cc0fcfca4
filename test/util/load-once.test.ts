import { expect, it } from 'vitest';
import { loadOnce } from '../../src/util/load-once.js';

it('loads at the first call alone', async () => {
  let loads = 0;
  const load = loadOnce(async () => ({ loads: ++loads }));
  expect(loads).toBe(0);
  const first = load();
  expect(load()).toBe(first);
  expect(await load()).toEqual({ loads: 1 });
});

it('tries again what failed', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    if (++loads === 1) throw new Error('no such file');
    return 'loaded';
  });
  await expect(load()).rejects.toThrow('no such file');
  expect(await load()).toBe('loaded');
});
