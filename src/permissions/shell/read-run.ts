// Reads one program with its words: what it starts in turn, which files it names, whether it only reads. Its rule: a
// program that is not in the tables is known by its name and words alone.

import type { FileUse } from './command-reading.js';
import { noteGuardedWords } from './programs/guarded-words.js';
import { readProgram } from './programs/read-program.js';
import {
  type AssignmentWord,
  childState,
  type Input,
  newShell,
  type Outcome,
  type Reader,
  type RunDraft,
  type ShellState,
  type Starter,
  spend,
} from './reader.js';
import { isBuiltinName } from './syntax/builtin-names.js';
import { readBuiltin } from './syntax/builtins.js';
import { type ListedNames, ruleText, type ShellWord } from './syntax/shell-word.js';
import { isActingVariable, isHarmlessVariable } from './syntax/variables.js';
import { sayLost, type Task } from './task.js';

export interface RunSetting {
  readonly reader: Reader;
  readonly state: ShellState;
  readonly startedBy: readonly Starter[];
  readonly input: Input;
  /** The file that its input is, where it is one. */
  readonly inputFile?: FileUse | null;
  /** What another program lists there. */
  readonly names?: ListedNames | null;
  /** Started by another program, so that builtins and functions are out of reach. */
  readonly isExternal: boolean;
  readonly isElsewhere?: boolean;
}

/** Adds the run and all that it starts. Returns the folders of the shell after it. */
export function readRun(
  setting: RunSetting,
  assignments: readonly AssignmentWord[],
  words: readonly ShellWord[],
): Outcome {
  const { reader, state } = setting;
  const unchanged: Outcome = { ok: state.bases, failed: state.bases };
  let signs = 0;
  for (const { text } of words) signs += text.length + 1;
  if (!spend(reader, signs * (1 + setting.startedBy.length))) return unchanged;
  const draft = newDraft(setting, assignments, words);
  reader.runs.push(draft);
  for (const { name } of assignments)
    if (isActingVariable(name)) draft.unknown ??= `${name} is set, which programs act on`;
  if (draft.name === null) {
    draft.unknown ??= `the program ${words[0]?.text ?? ''} is not a plain word`;
    draft.isLost = true;
    return unchanged;
  }
  const written = words[0]?.value ?? '';
  if (!setting.isExternal && state.functions.has(written)) {
    // What it does stands where it is defined.
    draft.readOnly = draft.assigned.length === 0;
    return reader.functionsMove ? { ok: [null], failed: [null] } : unchanged;
  }
  const task = newTask(setting, draft, draft.name);
  if (!setting.isExternal && isBuiltinName(written)) return readBuiltin(task);
  const [files, runs, made] = [reader.files.length, reader.runs.length, reader.made.length];
  readProgram(task);
  // Of what only starts others, the words are theirs; git and reading programs are known.
  const isLeaf = reader.runs.length === runs && !draft.readOnly && !draft.isGit && !task.isElsewhere;
  if (isLeaf) noteGuardedWords(task, files);
  for (const each of reader.made.slice(made)) each.upTo = Math.min(each.upTo, reader.files.length);
  return unchanged;
}

function newDraft(
  { startedBy, state, isElsewhere }: RunSetting,
  assignments: readonly AssignmentWord[],
  words: readonly ShellWord[],
): RunDraft {
  const assigned = assignments.filter(({ name }) => !isHarmlessVariable(name)).map(({ word }) => word.rule);
  const written = words.map(({ text }) => text).join(' ');
  return {
    words,
    assigned,
    text: assignments.length === 0 ? written : [...assignments.map(({ word }) => word.text), written].join(' '),
    name: programName(words[0]),
    startedBy,
    spelledWords: 0,
    readOnly: false,
    isGit: false,
    startsIn: isElsewhere === true ? [] : state.bases,
    unknown: null,
    isLost: false,
    isTransparent: false,
    forms: [],
    mayStart: [],
  };
}

/** The base name; null for what is not static or no name at all. */
function programName(word: ShellWord | undefined): string | null {
  if (word === undefined || word.value === null || (word.tilde && !/^~\/./.test(word.value))) return null;
  const name = word.value.slice(word.value.lastIndexOf('/') + 1);
  return name === '' ? null : name;
}

function newTask(setting: RunSetting, draft: RunDraft, name: string): Task {
  const { reader, state } = setting;
  const task: Task = {
    reader,
    state,
    draft,
    words: draft.words,
    name,
    input: setting.input,
    inputFile: setting.inputFile ?? null,
    names: setting.names ?? null,
    isExternal: setting.isExternal,
    bases: state.bases,
    isElsewhere: setting.isElsewhere ?? false,
    start(words, upTo, how = {}) {
      let outcome: Outcome = { ok: state.bases, failed: state.bases };
      if (words.length === 0) return outcome;
      const place = how.isSameShell === true ? state : { ...childState(state), bases: task.bases, isCertain: false };
      const started: RunSetting = {
        reader,
        state: place,
        startedBy: starters(draft, upTo, true),
        input: how.input === undefined ? setting.input : how.input,
        inputFile: how.input === undefined ? (setting.inputFile ?? null) : null,
        names: how.input === undefined ? (setting.names ?? null) : null,
        isExternal: how.isBuiltin !== true,
        isElsewhere: task.isElsewhere,
      };
      nest(task, () => {
        outcome = readRun(started, how.assignments ?? [], words);
      });
      return outcome;
    },
    startLine(code, upTo, how = {}) {
      if (code === null) {
        sayLost(task, `${name} runs commands that are not static`);
        return;
      }
      const place: ShellState =
        how.isSameShell === true ? state : newShell(code, task.bases, state.isNewEnvironment || CHANGES_USER.has(name));
      const files = reader.files.length;
      const startedBy = how.isInput === true ? draft.startedBy : starters(draft, upTo, false);
      nest(task, () => reader.readScript(code, place, startedBy));
      if (task.isElsewhere) reader.files.length = files;
    },
  };
  return task;
}

function nest(task: Task, read: () => void): void {
  const { reader } = task;
  if (reader.depth >= MAX_STARTED) {
    sayLost(task, 'programs start each other too deeply to follow');
    return;
  }
  reader.depth++;
  read();
  reader.depth--;
}

/** What they start has the environment of another user, or none. */
const CHANGES_USER: ReadonlySet<string> = new Set(['sudo', 'su', 'runuser', 'doas', 'pkexec', 'env', 'machinectl']);

/** Programs that start programs count as nesting too. */
const MAX_STARTED = 50;

/** Who starts what this run starts: itself, and those that start it. */
function starters(draft: RunDraft, upTo: number, isInline: boolean): Starter[] {
  const between = ruleText(draft.words.slice(1, upTo + 1));
  const outer = draft.startedBy.map((starter): Starter => {
    if (!starter.isInline || starter.spelled === '') return starter;
    return { ...starter, spelled: between === '' ? starter.spelled : `${starter.spelled} ${between}`, isInline };
  });
  if (draft.isLost) return outer;
  const allowText = runText(draft, draft.words);
  if (draft.isTransparent) return [...outer, { allowText, spelled: '', isInline: false }];
  return [...outer, { allowText, spelled: runText(draft, draft.words.slice(0, upTo + 1)), isInline }];
}

/** Assignments and words in the form that rules are held against. */
export function runText(draft: RunDraft, words: readonly ShellWord[]): string {
  const text = ruleText(words);
  if (draft.assigned.length === 0) return text;
  return [...draft.assigned, ...(words.length === 0 ? [] : [text])].join(' ');
}
