// The type names of the Qoder Agent SDK: ours, those that differ from them, and those of what is not here. Types only.
import type { Base64Source, UrlSource } from '../../../protocol/content.js';
import type * as Messages from '../../../protocol/messages.js';
import type * as Options from '../../../protocol/options.js';
import type { Writable } from '../../../util/writable.js';
import type { NotHere } from '../shared-types.js';
import type {
  SDKArtifactUpdateMessage,
  SDKMemoryConsumptionMessage,
  SDKMemoryGenerationMessage,
  SDKModelQueueStatusMessage,
  SDKSkillEvolutionMessage,
} from './not-here-types.js';
import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKAvailableModelsUpdateMessage,
  SDKCommandLifecycleMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKStatusMessage,
  SDKSystemInitMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
  UUID,
} from './told-types.js';

export type * from '../../../protocol/index.js';
export type * from '../../../protocol/session-store.js';
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
  SessionMessageView,
  SessionMutationOptions,
} from '../../sessions/index.js';
export type { ResolvedSettingSource, ResolveSettingsOptions } from '../../settings/index.js';
export type { SdkMcpToolDefinition, ToolExtras } from '../../tools/index.js';
export type * from '../hook-answers.js';
export type { AgentMemoryScope, ConfigScope, McpSdkServerConfig, McpServerToolPolicy } from '../shared-types.js';
export type {
  ArtifactGroup,
  CanUseToolPermissionDetails,
  CanUseToolPermissionKind,
  CanUseToolPermissionOption,
  EffectiveEvolutionConfig,
  EffectiveMemoryConfig,
  EffectiveSkillEvolutionConfig,
  EvolutionOptions,
  InitDaemonOptions,
  IntegrationMode,
  MemoryConsumptionFile,
  MemoryConsumptionOptions,
  MemoryConsumptionResult,
  MemoryGenerationFailedFile,
  MemoryGenerationGateInput,
  MemoryGenerationGateResult,
  MemoryGenerationOptions,
  MemoryGenerationResult,
  MemoryMode,
  MemoryOptions,
  MemoryRoot,
  MemoryRootAccess,
  MemoryShouldGenerate,
  ModelPromptPatch,
  ModelPromptPatches,
  ModelSource,
  ModelStrategy,
  NonNullableUsage,
  RemoteProjectionCheckpoint,
  RemoteProjectionEnableOptions,
  ResolveSessionArtifacts,
  ResolveSessionArtifactsResult,
  SDKArtifactInfo,
  SDKArtifactUpdateMessage,
  SDKCapabilities,
  SDKMemoryConsumptionMessage,
  SDKMemoryGenerationMessage,
  SDKModelQueueStatusMessage,
  SDKSkillEvolutionMessage,
  ServerModelJsonValue,
  SessionArtifact,
  SessionArtifactBase,
  SessionCreditsUsage,
  SideQuestionRefusalFallback,
  SkillEvolutionGateInput,
  SkillEvolutionGateResult,
  SkillEvolutionGenerationOptions,
  SkillEvolutionMode,
  SkillEvolutionOptions,
  SkillEvolutionResult,
  SkillEvolutionShouldReview,
  SkillEvolutionSuggestion,
  StartDaemonOptions,
  SubmitFeedbackOptions,
  SubmitFeedbackParams,
} from './not-here-types.js';
export type {
  InstallPluginOptions,
  InstallPluginResult,
  ListPluginsOptions,
  PluginDetails,
  PluginResources,
  PluginScope,
  PluginToggleOptions,
  PluginValidationDiagnostic,
  PluginValidationLocation,
  PluginValidationPhase,
  PluginValidationPosition,
  PluginValidationReport,
  PluginValidationSeverity,
  UninstallPluginOptions,
  UninstallPluginResult,
  ValidatePluginOptions,
} from './plugins-and-daemons.js';
export type {
  AgentDefinition,
  AgentMcpServerSpec,
  BaseHookInput,
  BYOKLocalizedName,
  BYOKProviderInfo,
  ByokModelConfigInput,
  ByokProtocol,
  CanUseTool,
  CanUseToolOptions,
  CheckByokConfigInput,
  ContentBlock,
  CreateByokConfigInput,
  CustomByokProviderConfigInput,
  CustomByokProviderModelCapabilitiesInput,
  CustomByokProviderModelInput,
  CustomByokProviderReasoningEffortLevel,
  CustomByokProviderThinkingCapabilitiesInput,
  CustomByokProviderThinkingMode,
  CustomModel,
  EffortLevel,
  FileChangedHookInput,
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  InstructionsLoadedHookInput,
  McpServerConfigForProcessTransport,
  McpServerStatus,
  McpServerStatusConfig,
  MessageParam,
  ModelInfo,
  ModelPolicyContext,
  ModelPolicyProvider,
  ModelPolicyResult,
  ModelUsage,
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PermissionUpdate,
  PostCompactHookInput,
  PostToolUseFailureHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  ResolvedSettings,
  ResolvedSettingsSource,
  RewindFileFailure,
  RewindFilesResult,
  RewindResult,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKAvailableModelsUpdateMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCommandLifecycleMessage,
  SDKCommandsChangedMessage,
  SDKControlGetContextUsageResponse,
  SDKControlReloadPluginsResponse,
  SDKFilesPersistedEvent,
  SDKMessageOrigin,
  SDKPartialAssistantMessage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKStatus,
  SDKStatusMessage,
  SDKSystemInitMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKToolNonExecutionKind,
  SDKToolResultMeta,
  SDKUserMessage,
  SDKUserMessageReplay,
  SessionEndHookInput,
  SessionStartHookInput,
  Settings,
  SettingsProvenanceEntry,
  SubagentStopHookInput,
  UpdateByokConfigInput,
  UpdateByokModelConfigInput,
  UpdateCustomByokProviderConfigInput,
  UUID,
} from './told-types.js';
export type {
  ProcessTransportOptions,
  QueryTransportCreateOptions,
  QueryTransportOptions,
  QueryTransportProvider,
  QueryTransportProviderOption,
  SDKControlBackgroundTasksRequest,
  SDKControlBackgroundTasksResponse,
  SDKControlCheckByokConfigRequest,
  SDKControlCheckByokConfigResponse,
  SDKControlCreateByokConfigRequest,
  SDKControlCreateByokConfigResponse,
  SDKControlDeleteByokConfigRequest,
  SDKControlGetByokConfigRequest,
  SDKControlGetModelPolicyRequest,
  SDKControlGetModelPolicyResponse,
  SDKControlGetUsageInfoRequest,
  SDKControlGetUsageInfoResponse,
  SDKControlListByokConfigsRequest,
  SDKControlListByokConfigsResponse,
  SDKControlReloadSkillsRequest,
  SDKControlStopTaskRequest,
  SDKControlUpdateByokConfigRequest,
  SDKControlValidateByokModelRequest,
  SDKControlValidateByokModelResponse,
  Transport,
  WorkerRuntimeTransportOptions,
  WorkerTransportOptions,
} from './transports.js';

