// Which values of which source count. One rule: a weaker source may tighten what a stronger one says, never loosen it;
// the files of a project never say where models are, what is loaded, or that nobody is asked.

import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { SEARCH_VARIABLES } from '../../protocol/web-options.js';
import { isActingVariable } from '../../util/acting-variables.js';
import { mergeLeaves, type SettingLeaf, schemaAt, valuesOf } from './merge.js';

export interface Refused {
  readonly leaf: SettingLeaf;
  readonly why: string;
  /** True if it would count once the folder is trusted. */
  readonly needsTrust: boolean;
}

export interface Admitted {
  readonly leaves: readonly SettingLeaf[];
  readonly refused: readonly Refused[];
}

export interface AdmitRules {
  /** True if a value of a project's files may act. Not asked about what always counts, or never. */
  isTrusted(leaf: SettingLeaf): boolean;
  /** True if the host vouches for the folder, whatever stands in it. */
  readonly isGranted: boolean;
  /** Files of managed settings that others may write: only what restricts counts of them. */
  readonly openFiles: ReadonlySet<string>;
}

const MODES_WITHOUT_QUESTIONS = ['bypassPermissions', 'yolo', 'auto'];

/** Keys that count from any file of a project: they only restrict, or only what the project itself brings. */
export const ALWAYS = [
  'permissions.deny',
  'permissions.ask',
  'permissions.examples',
  'permissions.disableBypassPermissionsMode',
  'permissions.disableAutoMode',
  'permissions.blockReadsOutsideWorkingDirectories',
  'permissions.blockWritesOutsideWorkingDirectories',
  'permissions.denyInsteadOfPrompting',
  'disableAutoMode',
  'disableSkillShellExecution',
  'autoMode.hard_deny',
  'disableAllHooks',
  'disabledMcpjsonServers',
  'deniedMcpServers',
];

/** Keys that never count from a project's files. */
const NEVER: Readonly<Record<string, string>> = {
  allowedMcpServers: 'a project does not say which servers there may be',
  'autoMode.allow': 'a project does not say what the judge allows',
  'autoMode.soft_deny': 'a project does not say what the judge goes by',
  'autoMode.environment': 'a project does not say what belongs to you',
  apiKeyHelper: 'a project does not choose what prints a key',
  cleanupPeriodDays: 'a project does not delete sessions',
  passVariables: 'a project does not choose which keys commands get',
  statusLine: 'a project does not choose what a terminal runs',
  enableAllProjectMcpServers: 'a project does not approve its own servers',
  enabledMcpjsonServers: 'a project does not approve its own servers',
  'permissions.deferredExpiryMs': 'a project does not decide how long calls wait',
  'permissions.autoMode': 'a project does not choose who judges calls',
  'permissions.untrustedContent': 'a project does not say what of it is trusted',
};

/** Of the sandbox, what makes it narrower: the key and the values that do; null: any. */
const NARROWING: Readonly<Record<string, readonly unknown[] | null>> = {
  'sandbox.enabled': [true],
  'sandbox.autoAllowBashIfSandboxed': [false],
  'sandbox.allowUnsandboxedCommands': [false],
  'sandbox.network.allowLocalBinding': [false],
  'sandbox.network.allowAllUnixSockets': [false],
  'sandbox.network.deniedDomains': null,
  'sandbox.filesystem.denyWrite': null,
  'sandbox.filesystem.denyRead': null,
  'sandbox.filesystem.allowManagedReadPathsOnly': [true],
  'sandbox.network.allowManagedDomainsOnly': [true],
  'sandbox.enableWeakerNestedSandbox': [false],
};

/** @param leaves of all sources. Those that may count, and why the others do not. */
export function admit(leaves: readonly SettingLeaf[], rules: AdmitRules): Admitted {
  const managed = leaves.filter(({ scope }) => scope === 'managed');
  const policy: Policy = {
    rulesOnly: managed.some(({ key, value }) => key === 'allowManagedPermissionRulesOnly' && value === true),
    hooksOnly: managed.some(({ key, value }) => key === 'allowManagedHooksOnly' && value === true),
    serversOnly: managed.some(({ key, value }) => key === 'allowManagedMcpServersOnly' && value === true),
    domainsOnly: managed.some(({ key, value }) => key === 'sandbox.network.allowManagedDomainsOnly' && value === true),
    pluginHooksOnly: lockedSurfaces(valuesOf(mergeLeaves(managed))).includes('hooks'),
    sandbox: managed.some(({ key, value }) => key === 'sandbox.enabled' && value === true),
    budgetOf: (key) => amount(leaves.find((leaf) => leaf.key === key && !isProject(leaf))?.value),
  };
  const kept: SettingLeaf[] = [];
  const refused: Refused[] = [];
  for (const leaf of leaves) {
    const why = whyNever(leaf, policy, rules);
    if (why !== null) refused.push({ leaf, why, needsTrust: false });
    else if (isProject(leaf) && !ALWAYS.includes(leaf.key) && !rules.isTrusted(leaf))
      refused.push({ leaf, why: 'the folder is not trusted', needsTrust: true });
    else kept.push(leaf);
  }
  return { leaves: kept, refused };
}

/** True for what a repository may bring along. */
export function isProject({ scope }: Pick<SettingLeaf, 'scope'>): boolean {
  return scope === 'project' || scope === 'local';
}

