// How each option reaches a session in a child process. One rule: a value that is plain by its kind travels as it is; of any
// other option a row says what becomes of it, and what cannot reach the program is refused in words.
import { OPTION_KINDS } from '../../protocol/declared-options.generated.js';
import type { Options } from '../options/index.js';

/** How a program of a published SDK takes it. */
type PublishedWay =
  /** A field of the first request, of the same name. */
  | 'field'
  /** `list`: `--flag=a,b`; `each`: `--flag=a --flag=b`; `json`: `--flag {…}`, a text as it is; `off`: the flag says no. */
  | { readonly flag: string; readonly as: 'switch' | 'off' | 'value' | 'list' | 'each' | 'json' };

export type OptionWay =
  /** It acts in this process. */
  | 'here'
  /** It travels to a program of ours as it is, in the first request. To one of another SDK it has no way. */
  | 'data'
  /** It does nothing with a child process, and a notice says so. */
  | 'idle'
  /** `launch.ts` says how. */
  | 'own'
  | { readonly refused: string }
  | { readonly published: PublishedWay };

const flag = (name: string, as: Exclude<PublishedWay, string>['as']): OptionWay => ({ published: { flag: name, as } });
const FIELD: OptionWay = { published: 'field' };

type Kinds = typeof OPTION_KINDS;
type PlainKind = 'flag' | 'number' | 'text' | 'texts' | 'path' | 'variables';
const PLAIN_KINDS: ReadonlySet<unknown> = new Set<PlainKind>(['flag', 'number', 'text', 'texts', 'path', 'variables']);
/** Options whose kind does not say that they can travel. */
type OtherOption = { [Name in keyof Kinds]: Kinds[Name] extends PlainKind ? never : Name }[keyof Kinds];

/** Undefined: there is no such option. */
export function wayOf(name: string): OptionWay | undefined {
  if (!Object.hasOwn(OPTION_KINDS, name)) return undefined;
  const way = OPTION_WAYS[name as keyof Options];
  return way ?? (PLAIN_KINDS.has(OPTION_KINDS[name as keyof Kinds]) ? 'data' : undefined);
}

const OPTION_WAYS: { readonly [Name in OtherOption]: OptionWay } & { readonly [Name in keyof Options]?: OptionWay } = {
  abortController: 'here',
  childProcess: 'here',
  executable: 'here',
  executableArgs: 'here',
  extraArgs: 'here',
  pathToClaudeCodeExecutable: 'here',
  pathToQoderCLIExecutable: 'here',
  spawnClaudeCodeProcess: 'here',
  spawnQoderCLIProcess: 'here',
  closeGraceMs: 'here',
  controlRequestTimeoutMs: 'here',
  mcpServersDelivery: 'here',
  pluginDelivery: 'idle',
  transport: { refused: 'the program is reached over its standard input and output' },
  daemon: { refused: 'each session has a process of its own' },
  resolveSessionArtifacts: 'idle',
  experimentalCloudAgent: { refused: 'there is no cloud runtime yet' },
  stderr: 'here',
  onAuthExpired: 'idle',
  env: 'here',
  loadTimeoutMs: 'here',
  sessionStoreFlush: 'here',

  auth: 'own',
  canUseTool: 'own',
  cwd: 'own',
  hooks: 'own',
  mcpServers: 'own',
  onElicitation: 'own',
  onUserDialog: 'own',
  outputFormat: 'own',
  plugins: 'own',
  resolveModel: 'own',
  resolveModelTimeoutMs: 'own',
  sessionStore: 'own',
  skills: 'own',
  systemPrompt: 'own',
  taskBudget: 'own',
  thinking: 'own',
  tools: 'own',

  host: { refused: 'a child process works on the machine that it runs on' },
  provider: { refused: 'a provider is code of this process; name one in providers' },
  mcpTokenStore: { refused: 'it is code of this process; the file of `turnwright login` is used there' },
  modelObjects: { refused: 'model objects are code of this process' },
  budget: { refused: 'a budget is shared within one process; use maxBudgetUsd' },
  prefetch: { refused: 'it is code of this process; a hook for UserPromptSubmit can add texts too' },

  additionalDirectories: flag('add-dir', 'each'),
  agent: flag('agent', 'value'),
  agentProgressSummaries: FIELD,
  agents: FIELD,
  allowDangerouslySkipPermissions: flag('allow-dangerously-skip-permissions', 'switch'),
  allowedMcpServerNames: flag('allowed-mcp-server-names', 'each'),
  allowedTools: flag('allowedTools', 'list'),
  betas: flag('betas', 'list'),
  continue: flag('continue', 'switch'),
  debug: flag('debug', 'switch'),
  debugFile: flag('debug-file', 'value'),
  disallowedTools: flag('disallowedTools', 'list'),
  effort: flag('effort', 'value'),
  enableFileCheckpointing: FIELD,
  fallbackModel: flag('fallback-model', 'value'),
  forkSession: flag('fork-session', 'switch'),
  forwardSubagentText: FIELD,
  goalMaxTurns: FIELD,
  includeHookEvents: flag('include-hook-events', 'switch'),
  includePartialMessages: flag('include-partial-messages', 'switch'),
  managedSettings: flag('managed-settings', 'json'),
  maxBudgetUsd: flag('max-budget-usd', 'value'),
  maxThinkingTokens: flag('max-thinking-tokens', 'value'),
  maxTurns: flag('max-turns', 'value'),
  model: flag('model', 'value'),
  permissionMode: flag('permission-mode', 'value'),
  permissionPromptToolName: flag('permission-prompt-tool', 'value'),
  permissionPrompts: flag('permission-prompts', 'value'),
  persistSession: flag('no-session-persistence', 'off'),
  perTaskStopAffordance: FIELD,
  planModeInstructions: FIELD,
  projectConfigRoot: flag('project-config-root', 'value'),
  promptSuggestions: FIELD,
  proxy: flag('proxy', 'value'),
  replayUserMessages: flag('replay-user-messages', 'switch'),
  resume: flag('resume', 'value'),
  resumeDropsTurn: flag('resume-drops-turn', 'value'),
  resumeSessionAt: flag('resume-session-at', 'value'),
  sessionId: flag('session-id', 'value'),
  settings: flag('settings', 'json'),
  settingSources: flag('setting-sources', 'list'),
  strictMcpConfig: flag('strict-mcp-config', 'switch'),
  supportedDialogKinds: FIELD,
  title: FIELD,
  toolAliases: FIELD,

  autoMode: 'data',
  untrustedContent: 'data',
  catalogueOverrides: 'data',
  customContext: 'data',
  decisions: 'data',
  evolution: 'data',
  fallback: 'data',
  limits: 'data',
  memory: 'data',
  modelRequestPatches: 'data',
  modelTiers: 'data',
  providers: 'data',
  sandbox: 'data',
  securityScan: 'data',
  codeMode: 'data',
  telemetry: 'data',
  toolSearch: 'data',
  toolConfig: 'data',
  toolUseSummaries: 'data',
  builtInAgents: 'data',
  web: 'data',
};
