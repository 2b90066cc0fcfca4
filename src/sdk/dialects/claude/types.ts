// The type names of the Claude Agent SDK: ours, those that differ from them, and those of what is not here. Types only.

import type { AssistantMessage } from '../../../protocol/content.js';
import type {
  McpHttpServerConfig as OurHttp,
  McpSSEServerConfig as OurSse,
  McpStdioServerConfig as OurStdio,
} from '../../../protocol/mcp.js';
import type * as Messages from '../../../protocol/messages.js';
import type * as Options from '../../../protocol/options.js';
import type * as Permissions from '../../../protocol/permissions.js';
import type * as RateLimit from '../../../protocol/rate-limit.js';
import type * as System from '../../../protocol/system-messages.js';
import type { Writable } from '../../../util/writable.js';
import type { McpSdkServerConfig, NotHere } from '../shared-types.js';
import type { HookEvent } from './constants.js';

export type * from '../../../protocol/index.js';
export type * from '../../../protocol/session-store.js';
export type { DeniedModelsMatch } from '../../denied-models.js';
export type {
  ProvenanceEntry,
  ResolvedSettingSource,
  ResolvedSettings,
  ResolveSettingsOptions,
} from '../../resolve-settings.js';
export type {
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  SessionMutationOptions,
} from '../../session-options.js';
export type { SdkMcpToolDefinition } from '../../tool.js';
export type { AnyZodRawShape, InferShape } from '../../zod-shape.js';
export type * from '../hook-answers.js';
export type {
  ConfigScope,
  McpSdkServerConfig,
  McpServerToolPolicy,
  NonNullableUsage,
  SDKMessageOrigin,
  Transport,
} from '../shared-types.js';
export type {
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  PermissionResult,
  ThinkingAdaptive,
  ThinkingConfig,
  ThinkingDisabled,
  ThinkingEnabled,
} from './options-types.js';

export type UUID = `${string}-${string}-${string}-${string}-${string}`;
export type PermissionMode = Exclude<Permissions.PermissionMode, 'yolo'>;

/** A reply, with the fields of the published SDK's that hold nothing here. */
type Reply = Writable<AssistantMessage> & {
  container: null;
  context_management: null;
  diagnostics: null;
  stop_details: null;
};

/** A message of ours as it is told here: it may be changed, ids are UUIDs, and replies have all their fields. */
type Told<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends AssistantMessage
    ? Reply
    : T extends object
      ? { -readonly [Key in keyof T]: Key extends 'uuid' ? UUID | Extract<T[Key], undefined> : ToldField<Key, T[Key]> }
      : T;
type ToldField<Key, T> = Key extends 'permissionMode' ? Exclude<T, 'yolo'> : Told<T>;

/** With what the published SDK counts beside the tokens. */
type ResultUsage = Writable<Messages.SDKResultMessage['usage']> & {
  server_tool_use: { web_search_requests: number; web_fetch_requests: number };
  service_tier: 'standard';
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number };
};
export type ModelUsage = {
  [Key in keyof Messages.ModelUsage]: NonNullable<Messages.ModelUsage[Key]>;
};
type Result<Own> = Omit<Told<Own>, 'usage' | 'modelUsage' | 'terminal_reason'> & {
  usage: ResultUsage;
  modelUsage: Record<string, ModelUsage>;
  terminal_reason?: TerminalReason;
};
/** A text for each end; those of the published SDK and ours. */
export type TerminalReason = string;
export type SDKResultSuccess = Result<Messages.SDKResultSuccess>;
export type SDKResultError = Result<Messages.SDKResultError>;
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export type ApiKeySource = 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | '/login managed key' | System.ApiKeySource;
export type SDKSystemMessage = Omit<Told<System.SDKSystemMessage>, 'apiKeySource'> & {
  apiKeySource: ApiKeySource;
  claude_code_version: string;
};

export type SDKInformationalMessage = {
  type: 'system';
  subtype: 'informational';
  content: string;
  level: 'info' | 'notice' | 'suggestion' | 'warning';
  tool_use_id?: string;
  prevent_continuation?: boolean;
  tag?: string;
  uuid: UUID;
  session_id: string;
};

