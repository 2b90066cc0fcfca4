// Makes of a draft what rules are held against. One rule: allow rules see one form, deny and ask rules see each form
// that names the same act.
import { added } from '../../util/lists.js';
import type { MainNames, NamedRun, ProgramRun, StartedBy } from './command-reading.js';
import { type CanonicalRun, canonicalRuns, mayBeSubcommand, possibleRuns } from './programs/canonical-run.js';
import { plainName, usuallyCalled, usualName } from './programs/same-names.js';
import { runText } from './read-run.js';
import type { RunDraft, Starter } from './reader.js';
import { literalWord, replacedWord, ruleText, type ShellWord } from './syntax/shell-word.js';

export function finishRun(draft: RunDraft): ProgramRun {
  return new FinishedRun(draft);
}

const NONE: readonly never[] = [];

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
  declare readonly startsWords?: true;
  declare readonly onlyStarts?: true;
  readonly readOnly: boolean;
  readonly isGit: boolean;
  readonly startsIn: readonly (string | null)[];
  readonly unknown: string | null;
  readonly #words: readonly ShellWord[];
  #usualName: string | null | undefined;
  #startNames: readonly string[] | undefined;
  #names: MainNames | undefined;

  constructor(draft: RunDraft) {
    const { words, spelledWords } = draft;
    const allowText = runText(draft, words);
    const values = words.map(wordValue);
    const forms = formsOf(draft, allowText);
    this.text = draft.text;
    this.words = values;
    this.name = draft.name;
    this.allowText = draft.isLost || draft.name === null ? null : allowText;
    this.spelled = spelledWords === 0 ? draft.assigned.join(' ') : runText(draft, words.slice(0, spelledWords));
    this.startedBy = draft.startedBy.length === 0 ? NONE : draft.startedBy.map(startedBy);
    this.restrictTexts = restrictForms(draft, allowText, forms);
    this.openTexts = values.includes(null) ? openTexts(forms) : NONE;
    this.mayStart = draft.mayStart.length === 0 ? NONE : [...new Set(draft.mayStart.map(startedText))];
    if (draft.startsWords) this.startsWords = true;
    if (draft.onlyStarts) this.onlyStarts = true;
    this.readOnly = draft.readOnly && draft.unknown === null;
    this.isGit = draft.isGit;
    this.startsIn = draft.startsIn;
    this.unknown = draft.unknown;
    this.#words = words;
  }

  // Of the class and not of the object, so that a copy, or a comparison, does not have them.
  get usualName(): string | null {
    if (this.#usualName === undefined)
      this.#usualName = this.name === null ? null : (usuallyCalled(this.#words)?.[0]?.value ?? plainName(this.name));
    return this.#usualName;
  }

  get mayStartNames(): readonly string[] {
    this.#startNames ??= this.mayStart.length === 0 ? NONE : this.mayStart.map(startName);
    return this.#startNames;
  }

  get mainNames(): MainNames {
    this.#names ??= new RunNames(this.#words);
    return this.#names;
  }
}

function wordValue({ value }: ShellWord): string | null {
  return value;
}

function startedBy({ allowText, spelled }: Starter): StartedBy {
  return { allowText, spelled };
}

/** The program that the text begins with, as it is usually called. */
function startName(text: string): string {
  const end = text.indexOf(' ');
  return usualName(end === -1 ? text : text.slice(0, end));
}

class RunNames implements MainNames {
  readonly #words: readonly ShellWord[];
  #runs: readonly CanonicalRun[] | undefined;
  #possible: readonly NamedRun[] | undefined;

  constructor(words: readonly ShellWord[]) {
    this.#words = words;
  }

  mayBe(subcommand: string): boolean {
    return mayBeSubcommand(this.#words, subcommand);
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

const PLAIN_NAME = /^(?:[a-z0-9_-]+|\[)$/;

/** Words that name the same act, but for the run as rules that allow see it: most runs have no others. */
function formsOf(draft: RunDraft, allowText: string): readonly (readonly ShellWord[])[] {
  const { words, forms, assigned } = draft;
  const isPlain = forms.length === 0 && assigned.length === 0 && PLAIN_NAME.test(words[0]?.value ?? '');
  if (!isPlain) return forms.length === 0 ? programForms(words) : [words, ...forms].flatMap(programForms);
  const isText = draft.text === allowText && words.every(({ value, rule }) => value === rule);
  return isText ? NONE : [words];
}

/** The same words with the program by its base name, as some systems also take it. */
function programForms(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const program = words[0];
  if (program === undefined || program.value === null || PLAIN_NAME.test(program.value)) return [words];
  const base = program.value.slice(program.value.lastIndexOf('/') + 1);
  const names = new Set([program.value, base, base.toLowerCase(), plainName(base)]);
  return [...names].map((name) => [replacedWord(program, name), ...words.slice(1)]);
}

/** Each of the words in the form that rules are held against, with the signs of quoted words marked and plain. */
function restrictForms(
  draft: RunDraft,
  allowText: string,
  forms: readonly (readonly ShellWord[])[],
): readonly string[] {
  let texts: readonly string[] = draft.text === allowText ? [allowText] : [draft.text, allowText];
  for (const form of forms) {
    // Of the words themselves it is known.
    if (form !== draft.words || draft.assigned.length > 0) texts = withText(texts, ruleText(form));
    if (!isPlain(draft, form)) texts = withText(texts, form.map(plainText).join(' '));
  }
  return texts;
}

/** True if the words without their quotes are the text of the run, which is there already: so it is with most. */
function isPlain(draft: RunDraft, form: readonly ShellWord[]): boolean {
  return draft.isAsWritten && form === draft.words && form.every(({ value, text }) => value === null || value === text);
}

function withText(texts: readonly string[], text: string): readonly string[] {
  return texts.includes(text) ? texts : added(texts, text);
}

function plainText({ value, text }: ShellWord): string {
  return value ?? text;
}

function openTexts(forms: readonly (readonly ShellWord[])[]): readonly string[] {
  let texts: readonly string[] = NONE;
  for (const form of forms) texts = withText(texts, openText(form));
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
  return words.map(openPart).join(' ');
}

function openPart({ value, head }: ShellWord): string {
  return value ?? `${head}\0`;
}
