// Variables of the environment: which are harmless in front of a command, and which make programs run others.

/** Change how a program speaks, never what runs. An allow rule looks past an assignment to one of them. */
const HARMLESS = new Set(
  (
    'NODE_ENV CI TZ LANG LANGUAGE FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE TERM COLORTERM COLUMNS LINES DEBUG ' +
    'VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE GOOS GOARCH CGO_ENABLED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE ' +
    'PYTHONIOENCODING PYTHONHASHSEED PYTHONUTF8 RAILS_ENV RACK_ENV APP_ENV NODE_NO_WARNINGS IFS'
  ).split(' '),
);

/** Name a program, a library, code, a search path or a configuration that programs act on. */
const ACTING = new Set(
  (
    'PATH BASH_CMDS BASH_ALIASES BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PS0 PROMPT_COMMAND CDPATH HOME SHELL PAGER MANPAGER MANOPT MANPATH EDITOR ' +
    'VISUAL BROWSER CLASSPATH LESS LESSOPEN LESSCLOSE LESSEDIT MORE MAKEFLAGS GNUMAKEFLAGS MAKEFILES MAKEOVERRIDES MFLAGS ' +
    'TAR_OPTIONS RSYNC_RSH CVS_RSH GREP_OPTIONS GZIP XZ_OPT BZIP ZIPOPT UNZIP CC CXX CPP LD AR AS FC CFLAGS CXXFLAGS ' +
    'CPPFLAGS LDFLAGS GOFLAGS GOPATH GOROOT GOPROXY GOTOOLCHAIN KUBECONFIG GLOBIGNORE EXECIGNORE AWKPATH AWKLIBPATH ' +
    'BASH_LOADABLES_PATH OPENSSL_CONF NIX_PATH TERMINFO TERMCAP FCEDIT HISTFILE HISTCMD INPUTRC FIGNORE OLDPWD PWD ' +
    'POSIXLY_CORRECT BASH_XTRACEFD BASH_COMPAT VIMINIT EXINIT VIMRUNTIME WGETRC CURL_HOME SYSTEMD_EDITOR SUDO_EDITOR ' +
    'HGEDITOR SVN_EDITOR SVN_SSH SVN_MERGE HGMERGE HG FPATH ZDOTDIR GCONV_PATH LOCPATH NLSPATH HOSTALIASES TMUX ' +
    'JAVA_HOME JDK_HOME VIRTUAL_ENV BASH_FUNC DIFF_OPTIONS RIPGREP_CONFIG_PATH EXTDIFF COMP_WORDBREAKS TEXTDOMAINDIR ' +
    'TIMEFORMAT OPTIND_ BASH_ARGV0 PERLLIB PERL5DB RUBYSHELL NODE_REPL_EXTERNAL_MODULE ELECTRON_RUN_AS_NODE ' +
    'TMPDIR TMP TEMP SIMPLE_BACKUP_SUFFIX VERSION_CONTROL DESTDIR INIT_CWD MYVIMRC MAILCAPS CTAGS ACKRC NETRC BZIP2 ZIPINFO ' +
    'COVERAGE_FILE MYPYPATH GNUPGHOME CHROME_BIN TCLLIBPATH OCAMLPATH GHCRTS SYSTEM_WGETRC SSLKEYLOGFILE GLAMOUR_STYLE ' +
    'http_proxy https_proxy all_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY'
  ).split(' '),
);
const ACTING_STARTS = (
  'LD_ DYLD_ BASH_FUNC_ GIT_ GCC_ NODE_ PYTHON PERL5 RUBY GEM_ BUNDLE_ JAVA_ _JAVA JDK_ MAVEN_ GRADLE_ SBT_ NPM_CONFIG_ ' +
  'npm_config_ npm_ YARN_ PNPM_ PIP_ UV_ POETRY_ CARGO RUSTC RUSTUP RUSTDOC SSH_ DOCKER_ COMPOSE_ KUBE_ HELM_ FZF_ XDG_ LUA_ ' +
  'PHP_ PHPRC JULIA_ R_ MALLOC_ GLIBC_ GTK_ QT_ SUDO_ DOTNET_ COMPLUS_ CORECLR_ MSBUILD DENO_ BUN_ AWS_ ANTHROPIC_ OPENAI_ ' +
  'CMAKE_ CTEST_ PYTEST_ COVERAGE_ RUSTFLAGS GO CGO_ LESSKEY LESSHIST XZ_ ZSTD_ RSYNC_ CURL_ SSL_ BAT_ NVIM_ EMACS OPENSSL_ BUILDKIT_ ' +
  'CLOUDSDK_ GH_ TF_ ANSIBLE_ VAGRANT_ PRE_COMMIT_ TS_NODE_ TSX_ PLAYWRIGHT_ PUPPETEER_ GIO_ GI_ GUILE_ MIX_ ELIXIR_ ERL_ ' +
  'SCALA_ KOTLIN_ GROOVY_ CLOJURE_ ASDF_ MISE_ DIRENV_ QUILT_ COREPACK_ JEST_ ESLINT_ STARSHIP_ PG MYSQL_ SQLITE_'
).split(' ');
const ACTING_ENDS = [
  '_PAGER',
  '_EDITOR',
  '_SHELL',
  '_COMMAND',
  '_PRELOAD',
  '_OPTIONS',
  '_OPTS',
  '_ASKPASS',
  '_BROWSER',
];

/** True if an assignment to it in front of a command changes nothing that rules are about. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.has(name) || name.startsWith('LC_');
}

/** True for a locale, a zone or a terminal that is told by a path: the shell and programs read what stands there. */
export function isReadByPath(name: string, value: string): boolean {
  return /^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM)$/.test(name) && /^["']?:?[/~]|\.\./.test(value);
}

/** Numbers of the shell itself: what they are set to is evaluated as arithmetic, which runs the substitutions in it. */
const EVALUATED: ReadonlySet<string> = new Set(['SECONDS', 'RANDOM', 'SRANDOM', 'HISTCMD', 'OPTIND', 'LINENO']);

export function isEvaluatedVariable(name: string): boolean {
  return EVALUATED.has(name);
}

/** True if a value of it can make a program run, load or believe something else. */
export function isActingVariable(name: string): boolean {
  if (isHarmlessVariable(name)) return false;
  return (
    ACTING.has(name) ||
    ACTING_STARTS.some((start) => name.startsWith(start)) ||
    ACTING_ENDS.some((end) => name.endsWith(end))
  );
}
