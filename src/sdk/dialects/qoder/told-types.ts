// What the Qoder Agent SDK says of the same things, keys of one's own among them: its narrower texts, fields that are always there,
// lists that may be changed. `query.ts` beside it sees to it that this is so. Types only.
import type * as Controls from '../../../protocol/control.js';
import type * as Hooks from '../../../protocol/hooks.js';
import type * as Mcp from '../../../protocol/mcp.js';
import type * as Messages from '../../../protocol/messages.js';
import type * as Model from '../../../protocol/model.js';
import type * as Options from '../../../protocol/options.js';
import type * as Permissions from '../../../protocol/permissions.js';
import type * as Rewind from '../../../protocol/rewind.js';
import type { Settings as OurSettings } from '../../../protocol/settingsTypes.generated.js';
import type * as System from '../../../protocol/system-messages.js';
import type { Writable } from '../../../util/writable.js';
import type * as Resolved from '../../settings/index.js';
import type { McpSdkServerConfig } from '../shared-types.js';
import type { ExitReason, QoderModelPurpose } from './constants.js';
import type {
  CanUseToolPermissionDetails,
  CanUseToolPermissionKind,
  CanUseToolPermissionOption,
  ModelSource,
  ModelStrategy,
  NonNullableUsage,
  ServerModelJsonValue,
} from './not-here-types.js';

export type ByokProtocol = 'openai' | 'openai-responses' | 'anthropic';
export type BYOKLocalizedName = { en_us: string; cn_zh: string };
export type CustomByokProviderThinkingMode = 'enabled' | 'adaptive';
export type CustomByokProviderReasoningEffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
export type CustomByokProviderThinkingCapabilitiesInput = {
  modes: CustomByokProviderThinkingMode[];
  preferredMode?: CustomByokProviderThinkingMode;
  requiresBudgetForEnabled?: boolean;
  supportsEffort?: boolean;
  supportedEffortLevels?: CustomByokProviderReasoningEffortLevel[];
  requiredBetasForEffort?: string[];
};
export type CustomByokProviderModelCapabilitiesInput = {
  tools?: boolean;
  vision?: boolean;
  cacheControl?: boolean;
  thinking?: CustomByokProviderThinkingCapabilitiesInput;
};
export type CustomByokProviderModelInput = {
  model: string;
  displayName?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  capabilities?: CustomByokProviderModelCapabilitiesInput;
};
interface Server {
  type?: 'openai-compatible' | 'alibaba' | 'aliyun-bailian';
  protocol?: ByokProtocol;
  authType?: 'bearer' | 'api-key';
  displayName?: string;
  model?: string;
  models?: CustomByokProviderModelInput[];
}
export type CustomByokProviderConfigInput = Server & { providerId: string; baseUrl: string; apiKey: string };
export type UpdateCustomByokProviderConfigInput = Server & { providerId: string; baseUrl?: string; apiKey?: string };
export type ByokModelConfigInput = {
  provider: string;
  model: string;
  parameters: Record<string, string>;
  displayName?: string;
  baseUrl?: string;
  style?: string;
  reasoningEffort?: string;
  contextWindow?: number;
};
export type UpdateByokModelConfigInput = { key: string } & Omit<Partial<ByokModelConfigInput>, 'provider' | 'model'>;
export type CreateByokConfigInput = ByokModelConfigInput | CustomByokProviderConfigInput;
export type CheckByokConfigInput = CreateByokConfigInput;
export type UpdateByokConfigInput = UpdateByokModelConfigInput | UpdateCustomByokProviderConfigInput;

export type UUID = string;
/** Ours with fields that say more. */
type Precise<Own, Fields> = Omit<Writable<Own>, keyof Fields> & Fields;
type Message<Own, Fields = unknown> = Precise<Own, { uuid: UUID; session_id: string } & Fields>;

export type ModelUsage = { [Key in keyof Messages.ModelUsage]: NonNullable<Messages.ModelUsage[Key]> } & {
  credits?: number;
};

export type EffortLevel = 'low' | 'medium' | 'high' | 'max';
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'invalid_request'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens';
export type SDKStatus = 'compacting' | null;
export type SDKMessageOrigin =
  | { kind: 'human' }
  | { kind: 'task-notification' }
  | { kind: 'bridge'; sessionId?: string }
  | { kind: 'peer'; from?: string; senderTaskId?: string; name?: string; body?: string };
export type SDKToolNonExecutionKind =
  | 'user-rejected'
  | 'permission-rule'
  | 'automode-blocked'
  | 'automode-unavailable'
  | 'automode-parsing-error'
  | 'interrupted'
  | 'cancelled';
export type SDKToolResultMeta = { id: string; non_execution_kind: SDKToolNonExecutionKind; user_feedback?: string };

