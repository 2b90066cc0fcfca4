// Compilers, build tools, test runners and package installers: files they read and write, and the options with which they run
// or load something else.
import type { Programs } from './program-table.js';

export const BUILD_TOOLS: Programs = {
  cmake: {
    options: {
      folder: '-B -S --build --install',
      read: '-P -C --toolchain',
      value: '-G -D -U -T -A -j --target --config --preset --parallel',
      acts: '-E',
      write: '--install-prefix --prefix --graphviz --trace-redirect',
    },
    operands: 'paths',
    actingValues:
      /^-D\w*(?:COMPILER|LAUNCHER|TOOLCHAIN_FILE|LINKER|MAKE_PROGRAM|INCLUDE|COMMAND|EXECUTABLE|RULE_LAUNCH_\w+)(?=[=:]|$)/i,
  },
  ctags: { options: { acts: '--options --_options', write: '-o -f' }, operands: 'read' },
  'gcc g++ cc c++ clang clang++ ld': {
    options: {
      write: '-o -MF -dumpdir --dumpdir',
      acts: '-B -wrapper -fplugin -specs --specs -Xlinker -Xclang -load -fpass-plugin -fuse-ld -plugin --plugin',
      read: '-include -imacros -T',
      value: '-I -L -l -D -U -x',
    },
    operands: 'read',
    isSingleDash: true,
    // A file of options.
    actingOperands: /^@/,
    actingValues: /^-(?:fdump|fprofile|fcallgraph|save-temps)[^=]*.*(?:\/|\.\.)/,
  },
  go: {
    options: {
      acts: '-exec -toolexec -vettool -modfile -overlay',
      folder: '-C',
      write: '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir',
      value: '-run -count -timeout -tags -ldflags -gcflags -asmflags -bench -p -coverpkg -covermode -skip -fuzz',
    },
    operands: 'paths',
    isSingleDash: true,
    actingValues: /^-ldflags.*-ext(?:ld|ldflags|ar)\b|^-w/,
  },
  cargo: {
    options: {
      acts: '--config',
      folder: '-C',
      write: '--target-dir --root --artifact-dir --out-dir',
      read: '--manifest-path --path',
      value: '-p --package --features --bin --test --example --target -j --jobs --profile --color --message-format',
    },
    operands: 'none',
  },
  'pytest py.test': {
    options: {
      acts: '-p -c -o --override-ini --confcutdir',
      folder: '--rootdir',
      write: '--junitxml --junit-xml --log-file --basetemp --resultlog --cache-dir --cov-config',
      value: '-k -m -n --maxfail --tb --durations --cov --cov-report -W',
    },
    operands: 'paths',
  },
  tsc: {
    options: {
      read: '-p --project --rootDir --typeRoots --plugins',
      write: '--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile',
      value: '-t --target -m --module --jsx --lib --moduleResolution',
    },
    operands: 'paths',
  },
  'eslint biome oxlint stylelint': {
    options: {
      read:
        '-c --config --rulesdir --resolve-plugins-relative-to --ignore-path -f --format --formatter --custom-formatter ' +
        '--parser --config-path --custom-syntax --plugin',
      write: '-o --output-file --cache-location --cache-file',
      value: '--ext --max-warnings --rule --env --global',
    },
    operands: 'paths',
  },
  prettier: {
    options: { read: '--config --plugin --ignore-path --config-path', write: '--cache-location', value: '--parser' },
    operands: 'paths',
  },
  'jest vitest mocha ava': {
    options: {
      read:
        '-c --config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --runner --testRunner --testEnvironment ' +
        '--testSequencer --resolver --transform --reporters -r --require --reporter --import --spec',
      folder: '--rootDir --root --dir',
      write: '--outputFile --coverageDirectory --cacheDirectory',
      value: '-t --testNamePattern -w --maxWorkers --project --testTimeout -g --grep',
    },
    operands: 'paths',
    // A configuration in the words themselves.
    actingModules: /^\s*\{/,
  },
  'mvn mvnw': {
    options: {
      read: '-f --file -s --settings -gs --global-settings -t --toolchains',
      value: '-D -P -pl -T -rf --projects --activate-profiles',
      write: '-l --log-file',
    },
    operands: 'none',
    isSingleDash: true,
    mayStart: true,
    actingValues: /^-D(?:exec\.executable|maven\.ext\.|maven\.repo|maven\.multiModule|surefire\.jvm|jvm)/,
    actingOperands: /exec(?:-maven-plugin)?(?::[\d.]+)?:exec$|antrun/,
  },
  'gradle gradlew': {
    options: {
      read: '-b --build-file -c --settings-file -I --init-script --include-build',
      folder: '-p --project-dir',
      write: '-g --gradle-user-home --project-cache-dir',
      value: '-P -D -x --exclude-task --max-workers --console --warning-mode',
    },
    operands: 'none',
    mayStart: true,
    actingValues: /^-D(?:org\.gradle\.(?:jvmargs|java)|java\.|javaagent)/,
  },
  'bazel bazelisk': {
    options: {
      acts: '--run_under --host_jvm_args --package_path --bazelrc --override_repository --shell_executable --python_path --server_javabase',
      write: '--output_base --output_user_root --symlink_prefix',
    },
    operands: 'none',
    mayStart: true,
  },
  'mix iex': {
    options: { code: '-e --eval', acts: '-r --require -pa -pz' },
    operands: 'none',
    actingVerbs: /^(?:eval|cmd|do)$/,
  },
  swift: {
    options: {
      code: '-e',
      folder: '--package-path',
      acts: '-Xswiftc -Xlinker -Xcc',
      write: '--scratch-path --build-path',
    },
    operands: 'paths',
  },
  dotnet: {
    options: {
      read: '--project --exec --use --depsfile --runtimeconfig --additionalprobingpath',
      write: '-o --output',
    },
    operands: 'paths',
    mayStart: true,
    actingVerbs: /^(?:fsi|exec)$/,
  },
  'apt apt-get dpkg': {
    options: { acts: '-o --option -c --config-file --pre-invoke --post-invoke' },
    operands: 'paths',
  },
  'gem pip pip3': {
    options: {
      read: '-r --requirement -e --editable -c --constraint -f --find-links --python -C',
      acts: '--config -P --trust-policy',
      write:
        '-t --target --prefix --root -d --dest --log --log-file --cache-dir -w --wheel-dir --src -i --install-dir -n --bindir --report',
      value: '--index-url --extra-index-url --proxy --timeout --retries --trusted-host --only-binary --no-binary',
    },
    operands: 'paths',
    // It is kept in a file that each later call reads.
    actingVerbs: /^config$/,
  },
  brew: { options: {}, operands: 'paths', actingVerbs: /^(?:sh|ruby|irb|edit|create)$/, actingOperands: /^https?:/ },
  'zsh_noglob exiftool': { options: { acts: '-config' }, operands: 'write', isSingleDash: true },
  ffmpeg: {
    options: { read: '-i -f', value: '-c -vf -af -ss -t -to -r -b -map' },
    operands: 'write',
    isSingleDash: true,
  },
  'convert magick': { operands: 'paths' },
  perf: {
    options: { write: '-o --output', read: '-i --input', risk: '--args' },
    operands: 'none',
    mayStart: true,
    actingVerbs: /^(?:record|stat|trace|script|bench|c2c|mem|lock|sched|kmem|kvm)$/,
  },
  m4: { options: { value: '-D -U -I' }, operands: 'script' },
  pandoc: {
    options: {
      acts: '-F --filter -L --lua-filter --pdf-engine --pdf-engine-opt -d --defaults --extract-media',
      write: '-o --output --log',
      read: '--template -H -B -A --metadata-file --bibliography --data-dir --resource-path --reference-doc --csl',
      value: '-f -t -r -w --from --to -M -V --metadata --variable --toc-depth',
    },
    operands: 'read',
  },
  'pdflatex latex xelatex lualatex tex': {
    options: { acts: '-shell-escape --shell-escape -enable-write18', write: '-output-directory --output-directory' },
    operands: 'paths',
    isSingleDash: true,
    actingOperands: /\\/,
  },
  'nix nix-env': {
    options: { acts: '--expr -E --option --eval' },
    operands: 'none',
    mayStart: true,
    actingVerbs: /^(?:run|shell|develop|eval|repl)$/,
  },
};
