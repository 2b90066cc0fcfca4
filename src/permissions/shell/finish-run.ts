// Makes of a draft what rules are held against. One rule: allow rules see one form, deny and ask rules see each form
// that names the same act.
import type { ProgramRun } from './command-reading.js';
import { runText } from './read-run.js';
import type { RunDraft } from './reader.js';
import { ruleText, type ShellWord } from './shell-word.js';

export function finishRun(draft: RunDraft): ProgramRun {
  const { words } = draft;
  const isLost = draft.isLost || draft.name === null;
  const forms = [words, ...draft.forms].flatMap((form) => programForms(form));
  const isStatic = words.every(({ value }) => value !== null);
  return {
    text: draft.text,
    words: words.map(({ value }) => value),
    name: draft.name,
    allowText: isLost ? null : runText(draft, words),
    spelled: runText(draft, words.slice(0, draft.spelledWords)),
    startedBy: draft.startedBy.map(({ allowText, spelled }) => ({ allowText, spelled })),
    restrictTexts: [...new Set([draft.text, runText(draft, words), ...forms.flatMap((form) => textForms(form))])],
    openTexts: isStatic ? [] : [...new Set(forms.map((form) => openText(form)))],
    readOnly: draft.readOnly && draft.unknown === null,
    isGit: draft.isGit,
    unknown: draft.unknown,
  };
}

/** The same words with the program by its base name, as some systems also take it. */
function programForms(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [program, ...rest] = words;
  if (program === undefined || program.value === null) return [words];
  const base = program.value.slice(program.value.lastIndexOf('/') + 1);
  const names = [program.value, base, base.toLowerCase(), base.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '')];
  return [...new Set(names)].map((name) => [{ ...program, text: name, value: name, head: name }, ...rest]);
}

/** With the signs of quoted words marked, and plain. */
function textForms(words: readonly ShellWord[]): string[] {
  return [ruleText(words), words.map(({ value, text }) => value ?? text).join(' ')];
}

/** With a NUL in the place of what is not static. */
function openText(words: readonly ShellWord[]): string {
  return words.map(({ value, head }) => (value === null ? `${head}\0` : value)).join(' ');
}
