// Git: options in front of the subcommand, what is known of each subcommand, and which start programs.
import { CHANGING } from './git-changing.js';
import { MAKING } from './git-making.js';
import { type GitCommand, SHOWING } from './git-showing.js';
import { type ProgramData, type ProgramTable, programTable } from './program-table.js';

export const GIT_GLOBAL: ProgramTable = programTable({
  options: {
    value: '-c --namespace --super-prefix --list-cmds --attr-source',
    folder: '-C',
    read: '--git-dir --work-tree',
    acts: '--exec-path --config-env',
    flag:
      '-p,--paginate -P,--no-pager --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs ' +
      '--icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice',
    // `--bare` makes a repository of the folder itself, whose configuration is a file called `config`: no reading either.
    tells: '-v,--version -h,--help --html-path --man-path --info-path --bare',
  },
  isStrict: true,
});

/** Settings that `-c` may give without changing what runs. */
export const HARMLESS_SETTINGS =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|init\.defaultbranch|core\.(?:quotepath|abbrev|autocrlf|eol|ignorecase|precomposeunicode)|log\.(?!showsignature$)\w+|diff\.(?:renames|context|algorithm|noprefix|mnemonicprefix|renamelimit)|merge\.(?:conflictstyle|renamelimit|ff)|pull\.(?:rebase|ff)|push\.default|commit\.gpgsign|tag\.gpgsign|column\.ui|status\.\w+|format\.pretty|rebase\.(?:autosquash|autostash)|gc\.auto|fetch\.prune|safe\.directory)$/i;

/** Subcommands that only work on the repository; their operands are names, and files of revisions. */
const OTHERS: Readonly<Record<string, ProgramData['options']>> = {
  branch: {
    value: '-u,--set-upstream-to --sort --format --points-at',
    attached: '-t,--track --contains --no-contains --merged --no-merged --color --column --abbrev',
    flag: '-a,--all -r,--remotes -l,--list -d,--delete -D -m,--move -M -c,--copy -C -f,--force -v,--verbose -q,--quiet -i,--ignore-case',
  },
  tag: {
    value: '-m,--message -u,--local-user --sort --format --contains --no-contains --points-at --cleanup --trailer',
    read: '-F,--file',
    attached: '-n --color --column --merged --no-merged',
    flag: '-a,--annotate -s,--sign -l,--list -d,--delete -f,--force -v,--verify -i,--ignore-case -e,--edit',
  },
  'fast-import': {
    write: '--export-marks --export-pack-edges',
    read: '--import-marks --import-marks-if-exists',
    risk: '--allow-unsafe-features',
  },
  notes: { read: '-F,--file', value: '-m,--message --ref -C,--reuse-message -c,--reedit-message -s,--strategy' },
  'fetch-pack': { acts: '--upload-pack --exec' },
  fetch: {
    acts: '--upload-pack',
    value:
      '--depth --deepen --shallow-since --shallow-exclude -j,--jobs --refmap -o,--server-option --filter --negotiation-tip',
    flag: '-a,--append -f,--force -k,--keep -p,--prune -P,--prune-tags -n,--no-tags -t,--tags -u,--update-head-ok -q,--quiet -v,--verbose -4,--ipv4 -6,--ipv6 --all --multiple',
  },
  push: {
    acts: '--receive-pack,--exec',
    value: '-o,--push-option --repo',
    flag: '-f,--force -u,--set-upstream -d,--delete -n,--dry-run -q,--quiet -v,--verbose -4,--ipv4 -6,--ipv6 --force-with-lease --force-if-includes --all,--branches --mirror --tags --follow-tags --no-verify --prune',
  },
  'gc repack': { write: '--filter-to --expire-to', value: '--filter --window --depth --threads --keep-pack' },
  'commit-graph multi-pack-index': { write: '--object-dir' },
  mergetool: { acts: '-t,--tool' },
  'ls-remote': {
    acts: '--upload-pack,--exec',
    value: '-o,--server-option --sort',
    flag: '-b,--branches,--heads -t,--tags -q,--quiet --refs --get-url --symref --exit-code',
  },
  'send-pack': { acts: '--receive-pack,--exec' },
  config: {
    read: '-f,--file --blob',
    value: '--type --default --comment --value',
    flag: '-l,--list -e,--edit -z,--null --global --system --local --worktree --get --get-all --get-regexp --add --unset --unset-all --replace-all --rename-section --remove-section',
  },
  remote: { value: '-t -m', flag: '-v,--verbose -f,--fetch -n -p,--prune' },
  'symbolic-ref': { value: '-m', flag: '-d,--delete -q,--quiet --short' },
  'update-ref replace': { value: '-m', flag: '-d,--delete -f,--force -l,--list' },
};

