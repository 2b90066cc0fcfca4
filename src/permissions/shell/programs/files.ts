// Programs that make, change and remove files by their names.
import path from 'node:path';
import {
  globWord,
  literalWord,
  replacedWord,
  type ShellWord,
  tailWord,
  tildeWord,
  wordWith,
} from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { addMade } from './file-uses.js';
import { useDerived, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable, readOptions } from './read-by-table.js';
import { type FoundOperand, type ScannedWords, scanOptions } from './scan-options.js';

const NEW_NODE = {
  options: { value: '-m,--mode', attached: '--context', flag: '-p,--parents -v,--verbose -Z' },
  operands: 'write',
} as const;
const RECURSIVE = '-R,--recursive -v,--verbose -c,--changes -f,--silent,--quiet';

export const FILE_PROGRAMS: Programs = {
  rm: {
    options: {
      attached: '--interactive --preserve-root',
      flag: '-r,-R,--recursive -f,--force -d,--dir -v,--verbose -i -I --one-file-system --no-preserve-root --help --version',
    },
    operands: 'remove',
    deep: '-r',
  },
  rmdir: { options: { flag: '-p,--parents -v,--verbose --ignore-fail-on-non-empty' }, read: readRmdir },
  unlink: { operands: 'remove' },
  link: { read: readLink },
  srm: { operands: 'remove', deep: 'always' },
  'trash trash-put': { operands: 'remove', deep: 'always', read: readTrash },
  gio: {
    options: { value: '-a,--attributes' },
    operands: 'remove',
    deep: 'always',
    // Addresses of files.
    untold: /^[A-Za-z][\w+.-]*:/,
    read: readTrash,
  },
  shred: {
    options: {
      value: '-n,--iterations -s,--size',
      read: '--random-source',
      attached: '--remove',
      flag: '-u -z,--zero -f,--force -v -x',
    },
    operands: 'remove',
  },
  touch: {
    options: {
      value: '-d,--date -t --time',
      read: '-r,--reference',
      flag: '-a -c,--no-create -f -h,--no-dereference -m',
    },
    operands: 'write',
  },
  mkdir: NEW_NODE,
  'mkfifo mknod': NEW_NODE,
  truncate: {
    options: { value: '-s,--size', read: '-r,--reference', flag: '-c,--no-create -o,--io-blocks' },
    operands: 'write',
  },
  fallocate: { options: { value: '-l,--length -o,--offset' }, operands: 'write' },
  mktemp: {
    options: {
      value: '-p --suffix',
      attached: '--tmpdir',
      flag: '-d,--directory -u,--dry-run -q,--quiet -t',
      tells: '--help --version',
    },
    read: readMktemp,
  },
  tee: { options: { flag: '-a,--append -i,--ignore-interrupts -p', attached: '--output-error' }, operands: 'write' },
  sponge: { options: { flag: '-a' }, operands: 'write' },
  chmod: {
    // Letters of a mode that it takes away may stand as an option.
    options: { value: '--reference', flag: `${RECURSIVE} -r -w -x -X -s -t -u -g -o -h,--no-dereference -H -L -P` },
    operands: 'change',
    deep: '-R',
    follows: '-L',
    operandSpellings: usualMode,
  },
  'chown chgrp': {
    options: { value: '--from --reference', flag: `${RECURSIVE} -h,--no-dereference -H -L -P` },
    operands: 'change',
    deep: '-R',
    follows: '-L',
  },
  // What they set may stand as an option: `chattr -v 3 f`, `chcon -t x f`.
  chattr: {
    options: { flag: '-R -V -f -a -A -c -C -d -D -e -i -j -P -s -S -t -T -u -F -m -x', value: '-v -p' },
    operands: 'change',
    setsByOption: true,
    deep: '-R',
  },
  chcon: {
    options: {
      value: '--reference -u,--user -r,--role -t,--type -l,--range',
      flag: `${RECURSIVE} -h,--no-dereference -H -L -P`,
    },
    operands: 'change',
    setsByOption: true,
    deep: '-R',
    follows: '-L',
  },
  setfacl: {
    options: {
      read: '--reference -M,--modify-file -X,--remove-file',
      value: '-m,--modify -x,--remove -s,--set',
      flag: '-R,--recursive -b,--remove-all -k,--remove-default -n,--no-mask -d,--default -L,--logical -P,--physical',
    },
    operands: 'write',
    deep: '-R',
    follows: '-L',
  },
  dd: { read: readDd },
  split: {
    options: {
      acts: '--filter',
      value: '-a,--suffix-length -b,--bytes -C,--line-bytes -l,--lines -n,--number -t,--separator --additional-suffix',
      attached: '--numeric-suffixes --hex-suffixes',
      flag: '-d -x -e,--elide-empty-files -u,--unbuffered --verbose',
    },
    hasAllOptions: true,
    read: readSplit,
  },
  csplit: {
    options: {
      value: '-f,--prefix -b,--suffix-format -n,--digits',
      flag: '-k,--keep-files -s,--quiet,--silent -z,--elide-empty-files --suppress-matched',
    },
    hasAllOptions: true,
    read: readSplit,
  },
  'rename prename file-rename': {
    options: {
      code: '-e -E',
      flag: '-n,--no-act,--nono -v,--verbose -f,--force -o,--no-overwrite -s,--symlink -l,--last -a,--all',
    },
    read: readRename,
  },
  'mount umount losetup mkfs mkfs.ext4 mkswap fdisk parted wipefs': { operands: 'write' },
  xxd: {
    options: {
      value: '-c,-cols -g,-group,-groupsize -l,-len -s,-seek,-skip -o,-offset -n,-name',
      flag: '-a -b -C -d -E -e -i -p,-ps,-plain -r,-revert -u',
      tells: '-h,-help -v,-version',
    },
    operands: 'filter',
    // Letters do not cluster, what begins like one is taken for it, and behind a file nothing is an option.
    isSingleDash: true,
    isStrict: true,
    readOnly: 'listed',
  },
  iconv: {
    // A code with a slash in it is a file that says which signs there are.
    options: { read: '-f,--from-code -t,--to-code', write: '-o,--output', flag: '-c -l,--list -s,--silent --verbose' },
    operands: 'read',
    readOnly: 'listed',
  },
  uuencode: {
    options: { flag: '-m,--base64 -e,--encode-file-name', acts: '-r,--load-opts', write: '-R,--save-opts' },
    operands: 'read',
    hasAllOptions: true,
  },
  uudecode: { options: { write: '-o,--output-file' }, read: readUudecode },
  'dos2unix unix2dos mac2unix unix2mac': { options: { value: '-c,--convmode' }, operands: 'write' },
};

