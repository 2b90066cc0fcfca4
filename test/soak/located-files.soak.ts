// What it costs that file tools open what was decided and not what a name means by then: CPU beside the plain calls.
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { recordFigure } from '../support/figures.js';

const ROUNDS = 7;
const CALLS = 500;
/** Milliseconds that a call of a file tool may take longer. */
const BAR = 0.1;
const NOT_DURABLE = { durable: false };

it('a file tool is at most 0.1 ms slower for opening what was located', async () => {
  const { fs } = createNodeHost();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-located-')));
  const deep = join(folder, 'a', 'workspace', 'packages', 'one', 'src', 'parts');
  mkdirSync(deep, { recursive: true });
  const file = join(deep, 'file.ts');
  writeFileSync(file, 'x'.repeat(8_000));
  const buffer = Buffer.alloc(8_000);
  const calls: Readonly<Record<string, { plain(): unknown; located(): Promise<unknown> }>> = {
    reading: {
      plain() {
        realpathSync.native(file);
        const opened = openSync(file, 'r');
        fstatSync(opened);
        readSync(opened, buffer, 0, buffer.length, 0);
        closeSync(opened);
      },
      async located() {
        const opened = await fs.openLocated(await fs.locate(file));
        await opened.stat();
        await opened.read(0, buffer.length);
        await opened.close();
      },
    },
    writing: {
      plain: () => fs.writeFileAtomic(file, buffer, NOT_DURABLE),
      located: async () => fs.replaceLocated(await fs.locate(file), buffer, NOT_DURABLE),
    },
    searching: {
      plain() {
        lstatSync(realpathSync.native(deep));
        readdirSync(deep);
      },
      async located() {
        const held = await fs.holdFolder(await fs.locate(deep));
        await held.names();
        await held.close();
      },
    },
  };
  try {
    for (const [name, { plain, located }] of Object.entries(calls)) {
      const more: number[] = [];
      // The first round is compiled, not measured.
      for (let round = 0; round <= ROUNDS; round++) {
        const plainly = await cpuOf(plain);
        more.push((await cpuOf(located)) - plainly);
      }
      const median = more.slice(1).sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN;
      recordFigure('located-files', `${name}: as it was located, CPU more than by its name`, median.toFixed(3), 'ms');
      expect(median).toBeLessThanOrEqual(BAR);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Milliseconds of CPU for each call. */
async function cpuOf(call: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  for (let count = 0; count < CALLS; count++) await call();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000 / CALLS;
}
