// What a program with subcommands that run others is described by: package managers, containers, environments.

import type { ProgramData } from './program-table.js';

export interface RunnerData {
  /** Options with a value in front of the subcommand. */
  readonly values?: string;
  /** Options that name the folder it works in, wherever they stand. */
  readonly folders?: string;
  /** Options that name files which are read or written, wherever they stand. */
  readonly reads?: string;
  readonly writes?: string;
  /** Options, wherever they stand, whose file names programs, or that are started. */
  readonly starts?: string;
  /** Its options `-v` and `--mount` give a folder of this machine away, and its images may lie in one (`dir:/x`). */
  readonly mounts?: true;
  /** Options in front of everything else that run code or load it. */
  readonly code?: string;
  /** The subcommand that copies files to and from elsewhere, whose names have a colon. */
  readonly copies?: RegExp;
  /** Words from the subcommand on with which it runs code, or changes what runs later. */
  readonly acts?: RegExp;
  /** What it changes with such words in the folder and the user's home. */
  readonly settings?: string;
  /** Other names of subcommands, two words with a blank between, for rules that deny. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Names of options of its subcommands that mean the same everywhere, joined by commas, for rules that deny. */
  readonly synonyms?: string;
  /** The same of those that take a value. */
  readonly valued?: string;
  /** First words with subcommands of their own, and which options with a value stand in front of those. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Names of options without a value of such a first word, if they are not those of the program. */
  readonly groupSynonyms?: Readonly<Record<string, string>>;
  /** All main names of subcommands, if it takes what is short for one. */
  readonly commands?: string;
  /** Each way to write the operands, for rules that deny. */
  readonly operandSpellings?: NonNullable<ProgramData['operandSpellings']>;
  /** Other ways to write the same words. */
  readonly spellings?: NonNullable<ProgramData['spellings']>;
  /** It works on the project of the folder that it is in. */
  readonly project?: true;
  /**
   * Words that alone make it tell its version, and run nothing of the project. Absent: none does, because it does not know
   * them, or takes the program that answers from the project.
   */
  readonly tells?: string;
  /** Words from the subcommand on with which it writes these: folders end with a slash, patterns have a star. */
  readonly makes?: readonly (readonly [RegExp, string])[];
  /** Words behind its name with which it looks for these files by itself (`own` of a program). */
  readonly own?: readonly (readonly [RegExp, string])[];
  /** Options with a file or a folder, beside or in which it looks for these too. */
  readonly beside?: readonly [string, string];
  /** Words from the subcommand on with which it reads all of the folder, to send or pack it. */
  readonly gathers?: RegExp;
  /** Words from the subcommand on with which these options name files. */
  readonly named?: readonly (readonly [RegExp, string])[];
  /** Subcommands whose operands are folders or files that are read. */
  readonly contexts?: RegExp;
  /** By subcommand, its words with a blank between. */
  readonly runs?: Readonly<Record<string, RunningData>>;
}

export interface RunningData {
  readonly values?: string;
  /** Operands in front of the command, such as the name of a container. */
  readonly before?: number;
  /** What it runs, it runs in a container or on another machine. */
  readonly isElsewhere?: true;
  /** Options whose value is run as a line or as code. */
  readonly acts?: string;
}