/** A mode in figures, if that is what its letters say. */
function usualMode(operands: readonly FoundOperand[]): readonly (readonly FoundOperand[])[] {
  const [mode, ...rest] = operands;
  const value = mode?.word.value ?? '';
  const plain = /^0+[0-7]{3,4}$/.test(value)
    ? value.replace(/^0+(?=[0-7]{3})/, '')
    : ALL_LETTERS.test(value)
      ? '777'
      : // Of all, but for what the mask of the user keeps.
        /^(?:a|ugo)[-+=][rwxXst]*$/.test(value)
        ? value.replace(/^(?:a|ugo)/, '')
        : null;
  return mode === undefined || plain === null
    ? [operands]
    : [operands, [{ ...mode, word: literalWord(plain) }, ...rest]];
}

const ALL_LETTERS = /^(?:a|ugo|)[+=]rwx$/;

/** What is thrown away is kept in the home folder. */
function readTrash(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const operands = scanned.operands.map(({ word }) => word);
  const [verb, file, name] = operands;
  // To some the letter has no value, so that the next word is a file.
  for (const { name: option, value } of task.name === 'gio' ? scanned.options : [])
    if (option === '-a' && value !== null && !/^(?:list|info|tree)$/.test(verb?.value ?? ''))
      useFile(task, value, 'remove', { reach: 'tree' });
  if (task.name === 'gio' && operands.length < 2) useFile(task, literalWord('.'), 'read', { reach: 'tree' });
  // A file of each folder tells which names in it are hidden.
  for (const word of task.name === 'gio' ? operands.slice(1) : [])
    for (const folder of [(name: string) => name, path.dirname])
      useDerived(task, 'read', word, (name) => `${folder(name)}/.hidden`);
  // A new name beside the old one.
  if (task.name === 'gio' && verb?.value === 'rename' && name !== undefined) {
    if (file?.value == null || name.value === null) useUnknownFile(task, 'write', 'the new name is not known');
    else useFile(task, replacedWord(file, `${path.dirname(file.value)}/${name.value}`), 'write');
  }
  if (task.name === 'gio' && /^(?:copy|move)$/.test(verb?.value ?? '') && operands.length > 2)
    useFile(task, operands.at(-1) as ShellWord, 'write', { into: null });
  if (task.name !== 'gio' || verb?.value === 'trash')
    useFile(task, tildeWord('~/.local', true), 'write', { reach: 'tree' });
}

