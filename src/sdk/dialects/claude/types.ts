// The type names of the Claude Agent SDK: ours, those that differ from them, and those of what is not here. Types only.

import type { AssistantMessage } from '../../../protocol/content.js';
import type * as Controls from '../../../protocol/control.js';
import type * as Mcp from '../../../protocol/mcp.js';
import type * as Messages from '../../../protocol/messages.js';
import type * as RateLimit from '../../../protocol/messages.js';
import type * as Model from '../../../protocol/model.js';
import type * as Options from '../../../protocol/options.js';
import type * as Rewind from '../../../protocol/rewind.js';
import type * as System from '../../../protocol/system-messages.js';
import type { Writable } from '../../../util/writable.js';
import type * as Resolved from '../../settings/index.js';
import type { NotHere } from '../shared-types.js';
import type { RATE_LIMIT_TYPES } from './constants.js';
import type { McpServerConfigForProcessTransport, PermissionChange, Settings } from './options-types.js';

export type * from '../../../protocol/index.js';
export type * from '../../../protocol/session-store.js';
export type { DeniedModelsMatch } from '../../models/index.js';
export type { AnyZodRawShape, InferShape } from '../../schemas/index.js';
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
} from '../../sessions/index.js';
export type { ProvenanceEntry, ResolvedSettingSource } from '../../settings/index.js';
export type { SdkMcpToolDefinition } from '../../tools/index.js';
export type * from '../hook-answers.js';
export type {
  ConfigScope,
  McpSdkServerConfig,
  McpServerToolPolicy,
  NonNullableUsage,
  Transport,
} from '../shared-types.js';
export type {
  AgentDefinition,
  AgentMcpServerSpec,
  BaseHookInput,
  CanUseTool,
  ConfigChangeHookInput,
  FileChangedHookInput,
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  InstructionsLoadedHookInput,
  McpServerConfigForProcessTransport,
  PermissionMode,
  PermissionRequestHookInput,
  PermissionResult,
  PostCompactHookInput,
  PostToolBatchHookInput,
  PostToolUseFailureHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  Settings,
  SetupHookInput,
  StopFailureHookInput,
  SubagentStopHookInput,
  ThinkingAdaptive,
  ThinkingConfig,
  ThinkingDisabled,
  ThinkingEnabled,
  UserPromptSubmitHookInput,
} from './options-types.js';

export type UUID = `${string}-${string}-${string}-${string}-${string}`;

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
type ToldField<Key, T> = Key extends 'permissionMode'
  ? Exclude<T, 'yolo'>
  : Key extends `${string}_uuid` | 'new_conversation_id'
    ? T extends string
      ? UUID
      : T
    : Key extends 'uuids'
      ? UUID[]
      : Key extends 'origin'
        ? SDKMessageOrigin | Extract<T, undefined>
        : Told<T>;

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
/** How a prompt ended. Ours are told by these. */
export type TerminalReason =
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'api_error'
  | 'background_requested'
  | 'blocking_limit'
  | 'budget_exhausted'
  | 'completed'
  | 'hook_stopped'
  | 'image_error'
  | 'malformed_tool_use_exhausted'
  | 'max_turns'
  | 'model_error'
  | 'prompt_too_long'
  | 'rapid_refill_breaker'
  | 'stop_hook_prevented'
  | 'structured_output_retry_exhausted'
  | 'tool_deferred'
  | 'tool_deferred_unavailable'
  | 'turn_setup_failed';
export type SDKResultSuccess = Result<Messages.SDKResultSuccess>;
export type SDKResultError = Result<Messages.SDKResultError>;
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export type ApiKeySource = 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | '/login managed key' | 'oauth' | System.ApiKeySource;
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
/** Limits of other kinds are told without a kind: `messages.ts` sees to that. */
export type SDKRateLimitInfo = Omit<Writable<RateLimit.SDKRateLimitInfo>, 'rateLimitType'> & {
  rateLimitType?: RateLimitType;
};
export type RateLimitType = (typeof RATE_LIMIT_TYPES)[number];
export type SDKRateLimitEvent = Omit<Told<RateLimit.SDKRateLimitEvent>, 'rate_limit_info'> & {
  rate_limit_info: SDKRateLimitInfo;
};

/** Ours that stay as they are. */
type Kept = Exclude<Messages.SDKMessage, { type: 'result' | 'system' | 'rate_limit_event' }>;
type KeptSystem = Extract<Messages.SDKMessage, { type: 'system'; subtype: SharedSubtype }>;
export type SDKMessage =
  | SDKRateLimitEvent
  | Told<Kept>
  | Told<KeptSystem>
  | SDKResultMessage
  | SDKSystemMessage
  | SDKInformationalMessage;

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
  uuid: UUID;
  session_id: string;
}
export type SDKStartupFailureReason =
  | 'bypass_root'
  | 'cli_version_too_old'
  | 'config_file_invalid'
  | 'cwd_unavailable'
  | 'gateway_access_denied'
  | 'gateway_signin_required'
  | 'initialize_fields_not_delivered'
  | 'initialize_not_first'
  | 'managed_settings_invalid'
  | 'managed_settings_not_delivered'
  | 'org_config_refused'
  | 'org_config_required_unavailable'
  | 'org_pin_api_key_conflict'
  | 'org_pin_mismatch'
  | 'org_verify_failed'
  | 'provider_not_allowed'
  | 'proxy_invalid'
  | 'remote_settings_required_unavailable'
  | 'sandbox_required_unavailable'
  | 'session_held_by_background'
  | 'shell_tool_missing'
  | 'temp_dir_unusable'
  | 'worktree_resume_refused'
  | 'worktree_unverified';
