// The published surface of `turnwright/qoder`. Written by `npm run api`; a change here is a change for users.

import {
  AgentCreateParams,
  Base64Source,
  CloudSessionCreateParams,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
  SDKAssistantMessage as SDKAssistantMessage_1,
  SDKMessage as SDKMessage_1,
  SDKPartialAssistantMessage as SDKPartialAssistantMessage_1,
  SDKResultError as SDKResultError_1,
  SDKResultSuccess as SDKResultSuccess_1,
  SDKSessionInfo,
  SDKSystemMessage as SDKSystemMessage_1,
  SDKUserMessage,
  SDKUserMessageReplay as SDKUserMessageReplay_1,
  SessionMessage,
  SessionStore,
  SettingSource,
  ThinkingConfig,
  UrlSource,
} from './protocol.js';
import { McpSdkServerConfig } from './claude.js';
import {
  DeleteSessionOptions,
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  Options as Options_1,
  ProvenanceEntry,
  Query as Query_1,
  ResolvedSettings,
  SessionFunctionOptions,
  WarmQuery,
} from './index.js';

export {
  AbortError,
  AccountInfo,
  AgentCreateParams,
  AgentDefinition,
  AgentInfo,
  AgentInput,
  AgentMcpServerSpec,
  AgentOutput,
  ApiKeySource,
  AskSideQuestionOptions,
  AskUserQuestionInput,
  AskUserQuestionOutput,
  AssistantBlock,
  AssistantMessage,
  AssistantMessageParam,
  AutoModeOptions,
  BYOKModelInfo,
  BYOKModelTypeInfo,
  BYOKModelValidationInput,
  BYOKProviderInfo,
  BackgroundTaskSummary,
  Base64Source,
  BaseHookInput,
  BashInput,
  BashOutput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  ByokModelConfigInfo,
  ByokModelConfigInput,
  CAPABILITIES,
  CLAUDE_CODE_VERSION,
  CacheControl,
  CacheCreation,
  CallToolResult,
  CanUseTool,
  CanUseToolOptions,
  CatalogueOverrides,
  ChatQuirks,
  ChatThinkingForm,
  CheckByokConfigInput,
  ChildProcessError,
  CloudAgentOptions,
  CloudAgentReference,
  CloudAgentStreamOptions,
  CloudSessionCreateParams,
  CodeModeOptions,
  CompactionBlockedReason,
  ConfigChangeHookInput,
  ConfigError,
  ConfigInput,
  ConfigOutput,
  ConnectableMcpServer,
  ContentBlock,
  ContentBlockStart,
  ContentDelta,
  ContentSource,
  ContextUsageCategory,
  CreateByokConfigInput,
  CustomByokProviderConfigInfo,
  CustomByokProviderConfigInput,
  CustomModel,
  CwdChangedHookInput,
  DeferredDecision,
  DeleteByokConfigInput,
  DirectoryAddedHookInput,
  DocumentBlock,
  EFFORT_LEVELS,
  EMPTY_USAGE,
  EXIT_REASONS,
  EffectiveConfig,
  EffectiveOption,
  EffectiveParts,
  EffectiveSource,
  EffectiveTool,
  EffortLevel,
  ElicitationHookInput,
  ElicitationRequest,
  ElicitationResult,
  ElicitationResultHookInput,
  EngineError,
  EngineErrorCode,
  EngineLimits,
  EnterPlanModeInput,
  EnterPlanModeOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeApprovalDetails,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  ExitReason,
  ExitWorktreeInput,
  ExitWorktreeOutput,
  FALLBACK_TRIGGERS,
  FallbackPolicy,
  FallbackTrigger,
  FastModeState,
  FetchToken,
  FetchTokenReason,
  FileChangedHookInput,
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  GOAL_STATUSES,
  GlobInput,
  GlobOutput,
  GrepInput,
  GrepOutput,
  HistoryRepairKind,
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  HookJSONOutput,
  HookListingEvent,
  ImageBlock,
  InstructionsLoadedHookInput,
  JsonObject,
  JsonSchema,
  JsonValue,
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  LoadedPart,
  LocalizedModelText,
  MCPServerConnection,
  MESSAGE_PRIORITIES,
  MODEL_TIERS,
  McpCallExtra,
  McpCallOptions,
  McpCallSession,
  McpClient,
  McpCompleteParams,
  McpCredentials,
  McpHttpServerConfig,
  McpInput,
  McpListedPrompt,
  McpListedTool,
  McpOAuthConfig,
  McpOutput,
  McpRemoteServerConfig,
  McpRequestOptions,
  McpSSEServerConfig,
  McpSdkServer,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerStatus,
  McpSetServersResult,
  McpStdioServerConfig,
  McpToken,
  McpTokenStore,
  McpToolResultContent,
  MessageDisplayHookInput,
  MessageParam,
  MessagePriority,
  ModelContextConfig,
  ModelContextWindowEntry,
  ModelEffortEntry,
  ModelError,
  ModelErrorKind,
  ModelEvent,
  ModelInfo,
  ModelOverride,
  ModelPolicyContext,
  ModelPolicyProvider,
  ModelPolicyResult,
  ModelPolicyTimeoutError,
  ModelPromotion,
  ModelThinkingConfig,
  ModelThinkingDisabled,
  ModelThinkingEnabled,
  ModelTier,
  ModelTiers,
  ModelUsage,
  NotCovered,
  NotCoveredReason,
  NotebookEditInput,
  NotebookEditOutput,
  NoticeCode,
  NoticedSetting,
  NotificationHookInput,
  OnElicitation,
  OnUserDialog,
  OutputFormat,
  PERMISSION_MODES,
  PROVIDER_APIS,
  PermissionBehavior,
  PermissionDecisionClassification,
  PermissionDecisionReasonType,
  PermissionDeniedHookInput,
  PermissionMode,
  PermissionRequestHookInput,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolBatchToolCall,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  PreToolUseHookInput,
  PresetName,
  PriceOverride,
  ProviderApi,
  ProviderKeyOptions,
  ProviderOptions,
  QODERCLI_VERSION,
  QueryOptions,
  REFUSAL_DIALOG,
  RESULT_ERROR_SUBTYPES,
  ReadMcpResourceInput,
  RedactedThinkingBlock,
  RefusedPart,
  RegisterRootOptions,
  RejectedPart,
  RewindConflict,
  RewindConflictReason,
  RewindFailure,
  RewindFilesOptions,
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  RewindScope,
  RewindStatus,
  RunScriptInput,
  RunScriptOutput,
  SDKAPIRetryMessage,
  SDKAssistantMessageError,
  SDKAuthStatusMessage,
  SDKAvailableModelsUpdateMessage,
  SDKBackgroundTasksChangedMessage,
  SDKBridgeStateMessage,
  SDKCloudAgentEventMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlAddDirectoriesResponse,
  SDKControlCancelRequest,
  SDKControlError,
  SDKControlFileSuggestionsResponse,
  SDKControlGetByokConfigResponse,
  SDKControlGetContextUsageResponse,
  SDKControlGetHooksListingResponse,
  SDKControlGetSettingsResponse,
  SDKControlGetTaskOutputResponse,
  SDKControlGetUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlListPermissionRulesResponse,
  SDKControlMcpCallResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SDKControlRequest,
  SDKControlRequestProgressMessage,
  SDKControlResponse,
  SDKControlSuccess,
  SDKConversationResetMessage,
  SDKDeferredToolUse,
  SDKElicitationCompleteMessage,
  SDKEnvelope,
  SDKFilesPersistedEvent,
  SDKGoalClearedMessage,
  SDKGoalSnapshot,
  SDKGoalStatus,
  SDKGoalUpdatedMessage,
  SDKHistoryRepairedMessage,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKKeepAlive,
  SDKLocalCommandOutputMessage,
  SDKMcpStatusChangeMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKModelChangedMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNoticeMessage,
  SDKNotificationMessage,
  SDKPermissionDenial,
  SDKPermissionDeniedMessage,
  SDKPermissionRuleEntry,
  SDKPlanModeChangedMessage,
  SDKPlanModeSnapshot,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKRateLimitInfo,
  SDKSessionInfo,
  SDKSessionStateChangedMessage,
  SDKSessionTitleChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatus,
  SDKStatusMessage,
  SDKStreamResetMessage,
  SDKSystemEventMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKTranscriptMirror,
  SDKUserMessage,
  SDKWorkerShuttingDownMessage,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  SandboxDomains,
  SandboxFilesystemConfig,
  SandboxNetworkConfig,
  SandboxSettings,
  SdkPluginConfig,
  SecretInput,
  SendMessageInput,
  SendMessageOutput,
  ServerModelJson,
  SessionEndHookInput,
  SessionError,
  SessionKey,
  SessionMessage,
  SessionStartHookInput,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
  SetGoalParams,
  SettingSource,
  Settings,
  SetupHookInput,
  SideQuestionHistoryEntry,
  SideQuestionResult,
  SkillInput,
  SkillOutput,
  SlashCommand,
  SpawnOptions,
  SpawnedProcess,
  StopFailureHookInput,
  StopHookInput,
  StopReason,
  StructuredPatchHunk,
  SubagentStartHookInput,
  SubagentStopHookInput,
  SystemPromptOption,
  THINKING_DISPLAYS,
  TOOL_SEARCH_MODES,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TaskOutputInput,
  TaskOutputOutput,
  TaskStatus,
  TaskStopInput,
  TaskStopOutput,
  TaskUsage,
  TeammateIdleHookInput,
  TelemetryOptions,
  TerminalReason,
  TextBlock,
  ThinkingBlock,
  ThinkingConfig,
  ThinkingDisplay,
  TodoWriteInput,
  TodoWriteOutput,
  ToldSetting,
  ToolAnnotations,
  ToolCallProfile,
  ToolConfig,
  ToolError,
  ToolInputSchemas,
  ToolOutputSchemas,
  ToolResultBlock,
  ToolResultContent,
  ToolSearchInput,
  ToolSearchMode,
  ToolSearchOutput,
  ToolUseBlock,
  UntrustedContentOptions,
  UpdateByokConfigInput,
  UpdateGoalInput,
  UpdateGoalOutput,
  UrlSource,
  Usage,
  UsageAddOnQuotaBucket,
  UsageInfo,
  UsageOrgResourcePackage,
  UsageQuotaBucket,
  UserBlock,
  UserDialogRequest,
  UserDialogResult,
  UserMessageParam,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
  WIRE_PROTOCOL_VERSION,
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
  getMessageContentBlocks,
  getPermissionDenials,
  getSystemInitData,
  isEngineError,
  isResultMessage,
} from './protocol.js';
export {
  AnyZodRawShape,
  CreateSdkMcpServerOptions,
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  InMemorySessionStore,
  InferShape,
  ListSessionsOptions,
  ListSubagentsOptions,
  ResolveSettingsOptions,
  ResolvedSettingSource,
  ResolvedSettings,
  SdkMcpToolDefinition,
  SessionMessageView,
  SessionMutationOptions,
  ToolExtras,
  WarmQuery,
  accessToken,
  accessTokenFromEnv,
  createSdkMcpServer,
  filterEscalatingDefaultMode,
  qodercliAuth,
  resolveSettings,
  tool,
} from './index.js';
export {
  AsyncHookJSONOutput,
  ConfigScope,
  CwdChangedHookSpecificOutput,
  ElicitationHookSpecificOutput,
  ElicitationResultHookSpecificOutput,
  FileChangedHookSpecificOutput,
  HookPermissionDecision,
  HookSpecificOutput,
  McpSdkServerConfig,
  McpServerToolPolicy,
  MessageDisplayHookSpecificOutput,
  NonNullableUsage,
  NotificationHookSpecificOutput,
  PermissionDeniedHookSpecificOutput,
  PermissionRequestHookSpecificOutput,
  PostModelSwitchHookSpecificOutput,
  PostToolBatchHookSpecificOutput,
  PostToolUseFailureHookSpecificOutput,
  PostToolUseHookSpecificOutput,
  PreModelSwitchHookSpecificOutput,
  PreToolUseHookSpecificOutput,
  SDKMessageOrigin,
  SessionStartHookSpecificOutput,
  SetupHookSpecificOutput,
  StopHookSpecificOutput,
  SubagentStartHookSpecificOutput,
  SubagentStopHookSpecificOutput,
  SyncHookJSONOutput,
  Transport,
  UserPromptExpansionHookSpecificOutput,
  UserPromptSubmitHookSpecificOutput,
  WorktreeCreateHookSpecificOutput,
} from './claude.js';