/** A second name of a file: what is written to it is written to the file. */
function readLink(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const [file, name] = readByTable(task, { ...table, operands: 'write' }).operands;
  if (file !== undefined && name !== undefined) addMade(task, name.word, task.bases, { kind: 'link', from });
}

/** `rmdir -p a/b` removes `a` too. */
function readRmdir(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, { ...table, operands: 'remove' });
  if (!has(scanned, '--parents')) return;
  for (const { word } of scanned.operands) {
    if (word.value === null) continue;
    for (let folder = path.dirname(word.value); folder !== '.' && folder !== '/'; folder = path.dirname(folder))
      useFile(task, tildeWord(folder, word.tilde), 'remove');
  }
}

function has({ options }: Pick<ScannedWords, 'options'>, name: string): boolean {
  return options.some(({ main }) => main === name);
}

/** `mktemp`: a new file of a name that nobody knows, in a folder for such or beside the template. */
function readMktemp(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { options, operands } = scanned;
  if (options.some(({ effect }) => effect === 'tells')) return;
  const folder = options.findLast(({ name }) => name === '-p' || name === '--tmpdir');
  const [template] = operands;
  if (folder?.value != null && template !== undefined) useNames(task, inFolder(folder.value, template.word));
  else if (folder?.value != null) useFile(task, folder.value, 'write');
  else if (folder !== undefined || template === undefined || has(scanned, '-t'))
    useFile(task, literalWord('/tmp'), 'write');
  else useNames(task, template.word);
}

function inFolder(folder: ShellWord, name: ShellWord): ShellWord {
  if (folder.value === null || name.value === null) return wordWith(name, { value: null, below: null });
  return tildeWord(`${folder.value}/${name.value}`, folder.tilde);
}

/** Notes a write of names that go on behind the word: `prefixaa`, `prefixab` … */
function useNames(task: Task, prefix: ShellWord): void {
  const start = prefix.value === null ? '' : prefix.value.replace(/X{3,}[^/]*$/, '');
  // `~` itself is the beginning of names beside the home.
  const isHome = prefix.tilde && /^~[^/]*$/.test(start);
  if (prefix.value === null || isHome || path.basename(`${start}x`).startsWith('.'))
    useUnknownFile(task, 'write', `which files ${task.name} writes is not known`);
  else useFile(task, globWord(wordWith(prefix, { text: '*' }), start), 'write');
}

/** `split file prefix`, `csplit -f prefix file …`: pieces get names behind the prefix. */
function readSplit(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const [file, second] = scanned.operands;
  if (file !== undefined) useFile(task, file.word, 'read');
  // What it becomes may be a file and a prefix.
  if (file?.word.isMany === true) useUnknownFile(task, 'write', `which files ${task.name} writes is not known`);
  const named = scanned.options.findLast(({ main }) => main === '--prefix')?.value;
  const prefix = task.name === 'split' ? (second?.word ?? literalWord('x')) : (named ?? literalWord('xx'));
  // An ending of the user's own may make any name of it.
  const isOpen = scanned.options.some(({ main }) => main === '--additional-suffix' || main === '--suffix-format');
  if (isOpen) useUnknownFile(task, 'write', `the names that ${task.name} makes are not known`);
  else useNames(task, prefix);
}

/** `rename`: what the names become is code, or a replacement in them. */
function readRename(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, { ...table, operands: 'write' });
  if (!has(scanned, '--no-act')) useUnknownFile(task, 'write', `the names that ${task.name} makes are not known`);
}

/** `uudecode`: the name stands in the file. */
function readUudecode(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, { ...table, operands: 'read' });
  if (!has(scanned, '--output-file'))
    useUnknownFile(task, 'write', 'the name of what uudecode writes stands in the file');
}

/** `dd if=… of=…`. */
function readDd(task: Task): void {
  for (const word of task.words.slice(1)) {
    const name = /^(if|of)=/.exec(word.head)?.[1];
    if (name === undefined) {
      if (word.value === null && !/^\w+=/.test(word.head)) useFile(task, word, 'write');
      continue;
    }
    const value = tailWord(word, 3);
    const access = name === 'if' ? 'read' : 'write';
    useFile(task, wordWith(value, { tilde: word.tilde }), access);
  }
}
