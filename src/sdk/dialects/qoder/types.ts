// The type names of the Qoder Agent SDK: ours, those that differ from them, and those of what is not here. Types only.
import type { Base64Source, UrlSource } from '../../../protocol/content.js';
import type {
  McpHttpServerConfig as OurHttp,
  McpSSEServerConfig as OurSse,
  McpStdioServerConfig as OurStdio,
} from '../../../protocol/mcp.js';
import type * as Messages from '../../../protocol/messages.js';
import type * as Options from '../../../protocol/options.js';
import type * as System from '../../../protocol/system-messages.js';
import type { Writable } from '../../../util/writable.js';
import type * as Resolved from '../../settings/index.js';
import type { McpSdkServerConfig, NotHere } from '../shared-types.js';

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
export type { ResolvedSettingSource, ResolvedSettings, ResolveSettingsOptions } from '../../settings/index.js';
export type { SdkMcpToolDefinition, ToolExtras } from '../../tools/index.js';
export type * from '../hook-answers.js';
export type {
  AgentMemoryScope,
  ConfigScope,
  McpSdkServerConfig,
  McpServerToolPolicy,
  NonNullableUsage,
  SDKMessageOrigin,
  Transport,
} from '../shared-types.js';

export type SDKMessage = Writable<Messages.SDKMessage>;
export type SDKAssistantMessage = Writable<Messages.SDKAssistantMessage>;
export type SDKUserMessageReplay = Writable<Messages.SDKUserMessageReplay>;
export type SDKResultSuccess = Writable<Messages.SDKResultSuccess>;
export type SDKResultError = Writable<Messages.SDKResultError>;
export type SDKResultMessage = SDKResultSuccess | SDKResultError;
export type SDKSystemMessage = Writable<System.SDKSystemMessage>;
export type SDKSystemInitMessage = SDKSystemMessage;
export type SDKPartialAssistantMessage = Writable<Messages.SDKPartialAssistantMessage>;
type AnySystemMessage = Extract<SDKMessage, { type: 'system' }>;
export type SDKSystemMessageSubtype = AnySystemMessage['subtype'];
export type SDKSystemMessageBySubtype<Subtype extends SDKSystemMessageSubtype> = Extract<
  AnySystemMessage,
  { subtype: Subtype }
>;
export type SDKToolNonExecutionKind = string;
export type SDKToolResultMeta = { id: string; non_execution_kind: SDKToolNonExecutionKind; user_feedback?: string };

export type Base64ImageSource = Writable<Base64Source>;
export type UrlImageSource = Writable<UrlSource>;
export type URLImageSource = UrlImageSource;
export type ImageSource = Base64ImageSource | UrlImageSource;
export type ImageContentBlock = { type: 'image'; source: ImageSource };
export type ImageBlockParam = ImageContentBlock;

export type SettingSourceFromOptions = Options.SettingSource;
export type ResolvedSettingsSource = Resolved.ResolvedSettings['sources'][number];
export type SettingsProvenanceEntry = Resolved.ProvenanceEntry;

export type McpServerConfigForProcessTransport = OurStdio | OurSse | OurHttp | McpSdkServerConfig;
export type McpServerStatusConfig = McpServerConfigForProcessTransport;

export type PermissionScope = 'once' | 'session' | 'persist';
export type CanUseToolPermissionKind = string;
export type CanUseToolPermissionOption = NotHere;
export type CanUseToolPermissionDetails = NotHere;
export type PromptRequestOption = { key: string; label: string; description?: string };
export type PromptRequest = { prompt: string; message: string; options: PromptRequestOption[] };
export type PromptResponse = { prompt_response: string; selected: string };
export type RewindFileFailure = { path: string; reason: string };

/** A command that goes on in the background. */
export type BashToolBackgroundLaunchResult = NotHere & { backgroundTaskId: string };
export type AgentToolCompletionResult = NotHere;
export type AgentToolBackgroundLaunchResult = NotHere;
export type AgentToolTeammateSpawnedResult = NotHere;
export type TaskCreateInput = NotHere;
export type TaskCreateOutput = NotHere;
export type TaskGetInput = NotHere;
export type TaskGetOutput = NotHere;
export type TaskUpdateInput = NotHere;
export type TaskUpdateOutput = NotHere;
export type TaskListInput = NotHere;
export type TaskListOutput = NotHere;

// Of models and accounts.
export type ThinkingAdaptive = Extract<Options.ThinkingConfig, { type: 'adaptive' }>;
export type ThinkingEnabled = Extract<Options.ThinkingConfig, { type: 'enabled' }>;
export type ThinkingDisabled = Extract<Options.ThinkingConfig, { type: 'disabled' }>;
export type ModelSource = string;
export type ModelStrategy = string;
export type ServerModelJsonValue = unknown;
export type SessionCreditsUsage = NotHere;
export type ModelPromptPatch = NotHere;
export type ModelPromptPatches = Record<string, ModelPromptPatch>;
export type SDKCapabilities = NotHere;
export type ByokProtocol = string;
export type BYOKLocalizedName = NotHere;
export type CustomByokProviderThinkingMode = string;
export type CustomByokProviderReasoningEffortLevel = string;
export type CustomByokProviderThinkingCapabilitiesInput = NotHere;
export type CustomByokProviderModelCapabilitiesInput = NotHere;
export type CustomByokProviderModelInput = NotHere;
export type UpdateByokModelConfigInput = NotHere;
export type UpdateCustomByokProviderConfigInput = NotHere;