/** A block of a message, whatever it is. */
export type ContentBlock = {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  content?: unknown;
  source?: unknown;
  tool_use_id?: string;
  is_error?: boolean;
  [key: string]: unknown;
};
export type MessageParam = { role: 'user'; content: string | ContentBlock[] };
export type SDKUserMessage = {
  type: 'user';
  message: MessageParam;
  parent_tool_use_id: string | null;
  custom_context?: Record<string, string>;
  client_composed?: boolean;
  isSynthetic?: boolean;
  origin?: SDKMessageOrigin;
  tool_use_result?: unknown;
  tool_result_meta?: SDKToolResultMeta[];
  priority?: 'now' | 'next' | 'later';
  shouldQuery?: boolean;
  timestamp?: string;
  uuid?: UUID;
  session_id?: string;
};
export type SDKUserMessageReplay = SDKUserMessage & { uuid: UUID; session_id: string; isReplay: true };

type Result<Own, Fields = unknown> = Message<
  Own,
  {
    usage: NonNullableUsage;
    modelUsage: Record<string, ModelUsage>;
    terminal_reason?: string | null;
    origin?: SDKMessageOrigin;
    total_credits?: number;
    error_code?: number;
  } & Fields
>;
export type SDKResultSuccess = Result<Messages.SDKResultSuccess>;
export type SDKResultError = Result<
  Messages.SDKResultError,
  { subtype: 'error_during_execution' | 'error_max_turns' | 'error_max_budget_usd' }
>;
export type SDKResultMessage = SDKResultSuccess | SDKResultError;
export type SDKAssistantMessage = Message<
  Messages.SDKAssistantMessage,
  { error?: SDKAssistantMessageError; aborted?: true }
>;
export type SDKPartialAssistantMessage = Message<Messages.SDKPartialAssistantMessage>;
export type SDKCommandLifecycleMessage = Message<
  Messages.SDKCommandLifecycleMessage,
  { state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded' }
>;
export type SDKSystemInitMessage = Message<System.SDKSystemMessage>;
export type SDKAPIRetryMessage = Message<System.SDKAPIRetryMessage, { error: SDKAssistantMessageError }>;
export type SDKStatusMessage = Message<System.SDKStatusMessage, { status: SDKStatus }>;
export type SDKAvailableModelsUpdateMessage = Message<System.SDKAvailableModelsUpdateMessage, { models: ModelInfo[] }>;
export type SDKBackgroundTasksChangedMessage = Message<System.SDKBackgroundTasksChangedMessage>;
export type SDKCommandsChangedMessage = Message<System.SDKCommandsChangedMessage>;
export type SDKFilesPersistedEvent = Message<System.SDKFilesPersistedEvent>;
type TaskUsage = { usage?: { total_tokens?: number; tool_uses: number; duration_ms: number } };
export type SDKTaskNotificationMessage = Message<System.SDKTaskNotificationMessage, TaskUsage>;
export type SDKTaskProgressMessage = Message<System.SDKTaskProgressMessage, TaskUsage>;

/** With what its server says of models. */
export type ModelInfo = Precise<
  Model.ModelInfo,
  {
    isEnabled?: boolean;
    modelId?: string;
    source?: ModelSource;
    isDefault?: boolean;
    isReasoning?: boolean;
    isVl?: boolean;
    originalPriceFactor?: number;
    maxInputTokens?: number;
    maxOutputTokens?: number;
    efforts?: string[];
    defaultEffort?: string;
    supportsDisabled?: boolean;
    availableContextWindows?: number[];
    defaultContextWindow?: number;
    tags?: string[];
    strategies?: ModelStrategy[];
    format?: string;
    scene?: string;
    serverScene?: string;
    icon?: string;
    url?: string;
    model?: string;
    provider?: string;
    serverModel?: Record<string, ServerModelJsonValue>;
  }
>;
type BYOKFieldInfo = {
  key: string;
  display_name: string;
  display_name_i18n?: BYOKLocalizedName;
  type: string;
  mandatory?: boolean;
};
export type McpServerConfigForProcessTransport =
  | Mcp.McpStdioServerConfig
  | Mcp.McpSSEServerConfig
  | Mcp.McpHttpServerConfig
  | McpSdkServerConfig;
export type McpServerStatusConfig = McpServerConfigForProcessTransport;
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;
export type AgentDefinition = Precise<
  Options.AgentDefinition,
  { mcpServers?: AgentMcpServerSpec[]; effort?: EffortLevel; memory?: 'user' | 'project' | 'local' }
>;
export type Settings = Omit<OurSettings, 'enabledPlugins'> & {
  enabledPlugins?: Record<string, boolean | string[] | Record<string, unknown>>;
};
export type ResolvedSettingsSource = { source: Resolved.ResolvedSettingSource; settings: Settings; path?: string };
export type SettingsProvenanceEntry = Resolved.ProvenanceEntry;
export type ResolvedSettings = {
  effective: Settings;
  provenance: Record<string, SettingsProvenanceEntry>;
  sources: ResolvedSettingsSource[];
};
export type CustomModel = {
  provider: string;
  api_key: string;
  model?: string;
  url?: string;
  style?: string;
  isVl?: boolean;
};

export type BYOKProviderInfo = Model.BYOKProviderInfo & {
  display_name_i18n?: BYOKLocalizedName;
  source?: string;
  url: string;
  fields: BYOKFieldInfo[];
};
export type ModelPolicyContext = {
  purpose: QoderModelPurpose;
  sessionId: string;
  turnIndex: number;
  agentId?: string;
  agentType?: string;
  resolvedModel?: string;
  availableModels: ModelInfo[];
};
export type ModelPolicyResult = {
  /** Absent: the model that the session has. */
  model?: string | (CustomModel & { model: string });
  parameters?: Record<string, unknown>;
  taskId?: string;
  subTask?: string;
};
export type ModelPolicyProvider = (
  context: ModelPolicyContext,
) => ModelPolicyResult | undefined | Promise<ModelPolicyResult | undefined>;

// Answers of the controls.
export type McpServerStatus = Precise<Mcp.McpServerStatus, { config?: McpServerStatusConfig }>;
export type SDKControlReloadPluginsResponse = Precise<
  Controls.SDKControlReloadPluginsResponse,
  { mcpServers: McpServerStatus[] }
>;
export type RewindFilesResult = Writable<Rewind.RewindFilesResult>;
export type RewindFileFailure = { path: string; error: string };
export type RewindResult = Precise<Rewind.RewindResult, { failedFiles?: RewindFileFailure[] }>;
export type SDKControlGetContextUsageResponse = Precise<
  Controls.SDKControlGetContextUsageResponse,
  {
    categories: {
      type: 'system_prompt' | 'system_tools' | 'skills' | 'messages' | 'other' | 'free_space' | 'auto_compact';
      percentage: number;
    }[];
    skills: {
      count: number;
      percentageOfContext: number;
      items: { name: string; source: 'project' | 'user' | 'built-in' | 'plugin'; percentageOfContext: number }[];
    };
  }
>;

// Permissions and hooks.
export type PermissionUpdate = Writable<Permissions.PermissionUpdate>;
export type CanUseToolOptions = Precise<
  Permissions.CanUseToolOptions,
  {
    suggestions?: PermissionUpdate[];
    permissionKind?: CanUseToolPermissionKind;
    permissionOptions?: CanUseToolPermissionOption[];
    details?: CanUseToolPermissionDetails;
  }
> & { signal: AbortSignal };
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<Permissions.PermissionResult>;
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<Hooks.HookJSONOutput>;
export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
}
type Compaction = 'manual' | 'auto';
export type BaseHookInput = Omit<Hooks.BaseHookInput, 'hook_event_name'> & { model?: string };
export type PreToolUseHookInput = Precise<Hooks.PreToolUseHookInput, { permission_mode?: string }>;
export type PostToolUseFailureHookInput = Precise<Hooks.PostToolUseFailureHookInput, { is_interrupt?: boolean }>;
export type PermissionRequestHookInput = Precise<
  Hooks.PermissionRequestHookInput,
  { permission_mode?: string; permission_suggestions?: PermissionUpdate[] }
