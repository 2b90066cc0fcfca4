// Subcommands of git that put files into the work tree, change them there or take them away, and those that take files
// into the repository. What a checkout puts there may be a link: later paths of the line cannot be told.
import type { FileUse } from '../command-reading.js';
import { joinBases } from '../reader.js';
import { folderWord } from '../syntax/shell-word.js';
import { addMade, addMovedAway } from './file-uses.js';
import {
  alsoUntracked,
  type GitRun,
  noteMadePaths,
  noteMadeTop,
  optionValue,
  useFolder,
  useFromTop,
  useSource,
  useSpecs,
  useTop,
  within,
} from './git-paths.js';
import { type GitCommand, SHOWS } from './git-showing.js';
import { isGuarded, useFile, useUnknownFile } from './operands.js';
import { type FoundOperand, has } from './scan-options.js';
import { ANY_CUT, noteUnpacking } from './unpacking.js';

const MERGING = {
  value: '-m,--message -s,--strategy -X,--strategy-option --into-name --cleanup',
  read: '-F,--file',
  attached: '-S,--gpg-sign --log',
} as const;
const FROM_FILE = { read: '--pathspec-from-file' } as const;

/** All of the work tree may be another afterwards. */
function changesTop(run: GitRun): void {
  useTop(run, 'read');
  useTop(run, 'write');
  noteMadeTop(run);
}

/** Paths that are brought back; without one all of the work tree. What is there is compared first. */
function bringsBack(run: GitRun, operands: readonly FoundOperand[]): void {
  useSpecs(run, operands, 'read');
  if (!useSpecs(run, operands, 'write') || has(run, '--pathspec-from-file')) changesTop(run);
  else noteMadePaths(run, operands);
}

/** `pull`: the first operand may be a repository of this machine. */
function pulls(run: GitRun): void {
  const [source] = run.operands;
  if (source !== undefined) useSource(run, source.word, 'read');
  changesTop(run);
}

/** Only the index changes: what is put there for later counts if it configures what runs. */
function changesIndex(run: GitRun, operands: readonly FoundOperand[] = run.operands): void {
  for (const operand of operands) useSpecs(run, [operand], isGuarded(operand.word) ? 'write' : 'read', 'itself');
  useTop(run, 'read', 'itself');
}

function addsFiles(run: GitRun): void {
  const from = run.task.reader.files.length;
  const isNamed = useSpecs(run, run.operands, 'read');
  const isAll = has(run, '--all', '--update', '--patch', '--interactive', '--edit', '--renormalize');
  if (!isNamed) useTop(run, 'read', isAll || has(run, '--pathspec-from-file') ? 'tree' : 'itself');
  if (!has(run, '--update')) alsoUntracked(run, from, has(run, '--force') ? 'all' : 'unignored');
}

function commits(run: GitRun): void {
  useSpecs(run, run.operands, 'read');
  // What looks changed is compared.
  useTop(run, 'read');
}

function verbOf({ operands }: GitRun): string {
  return operands[0]?.word.value ?? '';
}

/** `checkout main` or `checkout file`: by its words it may be either. */
function checksOut(run: GitRun): void {
  const { operands, dashes } = run;
  const paths = operands.filter(({ at }) => at > dashes);
  const others = operands.filter(({ at }) => at < dashes);
  const makesBranch = has(run, '-b', '-B', '--orphan');
  if (makesBranch && operands.length === 0) useTop(run, 'read', 'itself');
  else if (paths.length > 0) bringsBack(run, paths);
  else if (makesBranch) changesTop(run);
  else {
    // Names that are listed may be none.
    if (others.filter(({ word }) => word.below === null).length < 2) changesTop(run);
    bringsBack(
      run,
      others.filter(({ word }) => word.value !== '-'),
    );
  }
}

function switches(run: GitRun): void {
  if (run.operands.length > 0 || !has(run, '--create', '--force-create', '--orphan')) changesTop(run);
  else useTop(run, 'read', 'itself');
}

function restores(run: GitRun): void {
  if (has(run, '--staged') && !has(run, '--worktree')) changesIndex(run);
  else bringsBack(run, run.operands);
}

