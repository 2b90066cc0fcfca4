// `wget`: what it fetches gets the name that the address ends in.

import { useFile } from './operands.js';
import { readByTable } from './read-by-table.js';
import { literalWord, replacedWord } from '../syntax/shell-word.js';
import type { ProgramTable } from './program-table.js';
import type { Task } from '../task.js';

export function readWget(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  if (options.some(({ name }) => name === '-O' || name === '--output-document')) return;
  const folder = options.find(({ name }) => name === '-P' || name === '--directory-prefix')?.value;
  for (const { word } of operands) {
    const name = /([^/?#]+)(?:[?#].*)?$/.exec(word.head)?.[1] ?? '';
    if (folder === undefined) useFile(task, literalWord(`./${name}`), 'write');
    else if (folder !== null && folder.value !== null)
      useFile(task, replacedWord(folder, `${folder.value}/${name}`), 'write');
  }
}
