// Programs that copy, move and link files: `cp`, `mv`, `ln`, `install`, `scp`, `rsync`. What they write has a name that
// is put together from the target, the source and options; a name that cannot be derived is unknown.
import path from 'node:path';
import type { FileUse } from '../command-reading.js';
import { literalWord, replacedWord, type ShellWord, tailWord, tildeWord, wordWith } from '../syntax/shell-word.js';
import { sayActing, type Task } from '../task.js';
import { addMade, addMovedAway } from './file-uses.js';
import { isGuarded, reachOf, useDerived, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable, readOptions } from './read-by-table.js';
import { type FoundOption, has, type ScannedWords, scanOptions } from './scan-options.js';

const COMMON_FLAGS =
  '-f,--force -i,--interactive -v,--verbose -T,--no-target-directory -n,--no-clobber --debug --help --version';
const BACKUPS = { value: '-S,--suffix', attached: '--backup', flag: '-b' };

export const TRANSFERS: Programs = {
  cp: {
    options: {
      value: `-t,--target-directory ${BACKUPS.value} --sparse --no-preserve`,
      attached: `${BACKUPS.attached} --preserve --reflink --update --context`,
      flag:
        `${BACKUPS.flag} ${COMMON_FLAGS} -a,--archive -d -H -l,--link -L,--dereference -P,--no-dereference -p --parents ` +
        '-r,-R,--recursive --remove-destination --strip-trailing-slashes -s,--symbolic-link -u -x,--one-file-system -Z ' +
        '--attributes-only --copy-contents --keep-directory-symlink -c -X -N',
    },
    deep: '-r -a',
    follows: '-L',
    equal: { '--archive': '--archive --recursive' },
    hasAllOptions: true,
    readsValues: true,
    read: readTransfer,
  },
  mv: {
    options: {
      value: `-t,--target-directory ${BACKUPS.value}`,
      attached: `${BACKUPS.attached} --update`,
      flag: `${BACKUPS.flag} ${COMMON_FLAGS} -u -Z,--context --strip-trailing-slashes --no-copy --exchange -h`,
    },
    deep: 'always',
    hasAllOptions: true,
    readsValues: true,
    read: readTransfer,
  },
  ln: {
    options: {
      value: `-t,--target-directory ${BACKUPS.value}`,
      attached: BACKUPS.attached,
      flag: `${BACKUPS.flag} ${COMMON_FLAGS} -s,--symbolic -r,--relative -L,--logical -P,--physical -d,-F,--directory --no-dereference`,
    },
    deep: 'always',
    hasAllOptions: true,
    readsValues: true,
    read: readTransfer,
  },
  install: {
    options: {
      value: `-t,--target-directory ${BACKUPS.value} -g,--group -m,--mode -o,--owner`,
      acts: '--strip-program',
      attached: `${BACKUPS.attached} --context`,
      flag: `${BACKUPS.flag} ${COMMON_FLAGS} -c -C,--compare -d,--directory -D -p,--preserve-timestamps -s,--strip -Z`,
    },
    hasAllOptions: true,
    readsValues: true,
    read: readTransfer,
  },
  // Libraries of keys are loaded.
  'ssh-keygen': {
    options: {
      acts: '-D -w',
      write: '-f -G -T -o',
      read: '-s',
      value: '-t -b -C -N -P -m -O -a -I -n -V -E -Y -r -R -F -z -Z -W -S -M -J -j',
      flag: '-l -y -e -i -p -q -v -A -B -c -h -k -L -Q -u -U -g -H -K',
    },
    operands: 'paths',
    read: readKeyMaker,
  },
  'ssh-add': {
    options: { acts: '-s -S', value: '-t -E -h -H', flag: '-l -L -D -d -x -X -q -v -c -k -K -A -C -T -e' },
    operands: 'paths',
  },
  'scp sftp': {
    options: {
      value: '-c -J -l -P -X',
      uses: '-i',
      // A file of commands, of which one starts a shell here.
      acts: '-b -o -S -D -s -F',
      flag: '-3 -4 -6 -A -B -C -O -p -q -R -r -T -v -a -f -N',
    },
    deep: '-r',
    follows: '-r',
    read: readRemoteCopy,
  },
  rsync: {
    options: {
      shell: '-e,--rsh',
      acts: '--rsync-path --config -M,--remote-option --daemon',
      write: '--log-file --backup-dir -T,--temp-dir --partial-dir --write-batch --only-write-batch',
      read: '--early-input --exclude-from --include-from --password-file --read-batch --copy-dest --compare-dest --link-dest',
      list: '--files-from',
      value:
        '-f,--filter --exclude --include --bwlimit --timeout --port --chmod --max-size --min-size -B,--block-size --suffix --out-format ' +
        '--confine-root --max-delete --max-alloc --usermap --groupmap --chown --compress-choice,--zc --compress-threads,--zt --copy-as ' +
        '--log-file-format --protocol --checksum-seed --stop-at --outbuf --stderr -@ ' +
        '--info --debug --compress-level --contimeout --modify-window --address --sockopts --iconv --checksum-choice --skip-compress --stop-after',
      flag:
        '-b,--backup -R,--relative -r,--recursive -a,--archive -l,--links -L,--copy-links -k,--copy-dirlinks --copy-unsafe-links ' +
        '-d,--dirs,--old-dirs,--old-d -y,--fuzzy --list-only --remove-source-files ' +
        '--delete --del --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args',
    },
    equal: {
      '--archive': '--archive --recursive --links',
      '--del': '--del --delete',
      ...Object.fromEntries(
        ['before', 'during', 'delay', 'after', 'excluded', 'missing-args'].map((when) => [
          `--delete-${when}`,
          `--delete-${when} --delete`,
        ]),
      ),
    },
    deep: '-r -a -d --list-only',
    follows: '-L -k --copy-unsafe-links',
    read: readRsync,
  },
};

