// The published surface of `turnwright/protocol`. Written by `npm run api`; a change here is a change for users.

// protocol/capabilities.ts

/** The versions of published programs whose stream ours is like: `system/init` names them for who reads them there. */
export declare const CLAUDE_CODE_VERSION = '2.1.330';

export declare const QODERCLI_VERSION = '1.1.49';

/**
 * Names that published clients ask for before they use something.
 * `interrupt_receipt_v1`: an interrupt answers with the messages that still wait. `session_rewind_v1`: the conversation
 * and its files can be set back. `background_tasks_v1`: tasks in the background can be stopped.
 * `interrupt_cancel_queued_v1`: an interrupt can drop the messages that wait. `plan_mode_v1`: `setPlanMode`.
 * `side_question_v1`: `askSideQuestion`. `byok_config_management_v1`: `createByokConfig` and those beside it.
 * `goal_v1`, `goal_max_turns_v1`: `setGoal` and those beside it. `reload_skills_v1`: `reloadSkills`.
 * `reload_plugins_refuse_if_busy_v1`: `refuseIfBusy` of `reloadPlugins`. `mcp_read_resource_v1`: `readMcpResource`.
 */
export declare const CAPABILITIES: readonly [
  'interrupt_receipt_v1',
  'interrupt_cancel_queued_v1',
  'session_rewind_v1',
  'background_tasks_v1',
  'plan_mode_v1',
  'side_question_v1',
  'byok_config_management_v1',
  'goal_v1',
  'goal_max_turns_v1',
  'reload_skills_v1',
  'reload_plugins_refuse_if_busy_v1',
  'mcp_read_resource_v1',
];

// protocol/content.ts

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly unknown[] | null;
  /** In a system prompt: caches keep what ends here by itself. */
  readonly cache_control?: {
    readonly type: 'ephemeral';
  };
}

export interface Base64Source {
  readonly type: 'base64';
  readonly media_type: string;
  readonly data: string;
}

export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: Base64Source | UrlSource;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source:
    | Base64Source
    | UrlSource
    | {
        readonly type: 'text';
        readonly media_type: 'text/plain';
        readonly data: string;
      };
  readonly title?: string | null;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Signed by the model's provider. Contract: opaque; passed back byte-identical or not at all. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock;

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly ToolResultContent[];
  readonly is_error?: boolean;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;

export type ContentBlock = AssistantBlock | UserBlock;

export interface AssistantMessageParam {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
}

export interface UserMessageParam {
  readonly role: 'user';
  readonly content: string | readonly UserBlock[];
}

/** One message of a conversation as a provider gets it. */
export type MessageParam = UserMessageParam | AssistantMessageParam;

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** What was written to the prompt cache, by how long it is kept. Units: tokens. */
export interface CacheCreation {
  readonly ephemeral_5m_input_tokens: number;
  readonly ephemeral_1h_input_tokens: number;
}

/** Token counts of one reply, or a sum of them. Units: tokens. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  /** The parts of `cache_creation_input_tokens`, if the API tells them. Absent: all of it for five minutes. */
  readonly cache_creation?: CacheCreation;
}

export declare const EMPTY_USAGE: Usage;

/** A whole model reply: the `message` of an assistant message. */
export interface AssistantMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  readonly usage: Usage;
  /** How the provider names the request it came from, if it does. */
  readonly request_id?: string;
}

export type ContentBlockStart =
  | {
      readonly type: 'text';
      readonly text: string;
    }
  | {
      readonly type: 'thinking';
      readonly thinking: string;
      readonly signature?: string;
    }
  | {
      readonly type: 'redacted_thinking';
      readonly data: string;
    }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

export type ContentDelta =
  | {
      readonly type: 'text_delta';
      readonly text: string;
    }
  | {
      readonly type: 'input_json_delta';
      readonly partial_json: string;
    }
  | {
      readonly type: 'thinking_delta';
      readonly thinking: string;
    }
  | {
      readonly type: 'signature_delta';
      readonly signature: string;
    };

/** Contract: `message_start` first, each block opened, filled and closed, `message_delta`, `message_stop` last. */
export type ModelEvent =
  | {
      readonly type: 'message_start';
      readonly message: AssistantMessage;
    }
  | {
      readonly type: 'content_block_start';
      readonly index: number;
      readonly content_block: ContentBlockStart;
    }
  | {
      readonly type: 'content_block_delta';
      readonly index: number;
      readonly delta: ContentDelta;
    }
  | {
      readonly type: 'content_block_stop';
      readonly index: number;
    }
  | {
      readonly type: 'message_delta';
      readonly delta: {
        readonly stop_reason: StopReason | null;
        readonly stop_sequence: string | null;
      };
      readonly usage: Partial<Usage>;
    }
  | {
      readonly type: 'message_stop';
    };

// protocol/control.ts

export declare const WIRE_PROTOCOL_VERSION = '1.4.0';

/** Dispatch on `request.subtype ?? request.type`: one published client sends both, some only one. */
export interface SDKControlRequest {
  readonly type: 'control_request';
  /** Opaque, unique for its sender. */
  readonly request_id: string;
  readonly request: {
    readonly subtype?: string;
    readonly type?: string;
    readonly [field: string]: unknown;
  };
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
  readonly skills?: {
    readonly name: string;
    readonly description?: string;
    readonly source?: string;
  }[];
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
  readonly memoryFiles: {
    readonly path: string;
    readonly type: string;
    readonly tokens: number;
  }[];
  readonly mcpTools: {
    readonly name: string;
    readonly serverName: string;
    readonly tokens: number;
    readonly isLoaded?: boolean;
  }[];
  readonly systemTools?: {
    readonly name: string;
    readonly tokens: number;
  }[];
  readonly systemPromptSections?: {
    readonly name: string;
    readonly tokens: number;
  }[];
  readonly agents: {
    readonly agentType: string;
    readonly source: string;
    readonly tokens: number;
  }[];
  readonly skills: {
    readonly totalSkills: number;
    readonly includedSkills: number;
    readonly tokens: number;
    readonly skillFrontmatter: {
      readonly name: string;
      readonly source: string;
      readonly tokens: number;
    }[];
    readonly count: number;
    readonly percentageOfContext: number;
    readonly items: {
      readonly name: string;
      readonly source: string;
      readonly percentageOfContext: number;
    }[];
  };
  readonly messageBreakdown?: {
    readonly toolCallTokens: number;
    readonly toolResultTokens: number;
    readonly attachmentTokens: number;
    readonly assistantMessageTokens: number;
    readonly userMessageTokens: number;
    readonly redirectedContextTokens: number;
    readonly unattributedTokens: number;
    readonly toolCallsByType: {
      readonly name: string;
      readonly callTokens: number;
      readonly resultTokens: number;
    }[];
    readonly attachmentsByType: {
      readonly name: string;
      readonly tokens: number;
    }[];
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
  readonly contextWindow: {
    readonly usedPercentage: number;
  };
  readonly autoCompact: {
    readonly enabled: boolean;
    readonly thresholdPercentage: number;
  };
  readonly duplicateFileReads: {
    readonly path: string;
    readonly count: number;
  }[];
  readonly session: {
    readonly messageCount: number;
    readonly promptCount: number;
    readonly toolCalls: {
      readonly total: number;
      readonly succeeded: number;
      readonly failed: number;
    };
    readonly linesChanged: {
      readonly added: number;
      readonly removed: number;
    };
  };
}

export interface SDKControlAddDirectoriesResponse {
  /** Absolute paths that were added now. */
  readonly added: string[];
  readonly failed: {
    readonly path: string;
    readonly error: string;
  }[];
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
  readonly plugins: {
    readonly name: string;
    readonly path: string;
    readonly source?: string;
  }[];
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
  readonly events: (HookListingEvent & {
    readonly hookCount: number;
  })[];
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
  readonly suggestions: {
    readonly path: string;
    readonly type: 'file' | 'directory';
  }[];
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
  readonly sources: {
    readonly source: string;
    readonly settings: Record<string, unknown>;
  }[];
  /** What the running session uses. */
  readonly applied: {
    readonly model: string;
    readonly effort: EffortLevel | null;
  };
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
  readonly systemPrompt: readonly {
    readonly name: string;
    readonly characters: number;
    readonly file?: string;
  }[];
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
    readonly workspaceDirectories: {
      readonly path: string;
      readonly source: string;
    }[];
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
  | ({
      readonly key: string;
    } & Partial<Omit<ByokModelConfigInput, 'key'>>)
  | ({
      readonly providerId: string;
    } & Partial<Omit<CustomByokProviderConfigInput, 'providerId'>>);

export type ByokConfigReference =
  | {
      readonly key: string;
    }
  | {
      readonly providerId: string;
    };

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
  readonly details?: {
    readonly field?: string;
    readonly httpStatus?: number;
    readonly upstreamCode?: string;
  };
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

// protocol/envelope.ts

/** Stamped on every message that leaves a session. */
export interface SDKEnvelope {
  readonly uuid: string;
  readonly session_id: string;
}

/** Why a reply or a request failed, as the published SDKs name it. The last four are for servers that say so. */
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'unknown'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'cloud_credential_error';

// protocol/errors.ts

export type EngineErrorCode =
  | 'config_invalid'
  | 'rule_invalid'
  | 'not_supported'
  | 'session_not_found'
  | 'session_invalid'
  | 'session_in_use'
  | 'transcript_unwritable'
  | 'tool_failed'
  | 'model_failed'
  | 'host_failed';

export declare class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly retryable: boolean;
  constructor(
    code: EngineErrorCode,
    message: string,
    options?: {
      cause?: unknown;
      retryable?: boolean;
    },
  );
}

/** True for an `EngineError` of any copy of this package, which `instanceof` would miss. */
export declare function isEngineError(error: unknown): error is EngineError;

/** An option, flag, setting or rule that cannot be used. */
export declare class ConfigError extends EngineError {
  constructor(
    message: string,
    options?: {
      cause?: unknown;
      code?: 'config_invalid' | 'rule_invalid' | 'not_supported';
    },
  );
}

/** A session that cannot be found, read or written. */
export declare class SessionError extends EngineError {
  constructor(
    code: 'session_not_found' | 'session_invalid' | 'session_in_use' | 'transcript_unwritable',
    message: string,
    cause?: unknown,
  );
}

/** The child process that a session runs in ended too soon, or failed. */
export declare class ChildProcessError extends EngineError {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to its stderr. */
  readonly stderr: string;
  constructor(
    message: string,
    details: {
      exitCode: number | null;
      signal: string | null;
      stderr: string;
      cause?: unknown;
    },
  );
}

/**
 * A tool's failure that the model should read: the message becomes the text of an error `tool_result`.
 * Anything else a tool throws is a bug in the tool and is reported as such.
 */
export declare class ToolError extends EngineError {
  /** Typed data for the caller, if a failing tool has some (for example a command's output). */
  readonly data: unknown;
  constructor(message: string, data?: unknown);
}

/** Why a model request failed. `connection`: no answer came; `malformed`: an answer came that is not the protocol. */
export type ModelErrorKind =
  | 'connection'
  | 'timeout'
  | 'stream_cut'
  | 'stream_idle'
  | 'malformed'
  | 'overloaded'
  | 'rate_limit'
  | 'quota'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'context_overflow'
  | 'request_too_large'
  | 'invalid_request'
  | 'server'
  | 'aborted';

/** The part of a request that the model's server named as its reason to refuse it. */
export type RefusedPart =
  /** An image or document: `part` counts inside a tool result. Null if the server did not say which. */
  | {
      readonly kind: 'media';
      readonly place: {
        readonly message: number;
        readonly block: number;
        readonly part: number | null;
      } | null;
    }
  /** Thinking whose signature does not hold. */
  | {
      readonly kind: 'thinking';
    }
  /** The way in which thinking, or effort, is asked for: the model does not know it. */
  | {
      readonly kind: 'thinking_mode' | 'effort';
    }
  /** The schema of the answer, or that there is one. */
  | {
      readonly kind: 'output_schema';
    }
  /** An output limit above what the model gives, tokens. */
  | {
      readonly kind: 'max_tokens';
      readonly limit: number;
    };

/** The only error a provider throws. */
export declare class ModelError extends EngineError {
  readonly kind: ModelErrorKind;
  /** HTTP status, or null if no response came. */
  readonly status: number | null;
  /** How long the server asked to wait, milliseconds, or null. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** Which limit was reached, in the server's words; null if it named none. */
  readonly limitType: string | null;
  /** Without it the request may be taken; null if the server named nothing. */
  readonly refused: RefusedPart | null;
  constructor(
    kind: ModelErrorKind,
    message: string,
    details?: {
      status?: number | null;
      retryAfterMs?: number | null;
      requestId?: string | null;
      limitType?: string | null;
      refused?: RefusedPart | null;
      /** What the server itself said of it; absent: the kind decides. */
      retryable?: boolean;
      cause?: unknown;
    },
  );
}

/** Thrown if the caller's own abort ended the work. */
export declare class AbortError extends Error {
  constructor(message?: string);
}

/** `resolveModel` did not answer within `resolveModelTimeoutMs`. The query fails; nothing is fallen back to. */
export declare class ModelPolicyTimeoutError extends Error {
  /** How long was waited. */
  readonly timeoutMs: number;
  constructor(message?: string, timeoutMs?: number);
}

// protocol/goals.ts

export declare const GOAL_STATUSES: readonly [
  'active',
  'paused',
  'blocked',
  'usage_limited',
  'budget_limited',
  'complete',
];

export type SDKGoalStatus = (typeof GOAL_STATUSES)[number];

/**
 * What the session works towards, over as many turns as it takes. Times are seconds, `*_at` since 1970; credits are US
 * dollars.
 */
export interface SDKGoalSnapshot {
  readonly id: string;
  readonly objective: string;
  readonly status: SDKGoalStatus;
  readonly turns_used: number;
  readonly max_turns?: number;
  readonly time_used_seconds: number;
  readonly credits_budget?: number;
  readonly credits_used?: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SetGoalParams {
  readonly objective?: string;
  readonly status?: SDKGoalStatus;
  readonly creditsBudget?: number | null;
}

// protocol/hooks.ts

export declare const HOOK_EVENTS: readonly [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'DirectoryAdded',
  'MessageDisplay',
];

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Fields every hook input has. */
export interface BaseHookInput {
  readonly hook_event_name: HookEvent;
  readonly session_id: string;
  /** Path of the session's transcript, or '' if the session keeps none. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode?: string | undefined;
  readonly agent_id?: string;
  readonly agent_type?: string;
  /** Uuid of the user message that is answered; absent before the first. */
  readonly prompt_id?: string;
  /** How much work the model puts in, if that was said. */
  readonly effort?: {
    readonly level: string;
  };
  /** The model of the session's next request. */
  readonly model?: string;
}

/** What a hook answers. All fields optional; `{}` lets things go on. */
export interface HookJSONOutput {
  /** False ends the prompt. */
  readonly continue?: boolean;
  readonly suppressOutput?: boolean;
  readonly stopReason?: string;
  readonly decision?: 'approve' | 'block';
  readonly systemMessage?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
  /** True: the hook goes on by itself and its answer has no effect, whatever else it says. */
  readonly async?: boolean;
  readonly asyncTimeout?: number;
}

/**
 * A hook given as code.
 * Contract: called with a signal that is aborted at the timeout or when the session is; a throw is a failed hook.
 */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: {
    signal: AbortSignal;
  },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  /**
   * Which firings the hooks see: a name, a list (`Edit|Write`), or a regular expression over the whole tool name. Other
   * events match their own subject, for example the source of SessionStart. Absent, '' and '*' match all.
   */
  readonly matcher?: string;
  readonly hooks: HookCallback[];
  /** Seconds; 60 when absent. */
  readonly timeout?: number;
  /**
   * What a hook that throws, times out or gives no usable answer means: 'continue' (the default) lets things go on,
   * 'block' counts as a refusal. 'block' is accepted for the events a hook can block.
   */
  readonly onFailure?: 'continue' | 'block';
}

export interface PreToolUseHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreToolUse';
  readonly permission_mode: string | undefined;
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
}

export interface PostToolUseHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolUse';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
  readonly tool_use_id: string;
  readonly duration_ms?: number;
}

export interface PostToolUseFailureHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly error: string;
  readonly is_interrupt: boolean | undefined;
  readonly tool_use_id: string;
  readonly duration_ms?: number;
}

export interface UserPromptSubmitHookInput extends BaseHookInput {
  readonly hook_event_name: 'UserPromptSubmit';
  readonly prompt: string;
  /** `user`: a person follows the session as at a terminal; `sdk`: a program does. */
  readonly source?: 'user' | 'sdk';
}

export interface SessionStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionStart';
  readonly source: string;
  readonly model?: string;
  /** The session's own agent, if it has a name. */
  readonly agent_type?: string;
  readonly session_title?: string;
}

export interface SessionEndHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionEnd';
  readonly reason: string;
}

export interface StopHookInput extends BaseHookInput {
  readonly hook_event_name: 'Stop';
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
}

