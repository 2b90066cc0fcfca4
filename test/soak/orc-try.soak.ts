import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { explore } from '../support/soak/shell-effects/explore.js';
import { createLineMaker } from '../support/soak/shell-effects/lines.js';
import { shrink, withOptions } from '../support/soak/shell-effects/shrink.js';

const STATE = process.env['TURNWRIGHT_TEST_STATE'] ?? '/tmp/orc/state.json';
it('try', async () => {
  const maker = createLineMaker();
  const t = Date.now();
  const seen = new Map<string, number>();
  const all = new Map<string, any>(existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : []);
  const save = () => writeFileSync(STATE, JSON.stringify([...all]));
  const out = await explore(
    { count: Number(process.env['TURNWRIGHT_TEST_N'] ?? 300), seed: Number(process.env['TURNWRIGHT_SEED'] ?? 1) },
    maker.line,
    async (hole, _t, place) => {
      const n = (seen.get(hole.kind) ?? 0) + 1;
      seen.set(hole.kind, n);
      const loose = withOptions(hole);
      if (all.has(loose.kind)) return loose;
      if (n > 40) return loose;
      const h = withOptions(await shrink(hole, place));
      const k = all.get(h.kind);
      if (!k || h.line.length < k.line.length) {
        all.set(h.kind, h);
        save();
      }
      return h;
    },
  );
  const ms = Date.now() - t;
  console.log({ ...out, holes: out.holes.size, ms, perSecond: (out.lines / ms) * 1000, cpu: process.cpuUsage() });
  save();
});