/** `ssh-keygen`: beside a key stands its other half, what was signed with it, or what it was before. */
function readKeyMaker(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  const beside = (word: ShellWord): void => {
    if (word.value === null) useUnknownFile(task, 'write', 'the names beside a key are not known');
    else
      for (const ending of ['', '.pub', '-cert.pub', '.old', '.sig'])
        useFile(task, replacedWord(word, `${word.value.replace(/\.pub$/, '')}${ending}`), 'write');
  };
  for (const { name, value } of options) {
    if (value !== null && name === '-f') beside(value);
    // Where it keeps how far it is, and what a device says of a key.
    if (value !== null && name === '-O' && /^(?:checkpoint|write-attestation)=/.test(value.head))
      useFile(task, tailWord(value, value.head.indexOf('=') + 1), 'write');
  }
  // Keys that are signed, files that are signed, lists of keys and of numbers.
  const writes = options.some(({ name, value }) =>
    name === '-Y' ? /^sign/.test(value?.head ?? '') : /^-[Mks]$/.test(name),
  );
  for (const { word } of writes ? operands : []) {
    beside(word);
    useFile(task, word, 'write');
  }
  if (options.some(({ name }) => name === '-f') || operands.length > 0) return;
  useFile(task, tildeWord('~/.ssh', true), 'write', { reach: 'tree' });
  useUnknownFile(task, 'write', 'ssh-keygen asks for the name of the key');
}

/** `cp`, `mv`, `ln` and `install`: sources and a target; with `-t` the target is the option's, and a folder. */
function readTransfer(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { operands } = scanned;
  if (task.name === 'install' && has(scanned, '--directory')) {
    for (const { word } of operands) useFile(task, word, 'write');
    return;
  }
  const named = scanned.options.findLast(({ main }) => main === '--target-directory');
  const words = operands.map(({ word }) => word);
  // One pattern may become one source, and `ln` puts that here.
  if (task.name === 'ln' && named === undefined && words.length === 1 && words[0]?.isMany === true)
    useFile(task, literalWord('.'), 'write', { into: null });
  // Or it becomes sources and a target.
  const isOne = named === undefined && words.length < 2 && words[0]?.isMany !== true;
  const sources = isOne || named !== undefined || words.length < 2 ? words : words.slice(0, -1);
  // `ln file` makes one of that name here.
  const target =
    named !== undefined ? named.value : isOne ? (task.name === 'ln' ? literalWord('.') : null) : words.at(-1);
  if (target == null) {
    for (const word of sources) useFile(task, word, 'read');
    return;
  }
  const isPlain = has(scanned, '--no-target-directory');
  const names = isPlain ? undefined : targetNames(sources, has(scanned, '--parents'));
  readSources(task, table, scanned, sources, target);
  useFile(task, target, 'write', names === undefined ? {} : { into: names });
  // What it put there is stripped by another program.
  if (task.name === 'install' && has(scanned, '--strip')) useFile(task, target, 'read', { into: names ?? null });
  useLastBut(task, words, named === undefined ? target : undefined);
  if (has(scanned, '--parents')) usePaths(task, sources, target);
  useBackups(task, scanned.options, target, names);
  if (task.name === 'ln' || task.name === 'mv' || copiesLinks(scanned))
    addMade(task, target, task.bases, {
      // A link that is copied as one is a link.
      kind: task.name !== 'mv' ? 'link' : 'file',
      from,
    });
  if (task.name === 'mv') for (const source of sources) addMovedAway(task, source, task.bases, from);
}

