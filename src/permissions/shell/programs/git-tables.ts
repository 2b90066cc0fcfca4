// Git: options in front of the subcommand, subcommands that only read, and options that start programs or write files.
import { type ProgramData, type ProgramTable, programTable } from './program-table.js';

export const GIT_GLOBAL: ProgramTable = programTable({
  options: {
    value: '-c --namespace --super-prefix --list-cmds --attr-source',
    folder: '-C --git-dir --work-tree',
    acts: '--exec-path --config-env',
    flag:
      '-p --paginate -P --no-pager --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs ' +
      '--icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice',
    // `--bare` makes a repository of the folder itself, whose configuration is a file called `config`: no reading either.
    tells: '-v --version -h --help --html-path --man-path --info-path --bare',
  },
  isStrict: true,
});

/** Settings that `-c` may give without changing what runs. */
export const HARMLESS_SETTINGS =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|init\.defaultbranch|core\.(?:quotepath|abbrev|autocrlf|eol|ignorecase|precomposeunicode)|log\.\w+|diff\.(?:renames|context|algorithm|noprefix|mnemonicprefix|renamelimit)|merge\.(?:conflictstyle|renamelimit|ff)|pull\.(?:rebase|ff)|push\.default|commit\.gpgsign|tag\.gpgsign|column\.ui|status\.\w+|format\.pretty|rebase\.(?:autosquash|autostash)|gc\.auto|fetch\.prune|safe\.directory)$/i;

/** Options of any subcommand, or of the named one, by what they do. */
const COMMON = {
  write: '--output --output-directory',
  risk: '--ext-diff --textconv',
} as const;

const SUBCOMMANDS: Readonly<Record<string, ProgramData['options']>> = {
  am: { read: '-F --file', value: '-p -C --directory --exclude --include --whitespace' },
  archive: { acts: '--exec --remote', write: '-o --output' },
  bisect: {},
  blame: { read: '--contents -S --ignore-revs-file' },
  bundle: {},
  clone: {
    acts: '-u --upload-pack -c --config --template --recurse-submodules_',
    value: '-b -o --branch --origin --depth -j --jobs --filter --shallow-since',
    read: '--reference --reference-if-able',
    write: '--separate-git-dir',
  },
  commit: {
    value: '-m --message -C -c --author --date --cleanup --fixup --squash --trailer',
    read: '-F --file --pathspec-from-file -t --template',
    attached: '-S -u --gpg-sign',
  },
  tag: {
    value: '-m --message -u --local-user --sort --format --contains --points-at --cleanup',
    read: '-F --file',
    attached: '-n --color --column',
  },
  bugreport: { write: '-o' },
  'checkout-index': { write: '--prefix', value: '--stage' },
  diagnose: { write: '-o' },
  diff: { read: '-O' },
  'fast-export': { write: '--export-marks', read: '--import-marks --import-marks-if-exists' },
  'fast-import': {
    write: '--export-marks --export-pack-edges',
    read: '--import-marks --import-marks-if-exists',
    risk: '--allow-unsafe-features',
  },
  'hash-object': { value: '-t --path' },
  'index-pack': { write: '-o' },
  'interpret-trailers': { value: '--trailer --where --if-exists --if-missing' },
  'ls-files': { read: '-X --exclude-from', value: '-x --exclude --exclude-per-directory' },
  mailsplit: { write: '-o' },
  notes: { read: '-F --file', value: '-m --message --ref -C -c' },
  'read-tree': { write: '--index-output', value: '--prefix' },
  restore: { read: '--pathspec-from-file', value: '-s --source --conflict' },
  svn: { acts: '--authors-prog --config-dir' },
  'fetch-pack': { acts: '--upload-pack --exec' },
  fetch: {
    acts: '--upload-pack',
    value: '--depth --deepen --shallow-since -j --jobs --refmap --server-option -o --filter',
  },
  grep: {
    risk: '-O --open-files-in-pager',
    read: '-f',
    value: '-e -A -B -C -m --max-count --max-depth --threads',
    attached: '--color',
  },
  difftool: { acts: '-x --extcmd -t --tool' },
  mergetool: { acts: '-t --tool' },
  'ls-remote': { acts: '--upload-pack --exec' },
  pull: { acts: '--upload-pack', value: '-s --strategy -X --strategy-option --depth -j --jobs' },
  push: { acts: '--receive-pack --exec', value: '-o --push-option --repo' },
  rebase: { shell: '-x --exec', value: '-s --strategy -X --strategy-option --onto -C --whitespace' },
  'send-email': { acts: '--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd' },
  'send-pack': { acts: '--receive-pack --exec' },
  submodule: { value: '-b --branch --name --reference --depth -j --jobs' },
  merge: { value: '-m --message -s --strategy -X --strategy-option', read: '-F --file' },
  init: { acts: '--template', write: '--separate-git-dir', value: '-b --initial-branch --object-format' },
  apply: {
    value: '-p -C --whitespace --exclude --include --directory',
    write: '--build-fake-ancestor',
    risk: '--unsafe-paths',
  },
  'format-patch': { write: '-o --output-directory' },
  worktree: { value: '-b -B --reason' },
  config: { read: '-f --file --blob', value: '--type --default' },
};