export interface SubagentStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStart';
  readonly agent_id: string;
  readonly agent_type: string;
}

export interface SubagentStopHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStop';
  readonly stop_hook_active: boolean;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly agent_transcript_path?: string;
  readonly last_assistant_message?: string;
}

export interface PreCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreCompact';
  readonly trigger: string;
  readonly custom_instructions: string | null;
}

export interface PostCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostCompact';
  readonly trigger: string;
  readonly compact_summary: string;
}

export interface CwdChangedHookInput extends BaseHookInput {
  readonly hook_event_name: 'CwdChanged';
  readonly old_cwd: string;
  readonly new_cwd: string;
}

export interface InstructionsLoadedHookInput extends BaseHookInput {
  readonly hook_event_name: 'InstructionsLoaded';
  readonly load_reason: string;
  readonly file_path?: string;
  readonly memory_type?: string;
}

export interface FileChangedHookInput extends BaseHookInput {
  readonly hook_event_name: 'FileChanged';
  readonly file_path: string;
  readonly event: string;
}

export interface PermissionRequestHookInput extends BaseHookInput {
  readonly hook_event_name: 'PermissionRequest';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly permission_suggestions: PermissionUpdate[] | undefined;
}

export interface NotificationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Notification';
  readonly message: string;
  readonly title?: string;
  readonly notification_type: string;
}

export interface StopFailureHookInput extends BaseHookInput {
  readonly hook_event_name: 'StopFailure';
  readonly error: string;
  readonly error_details?: string;
  readonly last_assistant_message?: string;
}

export interface PermissionDeniedHookInput extends BaseHookInput {
  readonly hook_event_name: 'PermissionDenied';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly reason: string;
  /** The same, by its other name. */
  readonly denial_reason?: string;
}

export interface SetupHookInput extends BaseHookInput {
  readonly hook_event_name: 'Setup';
  readonly trigger: string;
}

export interface TeammateIdleHookInput extends BaseHookInput {
  readonly hook_event_name: 'TeammateIdle';
  readonly teammate_name: string;
  readonly team_name: string;
}

export interface TaskCreatedHookInput extends BaseHookInput {
  readonly hook_event_name: 'TaskCreated';
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
}

export interface TaskCompletedHookInput extends BaseHookInput {
  readonly hook_event_name: 'TaskCompleted';
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
}

export interface ElicitationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Elicitation';
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: 'form' | 'url';
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: Record<string, unknown>;
}

export interface ElicitationResultHookInput extends BaseHookInput {
  readonly hook_event_name: 'ElicitationResult';
  readonly mcp_server_name: string;
  readonly elicitation_id?: string;
  readonly mode?: 'form' | 'url';
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

export interface ConfigChangeHookInput extends BaseHookInput {
  readonly hook_event_name: 'ConfigChange';
  readonly source: string;
  readonly file_path?: string;
}

export interface WorktreeCreateHookInput extends BaseHookInput {
  readonly hook_event_name: 'WorktreeCreate';
  readonly name: string;
}

export interface WorktreeRemoveHookInput extends BaseHookInput {
  readonly hook_event_name: 'WorktreeRemove';
  readonly worktree_path: string;
}

/** A call of a batch, and what the model reads of it. */
export interface PostToolBatchToolCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly tool_response?: unknown;
}

export interface PostToolBatchHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolBatch';
  readonly tool_calls: readonly PostToolBatchToolCall[];
}

export interface UserPromptExpansionHookInput extends BaseHookInput {
  readonly hook_event_name: 'UserPromptExpansion';
  readonly expansion_type: 'slash_command' | 'mcp_prompt';
  readonly command_name: string;
  readonly command_args: string;
  readonly command_source?: string;
  /** As it was typed. */
  readonly prompt: string;
}

interface ModelSwitchFields {
  readonly from_model: string;
  readonly to_model: string;
  /** Null: back to the session's first model. */
  readonly requested_model: string | null;
  /** Tokens that the next request sends again. */
  readonly context_tokens: number;
  /** True if the last reply is so young that a prompt cache still holds, as far as its age says. */
  readonly prompt_cache_warm: boolean;
  readonly cache_ttl: '5m' | '1h';
  /** What it costs to write those tokens into the new model's cache; 0 if its price is not known (`default`). */
  readonly estimated_cache_write_usd: number;
  readonly pricing: 'configured' | 'catalog' | 'default';
}

export interface PreModelSwitchHookInput extends BaseHookInput, ModelSwitchFields {
  readonly hook_event_name: 'PreModelSwitch';
  readonly source: 'command' | 'picker' | 'sdk';
}

export interface PostModelSwitchHookInput extends BaseHookInput, ModelSwitchFields {
  readonly hook_event_name: 'PostModelSwitch';
  readonly source: 'command' | 'picker' | 'sdk' | 'auto' | 'resume';
}

export interface DirectoryAddedHookInput extends BaseHookInput {
  readonly hook_event_name: 'DirectoryAdded';
  /** Absolute. */
  readonly directory: string;
  readonly source: 'slash_command' | 'register_repo_root';
}

export interface MessageDisplayHookInput extends BaseHookInput {
  readonly hook_event_name: 'MessageDisplay';
  /** Uuid of the user message that is answered. */
  readonly turn_id: string;
  /** Uuid of the message that is shown. */
  readonly message_id: string;
  readonly index: number;
  readonly final: boolean;
  readonly delta: string;
}

export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | SetupHookInput
  | TeammateIdleHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | InstructionsLoadedHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | PostToolBatchHookInput
  | UserPromptExpansionHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | DirectoryAddedHookInput
  | MessageDisplayHookInput;

// protocol/json.ts

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | {
      [key: string]: JsonValue;
    };

export type JsonObject = {
  [key: string]: JsonValue;
};

/** A JSON Schema document, any draft. Kept open: the engine passes it on as it is; only drafts before 4 are said in newer words. */
export type JsonSchema = {
  readonly [keyword: string]: unknown;
};

// protocol/mcp.ts

export type McpStdioServerConfig = {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
};

/** A server of the older kind, with a stream of events. */
export type McpSSEServerConfig = McpRemoteServerConfig & {
  readonly type: 'sse';
};

/** A server by Streamable HTTP. */
export type McpHttpServerConfig = McpRemoteServerConfig & {
  readonly type: 'http';
};

/** What servers that are reached over the network have in common. */
export interface McpRemoteServerConfig {
  /** Of http or https, without a user in it. */
  readonly url: string;
  /** Sent with each request to its origin. With an `authorization` in it nobody is asked to sign in. */
  readonly headers?: Record<string, string>;
  /** A line for the shell that prints more headers as a JSON object, within 10 seconds, before each connection. */
  readonly headersHelper?: string;
  /** Longest call, milliseconds; 0: no limit. Default: `limits.mcpToolTimeoutMs`. */
  readonly timeout?: number;
  /** How to sign in. Default: what the server says; false: nobody is asked to. */
  readonly oauth?: McpOAuthConfig | false;
}

/** What somebody registered by hand with an authorization server. */
export interface McpOAuthConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Address of a document of client metadata: the client's id at servers that take such ids. */
  readonly clientMetadataUrl?: string;
  /** Port of `http://localhost:PORT/callback`, where the browser comes back to. Default: any that is free. */
  readonly callbackPort?: number;
  /** Asked for in place of what the server names, by spaces. */
  readonly scopes?: string;
}

/**
 * A server that runs in this process: made by `createSdkMcpServer()`, or an `McpServer` or `Server` of
 * `@modelcontextprotocol/sdk` (1.x) or `@modelcontextprotocol/server` (2.x). One of these serves one session at a time.
 */
export type McpSdkServerConfigWithInstance<Instance = McpSdkServer | ConnectableMcpServer> = {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: Instance;
};

/** What is used of a server of the published libraries. */
export interface ConnectableMcpServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** An in-process server: the tools it has, and a way to call one. */
export interface McpSdkServer {
  readonly name: string;
  readonly version: string;
  listTools(): readonly McpListedTool[];
  /** Validates `args`, then runs the tool. Contract: never throws; a failure is `isError: true` with its text. */
  callTool(name: string, args: unknown, extra: McpCallExtra): Promise<CallToolResult>;
}

/** What a tool of an in-process server may know of its call, and do in its session while the call runs. */
export interface McpCallExtra {
  readonly signal: AbortSignal;
  /** Of the call; unique within its server. */
  readonly requestId?: string | number;
  readonly sessionId?: string;
  /** What came with the call; its `progressToken` goes into `notifications/progress`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Says how far the call is (`notifications/progress`), or writes to the log (`notifications/message`). */
  sendNotification?(notification: { readonly method: string; readonly params?: object }): Promise<void>;
  /**
   * Asks the session, as a server may: `elicitation/create`, `sampling/createMessage`, `roots/list`.
   * Contract: rejects with an Error if that is not allowed or not known.
   */
  sendRequest?(
    request: {
      readonly method: string;
      readonly params?: object;
    },
    schema?: unknown,
  ): Promise<unknown>;
}

/** The session that a call of an in-process server belongs to. */
export interface McpCallSession {
  readonly sessionId: string;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** Why it is not connected, for people. */
  readonly error?: string;
  /** What it calls itself. */
  readonly serverInfo?: {
    readonly name: string;
    readonly version: string;
  };
  /** How it is reached: no values of headers and variables, which may be secrets. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Who named it: `dynamic` for the host and the command line, `project` for `.mcp.json`, else the settings. */
  readonly scope?: string;
  /** What it can do, by the names of the protocol. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    /** What the server says of it: hints, and no permission. */
    readonly annotations?: {
      readonly readOnly?: boolean;
      readonly destructive?: boolean;
      readonly openWorld?: boolean;
    };
  }[];
}

