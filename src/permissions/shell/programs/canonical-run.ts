// One program with its words in the form that is the same for all ways to say the same: main names of subcommands and
// options, options in front of a subcommand apart. One rule: nothing is said that the description does not tell.
import type { ShellWord } from '../syntax/shell-word.js';
import type { ProgramTable } from './program-table.js';
import { tableOf } from './programs.js';
import { type FoundOperand, type FoundOption, scanOptions } from './scan-options.js';

export interface CanonicalRun {
  /** Null: the program has none, or none stands there, or it is not static. One of two words has a blank. */
  readonly subcommand: string | null;
  /** Options in front of the subcommand. */
  readonly globals: readonly CanonicalOption[];
  /** All other options, wherever they stand. */
  readonly options: readonly CanonicalOption[];
  /** Without the subcommand. */
  readonly operands: readonly FoundOperand[];
}

export interface CanonicalOption {
  /** The main name: the first long one, else the first. */
  readonly main: string;
  readonly value: ShellWord | null;
  /** True if the description has it: of another one it is not known whether it takes the next word. */
  readonly isKnown: boolean;
}

/**
 * The run by its main names; null for a program that has no description.
 * Contract: pure, takes time linear in the words. Words that are not static are operands, as the program may take them.
 */
export function canonicalRun(words: readonly ShellWord[]): CanonicalRun | null {
  const written = words[0]?.value ?? null;
  const table = written === null ? undefined : tableOf(written.slice(written.lastIndexOf('/') + 1));
  if (table === undefined) return null;
  const { subcommands } = table;
  if (subcommands === undefined) {
    const { options, operands } = scanOptions(words, table);
    return { subcommand: null, globals: [], options: canonical(table, options), operands };
  }
  const { globals = table } = subcommands;
  const front = scanOptions(words, globals, 1);
  const [first, second] = front.operands;
  if (first === undefined || first.word.value === null)
    return { subcommand: null, globals: canonical(globals, front.options), options: [], operands: front.operands };
  const pair = `${first.word.value} ${second?.word.value ?? ''}`;
  const isPair = table.pairs.has(pair);
  const name = isPair ? pair : first.word.value;
  const main = Object.hasOwn(subcommands.aliases, name) ? (subcommands.aliases[name] ?? name) : name;
  const own = subcommands.tableOf?.(main) ?? table;
  const at = (isPair ? second?.at : first.at) ?? first.at;
  const { options, operands } = scanOptions(words.slice(at), own);
  return {
    subcommand: main,
    globals: canonical(globals, front.options),
    options: canonical(own, options),
    operands: operands.map((operand) => ({ word: operand.word, at: operand.at + at })),
  };
}

function canonical({ equal = {} }: ProgramTable, options: readonly FoundOption[]): readonly CanonicalOption[] {
  return options.flatMap(({ main, value, effect }) => {
    const isKnown = effect !== undefined;
    const others = Object.hasOwn(equal, main) ? equal[main]?.split(' ') : undefined;
    return (others ?? [main]).map((name) => ({ main: name, value, isKnown }));
  });
}