// qoder.ts

/** Types stand beside the functions; the published SDK has an empty object of this name. */
export declare const coreTypes: {};

/** The sessions of `QODER_CONFIG_DIR`, or `~/.qoder`. */
export declare const deleteSession: (id: string, options: DeleteSessionOptions | undefined) => Promise<void>,
  forkSession: (id: string, options: ForkSessionOptions | undefined) => Promise<ForkSessionResult>,
  getSessionInfo: (id: string, options: SessionFunctionOptions | undefined) => Promise<SDKSessionInfo | undefined>,
  getSessionMessages: (id: string, options: GetSessionMessagesOptions | undefined) => Promise<SessionMessage[]>,
  getSubagentMessages: (
    id: string,
    agent: string,
    options: GetSubagentMessagesOptions | undefined,
  ) => Promise<SessionMessage[]>,
  importSessionToStore: (
    id: string,
    store: SessionStore,
    options: ImportSessionToStoreOptions | undefined,
  ) => Promise<void>,
  listSessions: (options: ListSessionsOptions | undefined) => Promise<SDKSessionInfo[]>,
  listSubagents: (id: string, options: SessionFunctionOptions | undefined) => Promise<string[]>,
  renameSession: (id: string, title: string, options: SessionFunctionOptions | undefined) => Promise<void>,
  tagSession: (id: string, tag: string | null, options: SessionFunctionOptions | undefined) => Promise<void>;

