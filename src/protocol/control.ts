// The control protocol of stream-json: its envelopes (NDJSON, both directions; facts from the published SDKs), then what each
// control takes and answers. If two published SDKs differ, an answer has the fields of both.
import type { JsonObject } from './json.js';
import type { McpServerStatus } from './mcp.js';
import type { ModelUsage } from './messages.js';
import type { ModelInfo } from './model.js';
import type { AgentInfo, EffortLevel, SlashCommand } from './options.js';
import type { PermissionBehavior, PermissionMode } from './permissions.js';

export const WIRE_PROTOCOL_VERSION = '1.4.0';

/** Dispatch on `request.subtype ?? request.type`: one published client sends both, some only one. */
export interface SDKControlRequest {
  readonly type: 'control_request';
  /** Opaque, unique for its sender. */
  readonly request_id: string;
  readonly request: { readonly subtype?: string; readonly type?: string; readonly [field: string]: unknown };
}

export interface SDKControlSuccess {
  readonly subtype: 'success';
  readonly request_id: string;
  readonly response?: JsonObject;
  /** Permission requests that nobody has answered yet: for a client that was attached again. */
  readonly pending_permission_requests?: readonly SDKControlRequest[];
}

export interface SDKControlError {
  readonly subtype: 'error';
  readonly request_id: string;
  readonly error: string;
  /** What kind of error: an `EngineErrorCode`, or `unknown_subtype`. */
  readonly code?: string;
  readonly retryable?: boolean;
}

export interface SDKControlResponse {
  readonly type: 'control_response';
  readonly response: SDKControlSuccess | SDKControlError;
}

/** The sender of a request takes it back. Nobody answers it. */
export interface SDKControlCancelRequest {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

/** Sent while nothing else is, so that what stands between the two ends does not close the connection. */
export interface SDKKeepAlive {
  readonly type: 'keep_alive';
}

/** Entries of a transcript as they are written, for a client that keeps a copy. */
export interface SDKTranscriptMirror {
  readonly type: 'transcript_mirror';
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly entries: readonly JsonObject[];
}

/** What an interrupt leaves: ids of the messages that wait and will be prompts of their own, as far as they have ids. */
export interface SDKControlInterruptResponse {
  readonly still_queued: string[];
  /** Ids of the waiting messages that were dropped, with `cancelQueued`. */
  readonly cancelled?: string[];
}

/** Whose account or key pays. What is not known is absent. */
export interface AccountInfo {
  readonly userId?: string;
  readonly name?: string;
  readonly email?: string;
  readonly organization?: string;
  readonly subscriptionType?: string;
  readonly tokenSource?: string;
  /** Where the key comes from, as in `system/init`. */
  readonly apiKeySource?: string;
  readonly apiProvider?: 'firstParty' | 'bedrock' | 'vertex' | 'foundry';
}

/** What a client hears first about a session. */
export interface SDKControlInitializeResponse {
  readonly commands: SlashCommand[];
  readonly agents: AgentInfo[];
  readonly output_style: string;
  readonly available_output_styles: string[];
  readonly models: ModelInfo[];
  readonly account: AccountInfo;
  readonly skills?: { readonly name: string; readonly description?: string; readonly source?: string }[];
  readonly permissionMode?: PermissionMode;
  /** What this engine can do, by the names that published clients ask for. */
  readonly capabilities?: string[];
  readonly claude_code_version?: string;
  readonly hooks_applied?: boolean;
  readonly hook_on_failure_supported?: boolean;
  readonly plugins_applied?: boolean;
  readonly mcp_servers_applied?: boolean;
}

/** A part of the context window. */
export interface ContextUsageCategory {
  readonly id:
    | 'system_prompt'
    | 'system_tools'
    | 'mcp_tools'
    | 'custom_agents'
    | 'memory_files'
    | 'skills'
    | 'messages'
    | 'autocompact_buffer'
    | 'free_space';
  readonly name: string;
  readonly tokens: number;
  /** The name of a colour, for who draws it. */
  readonly color: string;
  readonly kind: 'used' | 'free' | 'buffer';
  /** The same part by another client's name. */
  readonly type: 'system_prompt' | 'system_tools' | 'skills' | 'messages' | 'other' | 'free_space' | 'auto_compact';
  /** Of the whole window, 0 to 100. */
  readonly percentage: number;
}

/** How full the context window is, and with what. Tokens are estimated, and scaled to what the last request counted. */
export interface SDKControlGetContextUsageResponse {
  /** All parts; their tokens add up to `rawMaxTokens`. */
  readonly categories: ContextUsageCategory[];
  /** Tokens of the parts that are used. */
  readonly totalTokens: number;
  /** Tokens until the conversation is compacted; without compaction the whole window. */
  readonly maxTokens: number;
  /** Tokens of the whole window. */
  readonly rawMaxTokens: number;
  /** `totalTokens` of `rawMaxTokens`, 0 to 100. */
  readonly percentage: number;
  /** A picture of the window: rows of squares. Empty with the detail `summary`. */
  readonly gridRows: {
    readonly color: string;
    readonly isFilled: boolean;
    readonly categoryName: string;
    readonly tokens: number;
    readonly percentage: number;
    readonly squareFullness: number;
  }[][];
  readonly model: string;
  readonly memoryFiles: { readonly path: string; readonly type: string; readonly tokens: number }[];
  readonly mcpTools: {
    readonly name: string;
    readonly serverName: string;
    readonly tokens: number;
    readonly isLoaded?: boolean;
  }[];
  readonly systemTools?: { readonly name: string; readonly tokens: number }[];
  readonly systemPromptSections?: { readonly name: string; readonly tokens: number }[];
  readonly agents: { readonly agentType: string; readonly source: string; readonly tokens: number }[];
  readonly skills: {
    readonly totalSkills: number;
    readonly includedSkills: number;
    readonly tokens: number;
    readonly skillFrontmatter: { readonly name: string; readonly source: string; readonly tokens: number }[];
    readonly count: number;
    readonly percentageOfContext: number;
    readonly items: { readonly name: string; readonly source: string; readonly percentageOfContext: number }[];
  };
  readonly messageBreakdown?: {
    readonly toolCallTokens: number;
    readonly toolResultTokens: number;
    readonly attachmentTokens: number;
    readonly assistantMessageTokens: number;
    readonly userMessageTokens: number;
    readonly redirectedContextTokens: number;
    readonly unattributedTokens: number;
    readonly toolCallsByType: { readonly name: string; readonly callTokens: number; readonly resultTokens: number }[];
    readonly attachmentsByType: { readonly name: string; readonly tokens: number }[];
  };
  readonly autoCompactThreshold?: number;
  readonly isAutoCompactEnabled: boolean;
  /** What the last request was billed; null before the first. */
  readonly apiUsage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cache_read_input_tokens: number;
  } | null;
  readonly contextWindow: { readonly usedPercentage: number };
  readonly autoCompact: { readonly enabled: boolean; readonly thresholdPercentage: number };
  readonly duplicateFileReads: { readonly path: string; readonly count: number }[];
  readonly session: {
    readonly messageCount: number;
    readonly promptCount: number;
    readonly toolCalls: { readonly total: number; readonly succeeded: number; readonly failed: number };
    readonly linesChanged: { readonly added: number; readonly removed: number };
  };
}

