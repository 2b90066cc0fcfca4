// Interpreters: their scripts and inline code can do anything.
import type { Programs } from './program-table.js';

export const INTERPRETERS: Programs = {
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
};
