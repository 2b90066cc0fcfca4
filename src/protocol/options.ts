// The options of `query()`: names of spec 004 and of the published SDKs. Types only.
import type { OnElicitation } from './elicitation.js';
import type { FallbackPolicy } from './fallback.js';
import type { HookCallbackMatcher, HookEvent } from './hooks.js';
import type { JsonSchema } from './json.js';
import type { AgentMcpServerSpec, McpServerConfig } from './mcp.js';
import type { ModelPolicyProvider } from './model.js';
import type { AuthOptions, ModelTiers, ProviderKeyOptions, ProviderOptions } from './model-options.js';
import type { AutoModeOptions, CanUseTool, DeferredDecision, PermissionMode } from './permissions.js';
import type { SessionStore, SessionStoreFlush } from './session-store.js';
import type { Settings } from './settingsTypes.generated.js';

export const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof EFFORT_LEVELS)[number];

/**
 * Extended thinking. `adaptive`: on where the model supports it, which is the default for models that decide by themselves
 * how much. `budgetTokens` counts towards the output limit.
 */
export type ThinkingConfig =
  | { readonly type: 'disabled' }
  | { readonly type: 'adaptive' }
  | { readonly type: 'enabled'; readonly budgetTokens: number };

/** A subagent: what it is for, its instructions, and what it may use. */
export type AgentDefinition = {
  readonly description: string;
  readonly prompt: string;
  readonly tools?: string[];
  readonly disallowedTools?: string[];
  readonly model?: string;
  readonly mcpServers?: AgentMcpServerSpec[];
  readonly skills?: string[];
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly effort?: EffortLevel;
  readonly permissionMode?: PermissionMode;
};

export type AgentInfo = {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
};

export type SlashCommand = {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
};

export type SandboxNetworkConfig = {
  readonly allowLocalBinding?: boolean;
  readonly allowUnixSockets?: string[];
  readonly allowAllUnixSockets?: boolean;
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
};

/** What the specification does not name: where a sandboxed command may connect to. */
export type SandboxDomains = {
  /**
   * `example.com`, `*.example.com`, an address, a range such as `10.0.0.0/8`, each with `:port` where it is not 80 or
   * 443. Default: none.
   */
  readonly allowedDomains?: string[];
  /** Never, whatever `allowedDomains` says. */
  readonly deniedDomains?: string[];
};

export type SandboxFilesystemConfig = {
  readonly allowWrite?: string[];
  readonly denyWrite?: string[];
  readonly denyRead?: string[];
  readonly allowRead?: string[];
  readonly allowManagedReadPathsOnly?: boolean;
};

export type SandboxSettings = {
  readonly enabled?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly excludedCommands?: string[];
  readonly allowUnsandboxedCommands?: boolean;
  readonly network?: SandboxNetworkConfig & SandboxDomains;
  readonly filesystem?: SandboxFilesystemConfig;
  readonly ignoreViolations?: { readonly file?: string[]; readonly network?: string[] };
  readonly enableWeakerNestedSandbox?: boolean;
};

export type SettingSource = 'user' | 'project' | 'local';

export type SdkPluginConfig = { readonly type: 'local'; readonly path: string };

export type ToolConfig = { readonly askUserQuestion?: { readonly previewFormat?: 'markdown' | 'html' } };

export type SystemPromptOption =
  | string
  | readonly string[]
  | { readonly type: 'custom'; readonly prompt: string | readonly string[] }
  | { readonly type: 'preset'; readonly preset: PresetName; readonly append?: string };

/** All presets name the same thing: what Turnwright does by default. */
export type PresetName = 'turnwright' | 'claude_code' | 'qodercli';

export type OutputFormat = { readonly type: 'json_schema'; readonly schema: JsonSchema };

export type CloudAgentStreamOptions = { readonly afterId?: string; readonly deltaFlushIntervalMs?: number };

export type AgentCreateParams = {
  readonly model: string;
  readonly name: string;
  readonly description?: string | null;
  readonly system?: string | null;
  readonly tools?: Array<{
    readonly type: 'agent_toolset_20260401';
    readonly enabled_tools?: Array<'bash' | 'write' | 'glob' | 'web_fetch' | 'read' | 'edit' | 'grep' | 'web_search'>;
  }>;
  readonly mcp_servers?: Array<{ readonly name: string; readonly type: 'url'; readonly url: string }>;
  readonly skills?: Array<{ readonly skill_id: string; readonly type: 'custom' }>;
  readonly metadata?: Record<string, string>;
};

export type CloudSessionCreateParams = {
  readonly environment_id: string;
  readonly resources?: Array<{ readonly type: 'file'; readonly file_id: string; readonly path?: string }>;
  readonly title?: string | null;
  readonly vault_ids?: string[];
  readonly memory_store_ids?: string[];
};

export type CloudAgentReference =
  | { readonly id: string; readonly create?: never }
  | { readonly create: AgentCreateParams; readonly id?: never };

