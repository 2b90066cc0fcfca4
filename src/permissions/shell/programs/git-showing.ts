// Subcommands of git that show or give away what stands in the repository, which is as good as reading those files: a
// revision with a path is that path.
import { joinBases } from '../reader.js';
import { globWord, literalWord, type ShellWord, wordWith } from '../syntax/shell-word.js';
import { sayLost } from '../task.js';
import { addFile } from './file-uses.js';
import {
  alsoUntracked,
  type GitRun,
  optionValue,
  useFolder,
  useRevision,
  useRevisions,
  useSpecs,
  useTop,
  within,
} from './git-paths.js';
import { useFile, useUnknownFile } from './operands.js';
import type { ProgramData } from './program-table.js';
import { has } from './scan-options.js';

/** A subcommand: its options, and what it does with files. */
export interface GitCommand {
  readonly options?: ProgramData['options'];
  /** Absent: it only looks at the repository, and its operands are no files. */
  readonly files?: (run: GitRun) => void;
}

const DIFFS = {
  read: '-O',
  value:
    '-S -G -l --diff-filter --inter-hunk-context --src-prefix --dst-prefix --diff-algorithm --find-object --ws-error-highlight',
  attached:
    '-U,--unified -M,--find-renames -C,--find-copies -B,--break-rewrites --color --stat --dirstat --word-diff --color-words',
  flag:
    '-p,-u,--patch -s,--no-patch -b,--ignore-space-change -w,--ignore-all-space -W,--function-context -a,--text -R -z --raw ' +
    '--numstat --shortstat --summary --name-only --name-status --quiet --check --compact-summary --no-renames --cc -c -m ' +
    '--patch-with-raw --patch-with-stat --binary --full-index --no-index',
} as const;
const LOGS = {
  ...DIFFS,
  value:
    `${DIFFS.value} -n,--max-count --skip --since,--after --until,--before --author --committer --grep -L --date ` +
    '--min-parents --max-parents --decorate-refs --decorate-refs-exclude',
  flag: `${DIFFS.flag} --decorate -i,--regexp-ignore-case -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp -g,--walk-reflogs`,
} as const;
const SENDING = {
  value:
    '--subject-prefix -v,--reroll-count --start-number --in-reply-to --to --cc --from --base --signature --interdiff --range-diff',
  read: '--signature-file --description-file',
  write: '-o,--output-directory',
} as const;

/** Options with which those that tell of commits show what is in files. */
export const SHOWS = [
  '--patch',
  '--unified',
  '-L',
  '--cc',
  '-c',
  '-m',
  '--patch-with-stat',
  '--patch-with-raw',
  '--word-diff',
].concat(['--color-words', '--binary', '--function-context', '--check']);
/** Options with which those that show changes only count or name them. */
const COUNTS = ['--stat', '--numstat', '--shortstat', '--summary', '--name-only', '--name-status', '--quiet'].concat([
  '--raw',
  '--no-patch',
  '--compact-summary',
  '--dirstat',
]);

function tellsOfCommits(run: GitRun): void {
  readShown(run, has(run, ...SHOWS));
}

function showsChanges(run: GitRun): void {
  readShown(run, !has(run, ...COUNTS) || has(run, ...SHOWS));
}

function readShown(run: GitRun, isShown: boolean): void {
  const reach = isShown ? 'tree' : 'itself';
  if (!useRevisions(run, reach)) useTop(run, 'read', reach);
}

/** `diff` also compares files that are no part of a repository. */
function compares(run: GitRun): void {
  showsChanges(run);
  // So are two of which one lies outside of it. What is in them git need not track.
  const isOutside =
    run.operands.length === 2
      ? run.operands.some(({ word }) => leadsOut(word))
      : // Names that are listed may be one more, or none.
        run.operands.some(({ word }) => word.below !== null && leadsOut(word));
  if (has(run, '--no-index') || isOutside)
    for (const { word } of run.operands) useFile(run.task, word, 'read', { reach: 'through', untracked: 'all' });
}

function leadsOut({ value, below }: ShellWord): boolean {
  return LEADS_OUT.test(value ?? '') || below?.roots.some(leadsOut) === true;
}

const LEADS_OUT = /^[/~]|(?:^|\/)\.\.(?:\/|$)/;

function looksAtPaths(run: GitRun): void {
  if (!useRevisions(run, 'itself')) useTop(run, 'read', 'itself');
}

/** What it is given it shows, whatever a pattern means. */
function showsPaths(run: GitRun): void {
  if (!useRevisions(run, 'tree')) useTop(run, 'read', 'itself');
}

function showsAll(run: GitRun): void {
  useRevisions(run, 'itself');
  useTop(run, 'read');
}

/** `show` prints a file of a revision, and of other revisions what they changed. */
function shows(run: GitRun): void {
  const { operands } = run;
  const spoken = operands.filter(({ word, at }) => at < run.dashes && useRevision(run, word, 'itself'));
  if (spoken.length === 0 || spoken.length < operands.length) showsChanges(run);
}