interface Policy {
  readonly rulesOnly: boolean;
  readonly serversOnly: boolean;
  readonly domainsOnly: boolean;
  readonly pluginHooksOnly: boolean;
  readonly hooksOnly: boolean;
  readonly sandbox: boolean;
  budgetOf(key: string): number;
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
}

function whyNever(leaf: SettingLeaf, policy: Policy, { openFiles, isGranted }: AdmitRules): string | null {
  const { key, scope, file } = leaf;
  if (leaf.path[0] === 'env') {
    const name = leaf.path[1] ?? '';
    if (!isVariableName(name)) return 'it is not a name of a variable';
    if (NEVER_SET.includes(name)) return 'settings are found by it';
  }
  if (scope === 'managed') {
    const isOpen = file !== null && openFiles.has(file);
    return isOpen && !restricts(leaf) ? 'others may write that file, so only what restricts counts of it' : null;
  }
  if (schemaAt(leaf.path)?.['x-managed'] === true) return 'it counts in managed settings alone';
  if (policy.rulesOnly && key === 'permissions.allow') return 'only managed settings allow anything';
  if (policy.hooksOnly && leaf.path[0] === 'hooks') return 'only managed settings have hooks';
  if (policy.pluginHooksOnly && leaf.path[0] === 'hooks') return 'only managed settings and plugins have hooks';
  if (policy.serversOnly && key === 'allowedMcpServers') return 'only managed settings say which servers there may be';
  if (policy.domainsOnly && (key === 'sandbox.network.allowedDomains' || allowsDomain(leaf)))
    return 'only managed settings say which hosts are reached';
  if (policy.sandbox && loosensSandbox(leaf)) return 'managed settings turn the sandbox on';
  if (isProject(leaf) && key === 'plugins' && !isGranted)
    return 'what is in a folder can change after somebody looked at it: install the plugin, or vouch for the folder with --trust';
  return isProject(leaf) ? whyNeverOfProject(leaf, policy) : null;
}

function whyNeverOfProject(leaf: SettingLeaf, { budgetOf }: Policy): string | null {
  const { key, value } = leaf;
  const never = Object.hasOwn(NEVER, key) ? NEVER[key] : undefined;
  if (never !== undefined) return never;
  if (key === 'permissions.defaultMode' && MODES_WITHOUT_QUESTIONS.includes(value as string))
    return 'a project does not turn questions off';
  if (leaf.path[0] === 'env' && isGuardedVariable(leaf.path[1] ?? ''))
    return 'a project does not set variables that say where models are, or what programs run, load or believe';
  if (leaf.path[0] === 'web') return 'a project does not say what of the web is reached';
  if (loosensSandbox(leaf)) return 'a project does not widen the sandbox';
  if (leaf.path[0] === 'budgets' && amount(value) > budgetOf(key)) return 'a project does not raise a budget';
  return null;
}

function allowsDomain({ key, value }: SettingLeaf): boolean {
  return key === 'permissions.allow' && typeof value === 'string' && /^\s*WebFetch(?:\(|\s*$)/.test(value);
}

/** What only plugins and managed settings may bring along, of managed settings. */
export function lockedSurfaces({ strictPluginOnlyCustomization: said }: Settings): readonly string[] {
  if (said === true) return ['skills', 'agents', 'hooks', 'mcp'];
  return Array.isArray(said) ? said : [];
}

/** True for what makes the sandbox wider than it is without it. */
export function loosensSandbox({ key, path, value }: SettingLeaf): boolean {
  if (path[0] !== 'sandbox') return false;
  const values = Object.hasOwn(NARROWING, key) ? NARROWING[key] : [];
  return values !== null && !values?.includes(value);
}

function restricts(leaf: SettingLeaf): boolean {
  const { key, path } = leaf;
  return (
    (ALWAYS.includes(key) && key !== 'disableAllHooks') ||
    key === 'permissions.disableBypassPermissionsMode' ||
    key === 'allowManagedPermissionRulesOnly' ||
    key === 'allowManagedHooksOnly' ||
    key === 'allowManagedMcpServersOnly' ||
    key === 'strictPluginOnlyCustomization' ||
    key === 'disableSideloadFlags' ||
    key === 'strictKnownMarketplaces' ||
    key === 'blockedMarketplaces' ||
    (path[0] === 'sandbox' && !loosensSandbox(leaf))
  );
}

// Variables that the files of a project may not set, even of one that is trusted: they say where models are, which
// programs and libraries are loaded, whom to trust, or where files of the user are. Data.

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

/** Which data programs work on, or how much is said of it: a project may say so although a rule does not look past it. */
const OF_DATA =
  /^(?:PG(?:HOST|PORT|USER|DATABASE|PASSWORD|APPNAME)|MYSQL_(?:HOST|TCP_PORT|PWD|DATABASE|USER)|TF_(?:VAR_\w+|LOG))$/;

/** True if a project may not set the variable. */
export function isGuardedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    NAMES.has(upper) ||
    (!OF_DATA.test(name) && (isActingVariable(name) || isActingVariable(upper))) ||
    BEGINNINGS.some((beginning) => upper.startsWith(beginning)) ||
    ENDINGS.some((ending) => upper.endsWith(ending))
  );
}

/** Variables that no settings may set: where they themselves stand depends on them. */
const NEVER_SET = ['TURNWRIGHT_HOME', 'TURNWRIGHT_SESSIONS_HOME', 'CLAUDE_CONFIG_DIR', 'QODER_CONFIG_DIR', 'HOME'];

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}
