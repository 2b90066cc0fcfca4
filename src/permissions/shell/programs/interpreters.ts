// Interpreters: their scripts and inline code can do anything. Modules that are programs are read as those.
import { addForm } from '../reader.js';
import { literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import { needSpelled, sayActing, type Task } from '../task.js';
import { BUILD_TOOLS } from './build-tools.js';
import { FORMATTER_PROGRAMS } from './formatters.js';
import { INSTALLERS } from './installers.js';
import { isGuarded, useFile, useMaybe, useUnknownFile } from './operands.js';
import { type Programs, type ProgramTable, programTables } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { scanOptions } from './scan-options.js';
import { noteUnpacking } from './unpacking.js';

/** How rarer interpreters are given code. */
const CODE = { code: '-e -E -c -i -s -x --eval -Command -command -EncodedCommand /c /C /k' } as const;

export const INTERPRETERS: Programs = {
  'python python2 python3 pypy pypy3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14': {
    options: {
      code: '-c',
      module: '-m',
      value: '-W -X --check-hash-based-pycs',
      // It goes on with what its input says.
      risk: '-i',
      flag: '-b -B -d -E -h -I -O -OO -P -q -s -S -u -v -x',
      tells: '-V,--version -h,--help',
    },
    operands: 'script',
    isStrict: true,
    actingModules: /^(?:timeit|code|pdb|trace|cProfile|profile|runpy|idlelib)/,
    read: readPython,
  },
  node: {
    options: {
      code: '-e,--eval -p,--print -pe',
      module: '--test --run -c,--check --build-snapshot --experimental-sea-config',
      read: '-r,--require --import --loader --experimental-loader --env-file --env-file-if-exists',
      value:
        '-C,--conditions --max-old-space-size --stack-size --test-reporter --test-name-pattern --title --inspect-port --unhandled-rejections',
      attached: '--max-old-space-size --inspect --inspect-brk --trace-warnings --stack-trace-limit',
      flag:
        '--enable-source-maps --no-warnings --watch --expose-gc --expose_gc --experimental-strip-types --trace-deprecation ' +
        '--experimental-vm-modules --preserve-symlinks --throw-deprecation --test-only --experimental-test-coverage --no-deprecation',
      tells: '-v,--version -h,--help --v8-options',
    },
    operands: 'script',
    isStrict: true,
    actingModules: /^(?:data|blob|https?):/,
  },
  'tsx ts-node': {
    options: {
      code: '-e,--eval -p,--print',
      module: '--test',
      read: '--env-file --env-file-if-exists',
      value: '-P,--project,--tsconfig -C',
      flag: '--esm --transpile-only -T --swc --no-cache',
      tells: '-v,--version -h,--help',
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
    read: readInPlace,
  },
  'ruby irb': {
    options: {
      code: '-e',
      attached: '-F -i -K -x',
      number: '-0 -T -W',
      value: '-E,--encoding',
      acts: '-I -r',
      folder: '-C',
      flag: '-a -c -d -l -n -p -s -S -U -w --disable --enable --yjit',
      tells: '-v,--version -h,--help --copyright',
    },
    operands: 'script',
    isStrict: true,
    read: readInPlace,
  },
  php: {
    options: {
      code: '-r -B -R -E',
      module: '-S -m -i',
      folder: '-t',
      acts: '-d -z',
      read: '-c -F -f',
      flag: '-a -C -e -H -l -n -q -s -w',
      tells: '-v,--version -h,--help --ini',
    },
    operands: 'script',
    isStrict: true,
  },
  'lua luajit lua5.1 lua5.3 lua5.4': {
    options: { code: '-e', acts: '-l', risk: '-i', flag: '-E -W', tells: '-v' },
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
      code: '-e,--eval -E,--print',
      value: '-t,--threads -p,--procs',
      acts: '-L,--load',
      folder: '--project',
      tells: '-v,--version -h,--help',
    },
    operands: 'script',
    isStrict: true,
  },
  // It calculates, and knows no files but those it is given.
  bc: {
    options: {
      flag: '-l,--mathlib -q,--quiet -s,--standard -w,--warn -i,--interactive',
      tells: '-v,--version -h,--help',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'groovy scala ghci runghc clojure clj guile racket sbcl csi ocaml swipl gnuplot octave dc pwsh': {
    options: { ...CODE, tells: '--version --help' },
    operands: 'script',
    mayStart: true,
  },
  // These do not know the word, or not in all versions: they start, and run what stands in their input.
  'osascript elixir erl tclsh expect wish matlab powershell powershell.exe cmd cmd.exe wscript cscript': {
    options: CODE,
    operands: 'script',
    mayStart: true,
  },
};

/** Programs that go by the name of a module too. */
const MODULES: ReadonlyMap<string, ProgramTable> = new Map(
  [BUILD_TOOLS, FORMATTER_PROGRAMS, INSTALLERS].flatMap((all) => programTables(all)),
);

/** What stands behind a module or code is none of the interpreter's. */
function readPython(task: Task, table: ProgramTable): void {
  const { options } = scanOptions(task.words, table);
  const end = options.find(({ effect }) => effect === 'module' || effect === 'code');
  if (end === undefined) {
    readByTable(task, table);
    return;
  }
  readByTable(task.as(task.words.slice(0, end.at + 1)), table);
  if (end.effect !== 'module' || end.value === null) return;
  if (end.value.value !== null) readModule(task, end.value, task.words.slice(end.at + 1));
  else sayActing(task, `which module ${task.name} runs is not known`, end.at);
}

function readModule(task: Task, module: ShellWord, rest: readonly ShellWord[]): void {
  const { draft } = task;
  const name = module.value ?? '';
  const words = [module, ...rest];
  addForm(draft, words);
  const table = MODULES.get(name.replace(/\.__main__$/, '').replace(/^coverage\b.*/, 'coverage'));
  if (table !== undefined) {
    const [unknown, spelled] = [draft.unknown, draft.spelledWords];
    const inner = task.as(words, name);
    if (table.read !== undefined) table.read(inner, table);
    else readByTable(inner, table);
    // Places are told as if the module were the program.
    if (draft.unknown !== unknown || draft.spelledWords !== spelled) needSpelled(task, draft.words.length - 1);
    return;
  }
  const operands = rest.filter(({ head, value }) => value === null || !head.startsWith('-'));
  switch (name) {
    case 'json.tool':
      for (const [at, word] of operands.entries()) useFile(task, word, at === 1 ? 'write' : 'read');
      return;
    case 'http.server':
      for (const word of operands) useFile(task, word, 'read', { reach: 'tree' });
      useFile(task, literalWord('.'), 'read', { reach: 'tree' });
      return;
    case 'py_compile':
    case 'compileall':
      for (const word of operands.length === 0 ? [literalWord('.')] : operands) compiles(task, word);
      return;
    case 'venv':
    case 'virtualenv':
      for (const word of operands) useFile(task, word, 'write', { reach: 'tree' });
      return;
    case 'zipfile':
    case 'tarfile':
      readArchive(task, rest);
      return;
    case 'build':
      useFile(task, operands[0] ?? literalWord('.'), 'read', { reach: 'tree' });
      useFile(task, literalWord('dist'), 'write', { reach: 'tree' });
      return;
    default:
      useFile(task, literalWord('.'), 'read');
      // What it does with them is not known, but of tests.
      if (!/^(?:unit|doc)test$/.test(name)) for (const word of rest) useMaybe(task, word);
      if (name === 'pydoc') useFile(task, literalWord('.'), 'write', { into: null });
      for (const word of operands) useFile(task, word, isGuarded(word) ? 'write' : 'read', { reach: 'through' });
  }
}

/** Beside the source, in a folder of its own. */
function compiles(task: Task, word: ShellWord): void {
  useFile(task, word, 'read', { reach: 'tree' });
  if (word.value === null) useUnknownFile(task, 'write', 'the folder of what is compiled is not known');
  else {
    const folder = /\.py$/.test(word.value) ? `${word.value.replace(/[^/]*$/, '')}__pycache__` : word.value;
    useFile(task, replacedWord(word, folder), 'write', { reach: 'tree' });
  }
}

/** Options of `tarfile` and `zipfile`, which may be short for longer ones and have their value in the same word. */
const ARCHIVE_OPTION = /^(?:-([celtv])|--([celtv])[a-z-]*=?)/;

/** What is not known to list, test or make an archive unpacks it. */
function readArchive(task: Task, words: readonly ShellWord[]): void {
  const letters = words.map(({ head }) => (head.startsWith('-') ? ARCHIVE_OPTION.exec(head) : null));
  const modes = letters.flatMap((found) => found?.[1] ?? found?.[2] ?? []);
  const isKnown = words.every(
    ({ value, head }, at) => value !== null && (!head.startsWith('-') || letters[at] != null),
  );
  const [source, ...others] = words.flatMap((word, at) => {
    const tail = word.head.slice(letters[at]?.[0].length ?? 0);
    return tail === '' ? [] : [letters[at] == null ? word : replacedWord(word, tail)];
  });
  if (source === undefined) return;
  const makes = modes.includes('c');
  useFile(task, source, makes ? 'write' : 'read', { reach: 'tree' });
  if (makes) for (const word of others) useFile(task, word, 'read', { reach: 'tree' });
  if (isKnown && (makes || !modes.includes('e')) && modes.length > 0) return;
  const folder = others[0]?.value ?? (others.length === 0 ? '' : null);
  noteUnpacking(task, { kind: 'archive', source: isKnown ? source : null, folder: isKnown ? folder : null });
}

/** `perl -i`, `ruby -i`: the files behind the script are written, and kept by another name. */
function readInPlace(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  const inPlace = options.findLast(({ main }) => main === '-i');
  const loops = inPlace !== undefined || options.some(({ main }) => main === '-n' || main === '-p');
  if (!loops) return;
  const hasCode = options.some(({ effect }) => effect === 'code');
  for (const { word } of hasCode ? operands : operands.slice(1)) {
    useFile(task, word, 'read');
    if (inPlace === undefined) continue;
    useFile(task, word, 'write');
    const suffix = inPlace.value === null ? '' : inPlace.value.value;
    if (suffix === '') continue;
    if (suffix === null || /[*/]/.test(suffix) || word.value === null)
      useUnknownFile(task, 'write', `the name of a backup that ${task.name} makes is not known`);
    else useFile(task, replacedWord(word, `${word.value}${suffix}`), 'write');
  }
}
