// Makes of a draft what rules are held against. One rule: allow rules see one form, deny and ask rules see each form
// that names the same act.
import type { MainNames, NamedRun, ProgramRun } from './command-reading.js';
import { canonicalRun } from './programs/canonical-run.js';
import { runText } from './read-run.js';
import type { RunDraft } from './reader.js';
import { literalWord, replacedWord, ruleText, type ShellWord } from './syntax/shell-word.js';

export function finishRun(draft: RunDraft): ProgramRun {
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
  const run: ProgramRun = {
    text: draft.text,
    words: words.map(({ value }) => value),
    name: draft.name,
    allowText: isLost ? null : allowText,
    spelled: spelledWords === 0 ? draft.assigned.join(' ') : runText(draft, words.slice(0, spelledWords)),
    startedBy:
      startedBy.length === 0 ? NONE : startedBy.map(({ allowText: text, spelled }) => ({ allowText: text, spelled })),
    restrictTexts: isPlain ? [allowText] : restrictForms(draft, allowText, forms),
    openTexts: isStatic ? NONE : [...new Set(forms.map((form) => openText(form)))],
    mayStart: draft.mayStart.length === 0 ? NONE : [...new Set(draft.mayStart.map(startedText))],
    readOnly: draft.readOnly && draft.unknown === null,
    isGit: draft.isGit,
    startsIn: draft.startsIn,
    unknown: draft.unknown,
  };
  return draft.name === null ? run : Object.defineProperty(run, 'mainNames', { value: new RunNames(words) });
}

class RunNames implements MainNames {
  readonly #words: readonly ShellWord[];
  #found: NamedRun | null | undefined;

  constructor(words: readonly ShellWord[]) {
    this.#words = words;
  }

  run(): NamedRun | null {
    if (this.#found === undefined) this.#found = canonicalRun(this.#words);
    return this.#found;
  }

  of(words: readonly string[]): NamedRun | null {
    return canonicalRun(words.map((word) => literalWord(word)));
  }
}

const NONE: readonly never[] = Object.freeze([]);
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
  const names = [program.value, base, base.toLowerCase(), base.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '')];
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
