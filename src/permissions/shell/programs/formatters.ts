// Formatters and linters: what they are given they read, and with some options they write it. One rule: without an
// operand they work on the folder that they are in, unless they read their input then.
import { literalWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { mayBeNone, useFile, useHere } from './operands.js';
import { usePattern } from './own-patterns.js';
import type { ProgramData, Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import type { ScannedWords } from './scan-options.js';

interface Formatter extends Pick<ProgramData, 'options' | 'isSingleDash'> {
  /** Main names of the options with which it writes; `always`: unless one of `keeps` stands there. */
  readonly writes: 'always' | string;
  /** Options with which it writes nothing. */
  readonly keeps?: string;
  /** First operands that are subcommands, no files. */
  readonly verbs?: RegExp;
  /** Subcommands with which it writes. */
  readonly writingVerbs?: RegExp;
  /** Without an operand it works on its input, or on nothing. */
  readonly needsOperand?: true;
  /** It runs what the configuration of the project says. */
  readonly runs?: true;
  /** Without the options with which it writes it does nothing but read, whatever the project says. */
  readonly onlyReads?: true;
}

const OF_NODE = {
  read:
    '-c,--config --rulesdir --resolve-plugins-relative-to --ignore-path -f,--format --formatter --custom-formatter ' +
    '--parser --config-path --custom-syntax --plugin --stdin-filename --parser-options',
  write: '-o,--output-file --cache-location --cache-file',
  value: '--ext --max-warnings --rule --env --global --print-width --tab-width --end-of-line --log-level',
} as const;
const OF_PYTHON = {
  read: '--config --settings-path,--settings-file,--sp --append-config --style',
  value:
    '-l,--line-length,--line-width -t,--target-version --select --ignore --extend-select --extend-ignore -W,--workers -j,--jobs --exclude --extend-exclude --force-exclude -w,--wrap-length --profile --src --max-line-length --output-format --stdin-filename',
  write: '--cache-dir',
} as const;

const FORMATTERS: Readonly<Record<string, Formatter>> = {
  'eslint eslint_d oxlint stylelint standard xo ts-standard': {
    options: { ...OF_NODE, flag: '--fix --fix-dry-run -q,--quiet --cache --debug' },
    writes: '--fix',
    runs: true,
  },
  'prettier prettierd': {
    options: {
      ...OF_NODE,
      flag: '-w,--write -c,--check -l,--list-different -u,--ignore-unknown --cache',
      read: '--config --plugin --ignore-path --config-path --find-config-path --file-info --stdin-filepath',
    },
    writes: '--write',
    needsOperand: true,
    runs: true,
  },
  biome: {
    options: {
      read: '--config-path --stdin-file-path',
      value: '--max-diagnostics --reporter --only --skip --since',
      flag: '--write,--fix,--apply,--apply-unsafe --unsafe --staged --changed',
    },
    writes: '--write',
    verbs: /^(?:format|lint|check|ci|init|migrate|rage|search|explain|version|start|stop)$/,
    writingVerbs: /^(?:init|migrate)$/,
  },
  dprint: {
    options: { read: '-c,--config --plugins', value: '--excludes -L' },
    writes: 'always',
    keeps: '--diff',
    verbs: /^(?:fmt|check|init|config)$/,
    runs: true,
  },
  ruff: {
    options: {
      ...OF_PYTHON,
      flag: '--fix --fix-only --unsafe-fixes --diff --check -q,--quiet -s,--silent --watch --no-cache --add-noqa',
    },
    writes: '--fix --fix-only --add-noqa',
    keeps: '--diff --check',
    verbs: /^(?:check|format|clean|rule|config|linter|server|version|analyze)$/,
    writingVerbs: /^(?:format|clean)$/,
  },
  'black blue': {
    options: { ...OF_PYTHON, code: '-c,--code', flag: '--check --diff -q,--quiet -S,--skip-string-normalization' },
    writes: 'always',
    keeps: '--check --diff',
    needsOperand: true,
  },
  'isort pyupgrade usort ufmt absolufy-imports': {
    options: { ...OF_PYTHON, flag: '-c,--check-only,--check --diff -d -q,--quiet' },
    writes: 'always',
    keeps: '--check-only --diff',
    needsOperand: true,
  },
  'autopep8 yapf autoflake docformatter pyformat': {
    options: { ...OF_PYTHON, flag: '-i,--in-place -r,--recursive -d,--diff -a,--aggressive' },
    writes: '--in-place',
    needsOperand: true,
  },
  'flake8 pylint mypy pyright pycodestyle pydocstyle bandit vulture ty pyre basedpyright': {
    options: {
      read: '--config-file --rcfile -p,--project --config',
      acts: '--load-plugins --init-hook --plugins --python-executable',
      write: '--output-file --cache-dir --junit-xml --html-report --xml-report',
      value: '--python-version --select --ignore --disable --enable -j,--jobs',
    },
    writes: '',
    runs: true,
  },
  gofmt: {
    options: { flag: '-w -l -d -s -e', value: '-r', write: '-cpuprofile' },
    writes: '-w',
    needsOperand: true,
    isSingleDash: true,
    onlyReads: true,
  },
  'goimports gofumpt gci golines': {
    options: { flag: '-w -l -d -s -e', value: '-r -local -m' },
    writes: '-w',
    needsOperand: true,
    isSingleDash: true,
  },
  'golangci-lint staticcheck revive': {
    options: {
      read: '-c,--config',
      value: '-E,--enable -D,--disable --timeout',
      write: '--cpu-profile-path --mem-profile-path --trace-path',
      flag: '--fix',
    },
    writes: '--fix',
    verbs: /^(?:run|linters|version|config|cache|fmt|formatters|help)$/,
    writingVerbs: /^fmt$/,
    runs: true,
  },
  rustfmt: {
    options: {
      read: '--config-path',
      value: '--edition --emit --config --print-config',
      flag: '--check -l,--files-with-diff -q,--quiet',
    },
    writes: 'always',
    keeps: '--check --emit',
    needsOperand: true,
  },
  'clang-format': {
    options: { value: '--style --assume-filename --sort-includes', attached: '--files', flag: '-i -n,--dry-run' },
    writes: '-i',
    needsOperand: true,
  },
  'clang-tidy': {
    options: {
      acts: '--load --config-file',
      read: '-p',
      write: '--export-fixes',
      value: '--checks --header-filter',
      flag: '--fix --fix-errors --fix-notes',
    },
    writes: '--fix --fix-errors --fix-notes',
    needsOperand: true,
    runs: true,
  },
  shfmt: {
    options: {
      value: '-i,--indent -ln,--language-dialect --filename',
      flag: '-w,--write -d,--diff -l,--list -s,--simplify -f,--find',
    },
    writes: '--write',
    needsOperand: true,
  },
  shellcheck: {
    options: {
      read: '--rcfile',
      value: '-s,--shell -e,--exclude -f,--format -S,--severity -P,--source-path -i,--include',
      flag: '-x,--external-sources -a,--check-sourced',
    },
    writes: '',
    needsOperand: true,
  },
  swiftformat: {
    options: {
      read: '--config',
      value: '--swiftversion --rules --disable',
      write: '--output --report --cache',
      flag: '--lint --dryrun',
    },
    writes: 'always',
    keeps: '--lint --dryrun --output',
    needsOperand: true,
  },
  'swift-format': {
    options: { read: '--configuration', flag: '-i,--in-place -r,--recursive' },
    writes: '--in-place',
    verbs: /^(?:format|lint|dump-configuration)$/,
    needsOperand: true,
  },
  swiftlint: {
    options: {
      read: '--config --baseline',
      write: '--output --write-baseline --cache-path',
      flag: '--fix,--autocorrect',
    },
    writes: '--fix',
    verbs: /^(?:lint|analyze|rules|version|autocorrect)$/,
    writingVerbs: /^autocorrect$/,
  },
  'php-cs-fixer': {
    options: { read: '--config', write: '--cache-file', flag: '--dry-run --diff' },
    writes: 'always',
    keeps: '--dry-run',
    verbs: /^(?:fix|check|list-files|describe|list)$/,
    runs: true,
  },
  'phpcbf pint rector': {
    options: { read: '--standard --config -c', flag: '--test --dry-run -n' },
    writes: 'always',
    keeps: '--test --dry-run',
    verbs: /^process$/,
    runs: true,
  },
  'phpcs phpstan psalm': {
    options: { read: '--standard -c,--configuration', acts: '--autoload-file --bootstrap', write: '--report-file' },
    writes: '',
    verbs: /^analy[sz]e$/,
    runs: true,
  },
  'rubocop standardrb': {
    options: {
      read: '-c,--config',
      acts: '-r,--require --plugin',
      write: '-o,--out',
      value: '--only --except -f,--format',
      flag: '-a,--autocorrect,--auto-correct,--fix -A,--autocorrect-all,--auto-correct-all -x,--fix-layout --regenerate-todo --auto-gen-config',
    },
    writes: '--autocorrect --autocorrect-all --fix-layout --regenerate-todo --auto-gen-config',
    runs: true,
  },
  'ktlint ktfmt google-java-format': {
    options: { read: '--baseline', flag: '-F,--format -i,--replace -n,--dry-run' },
    writes: '--format --replace',
  },
  'stylua taplo nixfmt alejandra yamlfmt sqlfmt buildifier gdformat cljfmt zprint leptosfmt nufmt typstyle pg_format topiary fourmolu ormolu elm-format':
    {
      options: { read: '-c,--config,--config-path', flag: '--check --diff -q,--quiet -i,--inplace,--mode' },
      writes: 'always',
      keeps: '--check --diff',
      verbs: /^(?:fmt|format|lint|check|fix)$/,
    },
  'djlint sqlfluff cmake-format mdformat markdownlint markdownlint-cli2 remark textlint vale alex write-good cspell codespell typos htmlhint hadolint yamllint jsonlint ansible-lint tflint actionlint semgrep':
    {
      options: {
        read: '-c,--config,--config-file --rules --ignore-words',
        flag: '--reformat --fix -f,--force -w,--write-changes -i,--in-place --write',
        write: '-o,--output',
      },
      writes: '--reformat --fix --write-changes --in-place --write',
      verbs: /^(?:fix|lint|format|scan|parse|render)$/,
      writingVerbs: /^(?:fix|format)$/,
      runs: true,
    },
};

function readFormatter(task: Task, table: ProgramTable, formatter: Formatter): void {
  const scanned = readByTable(task, table);
  const { writes, keeps = '', verbs, writingVerbs, runs } = formatter;
  const [first] = scanned.operands;
  const hasVerb = first?.word.value != null && verbs?.test(first.word.value) === true;
  const operands = hasVerb ? scanned.operands.slice(1) : scanned.operands;
  if (scanned.options.some(({ effect }) => effect === 'tells')) return;
  const isKept = hasOne(scanned, keeps);
  const isWriting = hasVerb && writingVerbs?.test(first?.word.value ?? '') === true;
  const access = (writes === 'always' || hasOne(scanned, writes) || isWriting) && !isKept ? 'write' : 'read';
  if (access === 'write') task.draft.readOnly = false;
  // What is written is read before.
  for (const { word } of operands)
    for (const each of access === 'write' ? (['read', 'write'] as const) : (['read'] as const))
      usePattern(task, word, each);
  if (mayBeNone(operands) && formatter.needsOperand !== true) {
    useHere(task, 'read', 'tree');
    if (access === 'write') useHere(task, 'write', 'tree');
  } else if (runs === true) useFile(task, literalWord('.'), 'read');
}

function hasOne({ options }: ScannedWords, names: string): boolean {
  return names !== '' && options.some(({ main }) => names.split(' ').includes(main));
}

/** Tells them apart from files in every formatter. */
const TELLS = { tells: '--version --help -h' } as const;

/**
 * They run code of the project before they look at their words: a hook in the configuration (pylint), plugins that lie in
 * the project (flake8), options in a file (rubocop), what `vendor/autoload.php` loads, their own copy in `node_modules`.
 */
const LOADS_FIRST: ReadonlySet<string> = new Set(
  'pylint flake8 rubocop standardrb phpstan psalm rector eslint_d prettierd xo'.split(' '),
);

/** A word that begins with `@` is a file of words to them. */
const WORD_FILES = /\b(?:ruff|mypy|clang-format|clang-tidy)\b/;

export const FORMATTER_PROGRAMS: Programs = Object.fromEntries(
  Object.entries(FORMATTERS).map(([names, formatter]): [string, ProgramData] => {
    const { options, isSingleDash, onlyReads } = formatter;
    const data: ProgramData = {
      options: { ...TELLS, ...options },
      operands: 'none',
      runsAlways: LOADS_FIRST,
      ...(isSingleDash === undefined ? {} : { isSingleDash }),
      ...(WORD_FILES.test(names) ? { takesWordFiles: true } : {}),
      ...(onlyReads === true ? { readOnly: 'listed' } : {}),
      read: (task, table) => readFormatter(task, table, formatter),
    };
    return [names, data];
  }),
);