/** What its union names; more may come, as from a newer command line. */
type Kept = Exclude<Messages.SDKMessage, { type: 'result' | 'system' | 'user' | 'assistant' | 'stream_event' }>;
type KeptSystem = Extract<Messages.SDKMessage, { type: 'system'; subtype: SharedSubtype }>;
type Stamped<Own> = Own extends object
  ? Omit<Writable<Own>, 'uuid' | 'session_id'> & { uuid: UUID; session_id: string }
  : never;
export type SDKMessage =
  | Stamped<Extract<Kept, { type: 'prompt_suggestion' | 'cloud_agent_event' }>>
  | Stamped<KeptSystem>
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKPartialAssistantMessage
  | SDKCommandLifecycleMessage
  | SDKSystemInitMessage
  | SDKAPIRetryMessage
  | SDKStatusMessage
  | SDKAvailableModelsUpdateMessage
  | SDKTaskNotificationMessage
  | SDKTaskProgressMessage
  | SDKArtifactUpdateMessage
  | SDKModelQueueStatusMessage
  | SDKMemoryGenerationMessage
  | SDKMemoryConsumptionMessage
  | SDKSkillEvolutionMessage;
/** Subtypes of `system` that both have and say alike. */
type SharedSubtype =
  | 'background_tasks_changed'
  | 'commands_changed'
  | 'compact_boundary'
  | 'control_request_progress'
  | 'elicitation_complete'
  | 'files_persisted'
  | 'goal_cleared'
  | 'goal_updated'
  | 'hook_progress'
  | 'hook_response'
  | 'hook_started'
  | 'mirror_error'
  | 'permission_denied'
  | 'plan_mode_changed'
  | 'session_state_changed'
  | 'session_title_changed'
  | 'task_started'
  | 'task_updated';
