// Whether the oracle sees what is wrong in a description: rows of it are changed, and lines with what they are about are run.
import { type WrongProgram, type WrongRow, withForgotten, withWrongProgram, withWrongRow } from './description.js';
import { type Exploration, explore } from './explore.js';
import { createLineMaker } from './lines.js';
import { createUnaskedMaker } from './unasked-lines.js';

/**
 * Options with which programs read or write a file that no operand names, taken for harmless. One that is forgotten hides
 * nothing: what may be its value counts as a file.
 */
export const WRONG_ROWS: readonly WrongRow[] = [
  { program: 'sort', option: '-o' },
  { program: 'wget', option: '-o' },
  { program: 'date', option: '-f' },
  { program: 'file', option: '-f' },
  { program: 'grep', option: '-f' },
  { program: 'curl', option: '--dump-header' },
  { program: 'wget', option: '-O' },
  { program: 'wget', option: '--post-file' },
  { program: 'patch', option: '-o' },
  { program: 'tar', option: '--add-file' },
  { program: 'iconv', option: '-o' },
];

/** Programs that run their input, load code or write, taken for such as need no question. */
export const WRONG_PROGRAMS: readonly WrongProgram[] = [
  { program: 'node' },
  { program: 'perl' },
  { program: 'bash' },
  { program: 'tee' },
  { program: 'curl' },
  { program: 'make' },
  // It tells more, and runs its input all the same.
  { program: 'python3', telling: '-v' },
];

/** Kinds of holes that are there with the wrong row, and not with the right one. */
export async function foundWith(
  row: WrongRow,
  { count, seed, shells }: { readonly count: number; readonly seed: number; readonly shells?: number },
): Promise<readonly string[]> {
  const { lineWith } = createLineMaker();
  // Made while the row is right: both runs have the same lines.
  const made = new Map<string, string>();
  const run = (): Promise<Exploration> =>
    explore({ count, seed, ...(shells === undefined ? {} : { shells }) }, (random) => {
      const key = String(random.next());
      const line = made.get(key) ?? lineWith(random, row.program, row.option);
      made.set(key, line);
      return line;
    });
  const before = await run();
  const after = await withWrongRow(row, run);
  return [...after.holes.keys()].filter((kind) => !before.holes.has(kind));
}

/** The same for lines that run without a question: among files that do harm, and with a wrong word about a program. */
export async function foundUnasked(
  wrong: WrongProgram,
  { count, seed, shells = 2 }: { readonly count: number; readonly seed: number; readonly shells?: number },
): Promise<readonly string[]> {
  const { lineOf } = createUnaskedMaker();
  const run = (): Promise<Exploration> =>
    explore({ count, seed, shells, areUnasked: true }, (random) => lineOf(random, wrong.program, wrong.telling));
  const before = await run();
  const after = await withWrongProgram(wrong, run);
  return [...after.holes.keys()].filter((kind) => kind.includes('unasked') && !before.holes.has(kind));
}

/** Programs that put a link where later parts of the same line go through it, with lines in which they do. */
export const LINKED_LINES: readonly (readonly [program: string, line: string])[] = [
  // To read there is told of the link itself already.
  ['ln', 'ln -s dir-out L; rm L/p.txt'],
  ['cp', 'cp -P link-out k; echo x > k'],
];

/** Kinds of holes of the line if nobody remembers what its program made, and, first, if somebody does. */
export async function foundForgotten(program: string, line: string): Promise<readonly (readonly string[])[]> {
  const run = async (): Promise<readonly string[]> => [
    ...(await explore({ count: 1, seed: 1, shells: 1 }, () => line)).holes.keys(),
  ];
  return [await run(), await withForgotten(program, run)];
}