function resets(run: GitRun): void {
  // Of an option that is not known the files may be changed too.
  if (has(run, '--hard', '--merge', '--keep') || run.options.some(({ effect }) => effect === undefined))
    changesTop(run);
  else changesIndex(run);
}

function stashes(run: GitRun): void {
  const from = run.task.reader.files.length;
  const [verb, ...rest] = run.operands;
  const name = verb === undefined || verb.at > run.dashes ? 'push' : (verb.word.value ?? 'push');
  if (name === 'list') useTop(run, 'read', has(run, ...SHOWS) ? 'tree' : 'itself');
  else if (/^(?:drop|clear|store)$/.test(name)) useTop(run, 'read', 'itself');
  else if (name === 'create') useTop(run, 'read');
  else if (name === 'show') useTop(run, 'read', has(run, ...SHOWS) ? 'tree' : 'itself');
  else if (name === 'push' && (rest.length > 0 || verb !== undefined))
    bringsBack(run, verb?.word.value === 'push' ? rest : run.operands);
  else changesTop(run);
  if (has(run, '--include-untracked', '--all')) alsoUntracked(run, from, has(run, '--all') ? 'all' : 'unignored');
}

function cleans(run: GitRun): void {
  const { files } = run.task.reader;
  const from = files.length;
  if (has(run, '--dry-run')) useFolder(run, 'read', 'itself');
  else if (!useSpecs(run, run.operands, 'remove')) useFolder(run, 'remove');
  // What is tracked stays, and may obey what goes.
  else for (let at = from; at < files.length; at++) files[at] = { ...(files[at] as FileUse), sweeps: true };
}

function removes(run: GitRun): void {
  if (has(run, '--dry-run') || has(run, '--cached')) changesIndex(run);
  else if (has(run, '--pathspec-from-file')) useUnknownFile(run.task, 'remove', 'a file names what git removes');
  if (has(run, '--dry-run') || has(run, '--cached')) return;
  for (const operand of run.operands) {
    useFile(run.task, operand.word, 'remove', { reach: 'tree' });
    // What a pattern of git's own means is among what it tracks.
    if (PATTERN.test(operand.word.value ?? '')) useSpecs(run, [operand], 'write');
  }
}

