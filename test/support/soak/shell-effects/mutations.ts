// Whether the oracle sees what a description forgot: rows are taken out of it, and lines with what they are about are run.
import { withoutRow } from './description.js';
import { type Exploration, explore } from './explore.js';
import { createLineMaker } from './lines.js';

export interface Mutation {
  readonly program: string;
  readonly option: string;
}

/** Options with which programs read or write a file that no operand names. */
export const MUTATIONS: readonly Mutation[] = [
  { program: 'sort', option: '-o' },
  { program: 'diff', option: '--from-file' },
  { program: 'date', option: '-f' },
  { program: 'file', option: '-f' },
  { program: 'grep', option: '-f' },
  { program: 'curl', option: '--dump-header' },
  { program: 'wget', option: '-O' },
  { program: 'wget', option: '--post-file' },
  { program: 'patch', option: '-o' },
];

/** Kinds of holes that are there without the row, and not with it. */
export async function foundWithout(
  { program, option }: Mutation,
  { count, seed, shells }: { readonly count: number; readonly seed: number; readonly shells?: number },
): Promise<readonly string[]> {
  const { lineWith } = createLineMaker();
  // Made before the row is gone: both runs have the same lines.
  const made = new Map<string, string>();
  const run = (): Promise<Exploration> =>
    explore({ count, seed, ...(shells === undefined ? {} : { shells }) }, (random) => {
      const key = String(random.next());
      const line = made.get(key) ?? lineWith(random, program, option);
      made.set(key, line);
      return line;
    });
  const before = await run();
  const after = await withoutRow({ program, option }, run);
  return [...after.holes.keys()].filter((kind) => !before.holes.has(kind));
}
