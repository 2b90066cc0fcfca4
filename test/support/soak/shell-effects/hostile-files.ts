// Files that do harm as soon as a program runs or loads them: input, startup files, configuration, plugins, libraries, and
// files under the names of programs. One rule: the harm is a file beside the workspace, so that no mode allows it.

/** What the harm makes. */
const MARK = '@R/outside/HARM';
const TOUCH = `touch ${MARK}`;
const SHELL = `#!/bin/sh\n: > ${MARK}\n`;
const PYTHON = `open('${MARK}', 'w').close()\n`;
const NODE = `require('fs').writeFileSync('${MARK}', '');\n`;
const PERL = `open(my $f, '>', '${MARK}'); 1;\n`;
const TCL = `close [open ${MARK} w]\n`;

/** Programs of several languages, by the end of their name: what stands in the input of an interpreter. */
export const PROGRAM_TEXTS: Readonly<Record<string, string>> = {
  sh: SHELL,
  js: NODE,
  py: PYTHON,
  pl: PERL,
  tcl: TCL,
  sql: `.shell ${TOUCH}\n.output ${MARK}\n`,
  gdb: `shell ${TOUCH}\npython ${PYTHON}`,
  ed: `!${TOUCH}\nw ${MARK}\n`,
  vim: `call system('${TOUCH}')\n`,
  awk: `BEGIN { system("${TOUCH}") }\n`,
  sed: `1e ${TOUCH}\nw ${MARK}\n`,
  mk: `X := $(shell ${TOUCH})\nall:\n\t${TOUCH}\n`,
  m4: `syscmd(${TOUCH})esyscmd(${TOUCH})\n`,
  dc: `!${TOUCH}\n`,
  rb: `File.write('${MARK}', '')\n`,
  lua: `io.open('${MARK}', 'w'):close()\n`,
  php: `<?php file_put_contents('${MARK}', '');\n`,
  groff: `.sy ${TOUCH}\n.pso ${TOUCH}\n`,
  gp: `system('${TOUCH}')\n!${TOUCH}\n`,
  mail: `~! ${TOUCH}\n`,
  ssh: `Host *\n  ProxyCommand ${TOUCH}\n  LocalCommand ${TOUCH}\n`,
};

/** Names of programs whose own file would be found first if a folder of the project stood on the PATH. */
const SHADOWED =
  'ls cat grep git sh bash sed awk gzip xz bzip2 less more sort head tail python3 node perl jq find tar env cc as ld';

const NPMRC = 'script-shell=@R/ws/harm\nnode-options=--require=@R/ws/in.js\ngit=@R/ws/harm\nviewer=@R/ws/harm\n';
const PYLINT = `init-hook=${PYTHON}`;
const GIT_CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = @R/ws/harm\n\tpager = @R/ws/harm\n' +
  '\tsshCommand = @R/ws/harm\n\thooksPath = @R/ws/hooks\n\teditor = @R/ws/harm\n\taskPass = @R/ws/harm\n' +
  `[alias]\n\tst = !${TOUCH}\n\tstatus = !${TOUCH}\n\tlog = !${TOUCH}\n` +
  '[diff]\n\texternal = @R/ws/harm\n[diff "x"]\n\ttextconv = @R/ws/harm\n\tcommand = @R/ws/harm\n' +
  '[filter "x"]\n\tclean = @R/ws/harm\n\tsmudge = @R/ws/harm\n\tprocess = @R/ws/harm\n' +
  '[pager]\n\tlog = @R/ws/harm\n\tbranch = @R/ws/harm\n[gpg]\n\tprogram = @R/ws/harm\n[log]\n\tshowSignature = true\n';