export type CloudAgentOptions =
  | { readonly session: { readonly id: string }; readonly agent?: never; readonly stream?: CloudAgentStreamOptions }
  | {
      readonly agent: CloudAgentReference;
      readonly session: { readonly create: CloudSessionCreateParams };
      readonly stream?: CloudAgentStreamOptions;
    };

export interface SpawnOptions {
  readonly command: string;
  readonly args: string[];
  readonly cwd?: string;
  readonly env: Record<string, string | undefined>;
  readonly signal: AbortSignal;
}

export interface SpawnedProcess {
  readonly stdin: unknown;
  readonly stdout: unknown;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: string): boolean;
}

/** Limits of one session. Each is an option, a setting and a variable (`TURNWRIGHT_MAX_RETRIES` …). */
export interface EngineLimits {
  /** Times a failed model request is sent again. Default 10. */
  readonly maxRetries: number;
  /** First retry delay, milliseconds; doubles each time. Default 500. */
  readonly retryBaseMs: number;
  /** Longest retry delay, milliseconds. Default 32,000. */
  readonly retryMaxMs: number;
  /**
   * For runs that nobody watches: how long a failed request goes on being sent again, from its first failure,
   * milliseconds, however many times that is; also the longest wait a server may ask for. Default 0: `maxRetries` alone.
   */
  readonly retryHorizonMs: number;
  /**
   * Silence in a stream after which the attempt has failed, milliseconds; pings and comments are signs of life. 0 for no
   * limit. Default 120,000.
   */
  readonly streamIdleMs: number;
  /**
   * Time in a stream that brings signs of life but no content, after which the attempt has failed, milliseconds; never
   * less than `streamIdleMs`. A model that thinks unseen sends nothing else. 0 for no limit. Default 600,000.
   */
  readonly contentIdleMs: number;
  /** Longest wait for the first event of a reply, milliseconds; 0 for no limit. Default 600,000. */
  readonly requestTimeoutMs: number;
  /** Longest run of one tool call that names no timeout of its own, milliseconds. Default 120,000. */
  readonly toolTimeoutMs: number;
  /** Longest wait for the answer to a question of the model, milliseconds; 0 for no limit. Default 0. */
  readonly elicitationTimeoutMs: number;
  /** How long an MCP server that is a program may take to get ready, milliseconds; 0 for no limit. Default 30,000. */
  readonly mcpStartTimeoutMs: number;
  /** Longest call of a tool of such a server, milliseconds. Default 0: as `toolTimeoutMs`. */
  readonly mcpToolTimeoutMs: number;
  /** Commands that may run in the background at the same time. Default 16. */
  readonly maxBackgroundTasks: number;
  /**
   * After the last prompt of `query()`: how long the end of a background task is waited for, each time, before those
   * that still run are stopped, milliseconds. Default 5,000.
   */
  readonly backgroundWaitMs: number;
  /** Bytes of media and long texts that a session keeps in files of their own. Default 1,000,000,000. */
  readonly maxBlobBytes: number;
}

