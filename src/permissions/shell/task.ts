// One program of a command line while it is read: what the readers of single programs work on.

import type { FileUse } from './command-reading.js';
import type { AssignmentWord, Bases, Input, Outcome, Reader, RunDraft, ShellState } from './reader.js';
import type { ListedNames, ShellWord } from './syntax/shell-word.js';

export interface Task {
  readonly reader: Reader;
  readonly state: ShellState;
  readonly draft: RunDraft;
  readonly words: readonly ShellWord[];
  /** Variables that are set for it alone. */
  readonly assignments: readonly AssignmentWord[];
  readonly name: string;
  readonly input: Input;
  /** The file that its input is; null if it is none, or not known. */
  readonly inputFile: FileUse | null;
  /** Its input is names that another program lists; null if that is not known. */
  readonly names: ListedNames | null;
  /** Started by another program: builtins and functions of the shell are out of reach. */
  readonly isExternal: boolean;
  /** Folders that its operands are relative to. */
  bases: Bases;
  /** What it starts runs on another machine or in a container: files are not those of this machine. */
  isElsewhere: boolean;
  /** True if anything in the script that it stands in may change the folder of its shell. */
  movesAnywhere(): boolean;
  /** The same program with other words, or as another one: places are told in these. */
  as(words: readonly ShellWord[], name?: string): Task;
  /** Reads the words that it starts as a program. `upTo`: place of the last word that decides what is started. */
  start(words: readonly ShellWord[], upTo: number, how?: StartHow): Outcome;
  /** Reads a line that it gives to a shell; null if it is not static. */
  startLine(code: string | null, upTo: number, how?: StartHow): void;
}

export interface StartHow {
  readonly assignments?: readonly AssignmentWord[];
  /** A builtin of the same shell starts it: other builtins are within reach. */
  readonly isBuiltin?: true;
  readonly input?: Input;
  /** What it starts stands in its input, which no rule about its words names. */
  readonly isInput?: true;
  /** In this shell, not in one of its own. */
  readonly isSameShell?: true;
}

/** What the run does cannot be told, and no rule about content may allow it. */
export function sayLost({ draft }: Task, reason: string): void {
  draft.unknown ??= reason;
  draft.isLost = true;
}

/** Called by its plain name, with nothing set and all of it known. */
export function isPlainCall({ draft, words, name }: Task): boolean {
  return draft.unknown === null && draft.assigned.length === 0 && words[0]?.value === name;
}

/** A rule that allows the run must spell out the words up to this one: they decide what runs. */
export function needSpelled({ draft }: Task, upTo: number): void {
  draft.spelledWords = Math.max(draft.spelledWords, upTo + 1);
}

/** What the run does cannot be told, but a rule that spells out the words up to this one names it. */
export function sayActing(task: Task, reason: string, upTo: number = task.draft.words.length - 1): void {
  task.draft.unknown ??= reason;
  needSpelled(task, upTo);
}
