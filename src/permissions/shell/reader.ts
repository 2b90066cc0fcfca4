// What one reading gathers, and what of the shell's state it follows. Shared by the walk over the syntax and by what
// reads single programs.
import { added } from '../../util/lists.js';
import type { FileUse, MadeName, StartedBy, Unpacking, WorkTreeTop } from './command-reading.js';
import type { ListedNames, ShellWord } from './syntax/shell-word.js';

/** Folders that the shell may be in: each absolute, null if it cannot be told. */
export type Bases = readonly (string | null)[];

/** The folders after a command, by how it ended. */
export interface Outcome {
  readonly ok: Bases;
  readonly failed: Bases;
}

/** The state of one shell; a subshell has a copy. */
export class ShellState {
  bases: Bases;
  /** False in what may not be reached: branches, loops, functions. A function defined there may not be there. */
  isCertain: boolean;
  /** Functions that are defined for certain; shared by subshells, which only read it. */
  readonly functions: Set<string>;
  readonly text: ShellText;
  /** What variables are known to hold; null if nothing is known. */
  values: KnownValues | null;
  /** Its environment is not that of the session: another user's, or one that was cleared. */
  readonly isNewEnvironment: boolean;
  /** The folder before the last move, as long as the shell is where that led. */
  back: { readonly at: Bases; readonly from: Bases } | null = null;
  #unchanged: Outcome | null = null;

  constructor(
    bases: Bases,
    isCertain: boolean,
    functions: Set<string>,
    text: ShellText,
    values: KnownValues | null,
    isNewEnvironment: boolean,
  ) {
    this.bases = bases;
    this.isCertain = isCertain;
    this.functions = functions;
    this.text = text;
    this.values = values;
    this.isNewEnvironment = isNewEnvironment;
  }

