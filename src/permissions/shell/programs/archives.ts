// Programs that write what stands in an archive or a patch: `patch`, `unzip`, `7z`, `cpio`, `pax`, `ar`.

import { literalWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { scanOptions } from './scan-options.js';
import { ANY_CUT, noteUnpacking } from './unpacking.js';

export const ARCHIVE_PROGRAMS: Programs = {
  'gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli compress uncompress pigz': {
    options: {
      write: '-o --output',
      value: '-S --suffix -T --threads -M -p -b',
      read: '-D',
      acts: '--use-compress-program',
    },
    operands: 'remove',
  },
  'zcat bzcat xzcat zstdcat lzcat zless zmore zgrep bzgrep xzgrep': { operands: 'read' },
  zip: {
    options: { value: '-n -x -i -t -tt', write: '-b', acts: '-TT --unzip-command', risk: '-T' },
    operands: 'write',
  },
  'unzip funzip': { options: { write: '-d', value: '-x -P', risk: '-:' }, operands: 'read', read: readUnpacker },
  '7z 7za 7zr unrar': { operands: 'write', read: readUnpacker },
  'ar cpio pax': {
    read: readUnpacker,
    options: { write: '-F -O --file', folder: '-D --directory', acts: '--rsh-command', read: '-I -E' },
    operands: 'write',
  },
  patch: {
    read: readPatch,
    options: {
      read: '-i --input',
      write: '-o --output -r --reject-file',
      folder: '-d --directory',
      value: '-p --strip -F -B -D -V -Y -z -g',
      risk: '-e --ed',
    },
    operands: 'write',
  },
};

/** `patch`: what it writes stands in the patch, unless a file is named. */
export function readPatch(task: Task, table: ProgramTable): void {
  readByTable(task, table);
  const { options, operands } = scanOptions(task.words, table);
  const named = options.find(({ name }) => name === '-i' || name === '--input');
  const source = named?.value ?? operands[1]?.word ?? null;
  useFile(task, literalWord('.'), 'write');
  if (operands.length > 0 || options.some(({ name }) => name === '-o' || name === '--output' || name === '--dry-run'))
    return;
  const cut = options.find(({ name }) => name === '-p' || name === '--strip')?.value?.value ?? null;
  noteUnpacking(task, { kind: 'patch', source, cut: cut !== null && /^\d$/.test(cut) ? [Number(cut)] : ANY_CUT });
}

/** `unzip`, `7z` and their like. */
export function readUnpacker(task: Task, table: ProgramTable): void {
  readByTable(task, table);
  const { options, operands } = scanOptions(task.words, table);
  const has = (...names: string[]): boolean => options.some(({ name }) => names.includes(name));
  const [first, second, ...rest] = operands.map(({ word }) => word);
  switch (task.name) {
    case 'unzip':
      // These list, test, or print what is in it.
      if (first === undefined || has('-l', '-p', '-t', '-Z', '-v', '-c', '-z')) return;
      noteUnpacking(task, {
        kind: 'archive',
        source: first,
        folder: folderOf(task, '-d'),
        only: [...operands.slice(1).map(({ word }) => word)],
      });
      return;
    case '7z':
    case '7za':
    case '7zr':
    case 'unrar':
      if (second === undefined || !/^[xe]$/.test(first?.value ?? 'x')) return;
      noteUnpacking(task, { kind: 'archive', source: second, folder: folderOf(task, '-o'), only: rest });
      return;
    case 'cpio':
      if (has('-i', '--extract', '--pass-through', '-p')) noteUnpacking(task, { kind: 'archive', source: null });
      if (has('-i', '--extract')) useFile(task, literalWord('.'), 'write');
      return;
    case 'pax':
      if (has('-r')) noteUnpacking(task, { kind: 'archive', source: null });
      return;
    default:
      if (task.name === 'ar' && /^-?[a-zA-Z]*x/.test(task.words[1]?.value ?? 'x'))
        noteUnpacking(task, { kind: 'archive', source: null });
  }
}

/** The folder behind an option, also where it is attached; null where it is not static. */
function folderOf(task: Task, option: string): string | null {
  for (const [at, { value, head }] of task.words.entries()) {
    if (value === option) return task.words[at + 1]?.value ?? null;
    if (head.startsWith(option) && head.length > option.length) return value?.slice(option.length) ?? null;
  }
  return '';
}