// Requests and answers of the wire, which nobody sends here.
type Request<Subtype extends string> = NotHere & { subtype: Subtype };
export type SDKControlBackgroundTasksRequest = Request<'background_tasks'>;
export type SDKControlBackgroundTasksResponse = NotHere;
export type SDKControlCheckByokConfigRequest = Request<'check_byok_config'>;
export type SDKControlCheckByokConfigResponse = NotHere;
export type SDKControlCreateByokConfigRequest = Request<'create_byok_config'>;
export type SDKControlCreateByokConfigResponse = NotHere;
export type SDKControlDeleteByokConfigRequest = Request<'delete_byok_config'>;
export type SDKControlGetByokConfigRequest = Request<'get_byok_config'>;
export type SDKControlGetModelPolicyRequest = Request<'get_model_policy'>;
export type SDKControlGetModelPolicyResponse = NotHere;
export type SDKControlGetUsageInfoRequest = Request<'get_usage_info'>;
export type SDKControlGetUsageInfoResponse = NotHere;
export type SDKControlListByokConfigsRequest = Request<'list_byok_configs'>;
export type SDKControlListByokConfigsResponse = NotHere;
export type SDKControlReloadSkillsRequest = Request<'reload_skills'>;
export type SDKControlStopTaskRequest = Request<'stop_task'>;
export type SDKControlUpdateByokConfigRequest = Request<'update_byok_config'>;
export type SDKControlValidateByokModelRequest = Request<'validate_byok_model'>;
export type SDKControlValidateByokModelResponse = NotHere;
export type SideQuestionRefusalFallback = NotHere;

// Messages that are not sent here.
interface Unsent<Subtype extends string> extends NotHere {
  type: 'system';
  subtype: Subtype;
  uuid: string;
  session_id: string;
}
export type SDKArtifactInfo = NotHere;
export type SDKArtifactUpdateMessage = Unsent<'artifacts_update'> & { artifacts: SDKArtifactInfo[] };
export type SDKModelQueueStatusMessage = Unsent<'model_queue_status'>;
export type SDKCommandLifecycleMessage = {
  type: 'command_lifecycle';
  command_uuid: string;
  state: string;
  uuid: string;
  session_id: string;
};
export type SDKMemoryGenerationMessage = Unsent<'memory_generation'> & { result: MemoryGenerationResult };
export type SDKMemoryConsumptionMessage = Unsent<'memory_consumption'> & { result: MemoryConsumptionResult };
export type SDKSkillEvolutionMessage = Unsent<'skill_evolution'> & { result: SkillEvolutionResult };

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
export type StartDaemonOptions = NotHere;
export type InitDaemonOptions = NotHere;
export type DaemonFallbackReason = 'protocol_version_mismatch' | 'daemon_unavailable';
export type DaemonInitResult = { mode: 'daemon'; daemon: Daemon } | { mode: 'direct'; reason: DaemonFallbackReason };
export type ProcessTransportOptions = NotHere;
export type WorkerTransportOptions = NotHere;
export type WorkerRuntimeTransportOptions = NotHere;
export type QueryTransportCreateOptions = NotHere;
export type QueryTransportProvider = NotHere;
export type QueryTransportProviderOption = NotHere;
export type QueryTransportOptions = NotHere;
export type RemoteProjectionEnableOptions = NotHere;
export type RemoteProjectionCheckpoint = NotHere;
export type PluginScope = 'user' | 'project' | 'local';
export type ListPluginsOptions = NotHere;
export type PluginToggleOptions = NotHere;
export type InstallPluginOptions = NotHere;
export type UninstallPluginOptions = NotHere;
export type ValidatePluginOptions = NotHere;
export type PluginDetails = NotHere;
export type PluginResources = NotHere;
export type InstallPluginResult = NotHere;
export type UninstallPluginResult = NotHere;
export type PluginValidationSeverity = string;
export type PluginValidationPhase = string;
export type PluginValidationPosition = NotHere;
export type PluginValidationLocation = NotHere;
export type PluginValidationDiagnostic = NotHere;
export type PluginValidationReport = NotHere;
export type SubmitFeedbackParams = NotHere & { content: string };
export type SubmitFeedbackOptions = NotHere;
export type IntegrationMode = string;
export type FeedbackResult = { success: boolean; message?: string };
export type SecurityScanOptions = NotHere;

// Memory and skills that grow, artifacts, the cloud.
export type MemoryMode = string;
export type MemoryRootAccess = string;
export type MemoryRoot = NotHere;
export type MemoryOptions = NotHere;
export type MemoryConsumptionFile = NotHere;
export type MemoryConsumptionOptions = NotHere;
export type MemoryConsumptionResult = NotHere;
export type MemoryGenerationFailedFile = NotHere;
export type MemoryGenerationGateInput = NotHere;
export type MemoryGenerationGateResult = NotHere;
export type MemoryGenerationOptions = NotHere;
export type MemoryGenerationResult = NotHere;
export type MemoryShouldGenerate = (input: MemoryGenerationGateInput) => Promise<MemoryGenerationGateResult>;
export type EffectiveMemoryConfig = NotHere;
export type EvolutionOptions = NotHere;
export type EffectiveEvolutionConfig = NotHere;
export type EffectiveSkillEvolutionConfig = NotHere;
export type SkillEvolutionMode = string;
export type SkillEvolutionOptions = NotHere;
export type SkillEvolutionResult = NotHere;
export type SkillEvolutionSuggestion = NotHere;
export type SkillEvolutionGateInput = NotHere;
export type SkillEvolutionGateResult = NotHere;
export type SkillEvolutionGenerationOptions = NotHere;
export type SkillEvolutionShouldReview = (input: SkillEvolutionGateInput) => Promise<SkillEvolutionGateResult>;
export type ArtifactGroup = NotHere;
export type SessionArtifactBase = NotHere;
export type SessionArtifact = NotHere;
export type ResolveSessionArtifactsResult = NotHere;
export type ResolveSessionArtifacts = (...given: never[]) => Promise<ResolveSessionArtifactsResult>;
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