export interface SDKControlAddDirectoriesResponse {
  /** Absolute paths that were added now. */
  readonly added: string[];
  readonly failed: { readonly path: string; readonly error: string }[];
  /** All folders of the workspace beside `cwd`, after the call. */
  readonly directories: string[];
}

export interface SDKControlReadFileResponse {
  readonly contents: string;
  readonly absPath: string;
  /** The file is longer than `maxBytes`. */
  readonly truncated?: boolean;
  readonly encoding?: 'base64';
}

export interface SDKControlReloadSkillsResponse {
  readonly skills: SlashCommand[];
}

export interface SDKControlReloadOutputStylesResponse {
  readonly available_output_styles: string[];
}

export interface SDKControlReloadPluginsResponse {
  readonly commands: SlashCommand[];
  readonly agents: AgentInfo[];
  readonly plugins: { readonly name: string; readonly path: string; readonly source?: string }[];
  readonly mcpServers: McpServerStatus[];
  readonly error_count: number;
}

export interface SDKControlMcpReadResourceResponse {
  readonly contents: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  }[];
}

/** What a tool of an MCP server gave, as the server said it. */
export interface SDKControlMcpCallResponse {
  readonly content: unknown;
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
  /** True if the tool says that it failed. */
  readonly isError?: boolean;
}

export interface McpCallOptions {
  /** Milliseconds, 1,000 to 600,000. Default: as long as the server's own calls may take. */
  readonly timeoutMs?: number;
}