/** Of what another program lists there may be nothing, so that the target is the word in front. */
function useLastBut(task: Task, words: readonly ShellWord[], last: ShellWord | undefined): void {
  if (last?.below == null || last.below.areMatched === true) return;
  const target = words.length > 2 ? words.at(-2) : task.name === 'ln' ? literalWord('.') : undefined;
  if (target === undefined || REMOTE.test(target.head)) return;
  useFile(task, target, 'write', { into: null });
  addMade(task, target, task.bases, { kind: 'link', from: task.reader.files.length });
}

/** True if what is put there may be a link. */
function copiesLinks(scanned: ScannedWords): boolean {
  return has(scanned, '--archive', '--recursive', '-d', '--no-dereference', '--symbolic-link', '--link', '-P');
}

function readSources(
  task: Task,
  table: ProgramTable,
  scanned: ScannedWords,
  sources: readonly ShellWord[],
  target: ShellWord,
): void {
  const reach = reachOf(table, scanned);
  const isLinked = task.name === 'ln' && !has(scanned, '--symbolic');
  // What is written to a second name of a file is written to the file.
  const access = isLinked || has(scanned, '--link') ? 'write' : 'read';
  for (const word of sources) {
    if (task.name === 'ln' && has(scanned, '--symbolic') && !has(scanned, '--relative')) useLinked(task, word, target);
    else useFile(task, word, access, { reach });
    if (task.name === 'mv') useFile(task, word, 'remove', { reach });
    if (has(scanned, '--exchange')) useFile(task, word, 'write', { reach });
  }
  if (has(scanned, '--exchange')) useFile(task, target, 'remove', { reach });
}

/** What a symbolic link leads to, which is told from the folder that the link stands in. */
function useLinked(task: Task, word: ShellWord, target: ShellWord): void {
  const { bases } = task;
  // A second name of a protected file is a way to change it.
  const access = isGuarded(word) ? 'write' : 'read';
  const { value, tilde } = target;
  for (const folder of value === null || tilde ? [null] : [path.dirname(value), value]) {
    if (folder === null) task.bases = [null];
    else
      task.bases = bases.map((base) =>
        path.isAbsolute(folder) ? folder : base === null ? null : path.resolve(base, folder),
      );
    useFile(task, word, access, { reach: 'tree' });
  }
  task.bases = bases;
}

/** The names that stand in a target that is a folder; null if one of them cannot be told. */
function targetNames(sources: readonly ShellWord[], keepsPath: boolean): readonly string[] | null {
  const names: string[] = [];
  for (const { value } of sources) {
    if (value === null) return null;
    const name = keepsPath ? value.replace(/^\/+/, '') : nameOf(value);
    if (name === '' || /(?:^|\/)\.{1,2}(?:\/|$)/.test(name)) return null;
    names.push(name);
  }
  return names;
}

/** With the path of the source kept a name may lead out of the target again: `cp --parents ../a sub` writes `a` here. */
function usePaths(task: Task, sources: readonly ShellWord[], target: ShellWord): void {
  for (const { value, text } of sources)
    if (value !== null && target.value !== null)
      useFile(task, replacedWord(target, `${target.value}/${value}`), 'write');
    else if (text.includes('..'))
      useUnknownFile(task, 'write', `the name of what ${task.name} writes holds a path that is not known`);
}

/** '' if what is in a folder is meant. */
function nameOf(source: string): string {
  const name = path.basename(source.replace(/\/+$/, ''));
  return name === '.' || name === '..' ? '' : name;
}

/** The file that was there before gets another name. */
function useBackups(
  task: Task,
  options: readonly FoundOption[],
  target: ShellWord,
  names: readonly string[] | null | undefined,
): void {
  const suffix = options.findLast(({ main }) => main === '--suffix');
  const kind = options.findLast(({ main }) => main === '--backup');
  if (suffix === undefined && kind === undefined && !options.some(({ main }) => main === '-b')) return;
  const ending = suffix === undefined ? '~' : (suffix.value?.value ?? null);
  if (ending === null || ending.includes('/') || kind?.value?.value === null || names === null) {
    useUnknownFile(task, 'write', `the name of a backup that ${task.name} makes is not known`);
    return;
  }
  const { value, tilde } = target;
  if (value === null) return;
  const folder = tildeWord(value, tilde);
  useFile(task, tildeWord(`${value}${ending}`, tilde), 'write');
  if (names !== undefined) useFile(task, folder, 'write', { into: names.map((name) => `${name}${ending}`) });
}

const REMOTE = /^[^/]*:/;

/** `scp`: names with a colon are those of another machine. */
function readRemoteCopy(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  if (task.name === 'sftp') sayActing(task, 'sftp runs the commands in its input');
  useCopied(task, scanned, reachOf(table, scanned));
}

