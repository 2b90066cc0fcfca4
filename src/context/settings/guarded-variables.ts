// Variables that the files of a project may not set, even of one that is trusted: they say where models are, which
// programs and libraries are loaded, whom to trust, or where files of the user are. Data.

import { SEARCH_VARIABLES } from '../../protocol/search-variables.js';

/** Whole names, in any case. */
const NAMES: ReadonlySet<string> = new Set([
  // What a shell or a program starts, and where it is looked for.
  'PATH',
  'HOME',
  'SHELL',
  'ENV',
  'BASH_ENV',
  'ZDOTDIR',
  'IFS',
  'PS4',
  'CDPATH',
  'GLOBIGNORE',
  'PROMPT_COMMAND',
  'SHELLOPTS',
  'BASHOPTS',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'LESSOPEN',
  'LESSCLOSE',
  'LESSKEY',
  'TERMINFO',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'COMSPEC',
  'PATHEXT',
  'TMPDIR',
  'TMP',
  'TEMP',
  // Who searches the web, and so hears what is searched for.
  ...SEARCH_VARIABLES.map(([, name]) => name),
  // What runtimes load.
  'CLASSPATH',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'JAVA_OPTS',
  'MAVEN_OPTS',
  'GRADLE_OPTS',
  'RUSTC',
  'RUSTC_WRAPPER',
  'RUSTC_WORKSPACE_WRAPPER',
  'RUSTFLAGS',
  'RUSTDOC',
  'GOFLAGS',
  'GOPROXY',
  'GONOSUMDB',
  'GOINSECURE',
  'GONOSUMCHECK',
  'GOSUMDB',
  'MAKEFLAGS',
  'MAKEFILES',
  'CC',
  'CXX',
  'LD',
  'AR',
  'CFLAGS',
  'LDFLAGS',
  'GCONV_PATH',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
  'RIPGREP_CONFIG_PATH',
  'WGETRC',
  'CURL_HOME',
  'INPUTRC',
  'MANPAGER',
  'SYSTEMD_PAGER',
  // Whom to trust, and how hosts are found.
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'HOSTALIASES',
  'LOCALDOMAIN',
  'RES_OPTIONS',
  'KUBECONFIG',
]);

/** What a name begins with, in any case. */
const BEGINNINGS = [
  'ANTHROPIC_',
  'AWS_',
  'AZURE_',
  'BASH_FUNC_',
  'BUNDLE_',
  'CARGO_',
  'CLAUDE_',
  'COMPOSER_',
  'DEBUGINFOD_',
  'DENO_',
  'DOCKER_',
  'DOTNET_',
  'DYLD_',
  'ELECTRON_',
  'GCLOUD_',
  'GEMINI_',
  'GEM_',
  'GIT_',
  'GNUPG',
  'GOOGLE_',
  'LD_',
  'LUA_',
  'MALLOC_',
  'NODE_',
  'NPM_',
  'OLLAMA_',
  'OPENAI_',
  'OTEL_',
  'PERL',
  'PHP_',
  'PIP_',
  'PNPM_',
  'PYTHON',
  'QODER_',
  'RUBY',
  'SSH_',
  'SUDO_',
  'TURNWRIGHT_',
  'UV_',
  'VERTEX_',
  'VSCODE_',
  'XDG_',
  'YARN_',
];

/** What a name ends with, in any case. */
const ENDINGS = [
  '_API_BASE',
  '_API_KEY',
  '_API_URL',
  '_AUTH_TOKEN',
  '_BASE_URL',
  '_CA_BUNDLE',
  '_CA_CERTS',
  '_PAGER',
  '_PROXY',
];

/** True if a project may not set the variable. */
export function isGuardedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    NAMES.has(upper) ||
    BEGINNINGS.some((beginning) => upper.startsWith(beginning)) ||
    ENDINGS.some((ending) => upper.endsWith(ending))
  );
}

/** Variables that no settings may set: where they themselves stand depends on them. */
export const NEVER_SET = [
  'TURNWRIGHT_HOME',
  'TURNWRIGHT_SESSIONS_HOME',
  'CLAUDE_CONFIG_DIR',
  'QODER_CONFIG_DIR',
  'HOME',
];

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}