// sdk/dialects/qoder/auth.ts

export type AccessTokenInput =
  | string
  | {
      envVar: string;
    };

export type ServiceAccountKeyInput =
  | string
  | {
      envVar: string;
    };

export type ServiceAccountTokenResult = {
  token: string;
  expiresAt?: number;
};

export type FetchServiceAccountToken = () => Promise<ServiceAccountTokenResult | null>;

export type ServiceAccountCredentials =
  | {
      serviceAccountKey: ServiceAccountKeyInput;
      fetchServiceAccountToken?: never;
    }
  | {
      serviceAccountKey?: never;
      fetchServiceAccountToken: FetchServiceAccountToken;
    };

export type ServiceAccountAuthOptions = {
  type: 'serviceAccount';
} & ServiceAccountCredentials;

export type JobTokenRequest = {
  requestId: string;
  reason: 'initial' | 'expiring' | 'unauthorized';
  sessionId?: string;
};

export type JobTokenResult = {
  token: string;
  expiresAt?: number;
};

export type FetchJobToken = (
  request: JobTokenRequest,
  options: {
    signal: AbortSignal;
  },
) => Promise<JobTokenResult | null>;

export type JobTokenAuthOptions = {
  type: 'jobToken';
  fetchJobToken: FetchJobToken;
};

