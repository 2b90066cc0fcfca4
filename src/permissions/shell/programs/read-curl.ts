// `curl`: texts of a request can be taken from files, and addresses can be files.
import { useFile } from './operands.js';
import { readByTable } from './read-by-table.js';
import { literalWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import type { ProgramTable } from './program-table.js';
import { sayActing, type Task } from '../task.js';

const FROM_FILES = /^(?:-d|-H|-b|--variable|--data.*|--json|--header|--cookie|--url-query|-w|--write-out|-F|--form.*)$/;

export function readCurl(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  for (const { word } of operands) readAddress(task, word);
  for (const { name, value } of options) {
    if (value === null) continue;
    if (name === '--url') readAddress(task, value);
    for (const [, target] of name === '-w' || name === '--write-out'
      ? value.head.matchAll(/%output\{(?:>>)?([^}]*)/g)
      : [])
      useFile(task, literalWord(target ?? ''), 'write');
    // Without a sign between name and value it is the name of a file.
    if ((name === '-b' || name === '--cookie') && value.value !== null && !value.value.includes('='))
      useFile(task, value, 'read');
    if (!FROM_FILES.test(name)) continue;
    // `@file`, `name@file`, and in forms `name=@file` and `name=<file`.
    const start = /^(?:[\w-]*@|[\w-]*=[@<])"?/.exec(value.head)?.[0];
    const rest = start === undefined ? null : tailWord(value, start.length);
    const file =
      start?.endsWith('"') === true && rest?.value != null ? literalWord(rest.value.replace(/".*$/, '')) : rest;
    if (file !== null && file.value !== '-') useFile(task, file, 'read');
    else if (start === undefined && value.value === null && value.head === '') useFile(task, value, 'read');
  }
}

function readAddress(task: Task, word: ShellWord): void {
  const start = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(word.head)?.[0];
  if (start !== undefined) useFile(task, tailWord(word, start.length), 'read');
  // Curl makes addresses of braces and brackets: what stands in front of the host may be `file`.
  else if (/^[^/]*[[{]/.test(word.head)) sayActing(task, `${word.text} may be the address of a file`);
}
