import { expect, it } from 'vitest';
import { raceLinks } from '../support/link-race.js';
it('race', async () => {
  const n = Number(process.env['TURNWRIGHT_TEST_N'] ?? 400);
  const sb = process.env['TURNWRIGHT_TEST_SB'] === '1';
  const t=Date.now();
  const f = await raceLinks(n, 42, sb);
  console.log(Date.now()-t,'ms', JSON.stringify({ ...f, out: [f.out.length, ...f.out.slice(0, 12)] }, null, 1));
}, 3600000);