/** Subcommands with two names, the main one second. */
export const GIT_ALIASES: ReadonlyMap<string, string> = new Map([
  ['stage', 'add'],
  ['init-db', 'init'],
  ['annotate', 'blame'],
  ['remote rm', 'remote remove'],
]);

interface KnownSubcommand {
  readonly table: ProgramTable;
  readonly files: GitCommand['files'];
}

/** By subcommand, options that stand for several. */
const EQUAL: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['push', { '--force-with-lease': '--force-with-lease --force', '--mirror': '--mirror --force' }],
  ['branch', { '-D': '--delete --force', '-M': '--move --force', '-C': '--copy --force' }],
  ['checkout', { '-B': '-b --force' }],
  ['worktree', { '-B': '-b --force' }],
  ['switch', { '--force-create': '--create --force' }],
]);

/** Operands that say what an option says. */
const OPERAND_OPTIONS: ReadonlyMap<string, ProgramData['operandOptions']> = new Map([
  ['push', [[/^\+/, '--force']] as const],
]);

/** They show changes besides their own work. What they take for a revision may be an option that says which file gets them. */
const SHOWS_CHANGES: ReadonlySet<string> = new Set(['stash', 'cherry-pick', 'revert', 'bisect']);
const SUBCOMMANDS: ReadonlyMap<string, KnownSubcommand> = new Map([
  ...knownSubcommands(SHOWING, true),
  ...knownSubcommands(CHANGING, false),
  ...knownSubcommands(MAKING, false),
  ...knownSubcommands(
    Object.fromEntries(Object.entries(OTHERS).map(([names, options = {}]) => [names, { options }])),
    false,
  ),
]);

function knownSubcommands(rows: Readonly<Record<string, GitCommand>>, showsChanges: boolean) {
  return Object.entries(rows).flatMap(([names, { options, files }]) =>
    names.split(' ').map((name): [string, KnownSubcommand] => {
      const table = tableOf(name, options, showsChanges || SHOWS_CHANGES.has(name));
      return [name, { table, files }];
    }),
  );
}

const UNKNOWN: KnownSubcommand = { table: tableOf('', {}, true), files: undefined };

/** What is known of a subcommand; of one without a row, the options that all have. */
export function gitSubcommand(name: string): KnownSubcommand {
  return SUBCOMMANDS.get(name) ?? UNKNOWN;
}

/** False for what may be an alias of the user, or a program that is called `git-…`. */
export function isGitSubcommand(name: string): boolean {
  return SUBCOMMANDS.has(name) || PLUMBING.has(name);
}

/** With the options of those that show changes: of a subcommand without a row it is not known whether it does. */
function tableOf(name: string, options: ProgramData['options'], showsChanges: boolean): ProgramTable {
  const operandOptions = OPERAND_OPTIONS.get(name) ?? [];
  if (!showsChanges) return programTable({ options: options ?? {}, equal: EQUAL.get(name) ?? {}, operandOptions });
  const { write = '', risk = '' } = options ?? {};
  const both = { write: `--output ${write}`.trim(), risk: `--ext-diff --textconv ${risk}`.trim() };
  return programTable({ options: { ...options, ...both } });
}

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

/** Subcommands that work on the repository alone, and some that print what is in their input. */
const PLUMBING: ReadonlySet<string> = new Set(
  (
    'gc prune prune-packed repack pack-refs maintenance var version help lfs check-mailmap check-ref-format column ' +
    'commit-graph commit-tree cherry get-tar-commit-id hook fmt-merge-msg http-fetch http-push imap-send ls-remote mktag mktree ' +
    'multi-pack-index merge-tree merge-one-file patch-id pack-redundant receive-pack remote replace show-index stripspace ' +
    'unpack-objects update-server-info upload-archive upload-pack verify-commit verify-tag write-tree refs backfill ' +
    'last-modified repo replay gui citool gitk'
  ).split(' '),
);