export type SDKMcpResourceLink = NotHere & { uri: string; name: string };
export type SDKContextUsageCategory = { name: string; tokens: number; kind: 'used' | 'free' | 'buffer' | 'deferred' };
export type SDKContextUsage = {
  model: string;
  total_tokens: number;
  raw_max_tokens: number;
  percentage: number;
  over_limit?: { tokens_over: number; kind: 'hard_limit' | 'compaction_window' };
  categories: SDKContextUsageCategory[];
  mcp_tools: { name: string; server_name: string; tokens: number }[];
  memory_files: { path: string; type: string; tokens: number }[];
  agents: { agent_type: string; source: string; tokens: number }[];
  skills?: { name: string; source: string; plugin_name?: string; tokens: number }[];
};
export type SDKControlPermissionRulesState = {
  rules: Controls.SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};
export type SDKPermissionRuleDescription = { prefix: string; emphasis?: string; suffix?: string };
export type SDKPermissionWorkspaceDirectory = { path: string; source: string };
export type SDKSettingsParseError = { file?: string; path: string; message: string };
export type SDKUsageReport = {
  session: {
    total_cost_usd: number;
    total_api_duration_ms: number;
    total_duration_ms: number;
    total_lines_added: number;
    total_lines_removed: number;
    model_usage: Record<string, ModelUsage>;
  };
  /** Limits of subscriptions are not known here. */
  rate_limits: null;
};
/** A task as hooks hear of it. */
export type BackgroundTaskSummary = {
  id: string;
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
};
export type SessionCronSummary = { id: string; schedule: string; recurring: boolean; prompt: string };
export type FastModeDisabledReason =
  | 'disabled_by_env'
  | 'extra_usage_disabled'
  | 'free'
  | 'model_not_allowed'
  | 'network_error'
  | 'not_first_party'
  | 'pending'
  | 'preference'
  | 'sdk_opt_in_required'
  | 'unknown';
export type SdkBeta = 'context-1m-2025-08-07';
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';
export type RewindFilesResult = Writable<Rewind.RewindFilesResult>;
export type ResolveSettingsOptions = Omit<Resolved.ResolveSettingsOptions, 'settings' | 'managedSettings'> & {
  settings?: string | Settings;
  managedSettings?: Settings;
};
export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, Resolved.ProvenanceEntry>>;
  sources: { source: Resolved.ResolvedSettingSource; settings: Settings; path?: string }[];
};
export type PermissionUpdate = PermissionChange;
export type McpServerStatus = Omit<Writable<Mcp.McpServerStatus>, 'config'> & { config?: McpServerStatusConfig };
export type SDKControlReloadPluginsResponse = Omit<Writable<Controls.SDKControlReloadPluginsResponse>, 'mcpServers'> & {
  mcpServers: McpServerStatus[];
};
export type ModelInfo = Omit<Model.ModelInfo, 'isEnabled'> & { isEnabled?: boolean };
/** Where a message comes from. */
export type SDKMessageOrigin =
  | { kind: 'human' | 'coordinator' | 'unclassified' | 'auto-continuation' | 'observer-activity' }
  | { kind: 'channel'; server: string }
  | { kind: 'observer'; from: string; senderTaskId: string }
  | {
      kind: 'peer';
      from: string;
      fromMode?: 'bypass' | 'prompting';
      fromSession?: string;
      name?: string;
      body?: string;
      senderTaskId?: string;
      verifiedPeerPid?: number;
    }
  | {
      kind: 'task-notification';
      subkind?: 'scheduled-trigger' | 'peer-send-message' | 'projects-relay' | 'session-inbox' | 'external-event';
      fireReason?: string;
      runId?: string;
    };
export type AccountInfo = Omit<Controls.AccountInfo, 'apiProvider'> & {
  apiProvider?:
    | 'firstParty'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'anthropicGoogleCloud'
    | 'mantle'
    | 'gateway';
};

export type OutputFormatType = 'json_schema';
export type BaseOutputFormat = { type: OutputFormatType };
export type JsonSchemaOutputFormat = Options.OutputFormat;

export type McpClaudeAIProxyServerConfig = { type: 'claudeai-proxy'; url: string; id: string; timeout?: number };
export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;
export type McpServerProvenance = { name: string; source: string };

export type SandboxCredentialsConfig = NotHere;
export type SandboxIgnoreViolations = Record<string, string[]>;
