// Build tools and test runners: they run what stands in the folder that they are in. What they start is the project's; here
// stand the options with which they run or load something else, and what they write themselves.
import { literalWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile, useFoundIn, useMaybe } from './operands.js';
import { usePattern } from './own-patterns.js';
import type { ProgramData, Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { has } from './scan-options.js';

/** What is the same of programs that bundle or serve a project of Node. */
const BUNDLER: ProgramData = {
  options: {
    read: '-c,--config --plugin --configLoader',
    write: '--outDir,--out-dir -o,--output-path --cache-dir',
    acts: '--node-arg --require',
    value: '-m,--mode -p,--port -H,--host --base --filter',
  },
  operands: 'paths',
  here: 'runs',
  mayStart: true,
};

export const BUILD_TOOLS: Programs = {
  cmake: {
    options: {
      folder: '-B -S --build --install',
      read: '-P -C --toolchain',
      value: '-G -D -U -T -A -j,--parallel -t,--target --config --preset',
      acts: '-E',
      write: '--install-prefix --prefix --graphviz --trace-redirect',
      tells: '--version -version --help',
    },
    operands: 'paths',
    here: 'runs',
    actingValues:
      /^-D\w*(?:COMPILER|LAUNCHER|TOOLCHAIN_FILE|LINKER|MAKE_PROGRAM|INCLUDE|COMMAND|EXECUTABLE|RULE_LAUNCH_\w+)(?=[=:]|$)/i,
  },
  meson: {
    options: {
      folder: '-C',
      read: '--native-file --cross-file',
      value: '-D --buildtype --backend',
      tells: '-v,--version',
    },
    operands: 'paths',
    here: 'runs',
    actingVerbs: /^devenv$/,
  },
  go: {
    options: {
      acts: '-exec -toolexec -vettool -modfile -overlay',
      folder: '-C',
      write: '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir',
      value:
        '-run -count -timeout -tags -ldflags -gcflags -asmflags -bench -p -coverpkg -covermode -skip -fuzz -benchtime -mod',
      flag: '-v -x -n -a -race -short -json -cover -u -d -t -w -s -work -trimpath',
    },
    operands: 'none',
    isSingleDash: true,
    actingValues: /^-ldflags.*-ext(?:ld|ldflags|ar)\b|^-w/,
    tellingVerbs: 'version',
    read: readGo,
  },
  cargo: {
    options: {
      acts: '--config',
      folder: '-C',
      write: '--target-dir --root --artifact-dir,--out-dir --lockfile-path',
      read: '--manifest-path --path',
      value:
        '-p,--package -F,--features --bin --test --example --bench --target -j,--jobs --profile --color --message-format --exclude --vcs --edition --name --git --branch --tag --rev --index --registry --token -Z',
      flag: '-r,--release -v,--verbose -q,--quiet --all --workspace --all-targets --all-features --no-default-features --locked --offline --frozen --lib --bins --tests --examples --fix --allow-dirty --allow-staged --force,-f --no-run --no-fail-fast -n,--dry-run --check',
    },
    operands: 'none',
    runsAlways: true,
    // A toolchain may be a folder.
    actingOperands: /^\+.*\//,
    spellings: withoutToolchain,
    subcommands: {
      aliases: { b: 'build', c: 'check', t: 'test', r: 'run', d: 'doc', rm: 'remove', 'nextest r': 'nextest run' },
    },
    read: readCargo,
  },
  'pytest py.test': {
    options: {
      acts: '-p -c,--config-file -o,--override-ini --confcutdir',
      folder: '--rootdir',
      write: '--junitxml,--junit-xml --log-file --basetemp --resultlog --cache-dir --cov-config',
      value:
        '-k -m -n,--numprocesses --maxfail --tb --durations --cov --cov-report -W,--pythonwarnings --log-level --ignore --deselect --timeout',
      flag: '-x,--exitfirst -v,--verbose -q,--quiet -s -l,--showlocals --lf,--last-failed --ff,--failed-first --co,--collect-only --pdb -h,--help -V,--version',
    },
    operands: 'paths',
    takesWordFiles: true,
    here: 'runs',
    read: readPytest,
  },
  'tox nox invoke inv doit pre-commit lefthook coverage robot behave nose2 lit': {
    options: {
      read: '-c,--config -f,--file,--noxfile',
      folder: '--workdir --root',
      value: '-e -s,--session',
      write: '--result-json --junit-xml',
    },
    operands: 'none',
    here: 'runs',
    mayStart: true,
  },
  'jest vitest mocha ava playwright cypress karma tap c8 nyc': {
    options: {
      read:
        '-c,--config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --runner --testRunner --testEnvironment ' +
        '--testSequencer --resolver --transform --reporters -r,--require --reporter --import --spec',
      folder: '--rootDir --root --dir',
      write: '--outputFile --coverageDirectory --cacheDirectory --output',
      value: '-t,--testNamePattern -w,--maxWorkers --project --testTimeout -g,--grep',
      flag: '-u,--update,--updateSnapshot --run --watch --coverage --ci --silent --verbose --bail -i,--runInBand -h,--help',
    },
    operands: 'paths',
    here: 'runs',
    // A configuration in the words themselves.
    actingModules: /^\s*\{/,
  },
  'webpack rollup turbo lerna tsup rspack ng gulp grunt': BUNDLER,
  // These put what stands there into what they make, or give it to the project.
  'vite parcel next nuxt astro remix gatsby nx vue-cli-service react-scripts rsbuild expo storybook svelte-kit': {
    ...BUNDLER,
    own:
      '.env .env.local .env.development .env.production .env.test .env.development.local .env.production.local .env.test.local ' +
      '.local.env',
  },
  'mvn mvnw': {
    options: {
      read: '-f,--file -s,--settings -gs,--global-settings -t,--toolchains',
      value: '-D,--define -P,--activate-profiles -pl,--projects -T,--threads -rf,--resume-from',
      write: '-l,--log-file',
    },
    operands: 'none',
    here: 'runs',
    isSingleDash: true,
    mayStart: true,
    actingValues: /^-D(?:exec\.executable|maven\.ext\.|maven\.repo|maven\.multiModule|surefire\.jvm|jvm)/,
    actingOperands: /exec(?:-maven-plugin)?(?::[\d.]+)?:exec$|antrun/,
  },
  'gradle gradlew': {
    options: {
      read: '-b,--build-file -c,--settings-file -I,--init-script --include-build',
      folder: '-p,--project-dir',
      write: '-g,--gradle-user-home --project-cache-dir',
      value: '-P,--project-prop -D,--system-prop -x,--exclude-task --max-workers --console --warning-mode --tests',
    },
    operands: 'none',
    here: 'runs',
    mayStart: true,
    actingValues: /^-D(?:org\.gradle\.(?:jvmargs|java)|java\.|javaagent)/,
  },
  'bazel bazelisk buck2 pants please': {
    options: {
      acts: '--run_under --host_jvm_args --package_path --bazelrc --override_repository --shell_executable --python_path --server_javabase',
      write: '--output_base --output_user_root --symlink_prefix',
    },
    operands: 'none',
    here: 'runs',
    mayStart: true,
  },
  'mix iex': {
    options: { code: '-e,--eval', acts: '-r,--require -pa -pz' },
    operands: 'none',
    read: readMix,
    actingVerbs: /^(?:eval|cmd|do)$/,
  },
  swift: {
    options: {
      code: '-e',
      folder: '--package-path,-C',
      acts: '-Xswiftc -Xlinker -Xcc',
      write: '--scratch-path,--build-path',
      tells: '--version --help',
    },
    operands: 'paths',
    takesWordFiles: true,
    here: 'runs',
  },
  dotnet: {
    options: {
      read: '--project --exec --use --depsfile --runtimeconfig --additionalprobingpath',
      write: '-o,--output',
      value: '-c,--configuration -f,--framework -r,--runtime -v,--verbosity --filter',
    },
    operands: 'paths',
    takesWordFiles: true,
    here: 'runs',
    mayStart: true,
    actingVerbs: /^(?:fsi|exec)$/,
    subcommands: { aliases: {} },
  },
  'dart flutter zig crystal nim gleam stack cabal dune elm rebar3 pio arduino-cli xcodebuild fastlane pod carthage composer artisan rails rspec phpunit pest phing':
    {
      options: { read: '-c,--config,--configuration', folder: '-d,--working-dir', write: '-o,--output,--output-dir' },
      operands: 'paths',
      read: readOthers,
      mayStart: true,
    },
  perf: {
    options: { write: '-o,--output', read: '-i,--input', risk: '--args' },
    operands: 'none',
    mayStart: true,
    actingVerbs: /^(?:record|stat|trace|script|bench|c2c|mem|lock|sched|kmem|kvm)$/,
  },
  m4: {
    options: {
      value: '-D -U',
      read: '-I,--include -R,--reload-state',
      write: '-F,--freeze-state -o,--debugfile,--error-output',
    },
    operands: 'script',
    read: (task, table) => {
      const scanned = readByTable(task, table);
      useFoundIn(
        task,
        scanned,
        ['--include'],
        scanned.operands.map(({ word }) => word),
      );
    },
  },
  'nix nix-env nix-build nix-shell': {
    options: { acts: '--expr,-E --option --eval', write: '-o,--out-link' },
    operands: 'none',
    here: 'runs',
    mayStart: true,
    actingVerbs: /^(?:run|shell|develop|eval|repl)$/,
  },
};

function readHere(task: Task, access: 'read' | 'write', reach: 'itself' | 'tree' = 'itself'): void {
  useFile(task, literalWord('.'), access, { reach });
}

/** `go`: patterns of packages, files; some subcommands write what stands there. */
function readGo(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const [verb, ...rest] = scanned.operands;
  const [second] = rest;
  const name = verb?.word.value ?? '';
  // Which version made a program it reads in that.
  if (name === 'version') for (const { word } of rest) useFile(task, word, 'read', { reach: 'tree' });
  if (name === 'version' || name === 'help' || (name === 'env' && !has(scanned, '-w', '-u'))) return;
  readHere(task, 'read');
  for (const { word } of rest) useFile(task, packageFolder(word.value) ?? word, 'read', { reach: 'tree' });
  if (name === 'fmt' || name === 'fix' || name === 'generate') {
    for (const { word } of rest) useFile(task, packageFolder(word.value) ?? word, 'write', { reach: 'tree' });
    if (rest.length === 0) readHere(task, 'write', 'tree');
  } else if (name === 'get' || name === 'mod' || name === 'work') {
    const isVendor = second?.word.value === 'vendor';
    if (name === 'mod' && /^(?:graph|why|verify|download)$/.test(second?.word.value ?? '')) return;
    readHere(task, 'write', isVendor ? 'tree' : 'itself');
    for (const file of name === 'work' ? ['go.work'] : ['go.mod', 'go.sum']) useFile(task, literalWord(file), 'write');
    // `vendor` and `-json` aside, a file to edit may be named.
    if (second?.word.value === 'edit') for (const { word } of rest.slice(1)) useFile(task, word, 'write');
  } else if (name === 'clean' || ((name === 'build' || name === 'test') && !has(scanned, '-o')))
    readHere(task, 'write');
}

/** `./...` is all that lies below. */
function packageFolder(value: string | null): ReturnType<typeof literalWord> | null {
  if (value === null || !value.includes('...')) return null;
  const folder = value.slice(0, value.indexOf('...')).replace(/[^/]*$/, '');
  return literalWord(folder === '' ? '.' : folder);
}

/** `cargo +nightly build`. */
function withoutToolchain([program, first, ...rest]: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return program !== undefined && first?.head.startsWith('+') === true ? [[program, ...rest]] : [];
}

/** Subcommands of cargo that write beside what they build. */
function readCargo(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const [verb, ...rest] = scanned.operands.filter(({ word }) => !word.head.startsWith('+'));
  const name = verb?.word.value ?? '';
  // Those of what it runs stand behind it.
  for (const { word } of rest) useMaybe(task, word);
  readHere(task, 'read', /^(?:publish|package)$/.test(name) ? 'tree' : 'itself');
  if (name === 'new' || (name === 'init' && rest.length > 0)) {
    for (const { word } of rest) useFile(task, word, 'write', { reach: 'tree' });
  } else if (name === 'fmt' ? !has(scanned, '--check') : name === 'fix' || name === 'init' || has(scanned, '--fix'))
    readHere(task, 'write', 'tree');
  else if (/^(?:add|remove|rm|update|generate-lockfile|upgrade|set-version)$/.test(name)) {
    useFile(task, literalWord('Cargo.toml'), 'write');
    useFile(task, literalWord('Cargo.lock'), 'write');
  } else if (name === 'vendor')
    for (const folder of rest.length === 0 ? [literalWord('vendor')] : rest.map(({ word }) => word))
      useFile(task, folder, 'write', { reach: 'tree' });
}

function readMix(task: Task, table: ProgramTable): void {
  const { operands } = readByTable(task, table);
  const [verb, ...rest] = operands;
  readHere(task, 'read');
  if (verb?.word.value === 'new') for (const { word } of rest) useFile(task, word, 'write', { reach: 'tree' });
  if (verb?.word.value !== 'format') return;
  for (const { word } of rest) usePattern(task, word, 'write');
  if (rest.length === 0) readHere(task, 'write', 'tree');
}

/** Subcommands that format or make something, of tools that have many others. */
function readOthers(task: Task, table: ProgramTable): void {
  const { operands } = readByTable(task, table);
  const [verb, ...rest] = operands;
  readHere(task, 'read');
  if (!/^(?:fmt|format|fix|new|create|init|generate)$/.test(verb?.word.value ?? '')) return;
  for (const { word } of rest) usePattern(task, word, 'write');
  if (rest.length === 0) readHere(task, 'write', 'tree');
}

/** A report of coverage goes to the place behind its kind: `--cov-report=html:folder`. */
function readPytest(task: Task, table: ProgramTable): void {
  const { options } = readByTable(task, table);
  for (const { main, value } of options) {
    const kind = main === '--cov-report' ? /^[a-z-]+:/.exec(value?.head ?? '')?.[0] : undefined;
    if (kind !== undefined && value !== null) useFile(task, tailWord(value, kind.length), 'write', { reach: 'tree' });
  }
}