export type AuthOptions =
  | {
      type: 'accessToken';
      accessToken: AccessTokenInput;
    }
  | {
      type: 'qodercli';
    }
  | ServiceAccountAuthOptions;

/** Ours beside theirs: keys of other providers. */
type AnyAuthOptions = AuthOptions | JobTokenAuthOptions | NonNullable<Options_1['auth']>;

/** A key of a service, or a function that fetches tokens. @throws TypeError if it is not exactly one of them */
export declare function serviceAccount(credentials: ServiceAccountCredentials): ServiceAccountAuthOptions;

/** A key of a service out of a variable, by default QODER_SERVICE_ACCOUNT_KEY. */
export declare function serviceAccountFromEnv(envVar?: string): ServiceAccountAuthOptions;

/** Tokens that are fetched for each job. */
export declare function jobToken(fetchJobToken: FetchJobToken): JobTokenAuthOptions;

// sdk/dialects/qoder/constants.ts

/** Events that a hook can be declared for. */
export declare const HOOK_EVENTS: readonly [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'CwdChanged',
  'InstructionsLoaded',
  'FileChanged',
  'PermissionRequest',
  'PermissionDenied',
  'WorktreeCreate',
  'WorktreeRemove',
];

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Where `accessTokenFromEnv` looks. */
export declare const DEFAULT_ACCESS_TOKEN_ENV_VAR = 'QODER_PERSONAL_ACCESS_TOKEN';