/** Git finds the names itself, in folders below too. */
const PATTERN = /^:|[*?[\\]/;

function moves(run: GitRun): void {
  const words = run.operands.map(({ word }) => word);
  const target = words.at(-1);
  const sources = words.slice(0, -1);
  for (const word of sources) {
    useFile(run.task, word, 'read', { reach: 'tree' });
    useFile(run.task, word, 'remove', { reach: 'tree' });
  }
  if (target === undefined) return;
  const names = sources.map(({ value }) => (value === null ? null : baseName(value)));
  const isTold = names.every((name) => name !== null && name !== '' && name !== '.' && name !== '..');
  useFile(run.task, target, 'write', { reach: 'tree', into: isTold ? names.map((name) => name ?? '') : null });
  addMade(run.task, target, run.task.bases, { kind: 'file', from: run.from });
  for (const word of sources) addMovedAway(run.task, word, run.task.bases, run.from);
}

function applies(run: GitRun): void {
  for (const { word } of run.operands) useFile(run.task, word, 'read');
  notePatch(run);
  noteMadeTop(run);
}

function baseName(target: string): string {
  const plain = target.endsWith('/') ? target.replace(/\/+$/, '') : target;
  return plain.slice(plain.lastIndexOf('/') + 1);
}

/** The first file takes what the others changed. */
function mergesFiles(run: GitRun): void {
  for (const [place, { word }] of run.operands.entries()) {
    const isChanged = place === 0 && !has(run, '--stdout');
    if (isChanged) useFile(run.task, word, 'write');
    // One pattern may be all of the files.
    if (!isChanged || word.value === null) useFile(run.task, word, 'read');
  }
}

/** What stands in front of the names of `checkout-index`: a folder, or also the beginning of a name. */
function usePrefixed(run: GitRun): void {
  const prefix = optionValue(run, '--prefix');
  if (prefix === null || prefix.value?.endsWith('/') === true) return;
  within(run, joinBases(run.tops, run.task.bases), () =>
    useFile(run.task, folderWord(prefix), 'write', { reach: 'tree', into: null }),
  );
}

function writesOperands(run: GitRun): void {
  for (const { word } of run.operands) useFile(run.task, word, 'write');
}

/** The files stand in the patch, which is looked into later. */
function notePatch(run: GitRun): void {
  const { task, name, operands, options } = run;
  const changesNothing = has(run, '--stat', '--numstat', '--summary', '--check') && !has(run, '--apply');
  // Whether it would apply tells what stands in the files.
  if (changesNothing && !has(run, '--check')) return;
  if (name === 'am' && has(run, '--continue', '--abort', '--skip', '--quit', '--show-current-patch')) return;
  const folder = options.findLast(({ main }) => main === '--directory')?.value;
  const sources = operands.length === 0 ? [null] : operands.map(({ word }) => word);
  for (const source of sources)
    noteUnpacking(task, {
      kind: 'patch',
      ...(changesNothing ? { access: 'read' } : {}),
      source,
      folder: folder === undefined ? '' : (folder?.value ?? null),
      cut: ANY_CUT,
    });
}

export const CHANGING: Readonly<Record<string, GitCommand>> = {
  add: {
    options: {
      ...FROM_FILE,
      attached: '--chmod',
      flag: '-A,--all,--no-ignore-removal -u,--update -p,--patch -i,--interactive -e,--edit -n,--dry-run -f,--force -N,--intent-to-add -v,--verbose --renormalize',
    },
    files: addsFiles,
  },
  commit: {
    options: {
      value: '-m,--message -C,--reuse-message -c,--reedit-message --author --date --cleanup --fixup --squash --trailer',
      read: '-F,--file --pathspec-from-file -t,--template',
      attached: '-S,--gpg-sign -u,--untracked-files',
      flag: '-a,--all -p,--patch -n,--no-verify -s,--signoff -e,--edit -i,--include -o,--only -q,--quiet -v,--verbose -z,--null',
    },
    files: commits,
  },
  checkout: {
    options: {
      ...FROM_FILE,
      value: '-b -B --orphan --conflict',
      attached: '-t,--track',
      flag: '-f,--force -p,--patch -q,--quiet -m,--merge -d,--detach -l -2,--ours -3,--theirs',
    },
    files: checksOut,
  },
  switch: {
    options: {
      value: '-c,--create -C,--force-create --orphan --conflict',
      attached: '-t,--track',
      flag: '-f,--force,--discard-changes -d,--detach -m,--merge -q,--quiet',
    },
    files: switches,
  },
  restore: {
    options: {
      ...FROM_FILE,
      value: '-s,--source --conflict',
      flag: '-S,--staged -W,--worktree -p,--patch -q,--quiet -m,--merge -2,--ours -3,--theirs',
    },
    files: restores,
  },
  reset: {
    options: {
      ...FROM_FILE,
      flag: '-q,--quiet -p,--patch -N,--intent-to-add --hard --merge --keep --soft --mixed --no-refresh --refresh',
    },
    files: resets,
  },
  stash: {
    options: {
      ...FROM_FILE,
      value: '-m,--message',
      attached: '-U,--unified',
      flag: '-p,--patch -u,--include-untracked -k,--keep-index -a,--all -q,--quiet -S,--staged',
    },
    files: stashes,
  },
  merge: {
    options: {
      ...MERGING,
      flag: '-n,--no-stat -q,--quiet -v,--verbose -e,--edit --abort --continue --quit --squash --no-commit',
    },
    files: changesTop,
  },
  pull: {
    options: {
      ...MERGING,
      acts: '--upload-pack',
      value: `${MERGING.value} --depth --deepen -j,--jobs --shallow-since --refmap -o,--server-option`,
      attached: '-S,--gpg-sign --log -r,--rebase',
      flag: '-n,--no-stat -q,--quiet -v,--verbose -a,--append -f,--force -k,--keep -p,--prune -t,--tags -4,--ipv4 -6,--ipv6 -e,--edit',
    },
    files: pulls,
  },
  rebase: {
    options: {
      shell: '-x,--exec',
      value: '-s,--strategy -X,--strategy-option --onto --whitespace --empty',
      attached: '-S,--gpg-sign -C -r,--rebase-merges',
      flag: '-i,--interactive -q,--quiet -v,--verbose -f,--force-rebase,--no-ff -m,--merge -k,--keep-empty -n,--no-stat',
    },
    files: changesTop,
  },
  'cherry-pick revert': {
    options: {
      value: '-m,--mainline --strategy -X,--strategy-option --cleanup --empty',
      attached: '-S,--gpg-sign',
      flag: '-e,--edit -n,--no-commit -s,--signoff -x -r',
    },
    files: changesTop,
  },
  bisect: {
    files: (run) => {
      const [, log] = run.operands;
      if (verbOf(run) === 'replay' && log !== undefined) useFile(run.task, log.word, 'read');
      if (/^(?:log|terms|view|visualize)$/.test(verbOf(run))) useTop(run, 'read', 'itself');
      else changesTop(run);
    },
  },
  'sparse-checkout subtree rerere svn': {
    options: { acts: '--authors-prog --config-dir', value: '-P,--prefix -m,--message' },
    files: (run) =>
      run.name === 'sparse-checkout' && verbOf(run) === 'list' ? useTop(run, 'read', 'itself') : changesTop(run),
  },
  clean: {
    options: { value: '-e,--exclude', flag: '-n,--dry-run -f,--force -d -x -X -q,--quiet -i,--interactive' },
    files: cleans,
  },
  rm: {
    options: { ...FROM_FILE, flag: '-n,--dry-run -r -f,--force -q,--quiet' },
    files: removes,
  },
  mv: { options: { flag: '-f,--force -k -n,--dry-run -v,--verbose' }, files: moves },
  apply: {
    options: {
      value: '-p -C --whitespace --exclude --include --directory',
      write: '--build-fake-ancestor',
      risk: '--unsafe-paths',
      flag: '-R,--reverse -3,--3way -N,--intent-to-add -v,--verbose -q,--quiet -z --stat --numstat --summary --check --apply --index --cached --reject',
    },
    files: applies,
  },
  am: {
    options: {
      read: '-F,--file',
      value: '-p -C --directory --exclude --include --whitespace --patch-format',
      attached: '-S,--gpg-sign --show-current-patch',
      flag: '-s,--signoff -k,--keep -3,--3way -c,--scissors -m,--message-id -i,--interactive -r,--resolved,--continue --abort --skip --quit',
    },
    files: applies,
  },
  'checkout-index': {
    options: {
      write: '--prefix',
      value: '--stage',
      flag: '-a,--all -f,--force -u,--index -q,--quiet -n,--no-create -z --temp',
    },
    files: (run) => {
      useFromTop(run, '--prefix', 'tree');
      usePrefixed(run);
      if (!useSpecs(run, run.operands, 'write') || has(run, '--all')) changesTop(run);
      else noteMadePaths(run, run.operands);
      // Wherever it is called.
      if (has(run, '--temp')) useTop(run, 'write', 'itself');
    },
  },
  'read-tree': {
    options: { write: '--index-output', value: '--prefix', flag: '-m -u -i -n,--dry-run -v' },
    files: (run) => {
      if (has(run, '-u')) changesTop(run);
      else useTop(run, 'read', 'itself');
    },
  },
  'update-index': {
    options: { value: '--cacheinfo --chmod --index-version', flag: '-q -g,--again -z --stdin' },
    files: (run) => {
      changesIndex(run);
      // What is there is put into the repository.
      for (const { word } of run.operands) useFile(run.task, word, 'read');
      if (has(run, '--stdin'))
        useUnknownFile(run.task, 'read', 'git update-index takes the names of files from its input');
    },
  },
  'merge-file': { options: { value: '-L --marker-size', flag: '-p,--stdout' }, files: mergesFiles },
  mailinfo: { files: writesOperands },
  'pack-objects': {
    files: (run) => {
      writesOperands(run);
      // The name goes on with what stands in it, and it begins at the top of the work tree, or where it is.
      within(run, joinBases(run.tops, run.task.bases), () => {
        for (const { word } of run.operands) useFile(run.task, folderWord(word), 'write', { into: null });
      });
    },
  },
  'index-pack': {
    options: { write: '-o' },
    files: writesOperands,
  },
};