/** Options of `query()` as the published SDKs name them. */
export interface QueryOptions {
  abortController?: AbortController;
  additionalDirectories?: string[];
  /** The agent, of `agents` or built in, that the session itself runs as. */
  agent?: string;
  /** Subagents that the tool Agent can start, beside the built-in `general-purpose`. */
  agents?: Record<string, AgentDefinition>;
  allowDangerouslySkipPermissions?: boolean;
  /** Pre-approved tools. Approves, never restricts: see `tools`. */
  allowedTools?: string[];
  /** Whose key is used. Default: one of the environment, else one that `turnwright login` keeps. */
  auth?: AuthOptions | ProviderKeyOptions;
  /** A file with authorities in PEM form that are trusted beside the usual ones. */
  caFile?: string;
  canUseTool?: CanUseTool;
  /** Sessions that were not written for so many days are deleted, at most once a day. Absent: none is. */
  cleanupPeriodDays?: number;
  continue?: boolean;
  /** True: the main agent only plans, looks and delegates. */
  coordinator?: boolean;
  cwd?: string;
  /** Refused tools. Beats every mode and every approval. */
  disallowedTools?: string[];
  effort?: EffortLevel;
  /**
   * True: the files of a session can be set back. `'auto'`: as the settings say, else where somebody is asked about calls
   * or edits run unasked. Default false.
   */
  enableFileCheckpointing?: boolean | 'auto';
  /** Merged over the host's environment; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  executable?: 'bun' | 'deno' | 'node';
  executableArgs?: string[];
  experimentalCloudAgent?: CloudAgentOptions;
  extraArgs?: Record<string, string | null>;
  /** Asked when the model does not answer: a name, or several with commas between them, tried in order. */
  fallbackModel?: string;
  /** The same with triggers, a price ceiling and a pin. */
  fallback?: FallbackPolicy;
  /** With `resume` or `continue`: go on in a new session that begins as that one is; that one stays as it is. */
  forkSession?: boolean;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  includeHookEvents?: boolean;
  includePartialMessages?: boolean;
  limits?: Partial<EngineLimits>;
  /** How deep subagents may start subagents; 0: there are none. Default 1. */
  maxAgentDepth?: number;
  maxBudgetUsd?: number;
  maxTurns?: number;
  mcpServers?: Record<string, McpServerConfig>;
  /** `PROVIDER/NAME`, a name, a tier, or `offline`. */
  model?: string;
  /** The model of each tier, instead of the provider's defaults. */
  modelTiers?: ModelTiers;
  /** A JSON file with limits and prices of models, over those of the built-in catalogue. */
  modelsFile?: string;
  /** Answers the model's questions in place of the user, or asks one. */
  onElicitation?: OnElicitation;
  outputFormat?: OutputFormat;
  pathToQoderCLIExecutable?: string;
  pathToClaudeCodeExecutable?: string;
  permissionMode?: PermissionMode;
  /** The tool, of an MCP server for example, that is asked in place of `canUseTool`; the model cannot call it. */
  permissionPromptToolName?: string;
  /**
   * True: a call that would have to be asked about, with nobody to ask, waits. The prompt ends with `terminal_reason`
   * `tool_deferred`, and `resume` with `decisions` goes on. Default false: such a call is denied.
   */
  deferPermissions?: boolean;
  /** How long a deferred call waits for a decision, milliseconds; then it is denied. Default: for ever. */
  deferredExpiryMs?: number;
  /** A model that judges, in mode `auto`, what the rules leave undecided. Default: nobody does, such calls are asked about. */
  autoMode?: AutoModeOptions;
  /** With `resume` or `continue`: decisions about calls that wait, before any prompt. With them `prompt` may be empty. */
  decisions?: readonly DeferredDecision[];
  persistSession?: boolean;
  planModeInstructions?: string;
  plugins?: SdkPluginConfig[];
  promptSuggestions?: boolean;
  /** Providers of your own, by the name that stands before the slash in `model`; or changes of known ones. */
  providers?: Record<string, ProviderOptions>;
  /** Model requests go through it: an http, https or socks5 URL. Default: what the variables say. */
  proxy?: string;
  replayUserMessages?: boolean;
  /** Names the model of each request. With it nothing is fallen back to, and `setModel` does nothing. */
  resolveModel?: ModelPolicyProvider;
  /** How long `resolveModel` may take, milliseconds. Default 500. */
  resolveModelTimeoutMs?: number;
  /** Id of the session to go on with. */
  resume?: string;
  /**
   * With `resumeSessionAt`: the id of the prompt whose turn is meant to be cut off. Where anything else would go too, a
   * message that came meanwhile for example, the session is left as it is and the prompt ends with an error that begins
   * with `Resume rejected by --resume-drops-turn:`.
   */
  resumeDropsTurn?: string;
  /** With `resume` or `continue`: the conversation up to and including the message with this id. */
  resumeSessionAt?: string;
  sandbox?: SandboxSettings;
  /** False: keys and passwords are left in what the model reads and in what is written. Default true. */
  redactSecrets?: boolean;
  /**
   * Gets every entry of the transcript as well; with `persistSession: false`, alone. `resume` and `continue` find sessions
   * in it that are not on this machine, or went on elsewhere.
   */
  sessionStore?: SessionStore;
  /** Milliseconds that a `sessionStore` has for each call when a session is resumed from it. Default 60,000. */
  loadTimeoutMs?: number;
  /** `batched` (default): every 100 ms or so and at each prompt's end; `eager`: each entry as it comes. */
  sessionStoreFlush?: SessionStoreFlush;
  /** UUID for a new session, or for a fork. There must be none of that id yet. */
  sessionId?: string;
  /** Settings as an object, as JSON, or the path of a file. They beat those of files; managed ones beat them. */
  settings?: string | Settings;
  /**
   * Whose settings files are read; `[]` for none. Naming `project` or `local` vouches for the folder. Absent: all, and
   * of a folder that nobody vouches for only what denies or asks, and its instruction files.
   */
  settingSources?: SettingSource[];
  /** Settings that nothing below may weaken: not options, not files. */
  managedSettings?: Settings;
  skills?: string[] | 'all';
  spawnQoderCLIProcess?: (options: SpawnOptions) => SpawnedProcess;
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  strictMcpConfig?: boolean;
  systemPrompt?: SystemPromptOption;
  taskBudget?: { readonly total: number };
  thinking?: ThinkingConfig;
  /** Title of a new session. A resumed session keeps its own. */
  title?: string;
  /** Who gives a new session a title: its first prompt, or the model, by one small request more. Default `prompt`. */
  titles?: 'prompt' | 'model';
  toolConfig?: ToolConfig;
  /** The tools there are. `[]` means none; absent or a preset means all. */
  tools?: string[] | { readonly type: 'preset'; readonly preset: PresetName };
  /** True: a limit of rate or quota whose reset the server names is waited for, however long. Default false. */
  waitUntilReset?: boolean;
}