export type SDKAPIRetryMessage = Told<System.SDKAPIRetryMessage>;
export type SDKBackgroundTasksChangedMessage = Told<System.SDKBackgroundTasksChangedMessage>;
export type SDKCommandsChangedMessage = Told<System.SDKCommandsChangedMessage>;
export type SDKCompactBoundaryMessage = Told<System.SDKCompactBoundaryMessage>;
export type SDKControlRequestProgressMessage = Told<System.SDKControlRequestProgressMessage>;
export type SDKElicitationCompleteMessage = Told<System.SDKElicitationCompleteMessage>;
export type SDKFilesPersistedEvent = Told<System.SDKFilesPersistedEvent>;
export type SDKHookProgressMessage = Told<System.SDKHookProgressMessage>;
export type SDKHookResponseMessage = Told<System.SDKHookResponseMessage>;
export type SDKHookStartedMessage = Told<System.SDKHookStartedMessage>;
export type SDKLocalCommandOutputMessage = Told<System.SDKLocalCommandOutputMessage>;
export type SDKMemoryRecallMessage = Told<System.SDKMemoryRecallMessage>;
export type SDKMirrorErrorMessage = Told<System.SDKMirrorErrorMessage>;
export type SDKModelRefusalFallbackMessage = Told<System.SDKModelRefusalFallbackMessage>;
export type SDKModelRefusalNoFallbackMessage = Told<System.SDKModelRefusalNoFallbackMessage>;
export type SDKNotificationMessage = Told<System.SDKNotificationMessage>;
export type SDKPermissionDeniedMessage = Told<System.SDKPermissionDeniedMessage>;
export type SDKSessionStateChangedMessage = Told<System.SDKSessionStateChangedMessage>;
export type SDKSessionWritesLostMessage = Told<System.SDKSessionWritesLostMessage>;
export type SDKStatusMessage = Told<System.SDKStatusMessage>;
export type SDKTaskNotificationMessage = Told<System.SDKTaskNotificationMessage>;
export type SDKTaskProgressMessage = Told<System.SDKTaskProgressMessage>;
export type SDKTaskStartedMessage = Told<System.SDKTaskStartedMessage>;
export type SDKTaskUpdatedMessage = Told<System.SDKTaskUpdatedMessage>;
export type SDKThinkingTokensMessage = Told<System.SDKThinkingTokensMessage>;
export type SDKWorkerShuttingDownMessage = Told<System.SDKWorkerShuttingDownMessage>;
export type SDKAssistantMessage = Told<Messages.SDKAssistantMessage>;
export type SDKUserMessageReplay = Told<Messages.SDKUserMessageReplay>;
export type SDKPartialAssistantMessage = Told<Messages.SDKPartialAssistantMessage>;
export type SDKToolUseSummaryMessage = Told<Messages.SDKToolUseSummaryMessage>;
export type SDKPromptSuggestionMessage = Told<Messages.SDKPromptSuggestionMessage>;
export type SDKToolProgressMessage = Told<Messages.SDKToolProgressMessage>;
export type SDKAuthStatusMessage = Told<Messages.SDKAuthStatusMessage>;
export type SDKConversationResetMessage = Told<Messages.SDKConversationResetMessage>;
export type SDKRateLimitEvent = Told<RateLimit.SDKRateLimitEvent>;

/** Ours that stay as they are. */
type Kept = Exclude<Messages.SDKMessage, { type: 'result' } | { type: 'system' }>;
type KeptSystem = Extract<Messages.SDKMessage, { type: 'system'; subtype: SharedSubtype }>;
export type SDKMessage = Told<Kept> | Told<KeptSystem> | SDKResultMessage | SDKSystemMessage | SDKInformationalMessage;