const OF_ALL = tableOf({});
const TABLES: ReadonlyMap<string, ProgramTable> = new Map(
  Object.entries(SUBCOMMANDS).map(([name, options]): [string, ProgramTable] => [name, tableOf(options)]),
);

/** What is known of the options of a subcommand; of one without a table, what all have. */
export function subcommandTable(subcommand: string): ProgramTable {
  return TABLES.get(subcommand) ?? OF_ALL;
}

function tableOf(options: ProgramData['options']): ProgramTable {
  const { write = '', risk = '' } = options ?? {};
  const both = { write: `${COMMON.write} ${write}`.trim(), risk: `${COMMON.risk} ${risk}`.trim() };
  return programTable({ options: clean({ ...options, ...both }) });
}

function clean(options: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

/** Subcommands that only read, whatever their operands; their options are checked against those that act. */
export const READING_SUBCOMMANDS: ReadonlySet<string> = new Set(
  (
    'status log diff show rev-parse ls-files ls-tree cat-file blame annotate describe shortlog rev-list merge-base ' +
    'for-each-ref name-rev diff-tree diff-files diff-index show-ref show-branch count-objects check-ignore check-attr ' +
    'grep whatchanged cherry range-diff version var verify-pack'
  ).split(' '),
);

/** Subcommands that only read in the forms that the first operand or an option makes. */
export const LISTING: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-a|-r|-v|-vv|-avv|-av|-l|--list|--all|--remotes|--show-current|--contains|--merged|--no-merged|--verbose|--sort=.*|--format=.*|--points-at=.*|--no-color|--column)$/,
  tag: /^(?:-l|--list|-n\d*|--contains|--merged|--no-merged|--sort=.*|--format=.*|--points-at=.*)$/,
  remote: /^(?:-v|--verbose|get-url|--all|--push)$/,
  stash: /^(?:list|show|-p|--stat|--name-only|--patch|stash@\{\d+\}|--oneline)$/,
  worktree: /^(?:list|--porcelain|-v|-z)$/,
  submodule: /^(?:status|--cached|--recursive|summary)$/,
  reflog: /^(?:show|--all|-n|\d+|-\d+|HEAD|--oneline|exists)$/,
  config:
    /^(?:--get|--get-all|--get-regexp|--list|-l|list|get|--show-origin|--show-scope|--global|--local|--system|--name-only|-z|--null|[A-Za-z0-9.*_-]+)$/,
  'symbolic-ref': /^(?:--short|-q|HEAD)$/,
  notes: /^(?:list|show|HEAD)$/,
  bisect: /^log$/,
};

/** Subcommands that start programs of their words or settings, open the repository to others, or give out passwords. */
export const ACTING_SUBCOMMANDS: ReadonlySet<string> = new Set(
  (
    'filter-branch difftool mergetool web--browse merge-index remote-ext remote-fd instaweb shell daemon http-backend ' +
    'cvsserver for-each-repo credential credential-store credential-cache'
  ).split(' '),
);

/** Words behind a subcommand with which it changes what runs later, outside of the repository or in its hooks. */
export const CONFIGURING: Readonly<Record<string, RegExp>> = {
  maintenance: /^(?:start|stop|register|unregister)$/,
  lfs: /^(?:install|uninstall|update)$/,
};

/** Subcommands whose operands are files, and what becomes of those. */
export const FILE_OPERANDS: Readonly<Record<string, 'read' | 'write'>> = {
  am: 'read',
  apply: 'read',
  'hash-object': 'read',
  'interpret-trailers': 'read',
  mailinfo: 'write',
  'merge-file': 'write',
  mv: 'write',
  'pack-objects': 'write',
  restore: 'write',
  init: 'write',
};
