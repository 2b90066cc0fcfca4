// One program with its words in the form that is the same for all ways to say the same: main names of subcommands and
// options, options in front of a subcommand apart. One rule: nothing is said that the description does not tell.
import { mayBeOption, type ShellWord } from '../syntax/shell-word.js';
import { OPTION_NAMES, withAllNames } from './option-names.js';
import type { ProgramTable, Subcommands } from './program-table.js';
import { tableOf } from './programs.js';
import { plainName, plainVersion, usuallyCalled, withoutLetter } from './same-names.js';
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
  readonly at: number;
}

/**
 * The run by its main names, once for each way that the description knows to spell the same; none for a program that has no
 * description.
 * Contract: pure, takes time linear in the words. Words that are not static are operands, as the program may take them.
 */
export function canonicalRuns(words: readonly ShellWord[]): readonly CanonicalRun[] {
  return describedRuns(usuallyCalled(words) ?? words);
}

interface Described {
  /** As it is called in the lists. */
  readonly name: string;
  readonly table: ProgramTable;
}

function descriptionOf(usual: readonly ShellWord[]): Described | undefined {
  const written = usual[0]?.value ?? null;
  if (written === null) return undefined;
  const plain = plainName(written.slice(written.lastIndexOf('/') + 1));
  const name = OPTION_NAMES.has(plain) ? plain : (plainVersion(plain) ?? withoutLetter(plain) ?? plain);
  const table = withAllNames(name, tableOf(plain));
  return table === undefined ? undefined : { name, table };
}

/** Of words with the usual name of the program. */
function describedRuns(usual: readonly ShellWord[]): readonly CanonicalRun[] {
  const described = descriptionOf(usual);
  if (described === undefined) return [];
  const { table } = described;
  const spelled = table.spellings === undefined ? [usual] : [usual, ...table.spellings(usual)];
  return spelled.flatMap((each) => respelled(canonicalRun(each, described), table));
}

/** Whether a word of the run can be this subcommand, by any of its names; the run need not be told apart for that. */
export function mayBeSubcommand(words: readonly ShellWord[], subcommand: string): boolean {
  const usual = usuallyCalled(words) ?? words;
  const table = descriptionOf(usual)?.table;
  if (table?.subcommands === undefined || mayHave(usual, table, table.subcommands, subcommand)) return true;
  for (const each of table.spellings?.(usual) ?? [])
    if (mayHave(each, table, table.subcommands, subcommand)) return true;
  return false;
}

function mayHave(
  words: readonly ShellWord[],
  { pairStarts }: ProgramTable,
  { aliases, abbreviated }: Subcommands,
  subcommand: string,
): boolean {
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value ?? null;
    if (value === null || value === subcommand) return true;
    if (abbreviated !== undefined && value !== '' && subcommand.startsWith(value)) return true;
    const isAlias = Object.hasOwn(aliases, value) && aliases[value] === subcommand;
    if (isAlias || pairStarts.has(value)) return true;
  }
  return false;
}

/** Options of which it is not known whether they take the next word are looked at up to here. */
const MAX_OPEN = 4;

/**
 * What the run may be, if options that are not described take the words behind them.
 * @param runs of `canonicalRuns`
 */
export function possibleRuns(words: readonly ShellWord[], runs: readonly CanonicalRun[]): readonly CanonicalRun[] {
  const isOpen = ({ isKnown, value }: CanonicalOption) => !isKnown && value === null;
  if (!runs.some(({ globals, options }) => globals.some(isOpen) || options.some(isOpen))) return [];
  const usual = usuallyCalled(words) ?? words;
  const taken = new Set<number>();
  for (const { globals, options } of runs)
    for (const option of [...globals, ...options]) {
      const next = usual[option.at + 1];
      if (isOpen(option) && next !== undefined && !mayBeOption(next)) taken.add(option.at + 1);
    }
  const places = [...taken].slice(0, MAX_OPEN);
  const found: CanonicalRun[] = [];
  for (let set = 1; set < 1 << places.length; set++) {
    const without = new Set(places.filter((_, at) => (set & (1 << at)) !== 0));
    found.push(...describedRuns(usual.filter((_, at) => !without.has(at))));
  }
  return found;
}

/** With each way to write the operands. */
function respelled(run: CanonicalRun, { operandSpellings }: ProgramTable): readonly CanonicalRun[] {
  if (operandSpellings === undefined) return [run];
  return operandSpellings(run.operands, run.subcommand).map((operands) => ({ ...run, operands }));
}

function canonicalRun(words: readonly ShellWord[], { name, table }: Described): CanonicalRun {
  const { subcommands } = table;
  if (subcommands === undefined) {
    const { options, operands } = scanOptions(words, table);
    return { subcommand: null, globals: [], options: canonical(table, options, operands), operands };
  }
  const { globals = table } = subcommands;
  const front = scanOptions(words, globals, 1, 1);
  const [first] = front.operands;
  const before = canonical(globals, front.options, []);
  if (first === undefined || first.word.value === null)
    return { subcommand: null, globals: before, options: [], operands: front.operands };
  const written = first.word.value;
  // Those of git have descriptions of their own.
  const tableOfOwn = (subcommand: string) =>
    withAllNames(`${name} ${subcommand}`, subcommands.tableOf?.(subcommand) ?? table, name !== 'git') ?? table;
  // Options may stand between the two words of a name.
  const behind = table.pairStarts.has(written) ? scanOptions(words, tableOfOwn(written), first.at + 1, 1) : null;
  const second = behind?.operands[0];
  const pair = `${written} ${second?.word.value ?? ''}`;
  const isPair = second !== undefined && table.pairs.has(pair);
  const main = mainName(isPair ? pair : written, subcommands);
  if (isPair) before.push(...canonical(tableOfOwn(written), behind?.options ?? [], []));
  const own = tableOfOwn(main);
  const { options, operands } = scanOptions(words, own, (isPair ? second.at : first.at) + 1);
  return { subcommand: main, globals: before, options: canonical(own, options, operands), operands };
}

/** An alias by its main name, and what is short for one if the program takes that. */
function mainName(name: string, { aliases, abbreviated }: Subcommands): string {
  if (Object.hasOwn(aliases, name)) return aliases[name] ?? name;
  if (abbreviated === undefined || abbreviated.includes(name)) return name;
  const found = abbreviated.filter((each) => each.startsWith(name));
  return found.length === 1 ? (found[0] ?? name) : name;
}

function canonical(
  { equal = {}, operandOptions = [] }: ProgramTable,
  options: readonly FoundOption[],
  operands: readonly FoundOperand[],
): CanonicalOption[] {
  const found: CanonicalOption[] = [];
  for (const { main, value, effect, at } of options) {
    const others = Object.hasOwn(equal, main) ? equal[main]?.split(' ') : undefined;
    for (const name of others ?? [main]) found.push({ main: name, value, isKnown: effect !== undefined, at });
  }
  for (const [form, main] of operandOptions)
    for (const { word, at } of operands) if (form.test(word.head)) found.push({ main, value: null, isKnown: true, at });
  return found;
}
