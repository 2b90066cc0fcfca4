// Interpreters, shells, and programs that run files or lines of a language of their own.
import type { ProgramData } from './program-table.js';

export const INTERPRETERS: Readonly<Record<string, ProgramData>> = {
  'sh bash dash ash zsh ksh mksh rbash fish csh tcsh yash': { reads: 'shell' },
  'python python2 python3 pypy pypy3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14': {
    options: {
      code: '-c',
      module: '-m',
      value: '-W -X --check-hash-based-pycs',
      flag: '-b -B -d -E -h -i -I -O -OO -P -q -s -S -u -v -x',
      tells: '-V --version -h --help',
    },
    operands: 'script',
    isStrict: true,
    actingModules: /^(?:timeit|code|pdb|trace|cProfile|profile|runpy|idlelib)/,
  },
  node: {
    options: {
      code: '-e --eval -p --print -pe',
      module: '--test --run --check -c --build-snapshot --experimental-sea-config',
      read: '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists',
      value:
        '-C --conditions --max-old-space-size --stack-size --test-reporter --test-name-pattern --title --inspect-port',
      attached:
        '--max-old-space-size --inspect --inspect-brk --trace-warnings --unhandled-rejections --stack-trace-limit',
      flag:
        '--enable-source-maps --no-warnings --watch --expose-gc --expose_gc --experimental-strip-types --trace-deprecation ' +
        '--experimental-vm-modules --preserve-symlinks --throw-deprecation --test-only --experimental-test-coverage --no-deprecation',
      tells: '-v --version -h --help --v8-options',
    },
    operands: 'script',
    isStrict: true,
    actingModules: /^(?:data|blob|https?):/,
  },
  'tsx ts-node': {
    options: {
      code: '-e --eval -p --print',
      module: '--test',
      value: '-P --project --tsconfig -C',
      flag: '--esm --transpile-only -T --swc --no-cache',
      tells: '-v --version -h --help',
    },
    operands: 'script',
    isStrict: true,
  },
  perl: {
    options: {
      code: '-e -E',
      attached: '-C -D -F -i -x',
      number: '-0 -l',
      acts: '-I -m -M -d',
      flag: '-a -c -f -g -n -p -s -S -t -T -u -U -w -W -X',
      tells: '-v -V -h',
    },
    operands: 'script',
    isStrict: true,
  },
  'ruby irb': {
    options: {
      code: '-e',
      attached: '-F -i -K -x',
      number: '-0 -T -W',
      value: '-E --encoding',
      acts: '-I -r',
      folder: '-C',
      flag: '-a -c -d -l -n -p -s -S -U -w --disable --enable --yjit',
      tells: '-v --version -h --help --copyright',
    },
    operands: 'script',
    isStrict: true,
  },
  php: {
    options: {
      code: '-r -B -R -E',
      module: '-S -m -i',
      value: '-z',
      folder: '-t',
      acts: '-d',
      read: '-c -F -f',
      flag: '-a -C -e -H -l -n -q -s -w',
      tells: '-v --version -h --help --ini',
    },
    operands: 'script',
    isStrict: true,
  },
  'lua luajit lua5.1 lua5.3 lua5.4': {
    options: { code: '-e', acts: '-l', flag: '-i -E -W', tells: '-v' },
    operands: 'script',
    isStrict: true,
  },
  'Rscript R': {
    options: { code: '-e', flag: '--vanilla --no-save --slave --quiet', tells: '--version --help' },
    operands: 'script',
    isStrict: true,
  },
  julia: {
    options: {
      code: '-e -E --eval --print',
      value: '-t --threads -p --procs',
      acts: '-L --load',
      folder: '--project',
      tells: '-v --version -h --help',
    },
    operands: 'script',
    isStrict: true,
  },
  'osascript groovy scala elixir erl ghci runghc clojure clj tclsh expect wish guile racket sbcl csi ocaml swipl gnuplot octave matlab bc dc pwsh powershell powershell.exe cmd cmd.exe wscript cscript':
    {
      options: {
        code: '-e -E -c -i -s -x --eval -Command -command -EncodedCommand /c /C /k',
        tells: '--version --help',
      },
      operands: 'script',
      mayStart: true,
    },
  // Languages of queries with a way to the shell. `module` holds a query.
  'sqlite3 duckdb': {
    options: {
      module: '-cmd -c',
      read: '-init',
      value: '-separator -newline -nullvalue -mmap -maxsize',
      tells: '-version -help --version --help',
    },
    isSingleDash: true,
    reads: 'sql',
  },
  psql: {
    options: {
      module: '-c --command',
      read: '-f --file',
      write: '-o --output -L --log-file',
      value:
        '-v --set --variable -h -p -U -d -F -R -T -P --host --port --username --dbname --field-separator --record-separator --pset',
      tells: '-V --version --help -l --list',
    },
    reads: 'sql',
    actingValues: /^(?:-o|--output=)\s*\||^(?:-v|--set=|--variable=).*(?:`|PROMPT|PAGER|EDITOR)/,
  },
  'mysql mariadb': {
    options: {
      module: '-e --execute',
      acts: '--pager --init-command --defaults-file --defaults-extra-file --plugin-dir',
      write: '--tee',
      value: '-h -P -u -D --host --port --user --database --socket -S --delimiter',
      tells: '-V --version --help',
    },
    reads: 'sql',
  },
  'mongo mongosh redis-cli clickhouse-client': {
    options: {
      code: '-c -e -cmd --command --execute --eval',
      read: '-f -init --file',
      value: '-h -p -U -d -u -P -H -D --host --port --user --dbname --database',
    },
    operands: 'none',
    actingVerbs: /^(?:config|eval|module|script|debug|slaveof|replicaof)$/i,
  },
  // Editors run commands by their own.
  'vi vim nvim view ex gvim vimdiff emacs emacsclient nano pico ed red joe micro hx kak': {
    options: {
      code: '-c -S -s --cmd --eval -e -l --load -f --funcall -E',
      acts: '-u -U -i -w -W -q --rcfile',
      risk: '-',
    },
    operands: 'write',
    plusActs: true,
  },
  'less more most pg bat batcat': {
    options: {
      acts: '-k --lesskey-file --pager --lesskey-src --lesskey-content',
      write: '-o -O --log-file --LOG-FILE',
      value: '-p -P -b -h -j -t -T -x -y -z -l --language --theme',
    },
    operands: 'read',
    plusActs: true,
  },
  'man info apropos whatis': {
    options: {
      shell: '-P --pager -H --html',
      acts: '-C --config-file -M --manpath -p --preprocessor -T --troff-device -l --local-file',
      value: '-s -S -e -L -m -r -R -E -K -f -k',
    },
    operands: 'paths',
  },
  'make gmake bmake mingw32-make': { reads: 'make' },
  just: {
    options: {
      read: '-f --justfile',
      folder: '-d --working-directory',
      acts: '-c --command --shell --chooser --shell-arg -E --dotenv-path',
      value: '--set',
    },
    operands: 'none',
  },
  'awk gawk mawk nawk original-awk': { reads: 'awk' },
  'sed gsed': { reads: 'sed' },
  'find gfind': { reads: 'find' },
  'git hub': { reads: 'git' },
  'tar gtar bsdtar': { reads: 'tar' },
  'jq yq gojq': { reads: 'jq' },
};
