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
  [MAKE_PROGRAMS, PACKAGE_PROGRAMS, SHELLS, SQL_PROGRAMS]
    .flatMap((all) => Object.keys(all).flatMap((names) => names.split(' ')))
    // It runs what the project brings.
    .concat('npx'),
);

export function howKnown(name: string): HowKnown {
  const table = PROGRAMS.get(name);
  if (table === undefined) return 'unlisted';
  const isScripted =
    table.operands === 'script' || table.alwaysActs === true || table.here === 'runs' || SCRIPTED.has(name);
  return isScripted ? 'script' : 'told';
}

/** An option whose value the description takes for harmless. */
export interface WrongRow {
  readonly program: string;
  readonly option: string;
}

/** Runs `work` while the description of a program is wrong about an option; puts it right afterwards. */
export async function withWrongRow<T>({ program, option }: WrongRow, work: () => Promise<T>): Promise<T> {
  const table = PROGRAMS.get(program);
  if (table === undefined) throw new Error(`There is no description of ${program}.`);
  const options = table.options as Map<string, OptionEffect>;
  const effect = options.get(option);
  if (effect === undefined) throw new Error(`There is no option ${option} of ${program}.`);
  options.set(option, 'value');
  try {
    return await work();
  } finally {
    options.set(option, effect);
  }
}

/** A program that the description takes for harmless in whole, or one of its options for one that only tells something. */
export interface WrongProgram {
  readonly program: string;
  /** Absent: it only reads, as it is wrongly said. */
  readonly telling?: string;
}

/** Runs `work` while the description says so; puts it right afterwards. */
export async function withWrongProgram<T>({ program, telling }: WrongProgram, work: () => Promise<T>): Promise<T> {
  const table = PROGRAMS.get(program);
  if (table === undefined) throw new Error(`There is no description of ${program}.`);
  const all = PROGRAMS as Map<string, ProgramTable>;
  const options = new Map(table.options);
  if (telling !== undefined) all.set(program, { ...table, options: options.set(telling, 'tells') });
  else {
    const { mayStart: _, startsShell: __, isStrict: ___, read: ____, ...rest } = table;
    all.set(program, { ...rest, operands: 'read', readOnly: 'any' });
  }
  try {
    return await work();
  } finally {
    all.set(program, table);
  }
}

/** Runs `work` while nobody remembers what a program made earlier in the line; puts it right afterwards. */
export async function withForgotten<T>(program: string, work: () => Promise<T>): Promise<T> {
  const table = PROGRAMS.get(program);
  const { read } = table ?? {};
  if (table === undefined || read === undefined) throw new Error(`${program} has no reader of its own.`);
  const all = PROGRAMS as Map<string, ProgramTable>;
  const forgetting: ProgramTable['read'] = (task, own) => {
    const { length } = task.reader.made;
    read(task, own);
    task.reader.made.length = length;
  };
  all.set(program, { ...table, read: forgetting });
  try {
    return await work();
  } finally {
    all.set(program, table);
  }
}