/** Where `serviceAccountFromEnv` looks. */
export declare const DEFAULT_SERVICE_ACCOUNT_ENV_VAR = 'QODER_SERVICE_ACCOUNT_KEY';

/** How the published SDK starts its engine. Here it runs in this process. */
export declare const DEFAULT_RUNTIME_TRANSPORT = 'worker';

export type DefaultRuntimeTransport = 'worker' | 'process';

/** The most sessions that a review of skills may wait for. */
export declare const MAX_SKILL_EVOLUTION_REVIEW_THRESHOLD = 10;

/** What a model request is for. */
export declare const QoderModelPurpose: {
  readonly Main: 'main';
  readonly Plan: 'plan';
  readonly Task: 'task';
  readonly Compact: 'compact';
  readonly Title: 'title';
  readonly Suggestion: 'suggestion';
  readonly Generate: 'generate';
  readonly HookPrompt: 'hook_prompt';
  readonly Subagent: 'subagent';
  readonly WebFetch: 'web_fetch';
  readonly ImageGen: 'image_gen';
  readonly Compression: 'compression';
  readonly Utility: 'utility';
};

export type QoderModelPurpose = (typeof QoderModelPurpose)[keyof typeof QoderModelPurpose];

// sdk/dialects/qoder/errors.ts

/** A control request was refused. */
export declare class ControlRequestError extends Error {
  readonly requestId: string;
  readonly code: string | undefined;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | undefined;
  constructor(options: {
    requestId: string;
    message: string;
    code?: string;
    retryable?: boolean;
    details?: Record<string, unknown>;
  });
}

/** Program and engine speak different protocols. */
export declare class ProtocolVersionMismatchError extends Error {
  readonly cliProtocolVersion: string;
  readonly sdkProtocolVersion: string;
  constructor(cliProtocolVersion: string, sdkProtocolVersion: string);
}

/** The engine cannot do what was asked. */
export declare class UnsupportedCliCapabilityError extends Error {
  readonly capability: string;
  constructor(capability: string);
}

/** A daemon refused a request. */
export declare class DaemonRpcError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  constructor(error: {
    code: string;
    message: string;
    retryable?: boolean;
  });
}

/** The variable of `accessTokenFromEnv` is not set. */
export declare class AuthAccessTokenEnvVarError extends Error {
  readonly code = 'auth_access_token_env_var_not_configured';
  constructor(envVar: string);
}

/** The variable of `serviceAccountFromEnv` is not set. */
export declare class AuthServiceAccountEnvVarError extends Error {
  readonly code = 'auth_service_account_env_var_not_configured';
  constructor(envVar: string);
}

/** The process of the engine ended. */
export declare class QoderCliProcessError extends Error {
  readonly code = 'QODER_CLI_PROCESS_ERROR';
  constructor(
    message: string,
    options?: {
      cause?: unknown;
    },
  );
}

/** The worker of the engine could not be started. */
export declare class QoderWorkerRuntimeError extends Error {
  readonly code = 'QODER_WORKER_RUNTIME_ERROR';
  constructor(
    message: string,
    options?: {
      cause?: unknown;
    },
  );
}

// sdk/dialects/qoder/plugins-and-daemons.ts

export declare const listPlugins: (...args: unknown[]) => Promise<never>;

export declare const enablePlugin: (...args: unknown[]) => Promise<never>;

export declare const disablePlugin: (...args: unknown[]) => Promise<never>;

export declare const installPlugin: (...args: unknown[]) => Promise<never>;

export declare const uninstallPlugin: (...args: unknown[]) => Promise<never>;