/** A file by its name in a revision; what an object of another name holds cannot be told. */
function printsObjects(run: GitRun): void {
  const { task, operands } = run;
  if (task.words.some(({ head }) => head.startsWith('--batch'))) useTop(run, 'read');
  for (const { word } of operands) {
    const isFile = useRevision(run, word, 'itself');
    const prints = !has(run, '-t', '-s', '-e');
    if (!isFile && prints && (word.value === null || /^[0-9a-f]{4,}$|\^\{(?!commit|tree)/i.test(word.value)))
      useTop(run, 'read');
  }
  useTop(run, 'read', 'itself');
}

function searches(run: GitRun): void {
  const hasPattern = has(run, '-e', '-f');
  const operands = hasPattern ? run.operands : run.operands.slice(1);
  const isNamed = useRevisions(run, 'tree', operands);
  if (!isNamed) useFolder(run, 'read');
}

/** The first operand is a revision, the others are paths. */
function packs(run: GitRun): void {
  const [revision, ...paths] = run.operands;
  const isPart = revision !== undefined && useRevision(run, revision.word, 'tree');
  if (!useSpecs(run, paths, 'read') && !isPart) useTop(run, 'read');
}

function bundles(run: GitRun): void {
  const [verb, file] = run.operands;
  const makes = verb?.word.value === 'create';
  if (file !== undefined) useFile(run.task, file.word, makes ? 'write' : 'read');
  if (makes) useTop(run, 'read');
}

/** Files named after what the commits say. */
function writesPatches(run: GitRun): void {
  const { task } = run;
  if (!useRevisions(run, 'tree')) useTop(run, 'read');
  if (has(run, '--stdout') || has(run, '--output')) return;
  const folder = optionValue(run, '--output-directory') ?? literalWord('.');
  const user = { access: 'write', by: 'operand', program: task.name } as const;
  if (folder.value === null) useUnknownFile(task, 'write', 'the folder of the patches is not known');
  else addFile(task, wordWith(globWord(folder, `${folder.value}/`), { text: '*' }), user, task.bases);
}

function sendsFiles(run: GitRun): void {
  if (!useRevisions(run, 'tree')) useTop(run, 'read');
}

function readsFiles(run: GitRun): void {
  for (const { word } of run.operands) useFile(run.task, word, 'read', { untracked: 'all' });
  if (has(run, '--stdin', '--stdin-paths'))
    useUnknownFile(run.task, 'read', `git ${run.name} takes the names of files from its input`);
}

export const SHOWING: Readonly<Record<string, GitCommand>> = {
  'log whatchanged': { options: LOGS, files: tellsOfCommits },
  show: { options: LOGS, files: shows },
  diff: { options: DIFFS, files: compares },
  'diff-tree diff-files diff-index diff-pairs': { options: DIFFS, files: tellsOfCommits },
  'range-diff cherry': { options: DIFFS, files: showsChanges },
  'blame annotate': {
    options: { read: '--contents -S --ignore-revs-file', value: '-L --date --ignore-rev', attached: '-M -C' },
    files: showsPaths,
  },
  grep: {
    options: {
      risk: '-O,--open-files-in-pager',
      read: '-f',
      value:
        '-e -A,--after-context -B,--before-context -C,--context -m,--max-count --max-depth --threads --parent-basename',
      attached: '--color',
    },
    files: searches,
  },
  'cat-file': { options: { attached: '--batch --batch-check --batch-command', value: '--path' }, files: printsObjects },
  'status describe name-rev rev-parse rev-list merge-base shortlog show-branch show-ref for-each-ref ls-tree check-attr count-objects fsck':
    {
      options: {
        read: '-X,--exclude-from',
        value: '-n,--max-count --since,--after --until,--before --author --format --sort --abbrev --match --exclude',
        attached: '-u,--untracked-files --ignored --color --column',
      },
      files: looksAtPaths,
    },
  // It shows the lines of files that say what git passes over, anywhere in the work tree.
  'check-ignore': { files: showsAll },
  'ls-files': {
    options: {
      read: '-X,--exclude-from',
      value: '-x,--exclude --exclude-per-directory --with-tree --format',
      flag: '-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged -k,--killed --eol -t -v -f -z',
    },
    files: (run) => {
      const { length } = run.task.reader.files;
      looksAtPaths(run);
      // It looks into each file, or into those of a name.
      if (has(run, '--eol', '--exclude-per-directory')) useTop(run, 'read');
      if (has(run, '--exclude-per-directory')) alsoUntracked(run, length, 'all');
      // From each folder on: a name with a slash may lead anywhere.
      for (const { main, value } of run.options)
        if (main === '--exclude-per-directory' && (value?.value == null || value.value.includes('/')))
          useUnknownFile(run.task, 'read', `where git finds ${value?.text} is not known`);
    },
  },
  archive: {
    options: { acts: '--exec --remote', write: '-o,--output', value: '--prefix --format --mtime', read: '--add-file' },
    files: packs,
  },
  bundle: { files: bundles },
  'format-patch': { options: SENDING, files: writesPatches },
  'send-email': {
    options: { ...SENDING, acts: '--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd' },
    files: sendsFiles,
  },
  'fast-export': {
    options: { write: '--export-marks', read: '--import-marks --import-marks-if-exists' },
    files: showsChanges,
  },
  'request-pull': { options: DIFFS, files: tellsOfCommits },
  reflog: { options: LOGS, files: tellsOfCommits },
  'hash-object': { options: { value: '-t --path', flag: '-w --stdin --stdin-paths' }, files: readsFiles },
  'verify-pack mailsplit': {
    options: { write: '-o' },
    files: readsFiles,
  },
  'unpack-file': {
    files: (run) => {
      useTop(run, 'read');
      useTop(run, 'write', 'itself');
    },
  },
  'interpret-trailers': {
    options: {
      value: '--trailer --where --if-exists --if-missing',
      flag: '--in-place --trim-empty --only-trailers --only-input --unfold --parse',
    },
    files: (run) => {
      // In a repository it works at the top, and takes names as they are written.
      within(run, joinBases(run.tops, run.task.bases), () => {
        for (const { word } of run.operands) {
          useFile(run.task, word, 'read');
          if (has(run, '--in-place')) useFile(run.task, word, 'write');
        }
      });
    },
  },
  difftool: { options: { ...DIFFS, acts: '-x,--extcmd -t,--tool' }, files: showsChanges },
  'archimport cvsimport p4': { files: (run) => sayLost(run.task, `git ${run.name} brings in what cannot be told`) },
};