/** A token for an MCP server, which somebody got elsewhere. */
export interface McpToken {
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

export interface HookListingEvent {
  readonly name: string;
  readonly summary: string;
  readonly supportsMatcher: boolean;
}

/** The hooks of a session, for a client that shows them. Texts have no hidden characters. */
export interface SDKControlGetHooksListingResponse {
  /** Events that have hooks. */
  readonly events: (HookListingEvent & { readonly hookCount: number })[];
  readonly hooks: {
    readonly event: string;
    /** '' for all firings. */
    readonly matcher: string;
    /** `userSettings`, `projectSettings`, `localSettings`, `flagSettings`, `policySettings`, `pluginHook`, `sessionHook`. */
    readonly source: string;
    readonly sourceLabel: string;
    readonly pluginName?: string;
    readonly type: string;
    readonly displayText: string;
    readonly commandText: string;
    readonly contentLabel: string;
    /** Seconds. */
    readonly timeout?: number;
    readonly statusMessage?: string;
    readonly runsInBackground?: boolean;
  }[];
  readonly eventCatalog: HookListingEvent[];
  readonly policy: {
    readonly disabledByPolicy: boolean;
    readonly managedOnly: boolean;
    readonly pluginOnly: boolean;
    readonly allDisabled: boolean;
    readonly policyHookCount: number;
  };
}

export interface SDKControlFileSuggestionsResponse {
  /** From the working directory, the best first, at most 40. */
  readonly suggestions: { readonly path: string; readonly type: 'file' | 'directory' }[];
}

export interface RegisterRootOptions {
  readonly reloadSkills?: boolean;
  readonly reloadPlugins?: boolean;
}

export interface McpSetServersResult {
  readonly added: string[];
  readonly removed: string[];
  /** Why a server is not there, by its name. */
  readonly errors: Record<string, string>;
}

/** What the session has cost so far. Limits of a subscription are not known here: keys of providers have none. */
export interface SDKControlGetUsageResponse {
  readonly session: {
    readonly total_cost_usd: number;
    readonly total_api_duration_ms: number;
    readonly total_duration_ms: number;
    readonly total_lines_added: number;
    readonly total_lines_removed: number;
    readonly model_usage: Record<string, ModelUsage>;
  };
  readonly subscription_type: string | null;
  readonly rate_limits_available: boolean;
  readonly rate_limits: null;
  readonly behaviors: null;
}

/** The settings in force, and where they come from, weakest first. Keys and tokens are never in it. */
export interface SDKControlGetSettingsResponse {
  readonly effective: Record<string, unknown>;
  readonly sources: { readonly source: string; readonly settings: Record<string, unknown> }[];
  /** What the running session uses. */
  readonly applied: { readonly model: string; readonly effort: EffortLevel | null };
}

/** Whose a value is. `session`: a control changed it while the session runs. */
export type EffectiveSource =
  | 'option'
  | 'agent'
  | 'variable'
  | 'default'
  | 'policySettings'
  | 'flagSettings'
  | 'localSettings'
  | 'projectSettings'
  | 'userSettings';

/** What an option comes to, and why. */
export interface EffectiveOption {
  /** Of the option; of a part of it, such as `limits.maxRetries`, if its parts can be of different sources. */
  readonly name: string;
  /** As JSON, without keys and tokens; null: nobody gave one. */
  readonly value: unknown;
  readonly source: EffectiveSource;
  /** What holds without a value, in words. */
  readonly default?: string;
  /** The key of the settings that says it. */
  readonly setting?: string;
  /** The file that it stands in. */
  readonly file?: string;
  /** More of them, if parts of a list come from several. */
  readonly otherFiles?: readonly string[];
  readonly variable?: string;
  /** What weaker sources said, the strongest first. */
  readonly overridden?: readonly {
    readonly value: unknown;
    readonly source: EffectiveSource;
    readonly file?: string;
  }[];
  /** What a control, a hook or a plan has put in its place while the session runs. */
  readonly inForce?: unknown;
  /** It does nothing in this version. */
  readonly hasNoEffect?: true;
}

/** A tool that there is. */
export interface EffectiveTool {
  readonly name: string;
  /** `built-in`, or `mcp:` and the name of a server. */
  readonly source: string;
  /**
   * What a rule about the whole tool says of its calls: `auto_approved`, `asked`, `denied`; without one each call is
   * `decided` by its content and the permission mode.
   */
  readonly calls: 'auto_approved' | 'asked' | 'denied' | 'decided';
  readonly rule?: string;
  readonly ruleOrigin?: string;
  /** Left out of requests until the model has searched for it. */
  readonly isDeferred?: true;
}

export interface EffectiveParts {
  /** The model of the next request, unless a policy names another. */
  readonly model: string;
  readonly tools: readonly EffectiveTool[];
  readonly systemPrompt: readonly { readonly name: string; readonly characters: number; readonly file?: string }[];
}

/** What a session runs with, and where each part comes from. */
export interface EffectiveConfig extends EffectiveParts {
  readonly options: readonly EffectiveOption[];
  readonly rules: readonly SDKPermissionRuleEntry[];
}

/** A rule about calls, and whose it is. */
export interface SDKPermissionRuleEntry {
  readonly behavior: PermissionBehavior;
  /** As it is written in settings: `Tool` or `Tool(content)`. */
  readonly rule: string;
  readonly source:
    | 'userSettings'
    | 'projectSettings'
    | 'localSettings'
    | 'flagSettings'
    | 'policySettings'
    | 'cliArg'
    | 'command'
    | 'session';
  /**
   * Where a change of it is kept: in a file of settings, or in this session; `readonly`: nobody changes it from here.
   */
  readonly editability: 'persistent' | 'session' | 'readonly';
}

export interface SDKControlListPermissionRulesResponse {
  readonly state: {
    readonly rules: SDKPermissionRuleEntry[];
    readonly workspaceDirectories: { readonly path: string; readonly source: string }[];
    readonly originalCwd: string;
    readonly managedOnly: boolean;
  };
}

export interface SDKControlGetTaskOutputResponse {
  readonly output: string;
  readonly total_bytes: number;
  readonly truncated: boolean;
}

export interface SDKPlanModeSnapshot {
  readonly active: boolean;
}

export interface SideQuestionHistoryEntry {
  readonly question: string;
  readonly response: string;
}

export interface AskSideQuestionOptions {
  readonly signal?: AbortSignal;
  /** Earlier side questions and their answers. */
  readonly history?: readonly SideQuestionHistoryEntry[];
}

export interface SideQuestionResult {
  readonly response: string;
  /** The text is the engine's own, not the model's. */
  readonly synthetic: boolean;
}

/** A model behind a key of one's own. */
export interface ByokModelConfigInput {
  readonly provider: string;
  readonly model: string;
  /** `api_key` and what else the provider asks for. */
  readonly parameters: Record<string, string>;
  readonly key?: string;
  readonly displayName?: string;
  readonly type?: string;
  readonly baseUrl?: string;
  readonly style?: string;
  readonly reasoningEffort?: string;
  readonly contextWindow?: number;
}

export type ByokProtocol = 'openai' | 'openai-responses' | 'anthropic';

/** A provider of one's own. */
export interface CustomByokProviderConfigInput {
  readonly providerId: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly type?: 'openai-compatible' | 'alibaba' | 'aliyun-bailian';
  readonly protocol?: ByokProtocol;
  readonly authType?: 'bearer' | 'api-key';
  readonly displayName?: string;
  readonly model?: string;
  readonly models?: readonly {
    readonly model: string;
    readonly displayName?: string;
    readonly contextWindow?: number;
    readonly maxOutputTokens?: number;
    readonly capabilities?: {
      readonly tools?: boolean;
      readonly vision?: boolean;
      readonly cacheControl?: boolean;
      readonly thinking?: object;
    };
  }[];
}

export type CreateByokConfigInput = ByokModelConfigInput | CustomByokProviderConfigInput;
export type CheckByokConfigInput = CreateByokConfigInput;
export type UpdateByokConfigInput =
  | ({ readonly key: string } & Partial<Omit<ByokModelConfigInput, 'key'>>)
  | ({ readonly providerId: string } & Partial<Omit<CustomByokProviderConfigInput, 'providerId'>>);
export type ByokConfigReference = { readonly key: string } | { readonly providerId: string };
export type DeleteByokConfigInput = ByokConfigReference;

/** What is kept about a model or a provider of one's own; never its key. */
export interface ByokModelConfigInfo {
  readonly key: string;
  readonly displayName: string;
  readonly provider: string;
  readonly model: string;
  readonly type?: string;
  readonly baseUrl?: string;
  readonly style?: string;
  readonly vision: boolean;
  readonly reasoning: boolean;
  readonly maxInputTokens: number;
  readonly reasoningEffort?: string;
  readonly contextWindow?: number;
}

export interface CustomByokProviderConfigInfo {
  readonly providerId: string;
  readonly displayName: string;
  readonly baseUrl: string;
  readonly providerType: 'openai-compatible' | 'alibaba';
  readonly protocol: ByokProtocol;
  readonly authType: 'bearer' | 'api-key';
  readonly defaultModelId: string;
  readonly models: {
    readonly id: string;
    readonly displayName: string;
    readonly vision: boolean;
    readonly reasoning: boolean;
    readonly maxInputTokens: number;
    readonly maxOutputTokens: number;
  }[];
}

export type ByokConfigInfo = ByokModelConfigInfo | CustomByokProviderConfigInfo;

export interface ByokConfigCheckResult {
  readonly success: boolean;
  /** Why, without the key. */
  readonly error?: string;
  readonly code?: string;
  readonly details?: { readonly field?: string; readonly httpStatus?: number; readonly upstreamCode?: string };
}

export interface BYOKModelValidationInput {
  readonly provider: string;
  readonly model: string;
  readonly api_key: string;
  readonly url?: string;
  readonly style?: string;
}

export interface PluginDetails {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  readonly source: string;
  readonly version: string;
  readonly scope: string;
  readonly enabled: boolean;
}
