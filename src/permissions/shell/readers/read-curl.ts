// `curl`: texts of a request can be taken from files, and addresses can be files.
import { useFile } from '../operands.js';
import { readByTable } from '../read-by-table.js';
import { type ShellWord, tailWord } from '../shell-word.js';
import type { ProgramTable } from '../tables/program-table.js';
import type { Task } from '../task.js';

const FROM_FILES = /^(?:-d|-H|-b|--data.*|--json|--header|--cookie|--url-query|-w|--write-out|-F|--form.*)$/;

export function readCurl(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  for (const { word } of operands) readAddress(task, word);
  for (const { name, value } of options) {
    if (value === null) continue;
    if (name === '--url') readAddress(task, value);
    if (!FROM_FILES.test(name)) continue;
    // `@file`, `name@file`, and in forms `name=@file` and `name=<file`.
    const start = /^(?:[\w-]*@|[\w-]*=[@<])/.exec(value.head)?.[0];
    const file = start === undefined ? null : tailWord(value, start.length);
    if (file !== null && file.value !== '-') useFile(task, file, 'read');
    else if (start === undefined && value.value === null && value.head === '') useFile(task, value, 'read');
  }
}

function readAddress(task: Task, word: ShellWord): void {
  const start = /^file:\/\/(?:localhost)?/i.exec(word.head)?.[0];
  if (start !== undefined) useFile(task, tailWord(word, start.length), 'read');
}
