// Makes of a draft what rules are held against. One rule: allow rules see one form, deny and ask rules see each form
// that names the same act.
import type { MainNames, NamedRun, ProgramRun } from './command-reading.js';
import { type CanonicalRun, canonicalRuns, possibleRuns } from './programs/canonical-run.js';
import { plainName, usuallyCalled } from './programs/same-names.js';
import { runText } from './read-run.js';
import type { RunDraft } from './reader.js';
import { literalWord, replacedWord, ruleText, type ShellWord } from './syntax/shell-word.js';

export function finishRun(draft: RunDraft): ProgramRun {
  return new FinishedRun(draft);
}

const NONE: readonly never[] = Object.freeze([]);

class FinishedRun implements ProgramRun {
  readonly text: string;
  readonly words: readonly (string | null)[];
  readonly name: string | null;
  readonly allowText: string | null;
  readonly spelled: string;
  readonly startedBy: ProgramRun['startedBy'];
  readonly restrictTexts: readonly string[];
  readonly openTexts: readonly string[];
  readonly mayStart: readonly string[];
  readonly readOnly: boolean;
  readonly isGit: boolean;
  readonly startsIn: readonly (string | null)[];
  readonly unknown: string | null;
  readonly #words: readonly ShellWord[];
  #names: MainNames | undefined;

  constructor(draft: RunDraft) {
    const { words, startedBy, spelledWords } = draft;
    const isLost = draft.isLost || draft.name === null;
    const allowText = runText(draft, words);
    const isPlain = isPlainText(draft, allowText);
    const forms = isPlain
      ? NONE
      : draft.forms.length === 0
        ? programForms(words)
        : [words, ...draft.forms].flatMap(programForms);
    const isStatic = isPlain || words.every(({ value }) => value !== null);
    this.text = draft.text;
    this.words = words.map(({ value }) => value);
    this.name = draft.name;
    this.allowText = isLost ? null : allowText;
    this.spelled = spelledWords === 0 ? draft.assigned.join(' ') : runText(draft, words.slice(0, spelledWords));
    this.startedBy =
      startedBy.length === 0 ? NONE : startedBy.map(({ allowText: text, spelled }) => ({ allowText: text, spelled }));
    this.restrictTexts = isPlain ? [allowText] : restrictForms(draft, allowText, forms);
    this.openTexts = isStatic ? NONE : [...new Set(forms.map((form) => openText(form)))];
    this.mayStart = draft.mayStart.length === 0 ? NONE : [...new Set(draft.mayStart.map(startedText))];
    this.readOnly = draft.readOnly && draft.unknown === null;
    this.isGit = draft.isGit;
    this.startsIn = draft.startsIn;
    this.unknown = draft.unknown;
    this.#words = words;
  }

  /** Of the class and not of the object, so that a copy, or a comparison, does not have it. */
  get mainNames(): MainNames | undefined {
    if (this.name !== null) this.#names ??= new RunNames(this.#words, this.name);
    return this.#names;
  }
}

class RunNames implements MainNames {
  readonly program: string;
  readonly #words: readonly ShellWord[];
  #runs: readonly CanonicalRun[] | undefined;
  #possible: readonly NamedRun[] | undefined;

  constructor(words: readonly ShellWord[], name: string) {
    this.#words = words;
    this.program = usuallyCalled(words)?.[0]?.value ?? plainName(name);
  }

  runs(): readonly CanonicalRun[] {
    this.#runs ??= canonicalRuns(this.#words);
    return this.#runs;
  }

  possible(): readonly NamedRun[] {
    this.#possible ??= possibleRuns(this.#words, this.runs());
    return this.#possible;
  }

  of(words: readonly string[]): readonly NamedRun[] {
    return canonicalRuns(words.map((word) => literalWord(word)));
  }
}

const PLAIN_NAME = /^[a-z0-9_-]+$/;

/** True where each form of the run is the same text: most words are written without quotes. */
function isPlainText({ text, words, forms, assigned }: RunDraft, allowText: string): boolean {
  if (forms.length > 0 || assigned.length > 0 || text !== allowText || !PLAIN_NAME.test(words[0]?.value ?? ''))
    return false;
  return words.every(({ value, rule }) => value === rule);
}

/** The same words with the program by its base name, as some systems also take it. */
function programForms(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [program, ...rest] = words;
  if (program === undefined || program.value === null || PLAIN_NAME.test(program.value)) return [words];
  const base = program.value.slice(program.value.lastIndexOf('/') + 1);
  const names = [program.value, base, base.toLowerCase(), plainName(base)];
  return [...new Set(names)].map((name) => [replacedWord(program, name), ...rest]);
}

/** Each of the words in the form that rules are held against, with the signs of quoted words marked and plain. */
function restrictForms(draft: RunDraft, allowText: string, forms: readonly (readonly ShellWord[])[]): string[] {
  const texts = [draft.text];
  const add = (text: string): void => {
    if (!texts.includes(text)) texts.push(text);
  };
  add(allowText);
  for (const form of forms) {
    add(ruleText(form));
    add(form.map(({ value, text }) => value ?? text).join(' '));
  }
  return texts;
}

/** Signs of a program that may be started; a NUL stands for the rest. */
const MAX_STARTED_TEXT = 200;

/** The program by its base name, as deny rules see it. */
function startedText(words: readonly ShellWord[]): string {
  const forms = programForms(words);
  const text = openText(forms.at(-1) ?? words);
  return text.length > MAX_STARTED_TEXT ? `${text.slice(0, MAX_STARTED_TEXT)}\0` : text;
}

/** With a NUL in the place of what is not static. */
function openText(words: readonly ShellWord[]): string {
  return words.map(({ value, head }) => (value === null ? `${head}\0` : value)).join(' ');
}
