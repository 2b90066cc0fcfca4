// What the options of a query are made of: types and constants.
import type { JsonSchema } from './json.js';
import type { AgentMcpServerSpec } from './mcp.js';
import type { PermissionMode } from './permissions.js';

/**
 * When tools of MCP servers are left out of requests until the model has searched for them. A number: as `auto`, from
 * that part of the context window on, percent.
 */
export type ToolSearchMode = (typeof TOOL_SEARCH_MODES)[number] | number;
export const TOOL_SEARCH_MODES = ['auto', 'always', 'never'] as const;

/** What OpenTelemetry is told of a session. */
export type TelemetryOptions = {
  /**
   * True: spans hold what was said to models, what they answered, and inputs and results of tools, with secrets hidden.
   * Default false.
   */
  readonly captureContent?: boolean;
};

/** Scripts of the model that call tools. Limits are of one script. */
export type CodeModeOptions = {
  /** True: requests define no tools but RunScript and those that it cannot call. Default false: it stands beside them. */
  readonly only?: boolean;
  /** Of running code, without waits for calls, milliseconds. Default 10,000. */
  readonly maxRunMs?: number;
  /** Of its values, megabytes. Default 64. */
  readonly maxMemoryMb?: number;
  /** Of what it prints, and of what it returns, characters. Default 30,000. */
  readonly maxOutputCharacters?: number;
};

export const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof EFFORT_LEVELS)[number];

/**
 * Extended thinking. `adaptive`: on if the model supports it, which is the default for models that decide by themselves
 * how much. `budgetTokens` counts towards the output limit.
 */
export type ThinkingConfig =
  | { readonly type: 'disabled' }
  | { readonly type: 'adaptive'; readonly display?: ThinkingDisplay }
  | { readonly type: 'enabled'; readonly budgetTokens?: number; readonly display?: ThinkingDisplay };

/** How much of its thinking the model tells. */
export const THINKING_DISPLAYS = ['summarized', 'omitted'] as const;
export type ThinkingDisplay = (typeof THINKING_DISPLAYS)[number];

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
  /** True: its calls do not wait for it. */
  readonly background?: boolean;
  /** Whose folder keeps what it wants to remember from one time to the next. */
  readonly memory?: 'user' | 'project' | 'local';
  /** `worktree`: it works in a checkout of its own. */
  readonly isolation?: 'worktree';
  /** Hooks that fire while it works, as settings have them. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** For people, who see it. */
  readonly color?: string;
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

/** What the specification does not name: the domains that a sandboxed command may connect to. */
export type SandboxDomains = {
  /**
   * `example.com`, `*.example.com`, an address, a range such as `10.0.0.0/8`, each with `:port` if it is not 80 or
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

/**
 * The dialog that there is: whether a model of the fallback chain is asked after another declined to answer. Its payload
 * has `message`, `original_model`, `fallback_model`; the result `fallback` asks that model, anything else ends the prompt.
 */
export const REFUSAL_DIALOG = 'turnwright_refusal_fallback';

/** A dialog, and what the user chose. */
export type UserDialogRequest = {
  readonly dialogKind: string;
  readonly payload: Record<string, unknown>;
  readonly toolUseID?: string;
};

export type UserDialogResult =
  | { readonly behavior: 'completed'; readonly result: unknown }
  | { readonly behavior: 'cancelled' };

export type OnUserDialog = (
  request: UserDialogRequest,
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<UserDialogResult | null>;

export type SecurityScanOptions = {
  readonly l1StaticCheck?: boolean;
  readonly l2LightweightScan?: boolean;
  readonly l3DeepScan?: boolean;
};

/**
 * As an element of its own in a list of texts, or as a line of its own in one: what stands before it is the same in many
 * sessions, so that prompt caches keep it by itself. It is not sent.
 */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

export type SystemPromptOption =
  | string
  | readonly string[]
  | { readonly type: 'custom'; readonly prompt: string | readonly string[]; readonly snapshot?: boolean }
  | {
      readonly type: 'preset';
      readonly preset: PresetName;
      readonly append?: string;
      /** True: what the machine is like goes along with the first message, so that the prompt is the same elsewhere. */
      readonly excludeDynamicSections?: boolean;
      /** Not kept for resumed sessions in this version. */
      readonly snapshot?: boolean;
    };

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
  /** How long an MCP server may take to get ready, milliseconds; 0 for no limit. Default 30,000. */
  readonly mcpStartTimeoutMs: number;
  /** Longest text of one result of such a server that the model sees, tokens. Default 0: 30,000 bytes. */
  readonly mcpOutputTokens: number;
  /** Longest call of a tool of such a server, milliseconds; progress starts the time anew. Default 0: as `toolTimeoutMs`. */
  readonly mcpToolTimeoutMs: number;
  /** Subagents that work at the same time; more wait for their turn. Default 8. */
  readonly maxConcurrentAgents: number;
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

/**
 * What may be done once the conversation holds text that nobody vouches for: pages, answers of servers, files of others,
 * messages of commits. Such a text may have decided each call that follows it.
 */
export interface UntrustedContentOptions {
  /**
   * What becomes of a call that sends something, publishes it, writes outside the workspace or changes what runs later.
   * `ask`: a person is asked, whatever rules, modes and hooks allow. `deny`: it does not run. `tell`: it is decided as
   * always, and whoever is asked hears where the texts are from.
   */
  readonly policy: 'ask' | 'deny' | 'tell';
  /**
   * Which files count as untrusted. `untrusted`: those outside the workspace, and all of a folder that nobody vouches for as
   * a whole (`settingSources` with `project`, `--trust`). `outside`: those outside the workspace. `all`: every file.
   * Default `untrusted`.
   */
  readonly files?: 'untrusted' | 'outside' | 'all';
  /** Permission rules: calls that are decided as always, such as `WebFetch(domain:docs.example.com)` or `Bash(npm test)`. */
  readonly allow?: readonly string[];
  /** Permission rules: calls that do not run, if the policy would ask. */
  readonly deny?: readonly string[];
  /** Permission rules: what such calls bring in is trusted. */
  readonly trust?: readonly string[];
  /** Permission rules: what such calls bring in is not trusted. Counts before `trust`. */
  readonly distrust?: readonly string[];
}

/** Where a text came from that nobody vouches for. */
export interface ContentSource {
  readonly kind: 'web' | 'server' | 'file' | 'commits' | 'command' | 'tool' | 'earlier';
  /** A host, a server, a path, a program, a tool. */
  readonly name: string;
}