/** Subtypes of `system` that both have, but `init`. */
type SharedSubtype =
  | 'api_retry'
  | 'background_tasks_changed'
  | 'commands_changed'
  | 'compact_boundary'
  | 'control_request_progress'
  | 'elicitation_complete'
  | 'files_persisted'
  | 'hook_progress'
  | 'hook_response'
  | 'hook_started'
  | 'local_command_output'
  | 'memory_recall'
  | 'mirror_error'
  | 'model_refusal_fallback'
  | 'model_refusal_no_fallback'
  | 'notification'
  | 'permission_denied'
  | 'plugin_install'
  | 'session_state_changed'
  | 'session_writes_lost'
  | 'status'
  | 'task_notification'
  | 'task_progress'
  | 'task_started'
  | 'task_updated'
  | 'thinking_tokens'
  | 'worker_shutting_down';

// Messages and parts of them that are not here.
export type SDKPluginInstallMessage = Unsent<'plugin_install'> & {
  status: 'started' | 'installed' | 'failed' | 'completed';
  name?: string;
  error?: string;
};
export type SDKActiveGoalMessage = {
  type: 'active_goal';
  value: {
    condition: string;
    iterations: number;
    set_at: number;
    tokens_at_start: number;
    last_reason?: string;
  } | null;
  uuid: UUID;
  session_id: string;
};
interface Unsent<Subtype extends string> {
  type: 'system';
  subtype: Subtype;
  uuid: string;
  session_id: string;
}
export type SDKStartupFailureReason = string;
export type SDKMcpResourceLink = NotHere & { uri: string; name: string };
export type SDKContextUsage = NotHere;
export type SDKContextUsageCategory = { name: string; tokens: number; color?: string; isDeferred?: boolean };
export type SDKControlPermissionRulesState = NotHere;
export type SDKPermissionRuleDescription = NotHere;
export type SDKPermissionWorkspaceDirectory = NotHere & { path: string };
export type SDKSettingsParseError = { file?: string; path: string; message: string };
export type SDKUsageReport = NotHere;
export type SessionCronSummary = NotHere & { id: string };
export type FastModeDisabledReason = string;
export type SdkBeta = string;
export type PolicySettingsOrigin = string;

export type OutputFormatType = 'json_schema';
export type BaseOutputFormat = { type: OutputFormatType };
export type JsonSchemaOutputFormat = Options.OutputFormat;

export type McpClaudeAIProxyServerConfig = { type: 'claudeai-proxy'; url: string; id: string; timeout?: number };
export type McpServerConfigForProcessTransport = OurStdio | OurSse | OurHttp | McpSdkServerConfig;
export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;
export type McpServerProvenance = NotHere;

export type SandboxCredentialsConfig = NotHere;
export type SandboxIgnoreViolations = Record<string, string[]>;

// Events that come with their hooks.
interface LaterInput<Event extends HookEvent> {
  hook_event_name: Event;
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  agent_id?: string;
  agent_type?: string;
}
export type PostToolBatchToolCall = {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  tool_response?: unknown;
};
export type PostToolBatchHookInput = LaterInput<'PostToolBatch'> & { tool_calls: PostToolBatchToolCall[] };
export type UserPromptExpansionHookInput = LaterInput<'UserPromptExpansion'> & {
  expansion_type: 'slash_command' | 'mcp_prompt';
  command_name: string;
  command_args: string;
  command_source?: string;
  prompt: string;
};
type ModelSwitch = {
  from_model: string;
  to_model: string;
  requested_model: string | null;
  source: string;
  context_tokens: number;
  prompt_cache_warm: boolean;
  cache_ttl: string;
  estimated_cache_write_usd: number | null;
  pricing: unknown;
};
export type PreModelSwitchHookInput = LaterInput<'PreModelSwitch'> & ModelSwitch;
export type PostModelSwitchHookInput = LaterInput<'PostModelSwitch'> & ModelSwitch;
export type DirectoryAddedHookInput = LaterInput<'DirectoryAdded'> & {
  directory: string;
  source: 'slash_command' | 'register_repo_root';
};
export type MessageDisplayHookInput = LaterInput<'MessageDisplay'> & {
  turn_id: string;
  message_id: string;
  index: number;
  final: boolean;
  delta: string;
};