  /** Where it is, however a command ended. One for all commands that move nothing, which are nearly all. */
  get unchanged(): Outcome {
    if (this.#unchanged?.ok !== this.bases) this.#unchanged = { ok: this.bases, failed: this.bases };
    return this.#unchanged as Outcome;
  }

  /** The copy that a subshell has, or what may not be reached. */
  inner(bases: Bases = this.bases): ShellState {
    return new ShellState(bases, false, this.functions, this.text, this.values, this.isNewEnvironment);
  }

  /** A copy in which other values are known. */
  withValues(values: KnownValues | null): ShellState {
    return new ShellState(this.bases, this.isCertain, this.functions, this.text, values, this.isNewEnvironment);
  }
}

/** What a shell runs, and how often a name stands in it other than to be read. */
export interface ShellText {
  readonly code: string;
  /** How often a name was asked about. */
  asked: number;
  /** Of all names; null until many were asked about. */
  names: ReadonlyMap<string, number> | null;
}

/** By variable: it holds one of these. */
export type KnownValues = ReadonlyMap<string, readonly ShellWord[]>;

/** An assignment in front of a command, as one word. */
export interface AssignmentWord {
  readonly name: string;
  readonly word: ShellWord;
}

/** A run while it is put together. */
export interface RunDraft {
  readonly words: readonly ShellWord[];
  /** Assignments in front that are not harmless, in the form that rules are held against. */
  readonly assigned: readonly string[];
  /** With assignments, as written. */
  readonly text: string;
  /** `text` is the form that rules are held against, too. */
  readonly isAsWritten: boolean;
  readonly name: string | null;
  readonly startedBy: readonly Starter[];
  /** Words, counted from the program, that a rule must spell out. */
  spelledWords: number;
  readOnly: boolean;
  isGit: boolean;
  readonly startsIn: Bases;
  unknown: string | null;
  /** No rule about content may allow it. */
  isLost: boolean;
  /** A rule that allows it allows what it starts. */
  isTransparent: boolean;
  /** Other words that name the same act. */
  forms: readonly (readonly ShellWord[])[];
  /** Some of its words are, or may be, a program or code that it starts. */
  startsWords: boolean;
  /** It only reads, and starts others, each of which is a run of its own. */
  onlyStarts: boolean;
  /** Words that it may start as a program: nothing is known of what it does with them. */
  mayStart: readonly (readonly ShellWord[])[];
}

/** Notes other words that name the same act. */
export function addForm(draft: RunDraft, words: readonly ShellWord[]): void {
  draft.forms = added(draft.forms, words);
}

/** Notes words that it may start as a program. */
export function addStarted(draft: RunDraft, words: readonly ShellWord[]): void {
  draft.mayStart = added(draft.mayStart, words);
}

/** What a command reads as its input if that is a text of the command line; null for all other input. */
export type Input = string | null;

export interface Reader {
  /** The whole line. */
  readonly command: string;
  /** The folder of the session. */
  readonly folder: string;
  /** The folders in which git works on the repository of the session. */
  readonly own: readonly string[];
  readonly home: string | null;
  /** Somebody looks at what the repositories that it reaches make git start. */
  readonly looksAtGit: boolean;
  /** The folder that git says its work tree begins at, asked in the folder `from`, unless it fails; null if that is not known. */
  readonly top: WorkTreeTop | null;
  /** `cd` looks for folders in other places too. */
  readonly looksElsewhere: boolean;
  /** Folders that `pushd` may have noted. */
  pushed: Bases;
  readonly runs: RunDraft[];
  readonly files: FileUse[];
  readonly unpacks: Unpacking[];
  /** What the line makes or moves, so that names at and below it may mean something else than they do now. */
  readonly made: MadePath[];
  /** It writes to `/dev/stdout` or another descriptor by its name. */
  opensDescriptors: boolean;
  /** Some of its parts run in another order than the text has, or at the same time as all that follows. */
  isReordered: boolean;
  /** Pipes that make something, whose parts run at the same time; null for none. */
  pipes: MakingPipe[] | null;
  /** What makes the whole reading unknown; the first reason counts. */
  unknown: string | null;
  /** Variables whose text something evaluates as arithmetic, which runs the substitutions in it. */
  readonly evaluated: Set<string>;
  /** What the program that was read last lists on its output, and nothing else; null if that is not known. */
  listed: ListedNames | null;
  /** What a substitution puts in its place, by its part of a word; null until one lists names. */
  outputs: Map<object, ListedNames> | null;
  /** Whether a script changes the folder of its shell anywhere, by its syntax; null until something asks. */
  moving: Map<object, boolean> | null;
  /** What variables are set to. */
  readonly values: Map<string, VariableValue>;
  /** Variables that are lists, and those that a builtin sets to a text which would run something as the value of one. */
  readonly lists: Set<string>;
  readonly listTexts: Set<string>;
  /** Variables whose value was taken for known. */
  readonly knownVariables: Set<string>;
  /** Variables that something else sets than what their value is known from. */
  readonly setVariables: Set<string>;
  /** A loop reads names that another program lists. */
  readsLines: boolean;
  /** The shell may take its input from elsewhere from some point on. */
  changesInput: boolean;
  /** A function changes the folder. */
  functionsMove: boolean;
  /** Signs that may still be looked at, so that programs which start programs over and over cost a bounded time. */
  budget: number;
  /** How deep scripts are nested: substitutions, `bash -c`, functions. */
  depth: number;
  /** Walks a literal script as a shell started by `startedBy` would run it. */
  readScript(code: string, state: ShellState, startedBy: readonly Starter[]): void;
}

/** A name that a program of the line makes. */
export interface MadePath extends MadeName {
  /** The uses of files in `files` that are of the program itself: from, and up to. */
  readonly from: number;
  upTo: number;
  /** Uses of the same program with other words, which need not come after it: all from and up to there but for its own. */
  beside?: { readonly from: number; readonly own: number; readonly ownUpTo: number; readonly upTo: number };
}

/** Places in `files` and in `made` of what a pipe uses and makes: from, and up to. */
export interface MakingPipe {
  readonly files: number;
  readonly filesEnd: number;
  readonly made: number;
  readonly madeEnd: number;
}

/** A run that starts another, as the one that is started sees it. */
export interface Starter extends StartedBy {
  /** Words of the started run stand in its text behind `spelled`, so that what they start must be spelled out too. */
  readonly isInline: boolean;
}

export interface VariableValue {
  /** Names in its text: arithmetic goes on with what they hold. */
  readonly names: Set<string>;
  /** It may hold a substitution. */
  holdsCode: boolean;
}

/** How deep scripts and compound commands may be nested. */
export const MAX_DEPTH = 50;
const MAX_BASES = 6;

/** Takes the signs off what may still be looked at. Returns false, and says so, if nothing is left. */
export function spend(reader: Reader, signs: number): boolean {
  reader.budget -= signs;
  if (reader.budget >= 0) return true;
  sayUnknown(reader, 'programs start each other too often to follow');
  return false;
}

export function sayUnknown(reader: Reader, reason: string): void {
  reader.unknown ??= reason;
}

/** The folders of both, or unknown if there are too many to follow. */
export function joinBases(a: Bases, b: Bases): Bases {
  if (a === b || (a.length === 1 && b.length === 1 && a[0] === b[0])) return a;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_BASES || all.includes(null) ? [null] : all;
}

/** A shell that starts with the folders. */
export function newShell(code: string, bases: Bases, isNewEnvironment = false): ShellState {
  return new ShellState(bases, true, new Set(), { code, asked: 0, names: null }, null, isNewEnvironment);
}
