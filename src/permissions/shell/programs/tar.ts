// `tar`: what it reads and writes depends on its mode, and several of its options start programs.

import { moveProgram } from '../syntax/move-bases.js';
import { literalWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import { isPlainCall, sayActing, sayLost, type Task } from '../task.js';
import { addMade } from './file-uses.js';
import { mayBeNone, reachOf, useFile, useHere, useUnknownFile } from './operands.js';
import type { ProgramData, Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { type FoundOperand, type FoundOption, scanOptions } from './scan-options.js';
import { noteUnpacking } from './unpacking.js';

const TAR: ProgramData = {
  options: {
    shell: '-I,--use-compress-program --to-command',
    acts: '-F,--info-script,--new-volume-script --rsh-command --rmt-command',
    attached: '--checkpoint --atime-preserve --backup --occurrence --one-top-level',
    read: '-X,--exclude-from --exclude-ignore --exclude-ignore-recursive --add-file --owner-map --group-map',
    write: '--index-file --volno-file -g,--listed-incremental',
    value:
      '--hole-detection --xattrs-include --xattrs-exclude -f,--file -b,--blocking-factor -H,--format -K,--starting-file -L,--tape-length -N,--newer,--after-date -V,--label ' +
      '-C,--directory,--cd -T,--files-from --checkpoint-action --exclude --exclude-tag --exclude-tag-all --group --owner --mode --mtime ' +
      '--strip-components --transform,--xform --sort --suffix --record-size --warning --newer-mtime --quoting-style --exclude-tag-under ' +
      '--level --no-quote-chars --quote-chars --pax-option --sparse-version --set-mtime-command --set-mtime-format',
    flag:
      '-c,--create -r,--append -u,--update -A,--catenate,--concatenate --delete -x,--extract,--get -t,--list -d,--diff,--compare -W,--verify -G,--incremental ' +
      '-a,--auto-compress -j,--bzip2 -J,--xz -k,--keep-old-files -m,--touch -p,--preserve-permissions,--same-permissions -S,--sparse ' +
      '-U,--unlink-first -v,--verbose -w,--interactive -z,--gzip,--gunzip,--ungzip -Z,--compress --zstd --lzma --overwrite ' +
      '-O,--to-stdout --recursive-unlink -P,--absolute-names -h,--dereference -s -i,--ignore-zeros --remove-files --wildcards ' +
      '--anchored --no-anchored --ignore-case --no-ignore-case --no-wildcards --wildcards-match-slash --no-wildcards-match-slash ' +
      '--recursion --no-recursion --null --no-null --unquote --no-unquote --verbatim-files-from --no-verbatim-files-from ' +
      '--exclude-vcs --exclude-vcs-ignores --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-backups ' +
      '--numeric-owner --same-owner --no-same-owner -o --no-same-permissions --one-file-system --keep-newer-files --skip-old-files ' +
      '--keep-directory-symlink --overwrite-dir --no-overwrite-dir --delay-directory-restore --no-delay-directory-restore ' +
      '--preserve-order,--same-order --clamp-mtime --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs ' +
      '-n,--seek --no-seek --check-device --no-check-device -l,--check-links --hard-dereference --force-local --restrict ' +
      '--ignore-failed-read --ignore-command-error --no-ignore-command-error -B,--read-full-records ' +
      '--old-archive,--portability --posix --lzip --lzop --uncompress --no-auto-compress --confirmation ' +
      '-R,--block-number --totals --full-time --utc --show-omitted-dirs --show-transformed-names,--show-stored-names ' +
      '--show-snapshot-field-ranges --test-label --no-fflags --fflags --no-mac-metadata --mac-metadata --disable-copyfile',
    // For the next volume it asks somebody, who may start a shell.
    risk: '-M,--multi-volume',
    tells: '--help --usage --version --show-defaults',
  },
  follows: '-h',
  spellings: (words) => [withDashes({ words })],
  hasAllOptions: true,
  readsValues: true,
  read: readTar,
};

/** That of BSD has a letter for patterns that change names. */
const BSD_TAR: ProgramData = { ...TAR, options: { ...TAR.options, acts: `${TAR.options?.acts} -s` } };

export const TAR_PROGRAMS: Programs = { 'tar gtar': TAR, bsdtar: BSD_TAR };

const VALUED_LETTERS = /[bCfFgHIKLNTVX]/;
/** Options with which it only tells what an archive holds. */
const LISTS = /^(?:--list|--file|-[zjJv]|--verbose|--gzip|--bzip2|--xz|--zstd|--wildcards|--exclude)$/;
/** Options with which the operands of an extraction are the names of what is taken out, and nothing else is. */
const KEEPS_NAMES =
  /^(?:--(?:extract|file|directory|to-stdout|verbose|gzip|bzip2|xz|zstd|absolute-names|strip-components|transform|one-top-level|overwrite|recursive-unlink|suffix|backup|no-same-owner|no-same-permissions|exclude|keep-old-files|touch|preserve-permissions|unlink-first)|-[Oso])$/;
const WRITES_ARCHIVE = ['--create', '--append', '--update', '--catenate', '--delete'];

function readTar(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = scanOptions(withDashes(task), table);
  readOptions(task, table, scanned);
  const { options, operands } = scanned;
  const has = (...names: string[]): boolean => options.some(({ main }) => names.includes(main));
  const creates = has(...WRITES_ARCHIVE);
  const extracts = has('--extract') && !has('--to-stdout');
  for (const option of options) readTarOption(task, option, creates, extracts);
  // Each `-C` counts for what stands behind it.
  const reach = reachOf(table, scanned) === 'through' ? 'through' : 'tree';
  const folders: Task['bases'][] = [];
  for (const item of [...options, ...operands].sort((a, b) => a.at - b.at)) {
    // What stands in front of the first `-C` goes to the folder that tar was called in.
    if (folders.length === 0 && ('word' in item || item.main === '--files-from')) folders.push(task.bases);
    if ('word' in item) {
      if (creates || has('--diff')) useFile(task, item.word, 'read', { reach });
      // It sets the times of what it has read back.
      if (creates && has('--atime-preserve')) useFile(task, item.word, 'write', { reach });
      // To the one of BSD this is what another archive holds.
      if (creates && item.word.head.startsWith('@')) useFile(task, tailWord(item.word, 1), 'read');
      if (has('--remove-files')) useFile(task, item.word, 'remove', { reach: 'tree' });
    } else if (item.main === '--directory' && item.value !== null) {
      useFile(task, item.value, 'read');
      task.bases = moveProgram(task.bases, item.value, task.reader);
      folders.push(task.bases);
    }
  }
  // To verify is to compare all of it with what it was packed from.
  if ((has('--diff') && mayBeNone(operands)) || has('--verify')) useHere(task, 'read', 'tree');
  const isListing = has('--file') && has('--list') && options.every(({ main }) => LISTS.test(main));
  task.draft.readOnly = isListing && isPlainCall(task);
  // An archive that was there is kept, too.
  if (extracts && has('--keep-directory-symlink'))
    useUnknownFile(task, 'write', 'what tar unpacks goes through links that are there');
  if (has('--suffix') || (creates && has('--backup')))
    useUnknownFile(task, 'write', 'the name of a backup that tar makes is not known');
  if (!extracts) {
    // What it prints of a file in there is as good as the file.
    if (has('--extract')) noteContents(task, options, operands, 'read');
    return;
  }
  for (const bases of folders.length === 0 ? [task.bases] : folders) {
    task.bases = bases;
    useHere(task, 'write', 'itself');
    // One of changes since another takes away what was not there any more.
    if (has('--recursive-unlink', '--incremental', '--listed-incremental')) useHere(task, 'remove', 'tree');
    addMade(task, literalWord('.'), bases, { kind: 'contents', from });
    noteContents(task, options, operands);
  }
}

function readTarOption(task: Task, option: FoundOption, creates: boolean, extracts: boolean): void {
  const { main, name, value, at } = option;
  switch (main) {
    case '--absolute-names':
      if (extracts) sayActing(task, `${name} lets an archive name any file`, at);
      return;
    case '--tape-length':
    case '--format':
      // To the one of BSD these go through links, and the next word is the archive or what goes into it.
      if (value !== null && !/^(?:\d+|gnu|oldgnu|pax|posix|ustar|v7)$/.test(value.value ?? ''))
        for (const access of ['read', 'write'] as const)
          useUnknownFile(task, access, `what ${name} ${value.text} means to this tar is not known`);
      return;
    case '--one-top-level':
      if (value !== null) useFile(task, value, 'write');
      return;
    case '--checkpoint-action':
      readCheckpoint(task, option);
      return;
    case '--transform':
    case '-s':
      if (/e[^/]*$/.test(value?.value ?? 'e')) sayActing(task, `${name} may run commands`);
      return;
    case '--set-mtime-command':
      sayActing(task, `${name} runs a command`, at);
      return;
    case '--files-from':
      if (value === null) return;
      if (value.value !== '-') useFile(task, value, 'read');
      if (creates) useUnknownFile(task, 'read', 'which files tar packs stands in a list');
      return;
    case '--file':
      if (value === null) return;
      if (/^[^/]*:/.test(value.head)) sayActing(task, 'tar starts a program for an archive on another machine', at);
      // The name of the archive starts from the folder of the shell, whatever folder tar goes to.
      else useFile(task, value, creates ? 'write' : 'read');
      return;
    default:
  }
}

function noteContents(
  task: Task,
  options: readonly FoundOption[],
  operands: readonly FoundOperand[],
  access: 'read' | 'write' = 'write',
): void {
  const optionValue = (...names: string[]) => options.findLast(({ main }) => names.includes(main))?.value;
  const cut = optionValue('--strip-components')?.value ?? '0';
  // Behind its end another archive may follow.
  const goesOn = options.some(({ main }) => main === '--ignore-zeros');
  const isRenamed = optionValue('--transform', '-s') !== undefined || !/^\d+$/.test(cut);
  const top = options.findLast(({ main }) => main === '--one-top-level');
  const areNames = options.every(({ main }) => KEEPS_NAMES.test(main));
  // What it is called in the end cannot be told.
  const folder = isRenamed || (top !== undefined && top.value === null) ? null : (top?.value?.value ?? '');
  // What lies below a folder of that name in the archive is put there as it is.
  for (const into of new Set(folder === null ? [null] : [folder, '']))
    noteUnpacking(task, {
      kind: 'archive',
      access,
      source: goesOn ? literalWord('-') : (optionValue('--file') ?? null),
      folder: into,
      cut: [Number(cut)],
      only: areNames ? operands.map(({ word }) => word) : [],
    });
}

/** `checkpoint-action=exec=…` runs a command; others only tell. */
function readCheckpoint(task: Task, { value, at }: FoundOption): void {
  if (value === null) return;
  if (value.value === null) {
    sayLost(task, 'a checkpoint action is not static');
    return;
  }
  if (value.value.startsWith('exec=')) task.startLine(value.value.slice('exec='.length), at);
  else if (!/^(?:dot|\.|echo|bell|ttyout|totals|sleep|wait)/.test(value.value))
    sayActing(task, 'a checkpoint action is not known', at);
}

/** The old form, `tar xfC file folder`, in the form with dashes. */
function withDashes({ words }: Pick<Task, 'words'>): readonly ShellWord[] {
  const [program, first, ...rest] = words;
  if (program === undefined || first?.value === undefined || first.value === null || first.value.startsWith('-'))
    return words;
  const options: ShellWord[] = [];
  for (const letter of first.value) {
    options.push(literalWord(`-${letter}`));
    const next = VALUED_LETTERS.test(letter) ? rest.shift() : undefined;
    if (next !== undefined) options.push(next);
  }
  return [program, ...options, ...rest];
}
