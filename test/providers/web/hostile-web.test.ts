// What must not be reached is not: addresses in all their spellings, names that lead elsewhere, servers that send elsewhere.
import { describe, expect, it } from 'vitest';
import { fetchReally, HOSTILE_ADDRESSES, HOSTILE_SERVERS, runHostile, startCanary } from '../../support/hostile-web.js';

describe('hostile addresses', () => {
  it('are refused without a connection', async () => {
    const ends = await Promise.all(HOSTILE_ADDRESSES.map((one) => runHostile(one, 1_000)));
    expect(ends.filter(({ ended, connections }) => ended !== 'refused' || connections > 0)).toEqual([]);
    expect(ends.length).toBeGreaterThan(200);
  });

  it('reach no server of this machine by real connections', async () => {
    const canary = await startCanary();
    const local = HOSTILE_ADDRESSES.filter(({ url }) => url.includes(':8080') && !url.includes('name.test'));
    const ends = await Promise.all(local.map(({ url }) => fetchReally(url, canary.port)));
    expect(ends.filter((end) => end === 'shown')).toEqual([]);
    expect(canary.connections()).toBe(0);
  });
});

describe('hostile servers', () => {
  it.each(HOSTILE_SERVERS)('one that $name is left, and nobody else is asked', async (one) => {
    const { forbidden, ms } = await runHostile(one, 300);
    expect(forbidden).toBe(0);
    // The limit of time, and what a thread takes to start and end.
    expect(ms).toBeLessThan(15_000);
  });
});
