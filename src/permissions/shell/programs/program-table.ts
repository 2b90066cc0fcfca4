// The description of a program: what its options and operands read, write, remove and run, as data, and code for what
// data cannot say. One rule: what is not described is unknown, and unknown is never allowed without a question.
import type { FileUse } from '../command-reading.js';
import type { ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { sameProgram } from './same-names.js';

/** What an option does with its value, or by itself. */
export type OptionEffect =
  /** Takes the next word, which is harmless. */
  | 'value'
  /** Takes only what stands in the same word, which is harmless. */
  | 'attached'
  /** Takes digits that stand in the same word. */
  | 'number'
  /** Harmless and without a value. */
  | 'flag'
  /** The program only tells something: its version, help. */
  | 'tells'
  | 'read'
  | 'write'
  | 'remove'
  /** A key and its like, which it uses without showing it: it counts if a rule keeps it. */
  | 'uses'
  /** A file that names others, which are read too. */
  | 'list'
  /** Without a value: the operands are such files. */
  | 'lists'
  /** The folder that the program works in. */
  | 'folder'
  /** A line that a shell runs, or a program that is started. */
  | 'shell'
  /** A text in another language, which can start anything. */
  | 'code'
  /** Names what runs in place of operands or input: a module, a package. */
  | 'module'
  /** Makes it run or load what cannot be told; takes a value. */
  | 'acts'
  /** The same without a value. */
  | 'risk';

/** What operands are. */
export type OperandKind =
  | 'none'
  | 'read'
  | 'write'
  | 'remove'
  /** Words that may be files, and are read then, beside verbs and other names. */
  | 'paths'
  /** A pattern, then files that are read; no pattern if an option gives one. */
  | 'search'
  /** A mode or an owner, then files that are changed. */
  | 'change'
  /** Read, then one that is written. */
  | 'filter'
  /** The command that it starts. */
  | 'command'
  /** A script of its language, then words for it. */
  | 'script'
  /** The rest is a line that a shell runs. */
  | 'line';

/** Programs by name; several names with a blank between share one description. */
export type Programs = Readonly<Record<string, ProgramData>>;

export interface ProgramData {
  /** By effect: options with their dashes, apart by blanks. Names of the same option are joined by commas: `-f,--force`. */
  readonly options?: Partial<Record<OptionEffect, string>>;
  readonly operands?: OperandKind;
  /**
   * What it does to the folder that it is in: if no operand names a file, or in any case if operands name none. `runs`: it
   * runs what stands there.
   */
  readonly here?: FileUse['access'] | 'runs';
  /**
   * Files that it looks for by itself and shows, sends or hands on, with blanks between: of the folder that it works in, or of any
   * above too (`.../.env`). They count if a rule keeps them. What it signs in with is not among them.
   */
  readonly own?: string;
  /** It works on all that lies below the folders that it is given: always, or with one of these options. */
  readonly deep?: 'always' | string;
  /** With one of these options it goes through links below the folders that it is given, unless one of `stays` is there. */
  readonly follows?: string;
  readonly stays?: string;
  /** Operands in front of the command that it starts, such as a time limit. */
  readonly before?: number;
  /** What it does to these, if they are files. */
  readonly beforeAccess?: FileUse['access'];
  /** Words of the form `NAME=value` in front of the command that it starts are assignments. */
  readonly takesAssignments?: true;
  /** Words that begin with a plus are commands of its own. */
  readonly plusActs?: true;
  /** A word that begins with `@` is a file of words in its place, wherever it stands. */
  readonly takesWordFiles?: true;
  /** Modules that run code which stands in the words. */
  readonly actingModules?: RegExp;
  /** Values of harmless options, with the option in front (`-Dname=value`), that name a program or code. */
  readonly actingValues?: RegExp;
  /** What it sets may stand as an option, so that its first operand may be a file too. */
  readonly setsByOption?: true;
  /** Operands that name a program or code, or change the machine. */
  readonly actingOperands?: RegExp;
  /** Operands that it expands by rules of its own, so that which files they mean cannot be told. */
  readonly untold?: RegExp;
  /** First operands, such as subcommands, with which it runs code or changes what runs later. */
  readonly actingVerbs?: RegExp;
  /** Words behind it may be a program that it starts, in a way that is not told here: rules that deny are asked about. */
  readonly mayStart?: true;
  /** It starts what stands in its input, in a file or nowhere in its words. */
  readonly alwaysActs?: true;
  /** Without a command it starts a shell that reads its input. */
  readonly startsShell?: true;
  /** Options stand in front of operands only, and one that is not listed makes the run unknown. */
  readonly isStrict?: true;
  /** All of its options are here: with another one its files cannot be told. */
  readonly hasAllOptions?: true;
  /** Long options have one dash, and letters do not cluster. */
  readonly isSingleDash?: true;
  /** Options of two letters stand among those of one: `-rws` is `-r -ws`. */
  readonly hasPairs?: true;
  /** A value is the next word, or stands behind a sign of equality: `-keyx` is another option than `-key`. */
  readonly keepsApart?: true;
  /** Of the read-only set: with all options that are not said to act, or only with those listed. */
  readonly readOnly?: 'any' | 'listed';
  /** A rule that allows the run allows what it starts, as documented for runners of environments. */
  readonly isRunner?: true;
  /** Prefix rules look through it: the documented wrappers. */
  readonly isWrapper?: true;
  /** What it starts runs elsewhere: on another machine, in a container. */
  readonly isElsewhere?: true;
  /** Its first operands are subcommands, and how those are called. */
  readonly subcommands?: Subcommands;
  /** Options that stand for several others, by one of their names: `-D` for `--delete --force`. */
  readonly equal?: Readonly<Record<string, string>>;
  /** Operands of such a form say what the option says: `+main` of a push is `--force`. */
  readonly operandOptions?: readonly (readonly [RegExp, string])[];
  /** Other ways to write the same words, for rules that deny: `tar xf a` as `tar -x -f a`. */
  readonly spellings?: (words: readonly ShellWord[]) => readonly (readonly ShellWord[])[];
  /** Each way to write the operands, the first that of rules: `pods/a` as `pod a`. */
  readonly operandSpellings?: (
    operands: readonly FoundOperand[],
    subcommand: string | null,
  ) => readonly (readonly FoundOperand[])[];
  /**
   * It may run what the project says, or call somebody, also if it is only asked to tell its version; of several programs:
   * those that may.
   */
  readonly runsAlways?: true | ReadonlySet<string>;
  /** Words that alone make it tell something, as its options of that kind do. */
  readonly tellingVerbs?: string;
  /** `read` finds the files among the values of harmless options. Other values count if they lead out of the folder. */
  readonly readsValues?: true;
  /** Reads it in place of what is the same for all programs. */
  readonly read?: (task: Task, table: ProgramTable) => void;
}

/** A word that is no option, and its place. */
export interface FoundOperand {
  readonly word: ShellWord;
  readonly at: number;
  /** It may be the value of the option in front of it. */
  readonly isMaybe?: true;
}

export interface Subcommands {
  /** Main name by each other name, two words with a blank between: `i` of `install`, `image rm` of `rmi`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** All main names, if the program takes what is short for one of them. */
  readonly abbreviated?: readonly string[];
  /** Options in front of them, if they are not the options of the program. */
  readonly globals?: ProgramTable;
  /** What is known of one, if its options are not those of the program. */
  readonly tableOf?: (name: string) => ProgramTable;
}

export interface ProgramTable extends Omit<ProgramData, 'options' | 'deep' | 'follows' | 'stays'> {
  readonly options: ReadonlyMap<string, OptionEffect>;
  /** The main name of each option: the first long one, else the first. */
  readonly mainNames: ReadonlyMap<string, string>;
  /** Main names of the options with which it works on all that lies below a folder; null: it always does. */
  readonly deep: ReadonlySet<string> | null;
  /** The same of those with which it goes through links, and does not. */
  readonly follows: ReadonlySet<string>;
  readonly stays: ReadonlySet<string>;
  /** Several programs share it: a letter that takes a harmless word in one may take none, or name a file, in another. */
  readonly isShared: boolean;
  /** Names of subcommands that are two words, and the first words of these. */
  readonly pairs: ReadonlySet<string>;
  readonly pairStarts: ReadonlySet<string>;
  /** Long names, for what is abbreviated. */
  readonly longNames: readonly string[];
  /** True if an option that stands there by an expansion could act. */
  readonly hasActing: boolean;
  /** What one could do to files that it names, or makes it reach, if that is more than an operand in its place does; else null. */
  readonly reaches: 'write' | 'read' | null;
}

const ACTING: ReadonlySet<OptionEffect> = new Set([
  'read',
  'list',
  'lists',
  'write',
  'remove',
  'folder',
  'shell',
  'code',
  'acts',
  'risk',
]);

const READING: ReadonlySet<OptionEffect> = new Set(['read', 'list', 'lists']);

const FILE_EFFECTS: ReadonlySet<OptionEffect> = new Set(['read', 'list', 'lists', 'write', 'remove', 'folder']);

/** True if its value is a file, or it takes its operands for files. */
export function isOfFiles(effect: OptionEffect): boolean {
  return FILE_EFFECTS.has(effect);
}

/** True if the option does more than change how the program works. */
export function isActing(effect: OptionEffect | undefined): boolean {
  return effect !== undefined && ACTING.has(effect);
}

export function programTable(
  { deep = '', follows = '', stays = '', ...data }: ProgramData,
  isShared = false,
): ProgramTable {
  const options = new Map<string, OptionEffect>();
  const mainNames = new Map<string, string>();
  for (const [effect, groups] of Object.entries(data.options ?? {}))
    for (const group of groups.split(' ')) {
      const names = group.split(',');
      const main = names.find((name) => name.startsWith('--')) ?? names[0] ?? group;
      for (const name of names) {
        options.set(name, effect as OptionEffect);
        mainNames.set(name, main);
      }
    }
  const mainSet = (names: string): ReadonlySet<string> =>
    new Set(names === '' ? [] : names.split(' ').map((name) => mainNames.get(name) ?? name));
  const pairs = Object.entries(data.subcommands?.aliases ?? {})
    .flat()
    .filter((name) => name.includes(' '));
  return {
    ...data,
    options,
    mainNames,
    deep: deep === 'always' ? null : mainSet(deep),
    follows: mainSet(follows),
    stays: mainSet(stays),
    isShared,
    pairs: new Set(pairs),
    pairStarts: new Set(pairs.map((pair) => pair.slice(0, pair.indexOf(' ')))),
    longNames: [...options.keys()].filter((name) => name.startsWith('--')),
    hasActing: [...options.values()].some((effect) =>
      isOfFiles(effect) ? data.readOnly !== undefined && !READING.has(effect) : isActing(effect),
    ),
    reaches: reachedBy([...options.values()], data.operands, deep + follows),
  };
}

function reachedBy(
  effects: readonly OptionEffect[],
  operands: OperandKind = 'none',
  reaching: string,
): ProgramTable['reaches'] {
  if (effects.some((effect) => isOfFiles(effect) && !READING.has(effect))) return 'write';
  // Reading another file is not worse than an operand that is not known, if that is a file.
  if (!WITHOUT_FILES.has(operands)) return null;
  if (operands === 'change' && reaching !== '') return 'write';
  return effects.some((effect) => READING.has(effect)) ? 'read' : null;
}

/** Kinds of operands of which the first need be no file. */
const WITHOUT_FILES: ReadonlySet<OperandKind> = new Set(['none', 'paths', 'search', 'change', 'command', 'script']);

/** The description by each of its names. */
export function programTables(all: Programs): [string, ProgramTable][] {
  return Object.entries(all).flatMap(([joined, data]) => {
    const names = joined.split(' ');
    // One program under several names is one.
    const usual = new Set(names.map((name) => sameProgram(name)?.[0] ?? name));
    const table = programTable(data, usual.size > 1);
    return names.map((name): [string, ProgramTable] => [name, table]);
  });
}