export type SDKSystemMessage = Extract<SDKMessage, { type: 'system' }>;
export type SDKSystemMessageSubtype = SDKSystemMessage['subtype'];
export type SDKSystemMessageBySubtype<Subtype extends SDKSystemMessageSubtype> = Extract<
  SDKSystemMessage,
  { subtype: Subtype }
>;

export type Base64ImageSource = Writable<Base64Source>;
export type UrlImageSource = Writable<UrlSource>;
export type URLImageSource = UrlImageSource;
export type ImageSource = Base64ImageSource | UrlImageSource;
export type ImageContentBlock = { type: 'image'; source: ImageSource };
export type ImageBlockParam = ImageContentBlock;

export type SettingSourceFromOptions = Options.SettingSource;

export type PermissionScope = 'once' | 'session' | 'persist';
export type PromptRequestOption = { key: string; label: string; description?: string };
export type PromptRequest = { prompt: string; message: string; options: PromptRequestOption[] };
export type PromptResponse = { prompt_response: string; selected: string };

/** A command that goes on in the background. */
export type BashToolBackgroundLaunchResult = NotHere & { backgroundTaskId: string };
export type AgentToolCompletionResult = NotHere;
export type AgentToolBackgroundLaunchResult = NotHere;
export type AgentToolTeammateSpawnedResult = NotHere;

// Of models and accounts.
export type ThinkingAdaptive = Extract<Options.ThinkingConfig, { type: 'adaptive' }>;
export type ThinkingEnabled = Extract<Options.ThinkingConfig, { type: 'enabled' }>;
export type ThinkingDisabled = Extract<Options.ThinkingConfig, { type: 'disabled' }>;

// Daemons, transports, plugins, feedback.
export type DaemonState = 'ready' | 'stopping' | 'stopped' | 'failed';
export type SessionRuntimeState = 'pending' | 'ready' | 'inactive' | 'failed';
export interface DaemonSessionInfo {
  localSessionId: string;
  title: string;
  cwd?: string;
  state: SessionRuntimeState;
  createdAt: string;
  updatedAt: string;
}
export interface Daemon {
  readonly state: DaemonState;
  listSessions(): Promise<DaemonSessionInfo[]>;
  renameSession(localSessionId: string, title: string): Promise<DaemonSessionInfo>;
  deleteSession(localSessionId: string): Promise<void>;
  stop(): Promise<void>;
}
export type DaemonFallbackReason = 'protocol_version_mismatch' | 'daemon_unavailable';
export type DaemonInitResult = { mode: 'daemon'; daemon: Daemon } | { mode: 'direct'; reason: DaemonFallbackReason };
export type FeedbackResult = { success: boolean; message: string; requestId?: string };
export type SecurityScanOptions = NotHere;

// Memory and skills that grow, artifacts, the cloud.
export type BetaManagedAgentsAgentToolName = string;
export type BetaManagedAgentsAgentToolset20260401Params = NonNullable<Options.AgentCreateParams['tools']>[number];
export type BetaManagedAgentsCustomSkillParams = { type: 'custom'; skill_id: string };
export type BetaManagedAgentsFileResourceParams = { type: 'file'; file_id: string; path?: string };
export type BetaManagedAgentsModel = string;
export type BetaManagedAgentsSkillParams = BetaManagedAgentsCustomSkillParams;
export type BetaManagedAgentsURLMCPServerParams = { name: string; type: 'url'; url: string };
export type CloudSessionResource = BetaManagedAgentsFileResourceParams;
export type CloudSessionCreateReference = { create: Options.CloudSessionCreateParams };
export type CloudSessionExistingReference = { id: string };
export type CloudSessionReference = CloudSessionCreateReference | CloudSessionExistingReference;
export type SessionCreateParams = Options.CloudSessionCreateParams;