/** Sources and a target, of which any may be on another machine. */
export function useCopied(
  task: Task,
  { operands, strays }: Pick<ScannedWords, 'operands' | 'strays'>,
  reach: FileUse['reach'],
): void {
  const words = operands.map(({ word }) => word);
  const last = words.at(-1);
  // Then the target stands in front of it.
  if (last !== undefined && strays.includes(last) && words.length > 2)
    useUnknownFile(task, 'write', `${last.text} may belong to the option in front of it`);
  // The last of what wildcards match is the target, and the others are sources.
  const isSeveral = last?.value === null && last.isMany;
  const target = words.length > 1 || isSeveral ? last : undefined;
  const sources = target === undefined || isSeveral ? words : words.slice(0, -1);
  for (const word of sources) if (!REMOTE.test(word.head)) useFile(task, word, 'read', { reach });
  if (target === undefined || REMOTE.test(target.head)) return;
  const names = sources.map(({ value }) => (value === null ? null : nameOf(value.replace(REMOTE, ''))));
  const isTold = names.every((name) => name !== null && name !== '' && !/[*?[]/.test(name));
  useFile(task, target, 'write', { reach, into: isTold ? names.filter((name) => name !== null) : null });
  useLastBut(task, words, target);
}

/** Folders that `rsync` looks for from the folder that it writes to. */
function useFromTarget(task: Task, { main, value }: FoundOption, target: ShellWord | undefined): void {
  if (value === null || !/^--(?:(?:copy|compare|link)-dest|(?:backup|partial|temp)-dir)$/.test(main)) return;
  // Of a file that is the same there it takes what stands there, or a second name of it: what is written to that is written to the file.
  const access = main === '--copy-dest' || main === '--compare-dest' ? 'read' : 'write';
  useFile(task, value, access, { reach: 'tree' });
  if (value.value === null || value.value.startsWith('/') || target?.value == null || REMOTE.test(target.head)) return;
  for (const folder of [target.value, path.dirname(target.value)])
    useFile(task, replacedWord(target, `${folder}/${value.value}`), access, { reach: 'tree' });
}

function readRsync(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { operands, options } = scanned;
  // What it did is kept in a batch, and what does it again in a script beside that.
  for (const { value } of options.filter(({ main }) => /^--(?:only-)?write-batch$/.test(main)))
    if (value !== null) useDerived(task, 'write', value, (name) => `${name}.sh`);
  // Rules of a filter may stand in a file, or in one of each folder.
  const merged = options.find(({ main, value }) => main === '--filter' && MERGES.test(value?.head ?? ''));
  if (merged !== undefined) useUnknownFile(task, 'read', `which files ${merged.value?.text} reads is not known`);
  const words = operands.map(({ word }) => word);
  const target = words.length > 1 ? words.at(-1) : undefined;
  for (const option of options) useFromTarget(task, option, target);
  useCopied(task, { ...scanned, ...contentsOf(operands, has(scanned, '--relative')) }, reachOf(table, scanned));
  if (has(scanned, '--remove-source-files'))
    for (const word of words.slice(0, -1))
      if (!REMOTE.test(word.head)) useFile(task, word, 'remove', { reach: 'tree' });
  if (target === undefined || REMOTE.test(target.head)) return;
  // It looks among the files that are there for one that is like the source.
  if (has(scanned, '--fuzzy') && target.value !== null)
    for (const folder of [target, replacedWord(target, path.dirname(target.value))])
      useFile(task, folder, 'read', { into: null });
  if (options.some(({ name }) => /^--del/.test(name))) useFile(task, target, 'remove', { reach: 'tree', sweeps: true });
  if (has(scanned, '--backup') && has(scanned, '--suffix'))
    useUnknownFile(task, 'write', 'the name of a backup that rsync makes is not known');
  // A link that is copied as one stands in the place of a target that is not there yet.
  const isLinked = has(scanned, '--archive', '--links') && words.slice(0, -1).some(({ head }) => !head.endsWith('/'));
  addMade(task, target, task.bases, { kind: isLinked ? 'link' : 'contents', from });
}

/** Of a filter of rsync, unless it is static and of another kind. */
const MERGES = /^(?:[.:]|merge|dir-merge|$)/;

/** With a slash at its end a folder stands for what is in it. */
function contentsOf(operands: ScannedWords['operands'], keepsPath: boolean): Pick<ScannedWords, 'operands'> {
  const last = operands.length - 1;
  return {
    operands: operands.map(({ word, at }, place) => {
      const isFolder = word.value?.endsWith('/') === true || (keepsPath && word.value !== null);
      if (place === last || !isFolder || REMOTE.test(word.head)) return { word, at };
      return { word: wordWith(word, { value: `${word.value?.replace(/\/*$/, '')}/.` }), at };
    }),
  };
}