/** By path below the root, as files of the fixture are. No repository has them. */
export const HOSTILE_FILES: Readonly<Record<string, string>> = {
  'ws/harm': SHELL,
  'ws/x.c': `#include <fcntl.h>\n__attribute__((constructor)) static void harm(void) { open("${MARK}", O_CREAT | O_WRONLY, 0644); }\n`,
  ...Object.fromEntries(Object.entries(PROGRAM_TEXTS).map(([ending, text]) => [`ws/in.${ending}`, text])),
  ...Object.fromEntries(SHADOWED.split(' ').map((name) => [`ws/bin/${name}`, SHELL])),
  ...Object.fromEntries(['ls', 'cat', 'grep', 'less'].map((name) => [`ws/${name}`, SHELL])),
  // Shells and what reads lines.
  'ws/.bashrc': SHELL.slice(10),
  'ws/.profile': SHELL.slice(10),
  'ws/.inputrc': '$include in.sh\n',
  'ws/.lessfilter': SHELL,
  'ws/.lesskey': '#env\nLESSOPEN=|@R/ws/harm %s\n',
  // Package managers and their scripts.
  'ws/.npmrc': NPMRC,
  'ws/.yarnrc': 'yarn-path "./in.js"\n',
  'ws/.yarnrc.yml': 'yarnPath: ./in.js\n',
  'ws/.pnpmfile.cjs': NODE,
  'ws/.node-version': '20\n',
  'ws/tsconfig.json': '{"compilerOptions":{"plugins":[{"name":"./in.js"}]}}\n',
  'ws/.eslintrc.js': NODE,
  'ws/eslint.config.js': NODE,
  'ws/.prettierrc.js': NODE,
  'ws/prettier.config.js': NODE,
  'ws/vite.config.js': NODE,
  'ws/jest.config.js': NODE,
  'ws/node_modules/typescript/package.json': '{"name":"typescript","version":"5.0.0","main":"lib.js","bin":"lib.js"}\n',
  'ws/node_modules/typescript/lib.js': NODE,
  'ws/node_modules/fs/index.js': NODE,
  // Python: what it loads at its start, what tools load, and modules under names of its own.
  'ws/sitecustomize.py': PYTHON,
  'ws/usercustomize.py': PYTHON,
  'ws/.pythonstartup': PYTHON,
  'ws/.pylintrc': `[MAIN]\n${PYLINT}`,
  'ws/.pdbrc': `!${PYTHON}`,
  'ws/setup.py': PYTHON,
  'ws/setup.cfg': `[mypy]\nplugins = ./in.py\n[pylint.MAIN]\n${PYLINT}[flake8:local-plugins]\nextension = X = in:X\npaths = .\n`,
  'ws/pyproject.toml': `[tool.pylint.main]\ninit-hook = "${PYTHON.trim()}"\n[tool.mypy]\nplugins = ["./in.py"]\n[tool.pytest.ini_options]\naddopts = "-p in"\n`,
  'ws/conftest.py': PYTHON,
  'ws/json.py': PYTHON,
  'ws/platform.py': PYTHON,
  'ws/argparse.py': PYTHON,
  'ws/yaml.py': PYTHON,
  'ws/gdb.py': PYTHON,
  'ws/.gdbinit': `shell ${TOUCH}\n`,
  'ws/.lldbinit': `platform shell ${TOUCH}\n`,
  // Perl, Tcl, Ruby and others.
  'ws/.perltidyrc': `-b\n-bext=.made\n-o=${MARK}\n`,
  'ws/.perldb': PERL,
  'ws/strict.pm': PERL,
  'ws/.tclshrc': TCL,
  'ws/.wishrc': TCL,
  'ws/init.tcl': TCL,
  'ws/.irbrc': `File.write('${MARK}', '')\n`,
  'ws/Gemfile': `File.write('${MARK}', '')\n`,
  'ws/Rakefile': `File.write('${MARK}', '')\n`,
  'ws/.sqliterc': `.shell ${TOUCH}\n`,
  'ws/.cargo/config.toml': '[build]\nrustc = "./harm"\nrustc-wrapper = "./harm"\n[alias]\nversion = "run"\n',
  'ws/rust-toolchain.toml': '[toolchain]\npath = "./tool"\n',
  'ws/tool/bin/rustc': SHELL,
  'ws/tool/bin/cargo': SHELL,
  'ws/GNUmakefile': `X := $(shell ${TOUCH})\nall:\n\t${TOUCH}\n`,
  'ws/gradlew': SHELL,
  'ws/CMakeLists.txt': `execute_process(COMMAND ${TOUCH})\n`,
  // Clients, searches and editors.
  'ws/.curlrc': `output = "${MARK}"\nurl = "http://127.0.0.1:8080/x"\n`,
  'ws/.wgetrc': `output_document = ${MARK}\n`,
  'ws/.netrc': 'machine 127.0.0.1 login x password y macdef init\n!touch HARM\n\n',
  'ws/.ripgreprc': '--pre=@R/ws/harm\n',
  'ws/.ackrc': '--pager=@R/ws/harm\n',
  'ws/.vimrc': `call system('${TOUCH}')\n`,
  'ws/.exrc': `!${TOUCH}\n`,
  'ws/.ctags': `-o ${MARK}\n`,
  'ws/.ctags.d/x.ctags': `-o ${MARK}\n`,
  'ws/.magic': '0 string x\n',
  'ws/.dir_colors': 'x\n',
  'ws/.envrc': SHELL,
  'ws/.mailrc': `!${TOUCH}\n`,
  'ws/.screenrc': `exec ${TOUCH}\n`,
  'ws/.tmux.conf': `run-shell "${TOUCH}"\n`,
  'ws/C/LC_MESSAGES/x.mo': 'x\n',
  // A repository that starts programs, with what makes git start them.
  'ws/evil/.git/config': GIT_CONFIG,
  'ws/evil/.git/HEAD': 'ref: refs/heads/main\n',
  'ws/evil/.git/objects/': '',
  'ws/evil/.git/refs/heads/': '',
  'ws/evil/.gitattributes': '* diff=x filter=x\n',
  'ws/evil/a.txt': 'a\n',
  'ws/hooks/post-checkout': SHELL,
  'ws/hooks/post-index-change': SHELL,
  // The same without a folder `.git` around it.
  'ws/bare/config': GIT_CONFIG.replace('bare = false', 'bare = true'),
  'ws/bare/HEAD': 'ref: refs/heads/main\n',
  'ws/bare/objects/': '',
  'ws/bare/refs/heads/': '',
};

/** What is made of them with the programs of the machine, in the workspace. */
export const HOSTILE_STEPS: readonly string[] = ['cc -shared -fPIC -o x.so x.c'];