>;
export type PermissionDeniedHookInput = Precise<Hooks.PermissionDeniedHookInput, { denial_reason?: string }>;
export type SessionStartHookInput = Precise<
  Hooks.SessionStartHookInput,
  { source: 'startup' | 'resume' | 'clear' | 'compact' }
>;
export type SessionEndHookInput = Precise<Hooks.SessionEndHookInput, { reason: ExitReason }>;
export type SubagentStopHookInput = Precise<
  Hooks.SubagentStopHookInput,
  { agent_id: string; agent_type: string; agent_transcript_path: string }
>;
export type PreCompactHookInput = Precise<Hooks.PreCompactHookInput, { trigger: Compaction }>;
export type PostCompactHookInput = Precise<Hooks.PostCompactHookInput, { trigger: Compaction }>;
export type FileChangedHookInput = Precise<Hooks.FileChangedHookInput, { event: 'change' | 'add' | 'unlink' }>;
export type InstructionsLoadedHookInput = Precise<
  Hooks.InstructionsLoadedHookInput,
  {
    file_path: string;
    memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
    globs?: string[];
    trigger_file_path?: string;
    parent_file_path?: string;
  }
>;
/** Those that its `HOOK_EVENTS` names. */
export type HookInput =
  | PreToolUseHookInput
  | Writable<Hooks.PostToolUseHookInput>
  | PostToolUseFailureHookInput
  | Writable<Hooks.UserPromptSubmitHookInput>
  | SessionStartHookInput
  | SessionEndHookInput
  | Writable<Hooks.StopHookInput>
  | Writable<Hooks.SubagentStartHookInput>
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | Writable<Hooks.WorktreeCreateHookInput>
  | Writable<Hooks.WorktreeRemoveHookInput>
  | InstructionsLoadedHookInput
  | Writable<Hooks.CwdChangedHookInput>
  | FileChangedHookInput;
