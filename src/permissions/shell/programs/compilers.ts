// Compilers and linkers: what they read, and the names that they and their options make.
import { folderWord, literalWord, replacedWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { mayBeNone, useArguments, useDerived, useFile, useFoundIn, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { has, type ScannedWords } from './scan-options.js';

export const COMPILERS: Programs = {
  'gcc g++ cc c++ clang clang++': {
    options: {
      // The long names of the driver, with one dash, as all are here.
      write: '-o -MF -aux-info -dumpdir,--dumpdir -MJ --serialize-diagnostics -foptimization-record-file',
      acts:
        '-B,-prefix -wrapper -fplugin -fmodule-mapper -specs,--specs -Xlinker,-for-linker -Xclang -load -fpass-plugin -fuse-ld ' +
        '-plugin,--plugin -Xassembler,-for-assembler -Xpreprocessor',
      read:
        '-include -imacros -T -isystem -iquote -idirafter,-include-directory-after -I,-include-directory -L,-library-directory ' +
        '--sysroot -isysroot',
      value: '-l -D -U -x -MT -MQ -arch -target -std --param -z -dumpbase -dumpbase-ext',
      flag:
        '-c,-compile -S,-assemble -E,-preprocess -M,-dependencies -MM,-user-dependencies -MD,-write-dependencies ' +
        '-MMD,-write-user-dependencies -save-temps,--save-temps -g -O -O0 -O1 -O2 -O3 -Os -Wall -Wextra -Werror -w -v -fsyntax-only --coverage -ftest-coverage -fprofile-arcs -gsplit-dwarf',
      tells: '--version --help -dumpversion -dumpmachine',
    },
    operands: 'none',
    isSingleDash: true,
    takesWordFiles: true,
    actingValues: /^-(?:fdump|fprofile|fcallgraph|save-temps)[^=]*.*(?:\/|\.\.)|^-Wp,|^-Wl,|^-Wa,/,
    read: readCompiler,
  },
  as: {
    options: {
      write: '-o --MD',
      read: '-I',
      value: '--defsym',
      flag: '-g -R -W -Z -D -K -L --32 --64 --fatal-warnings --warn --strip-local-absolute --statistics',
      tells: '--version --help',
    },
    operands: 'read',
    isSingleDash: true,
    hasAllOptions: true,
    takesWordFiles: true,
    read: readLinker,
  },
  'ld ld.bfd ld.gold gold ld.lld lld': {
    options: {
      write:
        '-o,--output -Map --Map --dependency-file --MD --out-implib --base-file --base_file --output-def --print-symbol-counts',
      acts: '-plugin,--plugin -plugin-opt,--plugin-opt -dT,--default-script -c,--mri-script --error-handling-script',
      read:
        '-T,--script -L,--library-path -R,--just-symbols --version-script --dynamic-list --retain-symbols-file --section-ordering-file ' +
        '--export-dynamic-symbol-list --sysroot -Y --incremental-base',
      value:
        '-l,--library -m -e,--entry -z -soname,-h -rpath -rpath-link -I,--dynamic-linker -u,--undefined -y --defsym --wrap -A -b,--format -a -F -f',
      flag:
        // It tells its version, and goes on.
        '-V -v -r,--relocatable -s,--strip-all -S,--strip-debug -x,--discard-all -X -t,--trace -M,--print-map -E,--export-dynamic -n -N ' +
        '-static,-Bstatic -Bdynamic -shared -pie -no-pie -nostdlib --gc-sections --no-gc-sections --print-gc-sections --start-group ' +
        '--end-group --as-needed --no-as-needed --whole-archive --no-whole-archive --eh-frame-hdr --no-undefined --allow-multiple-definition',
      tells: '--version --help',
    },
    operands: 'read',
    isSingleDash: true,
    // Each may be written with one dash or two, and cut short.
    hasAllOptions: true,
    takesWordFiles: true,
    read: readLinker,
  },
  nm: {
    options: {
      acts: '--plugin',
      value: '-f,--format -t,--radix --target --ifunc-chars',
      attached: '--demangle',
      flag:
        '-a,--debug-syms -A,-o,--print-file-name -B -C -D,--dynamic -g,--extern-only -l,--line-numbers -n,-v,--numeric-sort -p,--no-sort ' +
        '-P,--portability -r,--reverse-sort -s,--print-armap -S,--print-size -u,--undefined-only --defined-only --size-sort',
      tells: '-V,--version -h,--help',
    },
    operands: 'read',
    takesWordFiles: true,
    readOnly: 'listed',
  },
  objdump: {
    options: {
      acts: '--plugin',
      value:
        '-b,--target -m,--architecture -M,--disassembler-options -j,--section --start-address --stop-address --adjust-vma --prefix',
      attached: '--disassemble --demangle --visualize-jumps',
      // Which sources it shows stands in the file.
      lists: '-S,--source --source-comment',
      flag:
        '-a,--archive-headers -f,--file-headers -p,--private-headers -h,--section-headers,--headers -x,--all-headers -d ' +
        '-D,--disassemble-all -s,--full-contents -g,--debugging -G,--stabs -t,--syms -T,--dynamic-syms -r,--reloc ' +
        '-R,--dynamic-reloc -C -w,--wide -z,--disassemble-zeroes -l,--line-numbers --no-show-raw-insn --show-raw-insn --inlines',
      tells: '-v,--version -H,--help',
    },
    operands: 'read',
    takesWordFiles: true,
    readOnly: 'listed',
  },
  readelf: {
    options: {
      value: '-x,--hex-dump -p,--string-dump -R,--relocated-dump',
      attached: '--demangle',
      flag:
        '-a,--all -h,--file-header -l,--program-headers,--segments -S,--section-headers,--sections -g,--section-groups ' +
        '-t,--section-details -e,--headers -s,--syms,--symbols -n,--notes -r,--relocs -u,--unwind -d,--dynamic -V,--version-info ' +
        '-A,--arch-specific -c,--archive-index -D,--use-dynamic -I,--histogram -W,--wide -C --dyn-syms',
      tells: '-v,--version -H,--help',
    },
    operands: 'read',
    takesWordFiles: true,
    readOnly: 'listed',
  },
  size: {
    options: {
      value: '--radix --target --format',
      flag: '-A -B -o -d -x -t,--totals --common',
      tells: '-V,--version -h,--help',
    },
    operands: 'read',
    takesWordFiles: true,
    readOnly: 'listed',
  },
  addr2line: {
    options: {
      read: '-e,--exe',
      value: '-b,--target -j,--section',
      flag: '-a,--addresses -f,--functions -i,--inlines -p,--pretty-print -s,--basenames -C',
    },
    operands: 'none',
    here: 'read',
    takesWordFiles: true,
  },
  ranlib: {
    options: { acts: '--plugin', flag: '-D -U -t' },
    operands: 'none',
    takesWordFiles: true,
    read: readAndWrite,
  },
  'objcopy strip elfedit': {
    options: {
      write: '-o',
      acts: '--plugin',
      read:
        '--add-gnu-debuglink --keep-symbols --strip-symbols --localize-symbols --globalize-symbols --weaken-symbols --redefine-syms ' +
        '--strip-unneeded-symbols --keep-global-symbols',
      value:
        '--add-section --update-section --dump-section ' +
        '-I,--input-target -O,--output-target -F,--target -B,--binary-architecture -j,--only-section -R,--remove-section -N,--strip-symbol -K,--keep-symbol',
    },
    operands: 'none',
    read: readAndWrite,
    takesWordFiles: true,
  },
  dwp: {
    options: {
      write: '-o,--output,--output-file',
      read: '-e,--exec',
      flag: '-v,--verbose --verify-only',
      tells: '-h,--help -V,--version',
    },
    operands: 'read',
    takesWordFiles: true,
    read: readDwp,
  },
  rustc: {
    options: {
      write: '-o --out-dir',
      value: '--crate-name --crate-type --edition --cfg -O --target --cap-lints --error-format -W -A -D -F',
      acts: '-C,--codegen -Z',
      read: '-L --extern --sysroot',
      flag: '--test -g -v,--verbose',
    },
    operands: 'read',
    takesWordFiles: true,
    here: 'write',
  },
  'javac kotlinc scalac': {
    options: {
      write: '-d -s -h -Xstdout',
      acts: '-J -processor -processorpath,--processor-path,--processor-module-path -Xplugin -plugin -A',
      read: '--module-source-path --boot-class-path,-bootclasspath --upgrade-module-path -endorseddirs -extdirs -cp,-classpath,--class-path -sourcepath,--source-path --module-path,-p --system',
      value: '-source,--source -target,--target --release -encoding',
      flag: '-g -verbose -nowarn -proc',
      tells: '-version,--version -help,--help',
    },
    operands: 'none',
    isSingleDash: true,
    takesWordFiles: true,
    read: readJavac,
  },
  java: {
    options: {
      acts: '-javaagent -agentlib -agentpath -XX -Xbootclasspath --patch-module --upgrade-module-path',
      read: '-cp,-classpath,--class-path --module-path,-p -jar',
      module: '-m,--module',
      value: '--add-modules --add-opens --add-exports --add-reads',
      tells: '-version,--version -help,--help',
    },
    operands: 'read',
    isSingleDash: true,
    takesWordFiles: true,
  },
  'tsc tsgo': {
    options: {
      read: '-p,--project --rootDir --typeRoots --plugins --baseUrl --rootDirs --types',
      write: '--outDir,-outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile',
      value: '-t,--target -m,--module --jsx --lib --moduleResolution',
      flag: '-w,--watch -b,--build -d,--declaration --noEmit --init --showConfig --listFiles --clean --force --dry -v,--verbose',
      tells: '-v,--version -h,--help --all',
    },
    operands: 'none',
    takesWordFiles: true,
    read: readTsc,
  },
  swiftc: {
    options: { write: '-o -emit-module-path', acts: '-Xcc -Xlinker -load-plugin-library', read: '-I -L -F' },
    operands: 'read',
    takesWordFiles: true,
    here: 'write',
    isSingleDash: true,
  },
  'sass node-sass lessc esbuild swc babel': {
    options: {
      write: '-o,--output,--out-file,--outfile -d,--out-dir,--outdir --metafile',
      read: '-I,--load-path,--include-path --config-file --tsconfig --plugins --presets',
      flag: '-w,--watch --bundle --minify --sourcemap',
    },
    operands: 'none',
    read: readTranslator,
  },
  'protoc buf': {
    options: {
      write: '-o,--descriptor_set_out,--output --dependency_out',
      read: '-I,--proto_path --config',
      acts: '--plugin --template',
    },
    operands: 'paths',
    takesWordFiles: true,
    here: 'runs',
    actingValues: /^--\w+_out=/,
  },
  ctags: {
    options: {
      acts: '--options --options-maybe --optlib-dir --_options',
      write: '-o -f',
      read: '-L --etags-include',
      flag: '-R,--recurse -a,--append',
      value: '--languages --exclude --exclude-exception',
    },
    operands: 'none',
    read: readCtags,
  },
};

const HANDED_ON = /^-W[lap],/;
const SOURCE = /^(.*?)([^/]*?)\.(?:c|cc|cpp|cxx|c\+\+|C|m|mm|i|ii|s|S|h|hpp)$/;

/** Sources and objects; without a name for it the output has that of the source, in the folder that it is in. */
function readCompiler(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const words = scanned.operands.map(({ word }) => word);
  useLookedFor(task, scanned);
  // Words for the programs that it starts.
  for (const { value } of task.words)
    if (value !== null && HANDED_ON.test(value)) for (const part of value.slice(4).split(',')) useArguments(task, part);
  const named = longOutputs(task.words);
  for (const target of named) useFile(task, target, 'write');
  const targets = [
    ...scanned.options.flatMap(({ main, value }) => (main === '-o' && value !== null ? [value] : [])),
    ...named,
  ];
  if (words.length === 0) return;
  for (const word of words) useFile(task, word, 'read');
  // What sources include stands in them.
  useFile(task, literalWord('.'), 'read');
  const endings = madeEndings(scanned);
  if (endings.length > 0 && has(scanned, '-dumpbase', '-dumpbase-ext', '--dumpdir'))
    useUnknownFile(task, 'write', 'the names of what is made on the way are those of an option');
  // Names of stages and reports, made of that of the source or of the output.
  const reports = scanned.options.find(({ name, value }) => REPORTS.test(`${name}${value === null ? '' : '='}`));
  const isLinkedLate = [/^-?-save-temps/, /^-flto/].every((given) =>
    scanned.options.some(({ name }) => given.test(name)),
  );
  if (isLinkedLate) useUnknownFile(task, 'write', 'the names of what is made while linking are not known');
  if (reports !== undefined) useUnknownFile(task, 'write', `the names that ${reports.name} makes are not known`);
  if (targets.length === 0 && !has(scanned, '-c', '-S', '-E', '-M', '-MM', '-fsyntax-only'))
    useFile(task, literalWord('a.out'), 'write');
  if (targets.length === 0 && !has(scanned, '-E', '-M', '-MM', '-fsyntax-only')) useHeaders(task, scanned, words);
  // What is made on the way to a program has its name in front, also if another option keeps the program from being made.
  const links = !has(scanned, '-c', '-S', '-E');
  const programs = !links ? [] : targets.length === 0 ? [literalWord('a')] : targets;
  for (const word of words) {
    // What the words say of its language makes any file a source.
    const isSource = word.value === null || has(scanned, '-x') || SOURCE.test(word.value);
    if (endings.length === 0 || !isSource) continue;
    const [, , base] = SOURCE.exec(word.value ?? '') ?? [];
    if (base === undefined) useUnknownFile(task, 'write', `the names of what ${task.name} makes are not known`);
    else
      for (const ending of endings) {
        useFile(task, literalWord(`${base}${ending}`), 'write');
        for (const program of programs)
          for (const start of STARTS) useDerived(task, 'write', program, (name) => `${start(name)}-${base}${ending}`);
      }
  }
  for (const target of targets)
    for (const ending of endings)
      for (const start of STARTS) useDerived(task, 'write', target, (name) => `${start(name)}${ending}`);
}

/** `--output` has two dashes, and may be cut short: with one dash it is `-o` and a name. */
function longOutputs(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.flatMap((word, at) => {
    const name = word.head.replace(/=.*$/s, '');
    if (name.length < 4 || !'--output'.startsWith(name)) return [];
    return name === word.head ? (words[at + 1] ?? []) : [tailWord(word, name.length + 1)];
  });
}

/** A name as it is, and without its ending. */
const STARTS = [(name: string) => name, (name: string) => name.replace(/\.[^./]*$/, '')];

/** What is made of a header stands beside it. */
function useHeaders(task: Task, { options }: ScannedWords, words: readonly ShellWord[]): void {
  const areHeaders = options.some(({ main, value }) => main === '-x' && value?.value?.endsWith('header') !== false);
  for (const word of words)
    if (areHeaders || HEADER.test(word.text) || (word.value === null && !NO_HEADER.test(word.text)))
      for (const ending of ['.gch', '.pch'])
        if (word.value !== null) useFile(task, replacedWord(word, `${word.value}${ending}`), 'write');
        else useUnknownFile(task, 'write', `the names of what ${task.name} makes are not known`);
}

const HEADER = /\.(?:h|H|hh|hp|hpp|hxx|h\+\+|tcc)$/;
const NO_HEADER = /\.(?:c|cc|cp|cpp|cxx|c\+\+|C|CPP|m|mm|i|ii|s|S|o|a|so)$/;

/** Letters behind `-d` are reports, and what is no other option is letters. */
const REPORTS =
  /^-(?:fdump-|d(?!ump(?:version|machine|specs)|ynamic|ylib|ead_strip)\S*[aHPpx]|fstack-usage|fcallgraph-info|fsave-optimization-record|fopt-info.*=|fcompare-debug|ftime-trace|fdiagnostics-format=|fprofile-note|fmodules)/;

/** What it changes stands in what it makes. */
function readAndWrite(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  for (const { word } of operands) for (const access of ['read', 'write'] as const) useFile(task, word, access);
  // `name=file`.
  for (const { main, value } of options) {
    if (value === null || !SECTIONS.test(main)) continue;
    const access = main === '--dump-section' ? 'write' : 'read';
    const equals = value.head.indexOf('=');
    if (equals === -1 && value.value === null)
      useUnknownFile(task, access, `which file ${value.text} names is not known`);
    else useFile(task, tailWord(value, equals + 1), access);
  }
}

const SECTIONS = /^--(?:add|update|dump)-section$/;

/** Without a name for it the output has that of the program. */
function readDwp(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  if (has(scanned, '--output')) return;
  for (const { main, value } of scanned.options)
    if (main === '--exec' && value !== null)
      if (value.value === null) useUnknownFile(task, 'write', 'the name of what dwp makes is not known');
      else useFile(task, replacedWord(value, `${value.value}.dwp`), 'write');
}

/** Headers, scripts and libraries that are named are looked for in folders. */
function useLookedFor(task: Task, scanned: ScannedWords): void {
  const folders = ['-I', '-iquote', '-isystem', '-idirafter', '-L', '--library-path'];
  const words = scanned.options.flatMap(({ main, value }) => {
    if (value === null) return [];
    if (main === '-l' || main === '--library') return value.head.startsWith(':') ? [tailWord(value, 1)] : [];
    return ['-include', '-imacros', '-T', '--script'].includes(main) ? [value] : [];
  });
  useFoundIn(task, scanned, folders, words);
}

function readLinker(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  useLookedFor(task, scanned);
  // Letters in front of an output: `-so` is `-s -o` to some.
  for (const { name, effect } of scanned.options) {
    const output = effect === undefined ? /^-[A-Za-z]+?o(.+)$/.exec(name)?.[1] : undefined;
    if (output !== undefined) useFile(task, literalWord(output), 'write');
  }
  // In a folder the map has the name of the output.
  for (const { main, value } of scanned.options)
    if ((main === '-Map' || main === '--Map') && value !== null) useFile(task, value, 'write', { into: null });
  // A library may be named by a path, from one of several folders.
  for (const { main, value } of scanned.options)
    if ((main === '-l' || main === '--library') && value !== null && (value.value ?? '/').includes('/'))
      useUnknownFile(task, 'read', `where ${task.name} looks for ${value.text} is not known`);
  if (scanned.options.some(({ main, effect }) => main === '--output' || main === '-o' || effect === 'tells')) return;
  useFile(task, literalWord('a.out'), 'write');
}

/** Endings of the files that are named after the sources. */
function madeEndings(scanned: ScannedWords): readonly string[] {
  const found: string[] = [];
  if (has(scanned, '-c') && !has(scanned, '-o')) found.push('.o');
  if (has(scanned, '-S') && !has(scanned, '-o')) found.push('.s');
  if (has(scanned, '-MD', '-MMD') && !has(scanned, '-MF')) found.push('.d');
  if (scanned.options.some(({ name }) => /^-?-save-temps/.test(name))) found.push('.i', '.ii', '.s', '.o');
  if (has(scanned, '--coverage', '-ftest-coverage')) found.push('.gcno');
  if (has(scanned, '-gsplit-dwarf')) found.push('.dwo');
  return found;
}

/** Classes stand beside their sources, by names that stand in those. */
function readJavac(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  for (const { word } of scanned.operands) {
    useFile(task, word, 'read');
    if (!has(scanned, '-d')) useFile(task, folderWord(word), 'write', { into: null });
  }
}

/** Its output is named after the sources, beside them or in the folder that the project names. */
function readTsc(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  if (scanned.options.some(({ effect }) => effect === 'tells')) return;
  for (const { word } of scanned.operands) {
    useFile(task, word, 'read');
    if (!has(scanned, '--noEmit', '--outDir', '--outFile')) useFile(task, folderWord(word), 'write', { into: null });
  }
  if (!mayBeNone(scanned.operands)) return;
  useFile(task, literalWord('.'), 'read', { reach: 'tree' });
  if (!has(scanned, '--noEmit', '--showConfig', '--outDir', '--outFile'))
    useFile(task, literalWord('.'), 'write', { reach: 'tree' });
}

/** A source, then a target, unless an option names one. */
function readTranslator(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  const isNamed = options.some(({ effect }) => effect === 'write');
  for (const [at, { word }] of operands.entries())
    useFile(task, word, at > 0 && !isNamed ? 'write' : 'read', { reach: 'tree' });
}

function readCtags(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  for (const { word } of scanned.operands) useFile(task, word, 'read', { reach: 'tree' });
  if (mayBeNone(scanned.operands)) useFile(task, literalWord('.'), 'read', { reach: 'tree' });
  for (const { name, value } of scanned.options)
    if (name.startsWith('--exclude') && value?.head.startsWith('@') === true) useFile(task, tailWord(value, 1), 'read');
  // It goes through links too.
  const isDeep = has(scanned, '--recurse') && !task.words.some(({ value }) => value === '--links=no');
  if (isDeep || has(scanned, '-L')) useUnknownFile(task, 'read', `${task.name} goes through links and lists`);
  // Letters do not cluster to it, so that one that is seen may be none.
  for (const name of ['tags', 'TAGS']) useFile(task, literalWord(name), 'write');
}