export declare const validatePlugin: (...args: unknown[]) => Promise<never>;

export declare const startDaemon: (...args: unknown[]) => Promise<never>;

/** There is no daemon, so sessions run without one: what the published SDK says when it cannot reach its own. */
export declare function initDaemon(_options?: unknown): Promise<{
  mode: 'direct';
  reason: 'daemon_unavailable';
}>;

/** There is nothing to shut down. */
export declare function shutdownDaemon(): Promise<void>;

export declare const ProcessTransport: new (...args: unknown[]) => Record<string, never>;

export declare const WorkerTransport: new (...args: unknown[]) => Record<string, never>;

export type ProcessTransport = InstanceType<typeof ProcessTransport>;

export type WorkerTransport = InstanceType<typeof WorkerTransport>;

/** False: there is no worker to start. */
export declare function hasResolvableQoderWorkerRuntime(_options?: unknown): boolean;

/** @throws ConfigError, always */
export declare function resolveQoderWorkerRuntimePath(_options?: unknown): string;

/** Nothing is sent anywhere. */
export declare function submitFeedback(
  _params: unknown,
  _options?: unknown,
): Promise<{
  success: boolean;
  message: string;
}>;

/** True for the output of a command that goes on in the background. */
export declare function isBashToolBackgroundLaunchResult(value: unknown): boolean;

// sdk/dialects/qoder/query.ts

interface Differing {
  /** Replaces the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Absent: the keys that Turnwright finds. A token is sent only to a server whose address you set. */
  auth?: AnyAuthOptions;
}

export type Options = Omit<Options_1, keyof Differing> & Differing;

export interface Query extends AsyncGenerator<SDKMessage, void>, Controls {}

export interface StartupParams {
  options?: Options;
  initializeTimeoutMs?: number;
}

/** Runs a session as the Qoder Agent SDK does. @throws ConfigError from the first `next()` where it cannot be started */
export declare function query(params: { prompt: Prompt; options?: Options }): Query;

/** Opens a session whose prompt comes later. @throws what opening it throws */
export declare function startup(params?: StartupParams): Promise<WarmQuery<Query>>;

// sdk/dialects/qoder/types.ts

export type SDKMessage = Writable<SDKMessage_1>;

export type SDKAssistantMessage = Writable<SDKAssistantMessage_1>;

export type SDKUserMessageReplay = Writable<SDKUserMessageReplay_1>;

export type SDKResultSuccess = Writable<SDKResultSuccess_1>;

export type SDKResultError = Writable<SDKResultError_1>;

export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export type SDKSystemMessage = Writable<SDKSystemMessage_1>;

export type SDKSystemInitMessage = SDKSystemMessage;

export type SDKPartialAssistantMessage = Writable<SDKPartialAssistantMessage_1>;

type AnySystemMessage = Extract<
  SDKMessage,
  {
    type: 'system';
  }
>;

export type SDKSystemMessageSubtype = AnySystemMessage['subtype'];

export type SDKSystemMessageBySubtype<Subtype extends SDKSystemMessageSubtype> = Extract<
  AnySystemMessage,
  {
    subtype: Subtype;
  }
>;

export type SDKToolNonExecutionKind = string;

export type SDKToolResultMeta = {
  id: string;
  non_execution_kind: SDKToolNonExecutionKind;
  user_feedback?: string;
};

export type Base64ImageSource = Writable<Base64Source>;

export type UrlImageSource = Writable<UrlSource>;

export type URLImageSource = UrlImageSource;

export type ImageSource = Base64ImageSource | UrlImageSource;

export type ImageContentBlock = {
  type: 'image';
  source: ImageSource;
};

export type ImageBlockParam = ImageContentBlock;

export type SettingSourceFromOptions = SettingSource;

export type ResolvedSettingsSource = ResolvedSettings['sources'][number];

export type SettingsProvenanceEntry = ProvenanceEntry;

export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type McpServerStatusConfig = McpServerConfigForProcessTransport;

export type PermissionScope = 'once' | 'session' | 'persist';

export type CanUseToolPermissionKind = string;

