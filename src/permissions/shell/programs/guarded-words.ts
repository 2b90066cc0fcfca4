// Words of a program that nobody knows, or whose operands are not known, that name a protected path: whether it is changed
// cannot be told, so it counts as written.
import { protectedPart } from '../../paths.js';
import { replacedWord, type ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile } from './operands.js';

/** Options whose value is what is left alone, not what is worked on. */
const LEAVES_OUT = /exclude|ignore|skip|omit|prune|filter|deny|without/i;
const LEAVES_OUT_SHORT = /^-[xXiIeEm]$/;

/** @param known how many files were noted before the program was read */
export function noteGuardedWords(task: Task, known: number): void {
  const named = new Set(task.reader.files.slice(known).map(({ path }) => path));
  for (const [at, word] of task.words.entries()) {
    const target = at === 0 ? null : pathIn(word, task.words[at - 1]);
    if (target === null || named.has(target) || protectedPart([], target) === null) continue;
    useFile(task, replacedWord(word, target), 'write');
  }
}

/** The path that a word is, or that an option has; null where it is none, or says what is left out. */
function pathIn({ value }: ShellWord, before: ShellWord | undefined): string | null {
  if (value === null || value === '') return null;
  if (!value.startsWith('-')) {
    const option = before?.value ?? '';
    return LEAVES_OUT_SHORT.test(option) || (option.startsWith('--') && LEAVES_OUT.test(option)) ? null : value;
  }
  const equals = value.indexOf('=');
  if (equals !== -1) return LEAVES_OUT.test(value.slice(0, equals)) ? null : value.slice(equals + 1);
  return /^-[a-zA-Z]./.test(value) && !LEAVES_OUT_SHORT.test(value.slice(0, 2)) ? value.slice(2) : null;
}
