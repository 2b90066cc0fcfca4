// Operands that a program takes for patterns of its own, such as those of formatters. One rule: a pattern is all that
// lies below the folder in front of it, and one that may lead out of that folder is unknown.
import type { FileUse } from '../command-reading.js';
import { replacedWord, type ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile, useUnknownFile } from './operands.js';

/** Notes an operand that may be a file, a folder with all that is in it, or a pattern. */
export function usePattern(task: Task, word: ShellWord, access: FileUse['access']): void {
  const { value } = word;
  if (value === null || !/[*?[{]|^!|[@+]\(/.test(value)) {
    useFile(task, word, access, { reach: 'tree' });
    return;
  }
  // What is left out.
  if (value.startsWith('!')) return;
  const magic = value.search(/[*?[{]|[@+!]\(/);
  const slash = value.lastIndexOf('/', magic);
  const folder = slash === -1 ? '.' : slash === 0 ? '/' : value.slice(0, slash);
  if (value.slice(Math.max(slash, 0)).includes('..') || (slash === -1 && /\{[^}]*\//.test(value)))
    useUnknownFile(task, access, `${task.name} expands ${word.text} itself`);
  else useFile(task, replacedWord(word, folder), access, { reach: 'tree' });
}