export type CanUseToolPermissionOption = NotHere;

export type CanUseToolPermissionDetails = NotHere;

export type PromptRequestOption = {
  key: string;
  label: string;
  description?: string;
};

export type PromptRequest = {
  prompt: string;
  message: string;
  options: PromptRequestOption[];
};

export type PromptResponse = {
  prompt_response: string;
  selected: string;
};

export type RewindFileFailure = {
  path: string;
  reason: string;
};

/** A command that goes on in the background. */
export type BashToolBackgroundLaunchResult = NotHere & {
  backgroundTaskId: string;
};

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

export type ThinkingAdaptive = Extract<
  ThinkingConfig,
  {
    type: 'adaptive';
  }
>;

export type ThinkingEnabled = Extract<
  ThinkingConfig,
  {
    type: 'enabled';
  }
>;

export type ThinkingDisabled = Extract<
  ThinkingConfig,
  {
    type: 'disabled';
  }
>;

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

type Request<Subtype extends string> = NotHere & {
  subtype: Subtype;
};

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

interface Unsent<Subtype extends string> extends NotHere {
  type: 'system';
  subtype: Subtype;
  uuid: string;
  session_id: string;
}

export type SDKArtifactInfo = NotHere;

export type SDKArtifactUpdateMessage = Unsent<'artifacts_update'> & {
  artifacts: SDKArtifactInfo[];
};

export type SDKModelQueueStatusMessage = Unsent<'model_queue_status'>;

export type SDKCommandLifecycleMessage = {
  type: 'command_lifecycle';
  command_uuid: string;
  state: string;
  uuid: string;
  session_id: string;
};

export type SDKMemoryGenerationMessage = Unsent<'memory_generation'> & {
  result: MemoryGenerationResult;
};

export type SDKMemoryConsumptionMessage = Unsent<'memory_consumption'> & {
  result: MemoryConsumptionResult;
};

export type SDKSkillEvolutionMessage = Unsent<'skill_evolution'> & {
  result: SkillEvolutionResult;
};

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

export type DaemonInitResult =
  | {
      mode: 'daemon';
      daemon: Daemon;
    }
  | {
      mode: 'direct';
      reason: DaemonFallbackReason;
    };

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

export type SubmitFeedbackParams = NotHere & {
  content: string;
};

export type SubmitFeedbackOptions = NotHere;

export type IntegrationMode = string;

export type FeedbackResult = {
  success: boolean;
  message?: string;
};

export type SecurityScanOptions = NotHere;

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

export type BetaManagedAgentsAgentToolset20260401Params = NonNullable<AgentCreateParams['tools']>[number];

export type BetaManagedAgentsCustomSkillParams = {
  type: 'custom';
  skill_id: string;
};

export type BetaManagedAgentsFileResourceParams = {
  type: 'file';
  file_id: string;
  path?: string;
};

export type BetaManagedAgentsModel = string;

export type BetaManagedAgentsSkillParams = BetaManagedAgentsCustomSkillParams;

export type BetaManagedAgentsURLMCPServerParams = {
  name: string;
  type: 'url';
  url: string;
};

export type CloudSessionResource = BetaManagedAgentsFileResourceParams;

export type CloudSessionCreateReference = {
  create: CloudSessionCreateParams;
};

export type CloudSessionExistingReference = {
  id: string;
};

export type CloudSessionReference = CloudSessionCreateReference | CloudSessionExistingReference;

export type SessionCreateParams = CloudSessionCreateParams;

// sdk/dialects/session.ts

/** The controls, without what a stream has. */
type Controls = Omit<Query_1, keyof AsyncGenerator>;

// sdk/dialects/shared-types.ts

/** What is told of something that is not here. */
interface NotHere {
  [key: string]: unknown;
}

export type AgentMemoryScope = 'user' | 'project' | 'local';

// sdk/startup.ts

type Prompt = string | AsyncIterable<SDKUserMessage>;

// util/writable.ts

/** The same all the way down, without `readonly`. */
type Writable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? {
        -readonly [Key in keyof T]: Writable<T[Key]>;
      }
    : T;

export {};