/** A server that the host connected to, as `QueryEngineConfig.mcpClients` takes it. */
export interface MCPServerConnection {
  readonly name: string;
  readonly type: McpServerStatus['status'];
  /** Needed if the type is `connected`. The host closes it, not the session. */
  readonly client?: McpClient;
  /** Why it is not connected, for people. */
  readonly error?: string;
  /** As in `McpServerStatus`. */
  readonly scope?: string;
  /** As in `McpServerStatus`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * What is used of an MCP client. The `Client` of `@modelcontextprotocol/sdk` (1.x) and of
 * `@modelcontextprotocol/client` (2.x) are such clients, and so is any object with the first two methods.
 */
export interface McpClient {
  /** One page of the tools; asked again with `nextCursor` while there is one. */
  listTools(
    params?: {
      readonly cursor?: string;
    },
    options?: McpRequestOptions,
  ): Promise<{
    readonly tools: readonly McpListedTool[];
    readonly nextCursor?: string | undefined;
  }>;
  /**
   * Runs a tool; resolves with a `CallToolResult`. Contract: options are passed as the second argument if the
   * method declares two parameters, else as the third, as the published clients want it.
   */
  callTool(
    params: {
      readonly name: string;
      readonly arguments?: Record<string, unknown>;
    },
    ...options: never[]
  ): Promise<unknown>;
  /** What the server said it can do; absent or undefined: tools, and nothing else. */
  getServerCapabilities?(): object | undefined;
  getServerVersion?():
    | {
        readonly name: string;
        readonly version: string;
      }
    | undefined;
  /** How to use the server, as it says. */
  getInstructions?(): string | undefined;
  listResources?(
    params?: {
      readonly cursor?: string;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  listResourceTemplates?(
    params?: {
      readonly cursor?: string;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  readResource?(
    params: {
      readonly uri: string;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  subscribeResource?(
    params: {
      readonly uri: string;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  listPrompts?(
    params?: {
      readonly cursor?: string;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  getPrompt?(
    params: {
      readonly name: string;
      readonly arguments?: Record<string, string>;
    },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  complete?(params: McpCompleteParams, options?: McpRequestOptions): Promise<unknown>;
}

/** What is asked of a server that completes arguments: `completion/complete`. */
export interface McpCompleteParams {
  readonly ref:
    | {
        readonly type: 'ref/prompt';
        readonly name: string;
      }
    | {
        readonly type: 'ref/resource';
        readonly uri: string;
      };
  readonly argument: {
    readonly name: string;
    readonly value: string;
  };
  readonly context?: {
    readonly arguments?: Record<string, string>;
  };
}

export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Each progress starts the time anew. */
  readonly resetTimeoutOnProgress?: boolean;
  /** For servers of this process: the session that calls. */
  readonly session?: McpCallSession;
  onprogress?(progress: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
}

/** A tool as a server lists it. */
export interface McpListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** A JSON Schema of type object. */
  readonly inputSchema: JsonSchema;
  readonly annotations?:
    | {
        readonly [Hint in keyof ToolAnnotations]?: ToolAnnotations[Hint] | undefined;
      }
    | undefined;
  /** `anthropic/alwaysLoad`: true, it is never left out of requests. `anthropic/searchHint`: words to find it by. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** `taskSupport: 'required'`: it runs as a task of the server. */
  readonly execution?:
    | {
        readonly taskSupport?: string | undefined;
      }
    | undefined;
}

/** A prompt as a server lists it. */
export interface McpListedPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
}

export type AgentMcpServerSpec = string | Record<string, McpServerConfig>;

/** Hints for scheduling and display; never a permission. */
export type ToolAnnotations = {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

export type McpToolResultContent =
  | {
      type: 'text';
      text: string;
    }
  | {
      type: 'image';
      data: string;
      mimeType: string;
    }
  | {
      type: 'audio';
      data: string;
      mimeType: string;
    }
  | {
      type: 'resource_link';
      uri: string;
      name?: string;
      description?: string;
      mimeType?: string;
    }
  | {
      type: 'resource';
      resource: {
        uri: string;
        mimeType?: string;
        text?: string;
        blob?: string;
      };
    };

export type CallToolResult = {
  content: McpToolResultContent[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};

/** Of one server. Plain data, and secret as a whole. */
export interface McpCredentials {
  /** The authorization server that all of this belongs to: none of it is ever shown to another. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The ways to say who asks that the token endpoint knows; absent: it did not say. */
  readonly authMethods?: readonly string[];
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Where the client was registered to be sent back to. */
  readonly redirectUri?: string;
  /** Absent: only the client is known, and somebody has to sign in. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When it is refreshed before it is used: milliseconds since 1970 by the clock of this machine. Absent: once it is refused. */
  readonly expiresAt?: number;
  /** What was granted, by spaces. */
  readonly scope?: string;
  /** What the server asked for beyond that; the next sign-in asks for it too. */
  readonly wantedScope?: string;
  /** The resource that tokens are for. */
  readonly resource?: string;
}

/**
 * Where credentials of MCP servers are kept: by default the file of `turnwright login`, which only its owner can read.
 * Servers are named by a key of their name and address, so that another address never gets the credentials of this one.
 */
export interface McpTokenStore {
  /** Null if nothing is kept. */
  read(server: string): Promise<McpCredentials | null>;
  /** Null forgets. */
  write(server: string, credentials: McpCredentials | null): Promise<void>;
  /**
   * Runs `work` while nobody else runs work for this server, in other processes too: a refresh token is used once.
   * Absent: sessions of this process wait for each other, and those of others do not.
   */
  exclusive?<T>(server: string, work: () => Promise<T>): Promise<T>;
}

// protocol/messages.ts

/** One whole model reply, or the text of a local slash command (`message.model` is then `<synthetic>`). */
export interface SDKAssistantMessage extends SDKEnvelope {
  readonly type: 'assistant';
  readonly message: AssistantMessage;
  readonly parent_tool_use_id: string | null;
  /** Of a message in place of a reply: why there is none. Its text says the same in words. */
  readonly error?: SDKAssistantMessageError;
  /** What is shown in place of the text of the message: a hook for MessageDisplay said so. */
  readonly display_content?: string;
  /** True if the reply was cut by an abort. */
  readonly aborted?: boolean;
  /** The message of the user that it answers, or that was delivered last while it was written. */
  readonly user_message_uuid?: string;
  /** The subagent that said it, as `task_started` names it; these three are absent of the session's own agent. */
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  /** How the provider names the request, for its support. */
  readonly request_id?: string;
  readonly timestamp?: string;
}

/**
 * When a message that comes while a prompt runs is looked at. `next`: inside that prompt, after the results of its
 * tools, or else as the prompt after it. `now`: at once, the running prompt is interrupted. `later`: once nothing else
 * waits.
 */
export declare const MESSAGE_PRIORITIES: readonly ['now', 'next', 'later'];

export type MessagePriority = (typeof MESSAGE_PRIORITIES)[number];

/** Who a message comes from, as far as its sender says. Only `human` is what a user typed. */
export type SDKMessageOrigin =
  | {
      readonly kind: 'human';
    }
  | {
      readonly kind: 'channel';
      readonly server: string;
    }
  | {
      readonly kind: 'peer';
      readonly from?: string;
      readonly name?: string;
      readonly body?: string;
      readonly senderTaskId?: string;
    }
  | {
      readonly kind: 'bridge';
      readonly sessionId?: string;
    }
  | {
      readonly kind: 'task-notification';
    };

/** A prompt, or the results of the tools a reply asked for. Given by the caller or made by the engine. */
export interface SDKUserMessage {
  readonly type: 'user';
  readonly uuid?: string;
  readonly session_id?: string;
  readonly parent_tool_use_id: string | null;
  readonly message: UserMessageParam;
  readonly isSynthetic?: boolean;
  /** Of a message that the caller sends. Absent: a prompt of its own, in its turn. */
  readonly priority?: MessagePriority;
  /** Of a message that the caller sends. False: it is part of the conversation and asks the model nothing; the next prompt takes it along. */
  readonly shouldQuery?: boolean;
  /** Of a message that the caller sends. True: a slash at its beginning is no command, and `@path` names no file. */
  readonly client_composed?: boolean;
  /** Absent: `human`. */
  readonly origin?: SDKMessageOrigin;
  /** Of a message that the caller sends: files below `cwd` that go along as those do that it names with `@path`. */
  readonly file_attachments?: readonly {
    readonly file_id?: string;
    readonly relative_path: string;
  }[];
  /** Typed output of the tool (spec 004's `*Output` types) if the message answers exactly one call. */
  readonly tool_use_result?: unknown;
  /** As in `SDKAssistantMessage`. */
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  readonly timestamp?: string;
}

/** A user message the caller already knows, shown again (`replayUserMessages`, resume). */
export interface SDKUserMessageReplay extends SDKUserMessage, SDKEnvelope {
  readonly uuid: string;
  readonly session_id: string;
  readonly subtype: 'replay';
  readonly isReplay: true;
}

/** Tokens and cost of one model. `costUSD` is null if no price is known. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number | null;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** What ended the prompt, finer than the subtype. */
export type TerminalReason =
  | 'completed'
  | 'local_command'
  | 'max_turns'
  | 'budget_exhausted'
  | 'task_budget'
  | 'aborted'
  | 'permission_interrupt'
  | 'loop_detected'
  | 'hook_stopped'
  | 'max_output_tokens'
  | 'prompt_too_long'
  | 'refusal'
  | 'empty_reply'
  | 'api_error'
  | 'structured_output_retry_exhausted'
  | 'turn_setup_failed'
  /** Calls wait for a decision that may come later, also to another process. */
  | 'tool_deferred'
  | 'engine_error';

interface SDKResultCommon extends SDKEnvelope {
  readonly type: 'result';
  readonly is_error: boolean;
  /** Wall time of the prompt, milliseconds. */
  readonly duration_ms: number;
  /** Time spent in model requests of the prompt, milliseconds. */
  readonly duration_api_ms: number;
  /** From the first request of the prompt that was answered to the first event of its answer, milliseconds. */
  readonly ttft_ms?: number;
  /** Model replies of the prompt. */
  readonly num_turns: number;
  /** Final text; on an error the partial text, or the error's text if there is none. */
  readonly result: string;
  readonly stop_reason: string | null;
  /** Of the session so far: the sum of what is known; `cost_unknown` says that a model without a price took part. */
  readonly total_cost_usd: number;
  readonly cost_unknown?: boolean;
  /** Totals of the session so far, all models. */
  readonly usage: Usage;
  /** What this prompt alone used, all models and subagents. */
  readonly prompt_usage?: Usage;
  /** What this prompt alone cost; null if a model without a price took part. */
  readonly prompt_cost_usd?: number | null;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  /** Every call refused in the session so far. */
  readonly permission_denials: readonly SDKPermissionDenial[];
  readonly structured_output?: unknown;
  readonly terminal_reason: TerminalReason;
  /** If a model request failed for good: the HTTP status; null if there was no answer to have one. */
  readonly api_error_status?: number | null;
  readonly fast_mode_state?: FastModeState;
  /** Of the prompt, if it was not one that a user typed. */
  readonly origin?: SDKMessageOrigin;
  /** The last of `user_message_uuids`. */
  readonly user_message_uuid?: string;
  /** The prompt, then the messages that were delivered while it ran. Absent if the prompt could not start. */
  readonly user_message_uuids?: readonly string[];
  /** Messages that wait to be prompts of their own. Absent if none does. */
  readonly queued_turn_count?: number;
}

export interface SDKResultSuccess extends SDKResultCommon {
  readonly subtype: 'success';
  /** The first of `deferred_tool_uses`. */
  readonly deferred_tool_use?: SDKDeferredToolUse;
  /** Calls that wait for a decision, in their order. Absent if none does. */
  readonly deferred_tool_uses?: readonly SDKDeferredToolUse[];
}

/** A call that waits for a decision. */
export interface SDKDeferredToolUse {
  readonly id: string;
  readonly name: string;
  /** What would run: as a PreToolUse hook changed it. */
  readonly input: Record<string, unknown>;
  /** Why it was not decided at once. */
  readonly reason?: string;
  /** From this time on it is denied, whatever is decided. Absent if it may wait for ever. */
  readonly expires_at?: string;
  /** The folder it starts in, if that is not the one of the session. */
  readonly cwd?: string;
}

export declare const RESULT_ERROR_SUBTYPES: readonly [
  'error_max_turns',
  'error_during_execution',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
];

export interface SDKResultError extends SDKResultCommon {
  readonly subtype: (typeof RESULT_ERROR_SUBTYPES)[number];
  readonly errors: readonly string[];
}

/** The last message of every prompt, exactly once. Check `subtype` before trusting `result`. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** One raw stream event, with `includePartialMessages`. The deltas of a message fold to exactly that message. */
export interface SDKPartialAssistantMessage extends SDKEnvelope {
  readonly type: 'stream_event';
  readonly event: ModelEvent;
  readonly parent_tool_use_id: string | null;
  /** With `message_start`: from the sending of the request to its first event, milliseconds. */
  readonly ttft_ms?: number;
  /** With `message_start`, of the session's own agent: the message that it answers. */
  readonly user_message_uuid?: string;
}

/** What a round of tools did, in one line, with `toolUseSummaries`. Comes when it is ready, after other messages too. */
export interface SDKToolUseSummaryMessage extends SDKEnvelope {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  /** The calls of the round. */
  readonly preceding_tool_use_ids: readonly string[];
}

/** A tool runs for long: told every few seconds. */
export interface SDKToolProgressMessage extends SDKEnvelope {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly task_id?: string;
  /** True if it says only that the call still runs. */
  readonly heartbeat?: boolean;
  /** How far it is, if its tool says so; of `total`, if that is known. */
  readonly progress?: number;
  readonly total?: number;
  /** What it does now, as its tool says it. */
  readonly message?: string;
  /** What the tool printed since the last, of much its end. */
  readonly output?: string;
}

/** Something is wrong with how the session shows who it is: a key was refused. */
export interface SDKAuthStatusMessage extends SDKEnvelope {
  readonly type: 'auth_status';
  readonly isAuthenticating: boolean;
  readonly output: readonly string[];
  readonly error?: string;
}

/** The conversation was forgotten: what was shown of it is over. */
export interface SDKConversationResetMessage extends SDKEnvelope {
  readonly type: 'conversation_reset';
  /** The session that the next prompt belongs to. */
  readonly new_conversation_id: string;
  readonly trigger?: 'clear';
  readonly user_message_uuid?: string;
  readonly timestamp?: string;
}

/** Over the wire, to clients that know it: what became of a message that they sent with an id. */
export interface SDKCommandLifecycleMessage extends SDKEnvelope {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded';
}

export interface SDKPromptSuggestionMessage extends SDKEnvelope {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

export interface SDKCloudAgentEventMessage extends SDKEnvelope {
  readonly type: 'cloud_agent_event';
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKSystemEventMessage
  | SDKPartialAssistantMessage
  | SDKToolUseSummaryMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKConversationResetMessage
  | SDKPromptSuggestionMessage
  | SDKRateLimitEvent
  | SDKCommandLifecycleMessage
  | SDKCloudAgentEventMessage;

export declare const EXIT_REASONS: readonly [
  'clear',
  'resume',
  'logout',
  'prompt_input_exit',
  'other',
  'bypass_permissions_disabled',
];

export type ExitReason = (typeof EXIT_REASONS)[number];

/** True for the message that ends a prompt. */
export declare function isResultMessage(message: SDKMessage): message is SDKResultMessage;

/** The content blocks of an assistant or user message, or undefined if the message has none. */
export declare function getMessageContentBlocks(message: SDKMessage): ContentBlock[] | undefined;

/** The fields of `system/init` that logs want. On any other message all of them are undefined. */
export declare function getSystemInitData(message: SDKMessage): {
  subtype?: string;
  model?: string;
  tools?: string[];
  session_id?: string;
};

/** The refused calls a result carries; empty for any other message. */
export declare function getPermissionDenials(message: SDKMessage): SDKPermissionDenial[];

export interface SDKRateLimitInfo {
  /**
   * `rejected`: the request was refused for it; `allowed`: requests are answered again; `allowed_warning`: it was answered,
   * but little is left.
   */
  readonly status: 'allowed' | 'allowed_warning' | 'rejected';
  /** When the limit is reset, seconds since 1970; absent if the server did not say. */
  readonly resetsAt?: number;
  /** Which limit it is, in the server's words, such as `five_hour`. */
  readonly rateLimitType?: string;
  /** Part of the limit that is used, 0 to 1; absent if the server did not say. */
  readonly utilization?: number;
}

/** A limit of the account or of the rate of requests is near, was reached, or is over. */
export interface SDKRateLimitEvent extends SDKEnvelope {
  readonly type: 'rate_limit_event';
  readonly rate_limit_info: SDKRateLimitInfo;
}

// protocol/model-options.ts

/** Names for models that are not models: each stands for one that fits. */
export declare const MODEL_TIERS: readonly ['auto', 'ultimate', 'performance', 'efficient', 'lite'];

export type ModelTier = (typeof MODEL_TIERS)[number];

/** The model of each tier: a name as the option `model` takes it, but no tier. */
export type ModelTiers = Readonly<Partial<Record<ModelTier, string>>>;

/** What the API of a provider speaks. */
export declare const PROVIDER_APIS: readonly ['anthropic', 'openai-responses', 'openai-chat'];

export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** A value, or the name of the variable that holds it. */
export type SecretInput =
  | string
  | {
      readonly envVar: string;
    };

/** The `auth` of the published SDKs. */
export type AuthOptions =
  /**
   * A bearer token for a server of your own: it is sent only if the address of the provider was set by a variable or
   * an option, never to a provider's own address.
   */
  | {
      readonly type: 'accessToken';
      readonly accessToken: SecretInput;
    }
  /** Keys of the environment and of `turnwright login`: what happens without `auth`. */
  | {
      readonly type: 'qodercli';
    };

export type FetchTokenReason = 'initial' | 'expiring' | 'unauthorized';

/** Fetches a token of a job or a service account. `expiresAt`: milliseconds since 1970; null: there is none. */
export type FetchToken = (
  request: {
    readonly requestId: string;
    readonly reason: FetchTokenReason;
    readonly sessionId?: string;
  },
  options: {
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly token: string;
  readonly expiresAt?: number;
} | null>;

/** Keys of providers. Without `provider`, they are for the one of the session's model, or for Anthropic. */
export type ProviderKeyOptions =
  | {
      readonly type: 'apiKey';
      readonly apiKey: SecretInput;
      readonly provider?: string;
    }
  /**
   * Bearer tokens that the host fetches: before the first request, a minute before one runs out, and once after one was
   * refused. Sent as `accessToken` is.
   */
  | {
      readonly type: 'tokenProvider';
      readonly fetchToken: FetchToken;
      readonly provider?: string;
    }
  /**
   * A command that prints a key. It runs before the first request, again when `ttlMs` have passed (default 5 minutes),
   * and again if its key was refused. It gets 30 seconds.
   */
  | {
      readonly type: 'apiKeyHelper';
      readonly command: string;
      readonly ttlMs?: number;
      readonly provider?: string;
    };

/** A provider of your own, or what is different about a known one. */
export type ProviderOptions = {
  readonly displayName?: string;
  /** Default: `openai-chat`, or what the known provider speaks. */
  readonly api?: ProviderApi;
  /** The address up to what all requests have in common, for example `https://host/v1`. */
  readonly baseUrl?: string;
  /** The variable with the key. */
  readonly apiKeyVariable?: string;
  readonly apiKey?: string;
  /** True: no request goes out without a key. Default: true if `apiKey` or `apiKeyVariable` is given. */
  readonly needsKey?: boolean;
  /** Sent with each request. They do not replace the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ways in which its API differs from OpenAI's, for `openai-chat`. */
  readonly quirks?: ChatQuirks;
  readonly tiers?: ModelTiers;
  /** Address of its list of models, with what the server says of each: absolute, or a path behind `baseUrl`. */
  readonly modelsUrl?: string;
  /** Address at which it tells what the account has used; as `modelsUrl`. */
  readonly usageUrl?: string;
  /** True: requests cost nothing. Default false. */
  readonly free?: boolean;
  /** Longest wait for the first event of a reply, in place of `limits.requestTimeoutMs`. Milliseconds; 0: no limit. */
  readonly requestTimeoutMs?: number;
  /** Longest silence within a reply, in place of `limits.streamIdleMs`. Milliseconds; 0: no limit. */
  readonly streamIdleMs?: number;
  /** Longest time within a reply without content, in place of `limits.contentIdleMs`. Milliseconds; 0: no limit. */
  readonly contentIdleMs?: number;
};

/** Prices in USD per million tokens: from 0 to 100,000, with at most six decimals. */
export type PriceOverride = {
  readonly input: number;
  readonly output: number;
  /** Default: `input`. */
  readonly cacheRead?: number;
  /** A write that is kept for five minutes. Default: `input`. */
  readonly cacheWrite?: number;
  /** A write that is kept for an hour. Default: twice `input`. */
  readonly cacheWrite1h?: number;
};

/** What is to be known of a model in place of what the built-in catalogue says of it. */
export type ModelOverride = {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  /** Longest reply, tokens. */
  readonly maxOutputTokens?: number;
  /** Null: the price counts as unknown. */
  readonly price?: PriceOverride | null;
};

/** By `PROVIDER/NAME`, such as `anthropic/claude-sonnet-4-5`. */
export type CatalogueOverrides = Readonly<Record<string, ModelOverride>>;

/**
 * `native`: by the means of its API. `auto`: so too, but what it writes as text, or with arguments in a wrong form, is
 * taken as the call that it is. `text`: its API has no tools; it is told of them in words, and calls them in text.
 */
export type ToolCallProfile = 'native' | 'auto' | 'text';

/** How a server is told whether, and how much, to think. */
export type ChatThinkingForm =
  /** `reasoning_effort`. */
  | 'reasoning_effort'
  /** `thinking: { type: 'enabled' | 'disabled' }`, as DeepSeek, Z.ai and Moonshot have it. */
  | 'thinking_type'
  /** `enable_thinking`, as Qwen's own API has it. */
  | 'enable_thinking'
  /** `chat_template_kwargs: { enable_thinking }`, as vLLM and SGLang pass it on to the template. */
  | 'chat_template'
  /** `reasoning: { effort | max_tokens | enabled }`, as OpenRouter has it. */
  | 'openrouter'
  /** It cannot be told. */
  | 'none';

export interface ChatQuirks {
  /**
   * How its models call tools. Default `native`. `auto`: also as text, which is taken as the call that it is, for models not
   * known to keep to the API. `text`: the server takes no tools.
   */
  readonly toolCalls?: ToolCallProfile;
  /** The same of single models, by name; it beats what is said of the server. */
  readonly toolCallsOf?: Readonly<Record<string, ToolCallProfile>>;
  /** The field that limits a reply. Default `max_completion_tokens`. */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens' | 'none';
  /** Role of the system prompt. Default `system`. */
  readonly systemRole?: 'system' | 'developer';
  /** Default `reasoning_effort`, sent to models that are known to reason, or if effort is asked for. */
  readonly thinking?: ChatThinkingForm;
  /** Words for effort in place of OpenAI's. */
  readonly efforts?: Readonly<Partial<Record<'low' | 'medium' | 'high' | 'xhigh' | 'max', string>>>;
  /**
   * The field in which the text of reasoning goes back, with messages that call tools. Default: none; a server that shows
   * reasoning but does not want it back refuses it, or bills it.
   */
  readonly reasoningBack?: 'reasoning_content' | 'reasoning';
  /** Reasoning comes and goes back as a list `reasoning_details`. Default false. */
  readonly reasoningDetails?: boolean;
  /** `extra_content` for calls that have none of this server's, if it refuses a call without. */
  readonly foreignCallExtra?: Readonly<Record<string, unknown>>;
  /** Reasoning tokens are not part of `completion_tokens`. Default false. */
  readonly reasoningTokensApart?: boolean;
  /** Images can be sent. Default true. */
  readonly images?: boolean;
  /** The server fetches images by URL. Default true. */
  readonly imageUrls?: boolean;
  /** PDF documents can be sent as `file` parts. Default true. */
  readonly files?: boolean;
  /** An assistant message must stand between results of tools and a user message. Default false. */
  readonly assistantAfterTools?: boolean;
  /** `prompt_cache_key` is sent. Default true. */
  readonly promptCacheKey?: boolean;
  /** `cache_control` marks are put on the system prompt and the newest messages. Default false. */
  readonly cacheControl?: boolean;
  /** `stream_options: { include_usage: true }` is sent. Default true. */
  readonly streamUsage?: boolean;
  /** Models that hold an answer to a schema. Default: those of OpenAI that are known to. */
  readonly outputSchema?: 'known' | 'all' | 'none';
  /** Longest name of a tool. Default 64. */
  readonly maxToolNameLength?: number;
  /** Longest id of a call. Default 40. */
  readonly maxCallIdLength?: number;
  /** Ids of calls are nine letters and digits, as Mistral wants them. Default false. */
  readonly nineCharacterIds?: boolean;
  /** Fields that go into each request as they are. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** Why a request goes to the next model of the chain. */
export declare const FALLBACK_TRIGGERS: readonly [
  'overloaded',
  'rate',
  'quota',
  'auth',
  'model_not_found',
  'server',
  'timeout',
  'connection',
  'refusal',
  'overflow',
];

/**
 * `rate`: a limit of the rate of requests; `quota`: money or an allowance is used up; `auth`: the key was refused, or may
 * not do this; `server`: it failed, or answered nonsense; `timeout`: nothing came in time, or the stream fell silent;
 * `connection`: nobody answered, or the stream was cut; `refusal`: the model declined to answer; `overflow`: the
 * conversation is too long, and the next model is known to take more.
 */
export type FallbackTrigger = (typeof FALLBACK_TRIGGERS)[number];

export interface FallbackPolicy {
  /** Tried in order, each once a prompt, as `model` names them: `provider/model` for another provider. */
  readonly models?: readonly string[];
  /** Default: all but `auth`, `refusal` and `overflow`. */
  readonly on?: readonly FallbackTrigger[];
  /**
   * The most a model of the chain may cost, as a multiple of the price of the model that a prompt starts with: input and
   * output, at every length of prompt. One whose price is not known is left out.
   */
  readonly maxPriceFactor?: number;
  /**
   * So many times in a row a model may be overloaded before the next one is asked, though it could be asked again.
   * Default: as often as `limits.maxRetries` says.
   */
  readonly overloads?: number;
  /** True: a prompt never leaves its model, whatever else is said here or in `fallbackModel`. Default false. */
  readonly pin?: boolean;
}

// protocol/model.ts

export type ModelPolicyProvider = (context: ModelPolicyContext) => ModelPolicyResult | Promise<ModelPolicyResult>;

export interface ModelPolicyContext {
  purpose: QoderModelPurpose;
  sessionId: string;
  availableModels: ModelInfo[];
}

export type QoderModelPurpose = 'main' | 'subagent' | 'web_fetch' | 'image_gen' | 'compact';

export interface ModelPolicyResult {
  model:
    | string
    | (CustomModel & {
        model: string;
      });
  parameters?: Record<string, unknown>;
}

export interface CustomModel {
  provider: string;
  model: string;
  api_key: string;
  style?: string;
}

export interface SDKControlGetByokConfigResponse {
  providers: BYOKProviderInfo[];
}

export interface BYOKProviderInfo {
  key: string;
  display_name: string;
  api_key_url: string;
  types: BYOKModelTypeInfo[];
}

export interface BYOKModelTypeInfo {
  key?: string;
  display_name: string;
  models: BYOKModelInfo[];
}

export interface BYOKModelInfo {
  key: string;
  display_name: string;
  is_vl: boolean;
  is_reasoning: boolean;
  format: string;
  max_input_tokens: number;
}

export interface ModelInfo {
  value: string;
  displayName: string;
  description: string;
  isEnabled: boolean;
  isNew?: boolean;
  isFree?: boolean;
  priceFactor?: number;
  context_config?: ModelContextConfig;
  thinking_config?: ModelThinkingConfig;
  promotion?: ModelPromotion;
  serverModel?: ServerModelJson;
}

export type ModelContextConfig = Record<string, ModelContextWindowEntry>;

export interface ModelContextWindowEntry {
  token_count: number;
  is_default?: boolean;
}

export interface ModelThinkingConfig {
  disabled?: ModelThinkingDisabled;
  enabled?: ModelThinkingEnabled;
}

export interface ModelThinkingDisabled {
  description?: string;
}

export interface ModelThinkingEnabled {
  description?: string;
  efforts?: Record<string, ModelEffortEntry>;
  is_default?: boolean;
}

export interface ModelEffortEntry {
  description?: string;
  is_default?: boolean;
}

export type LocalizedModelText = {
  en?: string;
  zh?: string;
} & Record<string, string | undefined>;

export interface ModelPromotion {
  active: boolean;
  badge?: LocalizedModelText;
  description?: LocalizedModelText;
  discount_factor?: number;
  before_promotion_price_factor?: number;
  timezone?: string;
  rule_id?: string;
  window_start?: string;
  window_end?: string;
}

export type ServerModelJson = Record<string, JsonValue>;

export interface UsageInfo {
  userId?: string;
  userType?: string;
  totalUsagePercentage?: number;
  isHighestTier?: boolean;
  expiresAt?: number;
  upgradeUrl?: string;
  userQuota?: UsageQuotaBucket;
  addOnQuota?: UsageAddOnQuotaBucket;
  isQuotaExceeded?: boolean;
  isPlanQuotaProrated?: boolean;
  orgResourcePackage?: UsageOrgResourcePackage;
}

export interface UsageQuotaBucket {
  total?: number;
  used?: number;
  remaining?: number;
  percentage?: number;
  unit?: string;
}

export interface UsageAddOnQuotaBucket extends UsageQuotaBucket {
  detailUrl?: string;
}

export interface UsageOrgResourcePackage {
  used?: number;
  cap?: number;
  remaining?: number;
  percentage?: number;
  available?: boolean;
  unit?: string;
}

// protocol/options.ts

/**
 * When tools of MCP servers are left out of requests until the model has searched for them. A number: as `auto`, from
 * that part of the context window on, percent.
 */
export type ToolSearchMode = (typeof TOOL_SEARCH_MODES)[number] | number;

export declare const TOOL_SEARCH_MODES: readonly ['auto', 'always', 'never'];

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

export declare const EFFORT_LEVELS: readonly ['low', 'medium', 'high', 'xhigh', 'max'];

export type EffortLevel = (typeof EFFORT_LEVELS)[number];

/**
 * Extended thinking. `adaptive`: on if the model supports it, which is the default for models that decide by themselves
 * how much. `budgetTokens` counts towards the output limit.
 */
export type ThinkingConfig =
  | {
      readonly type: 'disabled';
    }
  | {
      readonly type: 'adaptive';
      readonly display?: ThinkingDisplay;
    }
  | {
      readonly type: 'enabled';
      readonly budgetTokens?: number;
      readonly display?: ThinkingDisplay;
    };

/** How much of its thinking the model tells. */
export declare const THINKING_DISPLAYS: readonly ['summarized', 'omitted'];

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
  readonly ignoreViolations?: {
    readonly file?: string[];
    readonly network?: string[];
  };
  readonly enableWeakerNestedSandbox?: boolean;
};

export type SettingSource = 'user' | 'project' | 'local';

export type SdkPluginConfig = {
  readonly type: 'local';
  readonly path: string;
};

export type ToolConfig = {
  readonly askUserQuestion?: {
    readonly previewFormat?: 'markdown' | 'html';
  };
};

/**
 * The dialog that there is: whether a model of the fallback chain is asked after another declined to answer. Its payload
 * has `message`, `original_model`, `fallback_model`; the result `fallback` asks that model, anything else ends the prompt.
 */
export declare const REFUSAL_DIALOG = 'turnwright_refusal_fallback';

/** A dialog, and what the user chose. */
export type UserDialogRequest = {
  readonly dialogKind: string;
  readonly payload: Record<string, unknown>;
  readonly toolUseID?: string;
};

export type UserDialogResult =
  | {
      readonly behavior: 'completed';
      readonly result: unknown;
    }
  | {
      readonly behavior: 'cancelled';
    };

export type OnUserDialog = (
  request: UserDialogRequest,
  options: {
    readonly signal: AbortSignal;
    readonly requestId: string;
  },
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
export declare const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

export type SystemPromptOption =
  | string
  | readonly string[]
  | {
      readonly type: 'custom';
      readonly prompt: string | readonly string[];
      readonly snapshot?: boolean;
    }
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

export type OutputFormat = {
  readonly type: 'json_schema';
  readonly schema: JsonSchema;
};

export type CloudAgentStreamOptions = {
  readonly afterId?: string;
  readonly deltaFlushIntervalMs?: number;
};

export type AgentCreateParams = {
  readonly model: string;
  readonly name: string;
  readonly description?: string | null;
  readonly system?: string | null;
  readonly tools?: Array<{
    readonly type: 'agent_toolset_20260401';
    readonly enabled_tools?: Array<'bash' | 'write' | 'glob' | 'web_fetch' | 'read' | 'edit' | 'grep' | 'web_search'>;
  }>;
  readonly mcp_servers?: Array<{
    readonly name: string;
    readonly type: 'url';
    readonly url: string;
  }>;
  readonly skills?: Array<{
    readonly skill_id: string;
    readonly type: 'custom';
  }>;
  readonly metadata?: Record<string, string>;
};

export type CloudSessionCreateParams = {
  readonly environment_id: string;
  readonly resources?: Array<{
    readonly type: 'file';
    readonly file_id: string;
    readonly path?: string;
  }>;
  readonly title?: string | null;
  readonly vault_ids?: string[];
  readonly memory_store_ids?: string[];
};

export type CloudAgentReference =
  | {
      readonly id: string;
      readonly create?: never;
    }
  | {
      readonly create: AgentCreateParams;
      readonly id?: never;
    };

export type CloudAgentOptions =
  | {
      readonly session: {
        readonly id: string;
      };
      readonly agent?: never;
      readonly stream?: CloudAgentStreamOptions;
    }
  | {
      readonly agent: CloudAgentReference;
      readonly session: {
        readonly create: CloudSessionCreateParams;
      };
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

// protocol/permissions.ts

export declare const PERMISSION_MODES: readonly [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'yolo',
  'plan',
  'dontAsk',
  'auto',
];

export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type PermissionBehavior = 'allow' | 'deny' | 'ask';

export type PermissionUpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';

export interface PermissionRuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
}

export type PermissionUpdate =
  | RulesUpdate<'addRules'>
  | RulesUpdate<'replaceRules'>
  | RulesUpdate<'removeRules'>
  | {
      readonly type: 'setMode';
      readonly mode: PermissionMode;
      readonly destination: PermissionUpdateDestination;
    }
  | FoldersUpdate<'addDirectories'>
  | FoldersUpdate<'removeDirectories'>;

interface RulesUpdate<Type extends string> {
  readonly type: Type;
  readonly rules: readonly PermissionRuleValue[];
  readonly behavior: PermissionBehavior;
  readonly destination: PermissionUpdateDestination;
}

interface FoldersUpdate<Type extends string> {
  readonly type: Type;
  readonly directories: readonly string[];
  readonly destination: PermissionUpdateDestination;
}

/** What a person meant: this once, from now on, no. If a host does not say it, it is told from its answer. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

export type PermissionDecisionReasonType =
  | 'rule'
  | 'mode'
  | 'subcommandResults'
  | 'permissionPromptTool'
  | 'hook'
  | 'asyncAgent'
  | 'sandboxOverride'
  | 'workingDir'
  | 'safetyCheck'
  | 'classifier'
  | 'other';

/** The answer of `canUseTool`. `updatedInput` is validated and decided again before it runs. */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: PermissionUpdate[];
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      /** Ends the prompt after this denial. */
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    };

export interface ExitPlanModeApprovalDetails {
  readonly plan?: string;
  readonly planFilePath?: string;
}

export interface CanUseToolOptions {
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  readonly suggestions?: PermissionUpdate[];
  /** The path that made the engine ask, if one did. */
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  readonly decisionReasonType?: PermissionDecisionReasonType;
  readonly classifierApprovable?: boolean;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly toolUseID: string;
  readonly agentID?: string;
  readonly exitPlanMode?: ExitPlanModeApprovalDetails;
}

/**
 * A decision about a call that was deferred, whenever it comes. It is held against the rules as any other: what they
 * deny by then does not run.
 */
export type DeferredDecision = PermissionResult & {
  /** Of the deferred call. */
  readonly toolUseID: string;
  /** The input that was decided about. If it is given, a call with another input is not run. */
  readonly decidedInput?: Record<string, unknown>;
};

/**
 * The host's answer to "may this call run?".
 * Contract: a throw or a rejected promise counts as a denial, and its text is what the model reads.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult>;

/**
 * What mode `auto` does beside its rules. A model never gets around a rule that denies or asks, a safety check or a hook,
 * and what it is not sure of is asked.
 */
export interface AutoModeOptions {
  /** The model that judges what the rules leave undecided: `PROVIDER/NAME`, a name, or a tier. */
  readonly judge: string;
  /** How long a judgement may take, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** One refused call, in the result's `permission_denials`. */
export interface SDKPermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Record<string, unknown>;
  readonly reason?: string;
  /** If the host was asked and refused: what it says of that. Absent for rules, modes, hooks and judges. */
  readonly decision_classification?: PermissionDecisionClassification;
}

/** A form to fill in. */
export interface ElicitationRequest {
  /** Who asks: an MCP server, or `turnwright` for the model's own question. */
  readonly serverName: string;
  /** What the user is told. */
  readonly message: string;
  readonly mode?: 'form' | 'url';
  /** The page to open, in the mode `url`. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** A JSON Schema of type object: one property a question, its text in `description`. */
  readonly requestedSchema?: Record<string, unknown>;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
}

/** `content` of an accepted request: a value for each property of `requestedSchema`. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/**
 * Answers in place of the user, or asks one. Null: nobody answered.
 * Contract: a throw or a rejected promise counts as no answer, and the model reads its text; so does an answer that
 * comes after `signal` was aborted.
 */
export type OnElicitation = (
  request: ElicitationRequest,
  options: {
    readonly signal: AbortSignal;
    readonly requestId: string;
  },
) => Promise<ElicitationResult | null>;

// protocol/query-options.generated.ts

/** Options of `query()` as the published SDKs name them. */
export interface QueryOptions {
  /** Ends the session when it is aborted. */
  abortController?: AbortController;
  /** Folders that belong to the workspace beside `cwd`. */
  additionalDirectories?: string[];
  /** The agent, of `agents`, of a file or built in, that the session itself runs as. Default: the default agent. */
  agent?: string;
  /**
   * True: a line from time to time about what a subagent is at, asked of its model: small requests. Default: false.
   */
  agentProgressSummaries?: boolean;
  /** Subagents that the tool Agent can start, beside those that are built in and those of files. */
  agents?: Record<string, AgentDefinition>;
  /** True: the mode `bypassPermissions` may be chosen, in which everything runs unasked. Default: false. */
  allowDangerouslySkipPermissions?: boolean;
  /** MCP servers of these names only, whoever named them; `[]`: none. Default: all. */
  allowedMcpServerNames?: string[];
  /** Pre-approved tools, or rules about parts of their calls. Approves, never restricts: see `tools`. */
  allowedTools?: string[];
  /** Whose key is used. Default: one of the environment, else one that `turnwright login` keeps. */
  auth?: AuthOptions | ProviderKeyOptions;
  /**
   * A model that judges, in mode `auto`, what the rules leave undecided. Default: nobody does, such calls are asked
   * about.
   */
  autoMode?: AutoModeOptions;
  /** Features of the API of Anthropic that are asked for by name. */
  betas?: string[];
  /** A file with authorities in PEM form that are trusted beside the usual ones. */
  caFile?: string;
  /** Asked about each call that neither rules nor the mode decide. Default: such calls are denied. */
  canUseTool?: CanUseTool;
  /**
   * The session runs in a child process, which is the command line of this package: `true`, the path of another copy of
   * it, or a function that starts it. Default: false.
   */
  childProcess?: boolean | string | ((options: SpawnOptions) => SpawnedProcess);
  /** Sessions that were not written for so many days are deleted, at most once a day. Default: none is. */
  cleanupPeriodDays?: number;
  /** How long the child process may take to end by itself, milliseconds. */
  closeGraceMs?: number;
  /** True: go on with the session that was spoken in last in this folder. Default: false. */
  continue?: boolean;
  /** How long the child process may take to answer a request, milliseconds; 0: no limit. */
  controlRequestTimeoutMs?: number;
  /** True: the main agent only plans, looks and delegates. Default: false. */
  coordinator?: boolean;
  /** Identifiers for the server of another SDK. */
  customContext?: Record<string, string>;
  /** The folder that the session works in. Default: the folder of the process. */
  cwd?: string;
  /** An engine of it that runs beside. */
  daemon?: object;
  /**
   * True: a line about each message and fault goes to `debugFile`, else to `stderr`, else to the standard error.
   * Default: false.
   */
  debug?: boolean;
  /** The file that debug lines are added to; with it there is no need of `debug`. They hold no contents. */
  debugFile?: string;
  /**
   * With `resume` or `continue`: decisions about calls that wait, before any prompt. With them `prompt` may be empty.
   */
  decisions?: readonly DeferredDecision[];
  /**
   * True: a call that would have to be asked about, with nobody to ask, waits. The prompt ends with `terminal_reason`
   * `tool_deferred`, and `resume` with `decisions` goes on. False: such a call is denied. Default: false.
   */
  deferPermissions?: boolean;
  /** How long a deferred call waits for a decision, milliseconds; then it is denied. Default: for ever. */
  deferredExpiryMs?: number;
  /** Refused tools, or rules about parts of their calls. Beats every mode and every approval. */
  disallowedTools?: string[];
  /** How much work the model puts in. */
  effort?: EffortLevel;
  /**
   * True: the files of a session can be set back, by `rewindFiles`. `'auto'`: as the settings say, else if somebody is
   * asked about calls or edits run unasked. Default: false.
   */
  enableFileCheckpointing?: boolean | 'auto';
  /** Merged over the host's environment; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  /** How another SDK learns skills. */
  evolution?: object;
  /** The runtime that starts the child process, if its program is a script. Asks for a child process. */
  executable?: 'bun' | 'deno' | 'node';
  /** Arguments for that runtime. Asks for a child process. */
  executableArgs?: string[];
  /** A session in the cloud. Refused: there is no cloud runtime yet. */
  experimentalCloudAgent?: CloudAgentOptions;
  /** Extensions of another SDK. */
  extensions?: string[];
  /** More flags for the command line in the child process; null: a flag without a value. Asks for a child process. */
  extraArgs?: Record<string, string | null>;
  /** As `fallbackModel`, with triggers, a price ceiling and a pin. */
  fallback?: FallbackPolicy;
  /** Asked when the model does not answer: a name, or several with commas between them, tried in order. */
  fallbackModel?: string;
  /**
   * With `resume` or `continue`: go on in a new session that begins as that one is; that one stays as it is. Default:
   * false.
   */
  forkSession?: boolean;
  /** False: of subagents only calls and results are sent, not what they write and think. Default: true. */
  forwardSubagentText?: boolean;
  /** Replies that a goal may take which is set in this session. Default: 200. */
  goalMaxTurns?: number;
  /** Functions that are called at events of the session. */
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** True: messages say when hooks run. Default: false. */
  includeHookEvents?: boolean;
  /** True: replies are sent in parts too, as they are written. Default: false. */
  includePartialMessages?: boolean;
  /** Retries, waits and sizes. */
  limits?: Partial<EngineLimits>;
  /** Milliseconds that a `sessionStore` has for each call when a session is resumed from it. Default: 60,000. */
  loadTimeoutMs?: number;
  /** Settings that nothing below may weaken: not options, not files. */
  managedSettings?: Settings;
  /** How deep subagents may start subagents; 0: there are none. Default: 1. */
  maxAgentDepth?: number;
  /**
   * US dollars that the session may cost. Checked before money is spent, so it needs models with a known price.
   * Default: no limit.
   */
  maxBudgetUsd?: number;
  /**
   * Tokens for thinking; 0: none. Models that decide by themselves how much do so. `thinking` says more, and beats it.
   */
  maxThinkingTokens?: number;
  /** The prompt ends after so many replies of the model. Default: no limit. */
  maxTurns?: number;
  /** MCP servers whose tools the model can call. */
  mcpServers?: Record<string, McpServerConfig>;
  /** How the program of another SDK is told of MCP servers. */
  mcpServersDelivery?: 'argv' | 'initialize';
  /** How another SDK keeps notes between sessions. */
  memory?: object;
  /**
   * `PROVIDER/NAME`, a name, a tier, or `offline`. Default: what settings and variables name, else the first provider
   * that there is a key for.
   */
  model?: string;
  /** Changes of the system prompt that the server of another SDK makes. */
  modelRequestPatches?: Readonly<
    Record<
      string,
      readonly {
        readonly action: string;
        readonly content: string;
      }[]
    >
  >;
  /** The model of each tier, instead of the provider's defaults. */
  modelTiers?: ModelTiers;
  /** A JSON file with limits and prices of models, over those of the built-in catalogue. */
  modelsFile?: string;
  /** Called once, if the key is refused for good. The message `auth_status` tells the same. */
  onAuthExpired?: () => void;
  /** Answers the questions of the model and of MCP servers in place of the user, or asks one. */
  onElicitation?: OnElicitation;
  /**
   * Shows a dialog of a kind that `supportedDialogKinds` names. There is one: `turnwright_refusal_fallback`, whether a
   * model of the fallback chain is asked after another declined to answer.
   */
  onUserDialog?: OnUserDialog;
  /** The answer as data that fits a schema: `structured_output` of the result. */
  outputFormat?: OutputFormat;
  /** The session runs in a child process: this program, which speaks the stream-json protocol. */
  pathToClaudeCodeExecutable?: string;
  /** The session runs in a child process: this program, which speaks the stream-json protocol. */
  pathToQoderCLIExecutable?: string;
  /** True: the host can stop single tasks, so an interrupt leaves those in the background alone. Default: false. */
  perTaskStopAffordance?: boolean;
  /** What runs without a question. Default: `default`. */
  permissionMode?: PermissionMode;
  /** The tool, of an MCP server for example, that is asked in place of `canUseTool`; the model cannot call it. */
  permissionPromptToolName?: string;
  /**
   * Who is asked about calls that rules and mode leave undecided. `none`: nobody, they are denied, even if there is a
   * `canUseTool`. Default: `host`.
   */
  permissionPrompts?: 'host' | 'none';
  /** False: nothing is kept on disk. Default: true. */
  persistSession?: boolean;
  /** True: the session begins in mode `plan`, and comes to `permissionMode` when that ends. Default: false. */
  planMode?: boolean;
  /** What the model is told with each prompt in mode `plan`, between what that mode allows and how it ends. */
  planModeInstructions?: string;
  /** How its engine is told of plugins. */
  pluginDelivery?: 'argv' | 'initialize';
  /** Folders of plugins: agents, commands, skills, hooks and servers. */
  plugins?: SdkPluginConfig[];
  /**
   * The trusted checkout that `cwd` is a worktree of: settings, MCP servers and skills of the project are read there,
   * not in `cwd`. An absolute path. Default: `cwd`.
   */
  projectConfigRoot?: string;
  /**
   * True: after each result that is a success, a `prompt_suggestion` says what the user might ask next. It costs a
   * small request. Default: false.
   */
  promptSuggestions?: boolean;
  /** Providers of your own, by the name that stands before the slash in `model`; or changes of known ones. */
  providers?: Record<string, ProviderOptions>;
  /** Model requests go through it: an http, https or socks5 URL. Default: what the variables say. */
  proxy?: string;
  /** False: keys and passwords are left in what the model reads and in what is written. Default: true. */
  redactSecrets?: boolean;
  /** True: the messages of the user are sent back as the session takes them. Default: false. */
  replayUserMessages?: boolean;
  /** Names the model of each request. With it nothing is fallen back to, and `setModel` does nothing. */
  resolveModel?: ModelPolicyProvider;
  /** How long `resolveModel` may take, milliseconds. Default: 500. */
  resolveModelTimeoutMs?: number;
  /** What the screens of its host show of a session. */
  resolveSessionArtifacts?: (sessionId: string, cwd: string) => unknown;
  /** Id of the session to go on with. */
  resume?: string;
  /**
   * With `resumeSessionAt`: the id of the prompt whose turn is meant to be cut off. If anything else would go too, a
   * message that came meanwhile for example, the session is left as it is and the prompt ends with an error that begins
   * with `Resume rejected by --resume-drops-turn:`.
   */
  resumeDropsTurn?: string;
  /** With `resume` or `continue`: the conversation up to and including the message with this id. */
  resumeSessionAt?: string;
  /** What commands may touch and reach. Default: they run as they are. */
  sandbox?: SandboxSettings;
  /** Looks for faults of security in what was edited, as another SDK has them. */
  securityScan?: SecurityScanOptions;
  /** UUID for a new session, or for a fork. There must be none of that id yet. Default: a new one. */
  sessionId?: string;
  /**
   * Gets every entry of the transcript as well; with `persistSession: false`, alone. `resume` and `continue` find
   * sessions in it that are not on this machine, or went on elsewhere.
   */
  sessionStore?: SessionStore;
  /**
   * When entries go to the `sessionStore`. `batched`: every 100 ms or so and at each prompt's end; `eager`: each entry
   * as it comes. Default: `batched`.
   */
  sessionStoreFlush?: SessionStoreFlush;
  /**
   * Whose settings files are read; `[]` for none. Naming `project` or `local` vouches for the folder. Default: all, and
   * of a folder that nobody vouches for only what denies or asks, and its instruction files.
   */
  settingSources?: SettingSource[];
  /** Settings as an object, as JSON, or the path of a file. They beat those of files; managed ones beat them. */
  settings?: string | Settings;
  /** Which skills there are, and that they may be called: all, or their names. */
  skills?: string[] | 'all';
  /** The session runs in a child process that this function starts. */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  /** The session runs in a child process that this function starts. */
  spawnQoderCLIProcess?: (options: SpawnOptions) => SpawnedProcess;
  /** Gets each notice of the session as a line, and with `debug` the debug lines. */
  stderr?: (data: string) => void;
  /** True: no file of the project says which MCP servers there are. Default: false. */
  strictMcpConfig?: boolean;
  /** The dialogs that `onUserDialog` can show. Others are not asked for. */
  supportedDialogKinds?: string[];
  /** Instructions in place of the standard ones, or a text beside them. Default: the standard ones. */
  systemPrompt?: SystemPromptOption;
  /**
   * Tokens of one prompt, input and output. Then the model sums up, and the prompt is a success. Default: no limit.
   */
  taskBudget?: {
    readonly total: number;
  };
  /**
   * Extended thinking: none, `adaptive`, or a budget of tokens. Default: `adaptive` with models that decide by
   * themselves how much.
   */
  thinking?: ThinkingConfig;
  /** Title of a new session. A resumed session keeps its own. */
  title?: string;
  /** Who gives a new session a title: its first prompt, or the model, by one small request more. Default: `prompt`. */
  titles?: 'prompt' | 'model';
  /**
   * What the model calls by one name goes to the tool of another: `{ Bash: "mcp__remote__bash" }`. One step, no chain.
   */
  toolAliases?: Record<string, string>;
  /** How single tools behave. */
  toolConfig?: ToolConfig;
  /** The tools there are. `[]` means none; absent or a preset means all. */
  tools?:
    | string[]
    | {
        readonly type: 'preset';
        readonly preset: PresetName;
      };
  /** What carries messages to its engine and back. */
  transport?: object;
  /**
   * What may follow from pages, answers of servers, files of others and messages of commits: whether a call that could
   * carry something out of the workspace is asked about or denied from then on. Default: such calls are decided as any
   * other.
   */
  untrustedContent?: UntrustedContentOptions;
  /**
   * True: prompts are what the model reads, letter by letter: a slash at the beginning is no command. Default: false.
   */
  verbatimPrompts?: boolean;
  /**
   * The private deployment of another SDK. Refused: what is meant for it would go elsewhere. Name your server in
   * `providers`.
   */
  vpcEndpoint?: string;
  /** True: a limit of rate or quota whose reset the server names is waited for, however long. Default: false. */
  waitUntilReset?: boolean;
}

// protocol/rewind.ts

/** Which parts of a session are set back. */
export type RewindScope = 'conversation' | 'files' | 'both';

export interface RewindFilesOptions {
  /** True: says what would be done and changes nothing. Default false. */
  readonly dryRun?: boolean;
  /**
   * Absolute paths of files to set back although somebody else changed them. What is replaced is kept: see `rewindId`.
   * A path behind a symbolic link is never written. Default none.
   */
  readonly overwrite?: readonly string[];
}

export interface RewindOptions extends RewindFilesOptions {
  /** Default `both`. */
  readonly scope?: RewindScope;
}

/**
 * Why a file that the agent changed was left as it is:
 * - `changed_since`: somebody else changed it after the agent did
 * - `changed_between`: somebody else changed it between two changes of the agent, and a rewind would undo that as well
 * - `interrupted`: the end of a call that could change it is not known, as after a crash, so nobody knows whose its
 *   content is
 * - `link`: it is a symbolic link now, or is reached through one
 * - `not_empty`: a folder of the agent's that holds something else by now
 */
export type RewindConflictReason = 'changed_since' | 'changed_between' | 'interrupted' | 'link' | 'not_empty';

export interface RewindConflict {
  readonly path: string;
  readonly reason: RewindConflictReason;
  readonly message: string;
}

/** Why a change cannot be undone. */
export type NotCoveredReason =
  | 'version_control'
  | 'generated_folder'
  | 'too_many_files'
  | 'too_large'
  | 'too_much'
  | 'too_slow'
  | 'unreadable'
  | 'changing'
  | 'not_kept'
  | 'interrupted'
  | 'in_background'
  | 'not_recorded'
  | 'journal_damaged'
  | 'outside_workspace';

/** A change, or a call that may have made some, that the checkpoints do not hold. */
export interface NotCovered {
  /** Absolute. Null if it is not about one file or folder. */
  readonly path: string | null;
  readonly reason: NotCoveredReason;
  readonly message: string;
}

export interface RewindFailure {
  readonly path: string;
  readonly error: string;
}

/** Paths are absolute. */
export interface RewindFilesResult {
  /** False: nothing was changed, and `error` says why. */
  readonly canRewind: boolean;
  readonly error?: string;
  /** Set back, or on a dry run to be set back. */
  readonly filesChanged?: readonly string[];
  /** Lines of text that this adds to the files. */
  readonly insertions?: number;
  /** Lines of text that this takes out of the files. */
  readonly deletions?: number;
  /** Number of conflicts `link`. Not on a dry run. */
  readonly skippedLinks?: number;
  /** Left alone, because setting them back would undo what somebody else did. */
  readonly conflicts?: readonly RewindConflict[];
  readonly notCovered?: readonly NotCovered[];
  /** What the system refused. The same rewind can be tried again. */
  readonly failed?: readonly RewindFailure[];
  /** A checkpoint of the moment before: `rewindFiles(rewindId)` takes this rewind back. Only if files were changed. */
  readonly rewindId?: string;
}

/**
 * - `ready`: a dry run, and it can be done
 * - `success`: done
 * - `partial`: done, but some files were left as they are
 * - `rejected`: nothing was done
 */
export type RewindStatus = 'ready' | 'success' | 'partial' | 'rejected';

export interface RewindResult {
  readonly status: RewindStatus;
  readonly targetUserMessageId: string;
  readonly scope: RewindScope;
  /** The message that the conversation ends with now, or on a dry run would end with; null if it is empty. */
  readonly retainedLeafId?: string | null;
  /** Messages that are no longer part of the conversation, oldest first. They stay in the transcript. */
  readonly removedMessageIds?: readonly string[];
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  /** Conflicts and failures. */
  readonly failedFiles?: readonly RewindFailure[];
  readonly error?: string;
  /** `rewind(rewindId)` takes this rewind back, with the same scope. */
  readonly rewindId?: string;
  /** The whole result for the files, if they were in the scope. */
  readonly files?: RewindFilesResult;
}

// protocol/session-store.ts

/** Names one transcript of a store. */
export type SessionKey = {
  /** The caller's own scope. Default: the working directory as the file layout spells it. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** Absent: the main transcript. Else a transcript beside it, such as `subagents/agent-<id>`; never empty. */
  readonly subpath?: string;
};

/** One line of a transcript: a plain JSON object. Lines with a `uuid` are told apart by it. */
export type SessionStoreEntry = {
  readonly type: string;
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [key: string]: unknown;
};

/** What a store keeps for each session so that a list needs no transcripts. `data` belongs to the engine. */
export type SessionSummaryEntry = {
  readonly sessionId: string;
  /** Milliseconds since the epoch, by the store's own clock: the one that `listSessions` reports. */
  readonly mtime: number;
  readonly data: Record<string, unknown>;
};

/**
 * A place for transcripts. What is loaded is deep-equal to what was appended, in that order.
 * Contract: an entry whose `uuid` is already there is not added again, so that an append can be repeated; entries
 * without one are always added.
 */
export type SessionStore = {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Null for a key that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** In any order. `mtime` in whole milliseconds. */
  listSessions?(projectKey: string): Promise<
    Array<{
      sessionId: string;
      mtime: number;
    }>
  >;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without `subpath`: the session and every transcript beside it. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a session. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

/** When entries go to a store: with the turn's end and every 100 ms or so, or each as it is written. */
export type SessionStoreFlush = 'batched' | 'eager';

/** What a list tells of a session. Times in milliseconds since the epoch. */
export type SDKSessionInfo = {
  readonly sessionId: string;
  /** Title for people: the user's, else the model's, else the last or first prompt. */
  readonly summary: string;
  readonly lastModified: number;
  /** Bytes. Absent with a store that is no folder. */
  readonly fileSize?: number;
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly gitBranch?: string;
  readonly cwd?: string;
  readonly tag?: string;
  readonly createdAt?: number;
  /** Absent if it was never archived. */
  readonly archived?: boolean;
};

/** A message of a transcript, as a reader of stored sessions gets it. */
export type SessionMessage = {
  readonly type: 'user' | 'assistant' | 'system';
  readonly uuid: string;
  readonly session_id: string;
  /** As in the stream: `{ role, content, … }`. Undefined for `system`. */
  readonly message: unknown;
  /** In the transcript of a subagent: the call that started it. */
  readonly parent_tool_use_id: string | null;
  /** In the transcript of a subagent that a subagent started: that one. */
  readonly parent_agent_id: string | null;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** What the tool returned, beside what the model reads. */
  readonly tool_use_result?: unknown;
  /** Of `system` messages. */
  readonly subtype?: string;
  readonly compact_metadata?: {
    readonly trigger?: 'manual' | 'auto';
    readonly pre_tokens?: number;
    readonly post_tokens?: number;
  };
};

// protocol/settingsTypes.generated.ts

/** Settings as a file or an object gives them. Open: unknown keys are reported, never fatal. */
export type Settings = {
  /** Where this description is found, for editors. */
  readonly $schema?: string;
  /** What may run. */
  readonly permissions?: {
    /** Folders that belong to the workspace too. */
    readonly additionalDirectories?: string[];
    /** Runs unasked. A rule of `deny` or `ask` beats it, whatever file that stands in. */
    readonly allow?: string[];
    /** A model that judges, in mode `auto`, what the rules leave undecided. A project does not name one. */
    readonly autoMode?: {
      /** The model. */
      readonly judge: string;
      /** How long it may take, milliseconds. Default 30,000. */
      readonly timeoutMs?: number;
    };
    /** How long a deferred call waits for a decision, milliseconds; then it is denied. Default: for ever. */
    readonly deferredExpiryMs?: number;
    /** Never runs. */
    readonly deny?: string[];
    /** The permission mode a session begins with, if no option names one. */
    readonly defaultMode?: 'default' | 'acceptEdits' | 'bypassPermissions' | 'yolo' | 'plan' | 'dontAsk' | 'auto';
    /** What may follow once the conversation holds pages, answers of servers, files of others or messages of commits. A project does not say so. */
    readonly untrustedContent?: {
      /** What becomes of calls that could carry something out of the workspace: asked about, denied, or decided as always and told of. */
      readonly policy: 'ask' | 'deny' | 'tell';
      /** Which files count. `untrusted`, the default: those outside the workspace, and all of a folder that nobody vouches for. */
      readonly files?: 'untrusted' | 'outside' | 'all';
      /** Rules: calls that are decided as always. */
      readonly allow?: string[];
      /** Rules: calls that do not run. */
      readonly deny?: string[];
      /** Rules: what such calls bring in is trusted. */
      readonly trust?: string[];
      /** Rules: what such calls bring in is not. */
      readonly distrust?: string[];
    };
    /** Rules: what is always asked about. */
    readonly ask?: string[];
    /** What rules are meant to do: held against them when the settings are read. */
    readonly examples?: {
      /** A rule of one of the lists. */
      readonly rule: string;
      /** Commands, paths, addresses or names that it speaks of. */
      readonly match?: string[];
      /** Some that it does not speak of. */
      readonly not_match?: string[];
    }[];
    /** `disable`: no session skips all questions. Said anywhere, it holds. */
    readonly disableBypassPermissionsMode?: 'disable';
    /** `disable`: mode `auto` decides as `default` does. Said anywhere, it holds. */
    readonly disableAutoMode?: 'disable';
    /** True: nothing outside the workspace is read, in any mode. Said anywhere, it holds. */
    readonly blockReadsOutsideWorkingDirectories?: boolean;
    /** True: nothing outside the workspace is written, in any mode. Said anywhere, it holds. */
    readonly blockWritesOutsideWorkingDirectories?: boolean;
    /** True: what would be asked about is denied. Said anywhere, it holds. */
    readonly denyInsteadOfPrompting?: boolean;
  };
  /** As `permissions.disableAutoMode`. */
  readonly disableAutoMode?: 'disable';
  /** What the judge of mode `auto` goes by beside its own rules, each in words. */
  readonly autoMode?: {
    /** What no call may do, whatever the user asked for. */
    readonly hard_deny?: string[];
    /** What a call may do only if the user plainly asked for it. */
    readonly soft_deny?: string[];
    /** What a call may do. */
    readonly allow?: string[];
    /** What belongs to the user: repositories, hosts, accounts. */
    readonly environment?: string[];
  };
  /** True: only managed settings allow anything, and no rule is saved. */
  readonly allowManagedPermissionRulesOnly?: boolean;
  /** What runs at moments of a session, by event. */
  readonly hooks?: Record<
    string,
    {
      /** Which firings: names (`Edit|Write`), or a regular expression. */
      readonly matcher?: string;
      readonly hooks: (
        | {
            readonly type: 'command';
            /** A line for a shell. It reads what happened as JSON on stdin. */
            readonly command: string;
            /** Seconds. Default 60; of a prompt 30. */
            readonly timeout?: number;
            /** `block`: a hook that fails refuses. Default `continue`. */
            readonly onFailure?: 'continue' | 'block';
            /** True: it is not waited for; what it has to say comes with a later prompt. */
            readonly async?: boolean;
            /** Seconds that it may go on unwaited for. Default: its timeout. */
            readonly asyncTimeout?: number;
            /** Told while it runs. */
            readonly statusMessage?: string;
          }
        | {
            readonly type: 'http';
            /** What happened is sent there as JSON, by POST. */
            readonly url: string;
            /** Sent along. `$NAME` and `${NAME}` stand for variables that allowedEnvVars lists. */
            readonly headers?: Record<string, string>;
            /** Variables that headers may hold. */
            readonly allowedEnvVars?: string[];
            /** Seconds. Default 60; of a prompt 30. */
            readonly timeout?: number;
            /** `block`: a hook that fails refuses. Default `continue`. */
            readonly onFailure?: 'continue' | 'block';
            /** True: it is not waited for; what it has to say comes with a later prompt. */
            readonly async?: boolean;
            /** Seconds that it may go on unwaited for. Default: its timeout. */
            readonly asyncTimeout?: number;
            /** Told while it runs. */
            readonly statusMessage?: string;
          }
        | {
            readonly type: 'prompt';
            /** What a model is asked. `$ARGUMENTS` stands for what happened, as JSON; without it that follows. */
            readonly prompt: string;
            /** Which model is asked. Default: the small one of the session. */
            readonly model?: string;
            /** Seconds. Default 60; of a prompt 30. */
            readonly timeout?: number;
            /** `block`: a hook that fails refuses. Default `continue`. */
            readonly onFailure?: 'continue' | 'block';
            /** True: it is not waited for; what it has to say comes with a later prompt. */
            readonly async?: boolean;
            /** Seconds that it may go on unwaited for. Default: its timeout. */
            readonly asyncTimeout?: number;
            /** Told while it runs. */
            readonly statusMessage?: string;
          }
        | {
            readonly type: 'agent';
            /** What a model is asked. `$ARGUMENTS` stands for what happened, as JSON; without it that follows. */
            readonly prompt: string;
            /** Which model is asked. Default: the small one of the session. */
            readonly model?: string;
            /** Seconds. Default 60; of a prompt 30. */
            readonly timeout?: number;
            /** `block`: a hook that fails refuses. Default `continue`. */
            readonly onFailure?: 'continue' | 'block';
            /** True: it is not waited for; what it has to say comes with a later prompt. */
            readonly async?: boolean;
            /** Seconds that it may go on unwaited for. Default: its timeout. */
            readonly asyncTimeout?: number;
            /** Told while it runs. */
            readonly statusMessage?: string;
          }
        | {
            readonly type: 'mcp_tool';
            /** A connected MCP server of the session. */
            readonly server: string;
            /** The tool, as the server names it. */
            readonly tool: string;
            /** Its input. `${tool_input.file_path}` in a text stands for that field of what happened. */
            readonly input?: Record<string, unknown>;
            /** Seconds. Default 60; of a prompt 30. */
            readonly timeout?: number;
            /** `block`: a hook that fails refuses. Default `continue`. */
            readonly onFailure?: 'continue' | 'block';
            /** True: it is not waited for; what it has to say comes with a later prompt. */
            readonly async?: boolean;
            /** Seconds that it may go on unwaited for. Default: its timeout. */
            readonly asyncTimeout?: number;
            /** Told while it runs. */
            readonly statusMessage?: string;
          }
      )[];
    }[]
  >;
  /** True: no hook of settings runs but managed ones. Of a project: none of its own. */
  readonly disableAllHooks?: boolean;
  /** True: only hooks of managed settings run. */
  readonly allowManagedHooksOnly?: boolean;
  /** The output style: `default`, `Explanatory`, `Learning`, or one of a file. */
  readonly outputStyle?: string;
  /** The language the model answers in, such as `German`. */
  readonly language?: string;
  /** False: of the servers of a trusted `.mcp.json` only those that `enabledMcpjsonServers` names. */
  readonly enableAllProjectMcpServers?: boolean;
  /** Servers of `.mcp.json` that are used. */
  readonly enabledMcpjsonServers?: string[];
  /** Servers of `.mcp.json` that are not. */
  readonly disabledMcpjsonServers?: string[];
  /** The only MCP servers there may be, whoever names them; `[]`: none. The strongest list counts alone. */
  readonly allowedMcpServers?: {
    /** The name of a server. */
    readonly serverName?: string;
    /** Its address; `*` stands for any text. */
    readonly serverUrl?: string;
    /** Its program with all arguments. */
    readonly serverCommand?: string[];
  }[];
  /** MCP servers that there may not be, whoever names them. */
  readonly deniedMcpServers?: {
    /** The name of a server. */
    readonly serverName?: string;
    /** Its address; `*` stands for any text. */
    readonly serverUrl?: string;
    /** Its program with all arguments. */
    readonly serverCommand?: string[];
  }[];
  /** True: only `allowedMcpServers` of managed settings counts. */
  readonly allowManagedMcpServersOnly?: boolean;
  /** What only plugins and managed settings bring along. True: all of it. */
  readonly strictPluginOnlyCustomization?: boolean | ('skills' | 'agents' | 'hooks' | 'mcp')[];
  /** True: shell lines of commands are not run. Said anywhere, it holds. */
  readonly disableSkillShellExecution?: boolean;
  /** The only addresses that hooks of type `http` may send to; `*` stands for any text. `[]`: none. */
  readonly allowedHttpHookUrls?: string[];
  /** The only variables that headers of hooks of type `http` may hold. */
  readonly httpHookAllowedEnvVars?: string[];
  /** Globs of absolute paths: instruction files that are not read, but for those of the administrator. */
  readonly claudeMdExcludes?: string[];
  /** Which skills are there for whom, by name. Those of plugins stay as they are. */
  readonly skillOverrides?: Record<string, 'on' | 'name-only' | 'user-invocable-only' | 'off'>;
  /** Folders of plugins. Of a project they count in a run that trusts the folder. */
  readonly plugins?: string[];
  /** Which installed plugins are used, by `name@marketplace`. A list: only in these versions. */
  readonly enabledPlugins?: Record<string, boolean | string[]>;
  /** Marketplaces by their names: one is added when somebody installs a plugin of it. */
  readonly extraKnownMarketplaces?: Record<
    string,
    {
      readonly source: Record<string, unknown>;
    }
  >;
  /** The only marketplaces there may be; `[]`: none. */
  readonly strictKnownMarketplaces?: Record<string, unknown>[];
  /** Marketplaces that there may not be. */
  readonly blockedMarketplaces?: Record<string, unknown>[];
  /** True: no session names folders of plugins, agents or servers by options; what is installed stays. */
  readonly disableSideloadFlags?: boolean;
  /** Texts that the model adds to commits and pull requests. `true`: the standard ones. Absent, false, `""`: none. */
  readonly attribution?:
    | boolean
    | {
        readonly commit?: string;
        readonly pr?: string;
      };
  /** The older name: true means `attribution: true`, if that is not given. */
  readonly includeCoAuthoredBy?: boolean;
  /** Variables that no command, hook or server gets. */
  readonly hideVariables?: string[];
  /** The only models that may be named: names, or families such as `sonnet`. `[]`: none. */
  readonly availableModels?: string[];
  /** True: what nobody names must be one of `availableModels` too. */
  readonly enforceAvailableModels?: boolean;
  /** Variables that are called like the key of a model provider and reach commands all the same. */
  readonly passVariables?: string[];
  /** A command that prints the key of the model. */
  readonly apiKeyHelper?: string;
  /** A command whose first lines of output stand below the prompt of the terminal. */
  readonly statusLine?: {
    readonly type: 'command';
    /** A line for a shell. It reads the session as JSON on stdin. */
    readonly command: string;
    /** Columns before its output. Default 0. */
    readonly padding?: number;
  };
  /** The colours of the terminal. `auto`, the default, follows its background. */
  readonly theme?: 'auto' | 'dark' | 'light' | 'high-contrast';
  /** True: nothing in the terminal moves by itself. */
  readonly reducedMotion?: boolean;
  /** How the prompt of the terminal is edited. */
  readonly editorMode?: 'normal' | 'vim';
  /** How the terminal calls you when you look elsewhere. `auto`: by both. */
  readonly notifications?: 'auto' | 'bell' | 'desktop' | 'off';
  /** What one session may use. A project can only lower it. */
  readonly budgets?: {
    /** US dollars that the session may cost. Checked before money is spent, so it needs models with a known price. Default: no limit. */
    readonly maxBudgetUsd?: number;
    /** The prompt ends after so many replies of the model. Default: no limit. */
    readonly maxTurns?: number;
    /** Tokens of one prompt, input and output. Then the model sums up, and the prompt is a success. Default: no limit. */
    readonly taskTokens?: number;
  };
  /** Failed requests to a model. */
  readonly retry?: {
    /** True: a limit of rate or quota whose reset the server names is waited for, however long. Default: false. */
    readonly waitUntilReset?: boolean;
    /** Times a failed model request is sent again. Default: 10. */
    readonly maxRetries?: number;
    /** First retry delay, milliseconds; doubles each time. Default: 500. */
    readonly baseMs?: number;
    /** Longest retry delay, milliseconds. Default: 32,000. */
    readonly maxMs?: number;
    /** For runs that nobody watches: how long a failed request goes on being sent again, from its first failure, milliseconds, however many times that is; also the longest wait a server may ask for. Default 0: `maxRetries` alone. */
    readonly horizonMs?: number;
    /** Silence in a stream after which the attempt has failed, milliseconds; pings and comments are signs of life. 0 for no limit. Default: 120,000. */
    readonly streamIdleMs?: number;
    /** Time in a stream that brings signs of life but no content, after which the attempt has failed, milliseconds; never less than `streamIdleMs`. A model that thinks unseen sends nothing else. 0 for no limit. Default: 600,000. */
    readonly contentIdleMs?: number;
    /** Longest wait for the first event of a reply, milliseconds; 0 for no limit. Default: 600,000. */
    readonly requestTimeoutMs?: number;
  };
  /** The agent, of `agents`, of a file or built in, that the session itself runs as. Default: the default agent. */
  readonly agent?: string;
  /** False: the conversation is compacted only by `/compact` or when the model refuses its length. Default: true. */
  readonly autoCompact?: boolean;
  /** Which built-in agents there are (`general-purpose`, `Explore`, `Plan`): true for all, false for none, or names. Default: true. */
  readonly builtInAgents?: boolean | string[];
  /** Sessions that were not written for so many days are deleted, at most once a day. Default: none is. */
  readonly cleanupPeriodDays?: number;
  /** True: the model has the tool RunScript, which runs a script of its own that calls the other tools as functions. An object says how. Default: false. */
  readonly codeMode?:
    | boolean
    | {
        readonly only?: boolean;
        readonly maxRunMs?: number;
        readonly maxMemoryMb?: number;
        readonly maxOutputCharacters?: number;
      };
  /** How much work the model puts in. */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Whether files can be set back to what they were before a prompt. Counts from the next session on. */
  readonly enableFileCheckpointing?: boolean;
  /** Variables of the session and of what it starts. */
  readonly env?: Record<string, string>;
  /** Models that may answer in place of the model: their names, or names with conditions. */
  readonly fallback?:
    | string[]
    | {
        readonly models?: string[];
        readonly on?: (
          | 'overloaded'
          | 'rate'
          | 'quota'
          | 'auth'
          | 'model_not_found'
          | 'server'
          | 'timeout'
          | 'connection'
          | 'refusal'
          | 'overflow'
        )[];
        readonly maxPriceFactor?: number;
        readonly pin?: boolean;
      };
  /** `PROVIDER/NAME`, a name, a tier, or `offline`. Default: what settings and variables name, else the first provider that there is a key for. */
  readonly model?: string;
  /** The model of each tier, instead of the provider's defaults. */
  readonly modelTiers?: {
    readonly auto?: string;
    readonly ultimate?: string;
    readonly performance?: string;
    readonly efficient?: string;
    readonly lite?: string;
  };
  /** The sandbox for commands. */
  readonly sandbox?: {
    readonly enabled?: boolean;
    readonly autoAllowBashIfSandboxed?: boolean;
    readonly excludedCommands?: string[];
    readonly allowUnsandboxedCommands?: boolean;
    readonly network?: {
      readonly allowLocalBinding?: boolean;
      readonly allowUnixSockets?: string[];
      readonly allowAllUnixSockets?: boolean;
      readonly httpProxyPort?: number;
      readonly socksProxyPort?: number;
      readonly allowedDomains?: string[];
      readonly deniedDomains?: string[];
      readonly allowManagedDomainsOnly?: boolean;
    };
    readonly filesystem?: {
      readonly allowWrite?: string[];
      readonly denyWrite?: string[];
      readonly denyRead?: string[];
      readonly allowRead?: string[];
      readonly allowManagedReadPathsOnly?: boolean;
    };
    readonly ignoreViolations?: {
      readonly file?: string[];
      readonly network?: string[];
    };
    readonly enableWeakerNestedSandbox?: boolean;
  };
  /** Which skills there are, and that they may be called: all, or their names. */
  readonly skills?: 'all' | string[];
  /** True: the model keeps its list item by item, with TaskCreate, TaskGet, TaskUpdate and TaskList in place of TodoWrite. Default: false. */
  readonly taskTools?: boolean;
  /** Extended thinking. `budgetTokens` goes with `enabled`. */
  readonly thinking?: {
    readonly type: 'disabled' | 'adaptive' | 'enabled';
    readonly budgetTokens?: number;
    readonly display?: 'summarized' | 'omitted';
  };
  /** When tools of MCP servers are left out of requests until the model has searched for them: `auto`, `always`, `never`, or a percentage of the context window in place of the 10 of `auto`. Default: `auto`, or what ENABLE_TOOL_SEARCH says. */
  readonly toolSearch?: 'auto' | 'always' | 'never' | number;
  /** WebFetch and WebSearch. A project says nothing of it. */
  readonly web?: {
    /** Hosts that are not on the public internet and may be fetched: `localhost:3000`, `10.1.0.0/16`. */
    readonly privateHosts?: string[];
    /** Answers questions about pages. `false`: pages are shown. */
    readonly model?: string | boolean;
    /** Who searches. */
    readonly search?: {
      readonly provider?: 'brave' | 'tavily' | 'exa' | 'searxng' | 'model';
      /** Better in the variable of the provider. */
      readonly apiKey?: string;
      readonly baseUrl?: string;
      readonly maxResults?: number;
    };
  };
  readonly [key: string]: unknown;
};

// protocol/system-messages.ts

interface SystemEnvelope extends SDKEnvelope {
  readonly type: 'system';
  /** The subagent it is about; absent if it is about the session itself. */
  readonly agent_id?: string;
}

export type ApiKeySource = 'user' | 'project' | 'org' | 'temporary' | 'none';

/** There is no fast mode here: always `off`. */
export type FastModeState = 'off' | 'cooldown' | 'on';

/** `system/init`: the first message of every prompt, and the only one with the session's metadata. */
export interface SDKSystemMessage extends SystemEnvelope {
  readonly subtype: 'init';
  readonly turnwright_version: string;
  /** The versions of published programs whose stream this one is like, for who reads them. */
  readonly claude_code_version: string;
  readonly qodercli_version: string;
  readonly protocol_version: string;
  /** What the session can be asked for beside prompts: `CAPABILITIES`. An open list. */
  readonly capabilities: readonly string[];
  readonly apiKeySource: ApiKeySource;
  readonly cwd: string;
  readonly model: string;
  /** Which provider answers: `anthropic`, `offline` … */
  readonly provider: string;
  readonly permissionMode: PermissionMode;
  readonly tools: readonly string[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly source?: string;
  }[];
  readonly mcp_servers: readonly {
    readonly name: string;
    readonly status: string;
  }[];
  /** Present if commands are to be confined. Not available: none runs, and `reason` says why. */
  readonly sandbox?: {
    readonly enabled: true;
    readonly available: boolean;
    readonly mechanism: 'bubblewrap' | 'seatbelt' | null;
    readonly reason: string | null;
  };
  readonly fast_mode_state?: FastModeState;
  /** The settings files that were read. Absent: none was there. */
  readonly settings_files?: readonly {
    readonly scope: string;
    readonly file: string;
  }[];
  /** What of files and plugins there is, and where it comes from. Absent: none was there. */
  readonly loaded?: readonly LoadedPart[];
  /** What was found and is not there, and why. */
  readonly rejected?: readonly RejectedPart[];
}

/** A part of a session that stands in a file or comes with a plugin. */
export interface LoadedPart {
  readonly kind: 'agent' | 'skill' | 'command' | 'plugin' | 'server' | 'hook' | 'instructions';
  readonly name: string;
  /** Whose: `project`, `user`, `plugin`, `managed` … */
  readonly scope: string;
  /** Its file or folder, absolute; `option` for what stands in none. */
  readonly source: string;
}

/** A candidate that is not there. */
export interface RejectedPart extends Pick<LoadedPart, 'kind' | 'name' | 'source'> {
  readonly reason: string;
}

/** Context was compacted here. Both spellings of the published documents: `summary` and `compact_metadata`. */
export interface SDKCompactBoundaryMessage extends SystemEnvelope {
  readonly subtype: 'compact_boundary';
  readonly summary?: string;
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    /**
     * The newest messages from before that are still in the context word for word, without a gap: first and last, by the
     * ids they were sent under. They follow the summary, whose id in the transcript is the anchor. Absent: none are.
     */
    readonly preserved_segment?: {
      readonly head_uuid: string;
      readonly anchor_uuid: string;
      readonly tail_uuid: string;
    };
    /** All that are still there, also those before a gap, in their order. */
    readonly preserved_messages?: {
      readonly anchor_uuid: string;
      readonly uuids: readonly string[];
    };
  };
}

export type SDKStatus = 'compacting' | 'requesting' | null;

/**
 * What the session does beside the conversation. `compacting` lasts until the next status; `requesting`, only with
 * `includePartialMessages`, until the next event of the stream. With `permissionMode`: the mode is another from here on.
 */
export interface SDKStatusMessage extends SystemEnvelope {
  readonly subtype: 'status';
  readonly status: SDKStatus;
  readonly permissionMode?: PermissionMode;
  /** How a compaction ended. */
  readonly compact_result?: 'success' | 'failed';
  readonly compact_error?: string;
}

/** Mode `plan` began or is over. A `status` with the mode comes before it. */
export interface SDKPlanModeChangedMessage extends SystemEnvelope {
  readonly subtype: 'plan_mode_changed';
  readonly plan_mode: {
    readonly active: boolean;
  };
}

/** The goal of the session was set, or is another than it was: its words, its status, what it has used. */
export interface SDKGoalUpdatedMessage extends SystemEnvelope {
  readonly subtype: 'goal_updated';
  readonly goal: SDKGoalSnapshot;
  /** Why: the model's words, or `interrupted`, `safety-limit`, `budget`, `no-progress`, the reason of a result. */
  readonly reason?: string;
}

export interface SDKGoalClearedMessage extends SystemEnvelope {
  readonly subtype: 'goal_cleared';
  readonly goal_id: string;
  readonly reason?: string;
}

/** The slash commands are others from here on: all of them. */
export interface SDKCommandsChangedMessage extends SystemEnvelope {
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommand[];
}

/** The models that may be named are others from here on: all of them. */
export interface SDKAvailableModelsUpdateMessage extends SystemEnvelope {
  readonly subtype: 'available_models_update';
  readonly models: readonly ModelInfo[];
  readonly currentModel: string;
}

/** A control request of the wire protocol takes its time. */
export interface SDKControlRequestProgressMessage extends SystemEnvelope {
  readonly subtype: 'control_request_progress';
  readonly request_id: string;
  readonly status: 'started' | 'api_retry';
  readonly attempt?: number;
  readonly max_retries?: number;
  readonly retry_delay_ms?: number;
  readonly error_status?: number | null;
}

export interface SDKMcpStatusChangeMessage extends SystemEnvelope {
  readonly subtype: 'mcp_status_change';
  readonly servers: readonly McpServerStatus[];
}

/** Requests go to another model from here on, and why. */
export interface SDKModelChangedMessage extends SystemEnvelope {
  readonly subtype: 'model_changed';
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** What led to it; `prompt_started`: each prompt begins with the session's own model; `resolve_model`: the
   * host named it. */
  readonly trigger?: FallbackTrigger | 'prompt_started' | 'resolve_model';
}

interface RefusedRequest {
  readonly original_model: string;
  /** How the provider names the request; null if it does not. */
  readonly request_id: string | null;
  /** What happened, for people. */
  readonly content: string;
}

/** A model declined to answer, and another one is asked. `model_changed` says the same of every change of models. */
export interface SDKModelRefusalFallbackMessage extends SystemEnvelope, RefusedRequest {
  readonly subtype: 'model_refusal_fallback';
  readonly trigger: 'refusal';
  /** `retry`: for the rest of the prompt; each prompt begins with its own model. */
  readonly direction: 'retry';
  readonly fallback_model: string;
}

/** A model declined to answer, and no other is asked: the prompt ends with `refusal`. */
export interface SDKModelRefusalNoFallbackMessage extends SystemEnvelope, RefusedRequest {
  readonly subtype: 'model_refusal_no_fallback';
}

/** How much a model that thinks has thought by now, estimated. With `includePartialMessages`. */
export interface SDKThinkingTokensMessage extends SystemEnvelope {
  readonly subtype: 'thinking_tokens';
  /** Of the reply so far. */
  readonly estimated_tokens: number;
  /** Since the last of these messages. */
  readonly estimated_tokens_delta: number;
}

/** A model request failed and will be sent again after `retry_delay_ms`. One message an attempt. */
export interface SDKAPIRetryMessage extends SystemEnvelope {
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: SDKAssistantMessageError;
  /** The failure's own class, for example `stream_idle`, and its text. */
  readonly reason: string;
  readonly message: string;
}

/** The partial output streamed for `message_id` is withdrawn: its attempt failed. Discard what was shown of it. */
export interface SDKStreamResetMessage extends SystemEnvelope {
  readonly subtype: 'stream_reset';
  readonly message_id: string;
  readonly reason: string;
}

/** What was repaired in the history before a request, so that the request is valid. */
export interface SDKHistoryRepairedMessage extends SystemEnvelope {
  readonly subtype: 'history_repaired';
  readonly repairs: readonly {
    readonly kind: HistoryRepairKind;
    readonly detail: string;
  }[];
}

export type HistoryRepairKind =
  | 'missing_tool_result'
  | 'orphan_tool_result'
  | 'duplicate_tool_result'
  | 'duplicate_tool_use'
  | 'empty_block'
  | 'empty_message'
  | 'unsigned_thinking'
  | 'role_order'
  | 'invalid_block'
  | 'invalid_text'
  | 'media_removed'
  | 'media_corrected'
  | 'thinking_removed';

export type NoticeCode =
  | 'option_without_effect'
  | 'unknown_tool_name'
  | 'transcript_unavailable'
  | 'transcript_recovered'
  | 'transcript_entries_lost'
  | 'prompt_end_failed'
  | 'secrets_redacted'
  | 'blobs_full'
  | 'transcript_damaged'
  | 'transcript_cut'
  | 'session_resumed_with_open_calls'
  | 'prompt_blocks_dropped'
  | 'fallback_skipped'
  | 'hook_failed'
  | 'untrusted_content'
  | 'hook_message'
  | 'compaction_blocked'
  | 'history_shrunk'
  | 'context_filling'
  | 'thinking_reduced'
  | 'output_schema_refused'
  | 'output_limit_lowered'
  | 'loop_suspected'
  | 'reply_cut_by_budget'
  | 'tool_deferred'
  | 'call_judged'
  | 'deferred_dropped'
  | 'attachment_left_out'
  | 'instructions_left_out'
  | 'orphaned_permission_dropped'
  | 'checkpoint_incomplete'
  | 'queued_message_blocked'
  | 'message_id_replaced'
  | 'mcp_server_failed'
  | 'mcp_tool_left_out'
  | 'mcp_server_not_used'
  | 'mcp_server_restarted'
  | 'mcp_server_output'
  | 'mcp_server_log'
  | 'mcp_instructions_cut'
  | 'child_process_output'
  | 'mcp_tools_changed'
  | 'mcp_tools_unknown'
  | 'tool_schema_unusable'
  | 'tool_name_taken'
  | 'no_session_to_continue'
  | 'sessions_deleted'
  | 'settings_problem'
  | 'settings_refused'
  | 'settings_changed'
  | 'settings_not_saved'
  | 'folder_not_trusted'
  | 'permission_rule_unusable'
  | 'permission_example_failed'
  | 'worktree_left'
  | 'sandbox_unavailable'
  | 'sandbox_violation'
  | 'command_model_unusable'
  | 'command_problem'
  | 'plugin_problem'
  | 'skill_problem'
  | 'skill_refused'
  | 'messages_not_shown'
  | 'telemetry_unavailable'
  | 'agent_problem'
  | 'agent_refused';

/**
 * Why a conversation was not, or not much, compacted: the window is nearly full and another compaction would make no
 * room; one was made and left it nearly full; its summary would have been as long; there was no summary to be had; the
 * budget does not allow one.
 */
export type CompactionBlockedReason = 'window_full' | 'little_room_made' | 'no_shorter' | 'no_summary' | 'over_budget';

/** Which setting a notice is about. */
export interface NoticedSetting {
  /** Absolute; null for settings that were given as an option. */
  readonly file: string | null;
  /** For example `permissions.allow[2]`; null for the file itself. */
  readonly key: string | null;
  /** What would have been right. */
  readonly expected?: string;
  /** The known key that was perhaps meant. */
  readonly nearest?: string;
}

/** One of several settings that a notice is about. */
export interface ToldSetting extends NoticedSetting {
  /** What is wrong with it. */
  readonly message: string;
}

/** Something was skipped, dropped, shortened or does nothing, and why. `remedy` says what to do about it. */
export interface SDKNoticeMessage extends SystemEnvelope {
  readonly subtype: 'notice';
  readonly code: NoticeCode;
  /** With `compaction_blocked`, always. */
  readonly reason?: CompactionBlockedReason;
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly remedy?: string;
  /** Figures that the message names, for programs. */
  readonly data?: Readonly<Record<string, number>>;
  readonly setting?: NoticedSetting;
  /** In place of `setting`, if the same is wrong with several of one file: all of them. */
  readonly settings?: readonly ToldSetting[];
}

export interface SDKLocalCommandOutputMessage extends SystemEnvelope {
  readonly subtype: 'local_command_output';
  readonly content: string;
}

/** A line for people. `prevent_continuation`: a hook ended the prompt, and this is why. */
export interface SDKInformationalMessage extends SystemEnvelope {
  readonly subtype: 'informational';
  readonly content: string;
  readonly level: 'info' | 'notice' | 'suggestion' | 'warning';
  readonly tool_use_id?: string;
  readonly prevent_continuation?: boolean;
}

/** A person should look: the session waits for an answer. With `includeSessionState`. */
export interface SDKNotificationMessage extends SystemEnvelope {
  readonly subtype: 'notification';
  /** What it is about: one with the same key takes the place of an earlier one. */
  readonly key: string;
  readonly text: string;
  readonly priority: 'low' | 'medium' | 'high' | 'immediate';
}

interface HookEnvelope extends SystemEnvelope {
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

export interface SDKHookStartedMessage extends HookEnvelope {
  readonly subtype: 'hook_started';
  /** What the hook's `statusMessage` says. */
  readonly status_message?: string;
}

export interface SDKHookProgressMessage extends HookEnvelope {
  readonly subtype: 'hook_progress';
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

export interface SDKHookResponseMessage extends HookEnvelope {
  readonly subtype: 'hook_response';
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Of a command that ended by itself. */
  readonly exit_code?: number;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

export interface SDKTaskStartedMessage extends SystemEnvelope {
  readonly subtype: 'task_started';
  readonly task_id: string;
  /**
   * One run of the task: the same in every message about it. An agent that goes on keeps its `task_id` and gets another;
   * of one task they sort as texts in the order in which they began.
   */
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly description: string;
  /** The name of the agent. */
  readonly subagent_type?: string;
  /** `local_agent`: a subagent. `local_bash`: a command in the background. */
  readonly task_type?: string;
  /** True for what goes on while the conversation does. */
  readonly is_backgrounded?: boolean;
  /** Of an agent: 1 if the session's own agent started it, one more below each agent. */
  readonly spawn_depth?: number;
  /** The agent that started it; absent for the session's own. */
  readonly parent_task_id?: string;
  readonly workflow_name?: string;
  readonly prompt?: string;
}

/** Something about a task is different: take the fields of `patch` over. */
export interface SDKTaskUpdatedMessage extends SystemEnvelope {
  readonly subtype: 'task_updated';
  readonly task_id: string;
  readonly run_id?: string;
  readonly patch: {
    readonly status?: 'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'paused';
    readonly description?: string;
    /** Milliseconds since 1970. */
    readonly end_time?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
  };
}

/** What runs in the background, all of it, as it is from here on. */
export interface SDKBackgroundTasksChangedMessage extends SystemEnvelope {
  readonly subtype: 'background_tasks_changed';
  readonly tasks: readonly BackgroundTaskSummary[];
}

export interface BackgroundTaskSummary {
  readonly task_id: string;
  readonly run_id?: string;
  readonly task_type: string;
  readonly description: string;
  readonly subagent_type?: string;
}

export interface SDKTaskProgressMessage extends SystemEnvelope {
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: TaskUsage;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

export interface SDKTaskNotificationMessage extends SystemEnvelope {
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output_file: string;
  readonly summary: string;
  readonly usage?: TaskUsage;
}

/**
 * Whether a session works, waits for an answer, or is idle: with `includeSessionState`. `idle` follows the `result` after
 * which nothing waits, so it alone says that a turn of the conversation is over.
 */
export interface SDKSessionStateChangedMessage extends SystemEnvelope {
  readonly subtype: 'session_state_changed';
  readonly state: 'idle' | 'running' | 'requires_action';
}

export interface SDKSessionTitleChangedMessage extends SystemEnvelope {
  readonly subtype: 'session_title_changed';
  readonly title: string;
  readonly source: 'ai' | 'custom';
  readonly revision: number;
}

export interface SDKBridgeStateMessage extends SystemEnvelope {
  readonly subtype: 'bridge_state';
  readonly state: string;
  readonly detail?: string;
}

export interface SDKFilesPersistedEvent extends SystemEnvelope {
  readonly subtype: 'files_persisted';
  readonly files: readonly {
    readonly filename: string;
    readonly file_id: string;
  }[];
  readonly failed: readonly {
    readonly filename: string;
    readonly error: string;
  }[];
  readonly processed_at: string;
}

export interface SDKElicitationCompleteMessage extends SystemEnvelope {
  readonly subtype: 'elicitation_complete';
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** A call was refused without asking anyone: by a rule, a mode, or because nobody could be asked. */
export interface SDKPermissionDeniedMessage extends SystemEnvelope {
  readonly subtype: 'permission_denied';
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly decision_reason_type?: string;
  readonly decision_reason?: string;
  readonly message: string;
}

/** The host's own session store did not take some entries, after all attempts; they are missing there. */
export interface SDKMirrorErrorMessage extends SystemEnvelope {
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: SessionKey;
}

/** The disk is full: messages of the session's transcript could not be kept, so a resumed session does not have them. */
export interface SDKSessionWritesLostMessage extends SystemEnvelope {
  readonly subtype: 'session_writes_lost';
  readonly error_code: 'ENOSPC' | 'EDQUOT';
  readonly lost: readonly 'transcript'[];
  readonly transcript_session_ids?: readonly string[];
}

/** The process that runs the session ends. */
export interface SDKWorkerShuttingDownMessage extends SystemEnvelope {
  readonly subtype: 'worker_shutting_down';
  readonly reason: string;
}

/** What an agent with a memory has of its earlier runs in its system prompt: the index of its folder. */
export interface SDKMemoryRecallMessage extends SystemEnvelope {
  readonly subtype: 'memory_recall';
  /** Always `select` here: the file as it is. */
  readonly mode: 'select' | 'synthesize';
  readonly memories: readonly {
    /** Absolute. */
    readonly path: string;
    /** `team` for a memory that belongs to the project. */
    readonly scope: 'personal' | 'team' | 'organization';
    readonly content?: string;
  }[];
}

/** Every `system` message but `init`. */
export type SDKSystemEventMessage =
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKMcpStatusChangeMessage
  | SDKAPIRetryMessage
  | SDKModelChangedMessage
  | SDKStreamResetMessage
  | SDKHistoryRepairedMessage
  | SDKNoticeMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskNotificationMessage
  | SDKSessionStateChangedMessage
  | SDKSessionTitleChangedMessage
  | SDKBridgeStateMessage
  | SDKFilesPersistedEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKMirrorErrorMessage
  | SDKPlanModeChangedMessage
  | SDKGoalUpdatedMessage
  | SDKGoalClearedMessage
  | SDKCommandsChangedMessage
  | SDKAvailableModelsUpdateMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKThinkingTokensMessage
  | SDKInformationalMessage
  | SDKNotificationMessage
  | SDKTaskUpdatedMessage
  | SDKBackgroundTasksChangedMessage
  | SDKSessionWritesLostMessage
  | SDKWorkerShuttingDownMessage
  | SDKMemoryRecallMessage;

// protocol/tool-io.ts

/** The model is told of the first four; the others are accepted as well. */
export type AgentInput = {
  prompt: string;
  /** What the agent does, in three to five words. */
  description?: string;
  /** The agent's name; `agent` means the same. */
  subagent_type?: string;
  model?: string;
  effort?: EffortLevel;
  agent?: string;
  /** Milliseconds after which the agent is stopped. */
  timeout_ms?: number;
  /** True: the call does not wait for the agent. */
  run_in_background?: boolean;
  /** By which SendMessage finds it, beside its id. */
  name?: string;
  /** `worktree`: it works in a checkout of its own. */
  isolation?: 'worktree';
  /** The id or name of an agent that ended: it goes on with what it knows. */
  resume?: string;
};

export type AgentOutput = {
  /** '' if the call does not wait for the agent. */
  result: string;
  agent?: string;
  error?: string;
  /** There if the call does not wait: TaskOutput and TaskStop take it, SendMessage too. */
  backgroundTaskId?: string;
  /** The file with what it says meanwhile. */
  outputFile?: string;
};

export type SendMessageInput = {
  /** The id or name of an agent. */
  to: string;
  message: string;
};

export type SendMessageOutput = {
  success: boolean;
  to: string;
  /** True if the agent had ended and goes on now. */
  resumed?: boolean;
};

export type BashInput = {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
};

export type BashOutput = {
  stdout: string;
  stderr: string;
  /** 0 also if the command goes on in the background. */
  exitCode: number;
  interrupted?: boolean;
  /** The task that the command goes on as: its output is there, not here. */
  backgroundTaskId?: string;
  /** True if a person moved it there. */
  backgroundedByUser?: boolean;
  /** Milliseconds after which it was stopped, or moved there. */
  timedOutAfterMs?: number;
  /** The file that holds all of the output, if that was too long to show, and its size in bytes. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  /** What its exit code means, if it is no failure: grep found nothing, files differ. */
  returnCodeInterpretation?: string;
  /** True if it printed an image, as a data address, which the model sees as one. */
  isImage?: boolean;
  /** True for a command that says nothing if it succeeds, such as mkdir. */
  noOutputExpected?: boolean;
  /** True if it was to run outside of the sandbox. */
  dangerouslyDisableSandbox?: boolean;
  /** Of one in the background that changes its folder: the session stays in its own. */
  backgroundCwdHint?: string;
  /** Files that the model has read and that are others since it ran, as the model is told. */
  staleReadFileStateHint?: string;
  /** What the model is told if GitHub takes no more requests of gh for now. */
  ghRateLimitHint?: string;
  /** What git or gh say that it did. */
  gitOperation?: {
    commit?: {
      sha: string;
      kind: 'committed' | 'amended' | 'cherry-picked';
      branch?: string;
    };
    push?: {
      branch: string;
    };
    branch?: {
      ref: string;
      action: 'merged' | 'rebased';
    };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
};

export type FileReadInput = {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
};

export type FileReadOutput =
  | {
      type: 'text';
      text: string;
      file_path: string;
      totalLines?: number;
    }
  | {
      type: 'image';
      source: {
        type: 'base64';
        media_type: string;
        data: string;
      };
      file_path: string;
    }
  | {
      type: 'notebook';
      cells: Array<{
        cell_number: number;
        cell_type: 'code' | 'markdown' | 'raw';
        source: string;
        outputs?: string[];
      }>;
      file_path: string;
    }
  | {
      type: 'pdf';
      pages: Array<{
        page_number: number;
        content: string;
      }>;
      file_path: string;
      totalPages: number;
    }
  | {
      type: 'parts';
      parts: Array<
        | {
            type: 'text';
            text: string;
          }
        | {
            type: 'image';
            source: {
              type: 'base64';
              media_type: string;
              data: string;
            };
          }
      >;
      file_path: string;
    }
  | {
      type: 'file_unchanged';
      file_path: string;
      message: string;
    };

export type FileEditInput = {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
};

/** One piece of a change: the lines of both sides, each with ' ', '-', '+' or '\\' in front. */
export interface StructuredPatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

export type FileEditOutput = {
  success: boolean;
  file_path: string;
  diff?: string;
  /** The same change as its hunks. Absent if it is too large to be told. */
  structuredPatch?: StructuredPatchHunk[];
  error?: string;
};

export type FileWriteInput = {
  file_path: string;
  content: string;
};

export type FileWriteOutput = {
  success: boolean;
  file_path: string;
  bytesWritten?: number;
  /** True if there was no such file. */
  created?: boolean;
  /** What a replaced text became, if that is not too large to be told. */
  structuredPatch?: StructuredPatchHunk[];
  error?: string;
};

export type GlobInput = {
  pattern: string;
  path?: string;
};

export type GlobOutput = {
  files: string[];
  totalMatches: number;
  truncated?: boolean;
};

export type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  output_mode?: 'content' | 'files_with_matches' | 'count';
  head_limit?: number;
  offset?: number;
  context?: number;
  '-A'?: number;
  '-B'?: number;
  '-C'?: number;
  '-i'?: boolean;
  '-n'?: boolean;
  multiline?: boolean;
};

export type GrepOutput = {
  results: string;
  matchCount: number;
  truncated?: boolean;
};

export type WebFetchInput = {
  url: string;
  prompt: string;
};

export type WebFetchOutput = {
  content: string;
  url: string;
  statusCode?: number;
  error?: string;
  redirectUrl?: string;
};

export type WebSearchInput = {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
};

export type WebSearchOutput = {
  results: Array<{
    title: string;
    url: string;
    snippet: string;
  }>;
  query: string;
};

export type AskUserQuestionInput = {
  question: string;
  options?: string[];
  default?: string;
};

export type AskUserQuestionOutput = {
  answer: string;
};

export type NotebookEditInput = {
  notebook_path: string;
  cell_id?: string;
  cell_type?: 'code' | 'markdown';
  new_source: string;
  edit_mode?: 'replace' | 'insert' | 'delete';
};

export type NotebookEditOutput = {
  success: boolean;
  notebook_path: string;
  error?: string;
};

/** With `output` a text for the task's stdin; without it, what the task printed since it was read last. */
export type TaskOutputInput = {
  task_id: string;
  output?: string;
  /** False: what there is now. Default: waits for the task's end. */
  block?: boolean;
  /** How long it waits, milliseconds. Default 30,000. */
  timeout?: number;
};

export type TaskOutputOutput = {
  task_id: string;
  status: 'running' | 'completed' | 'failed' | 'stopped';
  /** What the task printed since it was read last. Absent if a text was written to it. */
  output?: string;
  /** Of a task that ended by itself. */
  exitCode?: number;
  /** The file with all its output. */
  output_file?: string;
};

export type TaskStopInput = {
  task_id: string;
  reason?: string;
};

export type TaskStopOutput = {
  success: boolean;
  task_id: string;
  error?: string;
};

export type ExitPlanModeInput = {
  confirm?: boolean;
};

export type EnterPlanModeInput = Record<never, never>;

export type EnterPlanModeOutput = {
  success: boolean;
  message: string;
};

export type ExitPlanModeOutput = {
  success: boolean;
  /** What was approved, and where it is kept. */
  plan?: string;
  filePath?: string;
  /** True if whoever approved it changed it. */
  planWasEdited?: boolean;
  error?: string;
};

export type UpdateGoalInput = {
  status: 'complete' | 'blocked';
  /** How it is known, or what is needed. */
  reason: string;
};

export type UpdateGoalOutput = {
  success: boolean;
  message: string;
};

export type ConfigInput = {
  action: 'get' | 'set' | 'list';
  key?: string;
  value?: unknown;
  scope?: 'user' | 'project' | 'local';
};

export type ConfigOutput = {
  success: boolean;
  value?: unknown;
  values?: Record<string, unknown>;
  error?: string;
};

export type EnterWorktreeInput = {
  name?: string;
};

export type EnterWorktreeOutput = {
  worktree_path: string;
  branch_name: string;
  success: boolean;
  error?: string;
};

export type ExitWorktreeInput = {
  action: 'keep' | 'remove';
  discard_changes?: boolean;
};

export type ExitWorktreeOutput = {
  success: boolean;
  error?: string;
  uncommitted_files?: string[];
  unmerged_commits?: string[];
};

export type TodoWriteInput = {
  todos: Array<{
    id?: string;
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
    /** What it is called while it is worked on. */
    activeForm?: string;
    priority?: 'low' | 'medium' | 'high';
  }>;
};

export type TodoWriteOutput = {
  success: boolean;
  todos: Array<{
    id: string;
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
    /** What it is called while it is worked on. */
    activeForm?: string;
    priority?: 'low' | 'medium' | 'high';
  }>;
  error?: string;
};

export type TaskStatus = 'pending' | 'in_progress' | 'completed';

export type TaskCreateInput = {
  subject: string;
  description: string;
  /** What it is called while it is worked on. */
  activeForm?: string;
  metadata?: Record<string, unknown>;
};

export type TaskCreateOutput = {
  task: {
    id: string;
    subject: string;
    description: string;
  };
};

export type TaskGetInput = {
  taskId: string;
};

export type TaskGetOutput = {
  /** Null: there is none with this id. */
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    /** Ids of those that wait for it, and of those that it waits for. */
    blocks: string[];
    blockedBy: string[];
  } | null;
};

export type TaskUpdateInput = {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: TaskStatus | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  /** Merged into what there is; null takes a key away. */
  metadata?: Record<string, unknown>;
};

export type TaskUpdateOutput = {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: {
    from: string;
    to: string;
  };
};

export type TaskListInput = Record<never, never>;

export type TaskListOutput = {
  /** `blockedBy`: those that are not done yet. */
  tasks: Array<{
    id: string;
    subject: string;
    status: TaskStatus;
    owner?: string;
    blockedBy: string[];
  }>;
};

export type ListMcpResourcesInput = {
  server_name: string;
};

export type ListMcpResourcesOutput = {
  resources: Array<{
    uri: string;
    name: string;
    description?: string;
    mimeType?: string;
  }>;
  server_name: string;
};

export type ReadMcpResourceInput = {
  server_name: string;
  uri: string;
};

export type McpInput = {
  server_name: string;
  tool_name: string;
  arguments?: Record<string, unknown>;
};

export type McpOutput = {
  content: unknown;
  isError?: boolean;
};

export type SkillInput = {
  /** Its name. */
  skill: string;
  /** What it is to work on. */
  args?: string;
};

export type SkillOutput = {
  skill: string;
  /** Absolute. */
  folder: string;
};

export type RunScriptInput = {
  /** JavaScript: the body of an async function. */
  code: string;
  /** What it does, for people. */
  description?: string;
};

export type RunScriptOutput = {
  /** What it returned, as JSON. Absent: nothing. */
  value?: string;
  /** What it printed, as far as it is kept. */
  printed: string;
  /** Why it did not come to its end. */
  error?: string;
  /** Its calls by tool: how many, and how many of them failed or were not allowed. */
  calls: Array<{
    tool: string;
    count: number;
    failed: number;
    denied: number;
  }>;
  /** Time that its code ran, without waits for calls. */
  run_ms: number;
};

export type ToolSearchInput = {
  /** Words, or `select:` and names. */
  query: string;
  max_results?: number;
};

export type ToolSearchOutput = {
  /** Names of the tools that can be called from the next request on. */
  matches: string[];
  query: string;
  /** Tools that a search can find. */
  total_deferred_tools: number;
};

export type ToolInputSchemas =
  | AgentInput
  | BashInput
  | FileReadInput
  | FileEditInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | WebFetchInput
  | WebSearchInput
  | AskUserQuestionInput
  | NotebookEditInput
  | TaskOutputInput
  | TaskStopInput
  | EnterPlanModeInput
  | ExitPlanModeInput
  | ConfigInput
  | EnterWorktreeInput
  | ExitWorktreeInput
  | TodoWriteInput
  | ListMcpResourcesInput
  | ReadMcpResourceInput
  | McpInput;

export type ToolOutputSchemas =
  | AgentOutput
  | BashOutput
  | FileReadOutput
  | FileEditOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | WebFetchOutput
  | WebSearchOutput
  | AskUserQuestionOutput
  | NotebookEditOutput
  | TaskStopOutput
  | EnterPlanModeOutput
  | ExitPlanModeOutput
  | ConfigOutput
  | EnterWorktreeOutput
  | ExitWorktreeOutput
  | TodoWriteOutput
  | ListMcpResourcesOutput
  | McpOutput;

export {};
