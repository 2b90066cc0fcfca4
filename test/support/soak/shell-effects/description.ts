// The project's own description of programs, as the generator and the comparison need it: the one place that knows how it
// is stored.

import { MAKE_PROGRAMS } from '../../../../src/permissions/shell/programs/make.js';
import { PACKAGE_PROGRAMS } from '../../../../src/permissions/shell/programs/packages.js';
import type { OptionEffect, ProgramTable } from '../../../../src/permissions/shell/programs/program-table.js';
import { PROGRAMS } from '../../../../src/permissions/shell/programs/programs.js';
import { SHELLS } from '../../../../src/permissions/shell/programs/shells.js';
import { SQL_PROGRAMS } from '../../../../src/permissions/shell/programs/sql.js';

export interface DescribedProgram {
  readonly name: string;
  readonly options: readonly DescribedOption[];
  readonly operands: string;
}

export interface DescribedOption {
  readonly name: string;
  readonly effect: OptionEffect;
}

export function describedPrograms(): readonly DescribedProgram[] {
  return [...PROGRAMS].map(([name, { options, operands = 'none' }]) => ({
    name,
    operands,
    options: [...options].map(([option, effect]) => ({ name: option, effect })),
  }));
}

/**
 * How a program is known: `told`: the description says which files it uses. `script`: by nature it does what a file of its
 * language, of a project or of its input says. `unlisted`: nothing is known, and rules name it by its words only.
 */
export type HowKnown = 'told' | 'script' | 'unlisted';

/** Programs that do what stands in files, besides those whose operand is a script. */
const SCRIPTED: ReadonlySet<string> = new Set(
  [MAKE_PROGRAMS, PACKAGE_PROGRAMS, SHELLS, SQL_PROGRAMS].flatMap((all) =>
    Object.keys(all).flatMap((names) => names.split(' ')),
  ),
);

export function howKnown(name: string): HowKnown {
  const table = PROGRAMS.get(name);
  if (table === undefined) return 'unlisted';
  const isScripted =
    table.operands === 'script' || table.alwaysActs === true || table.here === 'runs' || SCRIPTED.has(name);
  return isScripted ? 'script' : 'told';
}

/** Runs `work` while the description lacks an option of a program, or the program; puts it back afterwards. */
export async function withoutRow<T>(
  { program, option }: { readonly program: string; readonly option?: string },
  work: () => Promise<T>,
): Promise<T> {
  const programs = PROGRAMS as Map<string, ProgramTable>;
  const table = programs.get(program);
  if (table === undefined) throw new Error(`There is no description of ${program}.`);
  const options = table.options as Map<string, OptionEffect>;
  const effect = option === undefined ? undefined : options.get(option);
  if (option !== undefined && effect === undefined) throw new Error(`There is no option ${option} of ${program}.`);
  if (option === undefined) programs.delete(program);
  else options.delete(option);
  try {
    return await work();
  } finally {
    if (option === undefined) programs.set(program, table);
    else options.set(option, effect as OptionEffect);
  }
}
