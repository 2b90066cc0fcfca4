// The published surface of `turnwright/qoder`. Written by `npm run api`; a change here is a change for users.

import {
  AgentCreateParams,
  AgentDefinition as AgentDefinition_1,
  BYOKModelValidationInput,
  BYOKProviderInfo as BYOKProviderInfo_1,
  Base64Source,
  BaseHookInput as BaseHookInput_1,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  CanUseToolOptions as CanUseToolOptions_1,
  CloudSessionCreateParams,
  CwdChangedHookInput,
  DeleteByokConfigInput,
  ExitReason,
  FileChangedHookInput as FileChangedHookInput_1,
  HookJSONOutput,
  InstructionsLoadedHookInput as InstructionsLoadedHookInput_1,
  JsonValue,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpServerStatus as McpServerStatus_1,
  McpStdioServerConfig,
  ModelInfo as ModelInfo_1,
  ModelUsage as ModelUsage_1,
  PermissionDeniedHookInput as PermissionDeniedHookInput_1,
  PermissionRequestHookInput as PermissionRequestHookInput_1,
  PermissionResult,
  PermissionUpdate as PermissionUpdate_1,
  PostCompactHookInput as PostCompactHookInput_1,
  PostToolUseFailureHookInput as PostToolUseFailureHookInput_1,
  PostToolUseHookInput,
  PreCompactHookInput as PreCompactHookInput_1,
  PreToolUseHookInput as PreToolUseHookInput_1,
  RewindFilesResult as RewindFilesResult_1,
  RewindResult as RewindResult_1,
  SDKAPIRetryMessage as SDKAPIRetryMessage_1,
  SDKAssistantMessage as SDKAssistantMessage_1,
  SDKAvailableModelsUpdateMessage as SDKAvailableModelsUpdateMessage_1,
  SDKBackgroundTasksChangedMessage as SDKBackgroundTasksChangedMessage_1,
  SDKCommandLifecycleMessage as SDKCommandLifecycleMessage_1,
  SDKCommandsChangedMessage as SDKCommandsChangedMessage_1,
  SDKControlGetContextUsageResponse as SDKControlGetContextUsageResponse_1,
  SDKControlReloadPluginsResponse as SDKControlReloadPluginsResponse_1,
  SDKFilesPersistedEvent as SDKFilesPersistedEvent_1,
  SDKMessage as SDKMessage_1,
  SDKPartialAssistantMessage as SDKPartialAssistantMessage_1,
  SDKResultError as SDKResultError_1,
  SDKResultSuccess as SDKResultSuccess_1,
  SDKSessionInfo,
  SDKStatusMessage as SDKStatusMessage_1,
  SDKSystemMessage as SDKSystemMessage_1,
  SDKTaskNotificationMessage as SDKTaskNotificationMessage_1,
  SDKTaskProgressMessage as SDKTaskProgressMessage_1,
  SDKUserMessage as SDKUserMessage_1,
  SessionEndHookInput as SessionEndHookInput_1,
  SessionMessage,
  SessionStartHookInput as SessionStartHookInput_1,
  SessionStore,
  SettingSource,
  Settings as Settings_1,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput as SubagentStopHookInput_1,
  ThinkingConfig,
  UrlSource,
  Usage,
  UsageInfo,
  UserPromptSubmitHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
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
  ResolvedSettingSource,
  SessionFunctionOptions,
  WarmQuery,
} from './index.js';

export {
  AbortError,
  AccountInfo,
  AgentCreateParams,
  AgentInfo,
  AgentInput,
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
  BackgroundTaskSummary,
  Base64Source,
  BashInput,
  BashOutput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  ByokModelConfigInfo,
  CAPABILITIES,
  CLAUDE_CODE_VERSION,
  CacheControl,
  CacheCreation,
  CallToolResult,
  CatalogueOverrides,
  ChatQuirks,
  ChatThinkingForm,
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
  ContentBlockStart,
  ContentDelta,
  ContentSource,
  ContextUsageCategory,
  CustomByokProviderConfigInfo,
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
  HookJSONOutput,
  HookListingEvent,
  ImageBlock,
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
  McpSetServersResult,
  McpStdioServerConfig,
  McpToken,
  McpTokenStore,
  McpToolResultContent,
  MessageDisplayHookInput,
  MessagePriority,
  ModelContextConfig,
  ModelContextWindowEntry,
  ModelEffortEntry,
  ModelError,
  ModelErrorKind,
  ModelEvent,
  ModelOverride,
  ModelPolicyTimeoutError,
  ModelPromotion,
  ModelThinkingConfig,
  ModelThinkingDisabled,
  ModelThinkingEnabled,
  ModelTier,
  ModelTiers,
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
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdateDestination,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolBatchToolCall,
  PostToolUseHookInput,
  PreModelSwitchHookInput,
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
  RewindOptions,
  RewindScope,
  RewindStatus,
  RunScriptInput,
  RunScriptOutput,
  SDKAuthStatusMessage,
  SDKBridgeStateMessage,
  SDKCloudAgentEventMessage,
  SDKCompactBoundaryMessage,
  SDKControlAddDirectoriesResponse,
  SDKControlCancelRequest,
  SDKControlError,
  SDKControlFileSuggestionsResponse,
  SDKControlGetByokConfigResponse,
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
  SDKControlReloadSkillsResponse,
  SDKControlRequest,
  SDKControlRequestProgressMessage,
  SDKControlResponse,
  SDKControlSuccess,
  SDKConversationResetMessage,
  SDKDeferredToolUse,
  SDKElicitationCompleteMessage,
  SDKEnvelope,
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
  SDKStreamResetMessage,
  SDKSystemEventMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKTranscriptMirror,
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
  SessionError,
  SessionKey,
  SessionMessage,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
  SetGoalParams,
  SettingSource,
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
  SystemPromptOption,
  THINKING_DISPLAYS,
  TOOL_SEARCH_MODES,
  TaskCompletedHookInput,
  TaskCreateInput,
  TaskCreateOutput,
  TaskCreatedHookInput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskOutputInput,
  TaskOutputOutput,
  TaskStatus,
  TaskStopInput,
  TaskStopOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
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
  NotificationHookSpecificOutput,
  PermissionDeniedHookSpecificOutput,
  PermissionRequestHookSpecificOutput,
  PostModelSwitchHookSpecificOutput,
  PostToolBatchHookSpecificOutput,
  PostToolUseFailureHookSpecificOutput,
  PostToolUseHookSpecificOutput,
  PreModelSwitchHookSpecificOutput,
  PreToolUseHookSpecificOutput,
  SessionStartHookSpecificOutput,
  SetupHookSpecificOutput,
  StopHookSpecificOutput,
  SubagentStartHookSpecificOutput,
  SubagentStopHookSpecificOutput,
  SyncHookJSONOutput,
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
  readonly details: Record<string, JsonValue> | undefined;
  constructor(error: {
    code: string;
    message: string;
    retryable?: boolean;
    details?: Record<string, JsonValue> | undefined;
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

// sdk/dialects/qoder/not-here-types.ts

type Counted = {
  [Key in keyof Usage as Key extends `${string}tokens` ? Key : never]-?: NonNullable<Usage[Key]>;
};

/** With what its server counts beside the tokens. */
export type NonNullableUsage = Counted & {
  cache_creation: {
    ephemeral_1h_input_tokens: number;
    ephemeral_5m_input_tokens: number;
  };
  server_tool_use: {
    web_fetch_requests: number;
    web_search_requests: number;
  };
  inference_geo: string;
  service_tier: string;
  speed: string;
  iterations: unknown[];
  request_id?: string;
  context_usage_ratio?: number;
  credits?: number;
  original_credits?: number;
  billable?: boolean;
};

type Never<Name extends string> = {
  [Key in Name]?: never;
};

/** Text that a gate sees of a turn before it says whether to go on. */
interface TurnSeen {
  cwd: string;
  prompt: string;
  response: string;
  sessionId: string;
  turnIndex: number;
  requestId?: string;
  requestSetId?: string;
}

interface GateAnswer {
  run: boolean;
  reason?: string;
}

type Gate<Seen> = (
  input: Seen,
  options: {
    signal: AbortSignal;
  },
) => Promise<GateAnswer>;

interface Attempt<Status extends string, Origin extends string> {
  status: Status;
  origin: Origin;
  attemptId: string;
  durationMs: number;
  reason?: string;
  sourceRequestIds?: string[];
  modelRequestIds?: string[];
  usage?: NonNullableUsage;
}

type Told<Result> = (result: Result) => void | Promise<void>;

type OnGateError = 'skip' | 'report_failed';

export type MemoryMode = 'native' | 'custom';

export type MemoryRootAccess = 'read' | 'read-write';

export type MemoryRoot = {
  id: string;
  path: string;
  access?: MemoryRootAccess;
  indexFile?: string;
};

export type MemoryConsumptionFile = {
  id: string;
  path: string;
  required?: boolean;
};

export type MemoryConsumptionResult = {
  status: 'success' | 'partial' | 'failed';
  files: {
    id: string;
    path: string;
    status: 'loaded' | 'missing' | 'failed' | 'truncated';
    error?: string;
  }[];
};

export type MemoryConsumptionOptions = {
  enabled?: boolean;
  files?: MemoryConsumptionFile[];
  maxTokens?: number;
  overflow?: 'truncate' | 'fail_query';
  failureMode?: 'best_effort' | 'fail_query';
  onResult?: Told<MemoryConsumptionResult>;
};

export type MemoryGenerationFailedFile = {
  rootId: string;
  path: string;
  error?: string;
};

export type MemoryGenerationGateInput = TurnSeen;

export type MemoryGenerationGateResult = GateAnswer;

export type MemoryShouldGenerate = Gate<MemoryGenerationGateInput>;

export type MemoryGenerationResult = Attempt<
  'saved' | 'partial' | 'no_change' | 'skipped' | 'failed',
  'main_session' | 'turn_complete' | 'dream'
> & {
  writtenFiles: {
    rootId: string;
    path: string;
  }[];
  failedFiles: MemoryGenerationFailedFile[];
  indexUpdated?: boolean;
  contentUpdated?: boolean;
  credits?: number;
};

export type MemoryGenerationOptions = {
  enabled?: boolean;
  roots?: MemoryRoot[];
  prompt?: string;
  turnComplete?: {
    enabled?: boolean;
    shouldGenerate?: MemoryShouldGenerate;
    timeoutMs?: number;
    onGateError?: OnGateError;
  };
  onResult?: Told<MemoryGenerationResult>;
};

interface MemoryScopes {
  projectScope?: boolean;
  userScope?: boolean;
}

export type MemoryOptions =
  | Never<'mode' | 'projectScope' | 'userScope' | 'generation' | 'consumption'>
  | (MemoryScopes & {
      mode: 'native';
      generation?: Pick<MemoryGenerationOptions, 'onResult'>;
      consumption?: Pick<MemoryConsumptionOptions, 'onResult'>;
    })
  | (MemoryScopes & {
      mode: 'custom';
      generation?: MemoryGenerationOptions;
      consumption?: MemoryConsumptionOptions;
    });

interface Effective<Mode> {
  enabled: boolean;
  requester: 'sdk';
  mode: Mode;
  generationEnabled: boolean;
  turnCompleteEnabled: boolean;
}

export type EffectiveMemoryConfig = Omit<Effective<MemoryMode>, 'mode'> & {
  mode?: MemoryMode;
  consumptionEnabled: boolean;
  roots: {
    id: string;
    access: MemoryRootAccess;
  }[];
};

export type SkillEvolutionMode = 'native' | 'custom';

export type SkillEvolutionGateInput = TurnSeen;

export type SkillEvolutionGateResult = GateAnswer;

export type SkillEvolutionShouldReview = Gate<SkillEvolutionGateInput>;

export type SkillEvolutionSuggestion = {
  skillName: string;
  action: 'create' | 'update';
  summary: string;
  confidence: number;
  rationale?: string;
};

export type SkillEvolutionResult = Attempt<'suggested' | 'no_change' | 'skipped' | 'failed', 'turn_complete'> & {
  suggestions: SkillEvolutionSuggestion[];
  reviewScore?: number;
};

export type SkillEvolutionGenerationOptions = {
  enabled?: boolean;
  prompt?: string;
  maxSuggestions?: number;
  turnComplete?: {
    enabled?: boolean;
    reviewThreshold?: number;
    shouldReview?: SkillEvolutionShouldReview;
    timeoutMs?: number;
    onGateError?: OnGateError;
  };
  onResult?: Told<SkillEvolutionResult>;
};

export type SkillEvolutionOptions =
  | {
      mode: 'custom';
      generation?: SkillEvolutionGenerationOptions;
    }
  | {
      mode: 'native';
      generation?: Pick<SkillEvolutionGenerationOptions, 'enabled' | 'onResult'> & {
        turnComplete?: {
          reviewThreshold?: number;
        };
      };
    };

export type EvolutionOptions = {
  skill?: SkillEvolutionOptions;
};

export type EffectiveSkillEvolutionConfig = Effective<SkillEvolutionMode> & {
  reviewThreshold: number;
  cooldownMs: number;
  maxSuggestions: number;
};

export type EffectiveEvolutionConfig = {
  skill?: EffectiveSkillEvolutionConfig;
};

export type ArtifactGroup = {
  key: string;
  name: string;
};

export interface SessionArtifactBase {
  path: string;
  displayPath: string;
  name: string;
  group?: ArtifactGroup;
  relativePath?: string;
  size?: number;
  mime?: string;
  mtime?: number;
}

type Presented = {
  kind: 'presented';
};

export type SessionArtifact = SessionArtifactBase &
  (
    | Presented
    | {
        kind: 'changed';
        additions: number;
        deletions: number;
        isNew: boolean;
      }
  );

export type ResolveSessionArtifactsResult = {
  artifacts: readonly SessionArtifact[];
};

export type ResolveSessionArtifacts = (
  localSessionId: string,
  cwd: string,
) => ResolveSessionArtifactsResult | Promise<ResolveSessionArtifactsResult>;

export type SDKArtifactInfo = {
  path: string;
  display_path: string;
  name: string;
  group?: ArtifactGroup;
  relative_path?: string;
  size?: number;
  mime?: string;
  mtime?: number;
} & (
  | Presented
  | {
      kind: 'changed';
      additions: number;
      deletions: number;
      is_new: boolean;
    }
);

interface Unsent<Subtype extends string> {
  type: 'system';
  subtype: Subtype;
  uuid: `${string}-${string}-${string}-${string}-${string}`;
  session_id: string;
}

export type SDKArtifactUpdateMessage = Unsent<'artifacts_update'> & {
  artifacts: readonly SDKArtifactInfo[];
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

export type SDKModelQueueStatusMessage = Unsent<'model_queue_status'> & {
  status: 'queued' | 'ready';
  request_id: string;
  request_set_id: string;
  model_key: string;
  queue_type?: string;
  queue_count?: number;
  wait_time_ms?: number;
  queue_wait_elapsed_ms?: number;
  queue_max_wait_ms?: number;
  service_available?: boolean;
};

interface DaemonLaunch {
  auth: AnyAuth;
  cwd?: string;
  env?: Record<string, string | undefined>;
  pathToQoderCLIExecutable?: string;
  proxy?: string;
  workerIdleTimeoutMs?: number;
}

/** One of `accessToken()`, `serviceAccount()` and the others. */
type AnyAuth = {
  type: string;
  [field: string]: unknown;
};

export type StartDaemonOptions = DaemonLaunch;

export type InitDaemonOptions = DaemonLaunch;

export type RemoteProjectionEnableOptions = {
  suppressInitialIdleStateEvents?: boolean;
  skipInitialFlush?: boolean;
  fromSequenceNum?: number;
  timeoutMs?: number;
};

export type RemoteProjectionCheckpoint = {
  remoteSessionId: string;
  lastSequenceNum: number;
};

export type IntegrationMode = string;

export type SubmitFeedbackParams = {
  content: string;
  sessionId?: string;
  workdir?: string;
  include?: string[];
  imagePaths?: string[];
  email?: string;
  callerVersion?: string;
};

export type SubmitFeedbackOptions = {
  cliPath?: string;
  env?: Record<string, string | undefined>;
  timeout?: number;
  storageDir?: string;
  integrationMode?: IntegrationMode;
};

export type SDKCapabilities = {
  modelPolicy?: 'pull';
};

export type SessionCreditsUsage = {
  total_credits: number;
  model_usage: Record<
    string,
    {
      credits: number;
    }
  >;
};

export type ModelPromptPatch = {
  action: 'edit_system_prompt';
  content: string;
};

export type ModelPromptPatches = Record<string, ModelPromptPatch[]>;

export type ModelSource = 'system' | 'user' | 'organization' | 'custom';

export type ModelStrategy = {
  tag: string;
  enabled: boolean;
  disabled_message_key: string;
};

export type ServerModelJsonValue =
  | null
  | boolean
  | number
  | string
  | ServerModelJsonValue[]
  | {
      [key: string]: ServerModelJsonValue;
    };

export type SideQuestionRefusalFallback = {
  originalModel: string;
  fallbackModel: string;
  content: string;
};

export type CanUseToolPermissionKind = 'repeated_tool_call';

export type CanUseToolPermissionOption = {
  outcome: 'proceed_once' | 'proceed_always' | 'proceed_always_and_save' | 'cancel';
  name: string;
  allowed: boolean;
};

export type CanUseToolPermissionDetails =
  | {
      type: CanUseToolPermissionKind;
      title: string;
      toolName: string;
      repeatCount: number;
      threshold: number;
      inputPreview: string;
    }
  | (Record<string, unknown> & {
      type: string;
    });

// sdk/dialects/qoder/plugins-and-daemons.ts

export type PluginScope = 'user' | 'project' | 'local';

interface Place {
  cwd?: string;
  /** There is no other program to run here. */
  cliPath?: string;
  env?: Record<string, string>;
}

export type ListPluginsOptions = Place & {
  orgId?: string;
};

export type PluginToggleOptions = Place & {
  scope?: PluginScope;
};

export type InstallPluginOptions = Place & {
  scope?: PluginScope;
};

export type UninstallPluginOptions = InstallPluginOptions & {
  keepData?: boolean;
};

export type ValidatePluginOptions = Omit<Place, 'cwd'> & {
  signal?: AbortSignal;
};

interface Named {
  name: string;
  description?: string;
}

/** What is in a plugin. */
export type PluginResources = {
  skills: (Named & {
    argumentHint?: string;
  })[];
  agents: (Named & {
    color?: string;
  })[];
  commands: (Named & {
    argumentHint?: string;
  })[];
  mcpServers: (Named & {
    type?: string;
  })[];
  hooks: {
    event: string;
    matcher?: string;
    type: string;
  }[];
};

export type PluginDetails = {
  id: string;
  name: string;
  path: string;
  source: string;
  version: string;
  scope: string;
  enabled: boolean;
  canDisable: boolean;
  displayName?: string;
  description?: string;
  installedAt?: string;
  lastUpdated?: string;
  projectPath?: string;
  resources: PluginResources;
};

export type InstallPluginResult = {
  pluginId: string;
  version: string;
  path: string;
};

export type UninstallPluginResult = {
  pluginId: string;
  fullyRemoved: boolean;
  reverseDependents: string[];
};

export type PluginValidationSeverity = 'error' | 'warning';

export type PluginValidationPhase = 'target' | 'manifest' | 'component' | 'load-simulation' | 'installability';

export type PluginValidationPosition = {
  line: number;
  character: number;
};

export type PluginValidationLocation = {
  path: string;
  jsonPointer?: string;
  range?: {
    start: PluginValidationPosition;
    end: PluginValidationPosition;
  };
};

export type PluginValidationDiagnostic = {
  severity: PluginValidationSeverity;
  phase: PluginValidationPhase;
  code: string;
  message: string;
  location?: PluginValidationLocation;
  suggestion?: string;
};

export type PluginValidationReport = {
  schemaVersion: 1;
  /** The name that programs look for. */
  validator: {
    name: 'qodercli';
    version: string;
  };
  valid: boolean;
  target: {
    inputPath: string;
    resolvedPath: string;
    manifestPath?: string;
  };
  plugin?: {
    name: string;
    version?: string;
    displayName?: string;
  };
  diagnostics: PluginValidationDiagnostic[];
  summary: {
    errorCount: number;
    warningCount: number;
    componentCount: number;
  };
  resources?: PluginResources;
};

/** Those that are installed; `turnwright plugin` has the same. */
export declare function listPlugins(opts?: ListPluginsOptions): Promise<PluginDetails[]>;

/** @throws ConfigError if it is not installed */
export declare function enablePlugin(id: string, opts?: PluginToggleOptions): Promise<void>;

/** @throws ConfigError if it is not installed */
export declare function disablePlugin(id: string, opts?: PluginToggleOptions): Promise<void>;

/** @param path `name@marketplace`, or a folder with a marketplace of one plugin. @throws ConfigError */
export declare function installPlugin(path: string, opts?: InstallPluginOptions): Promise<InstallPluginResult>;

/** @throws ConfigError if it is not installed */
export declare function uninstallPlugin(id: string, opts?: UninstallPluginOptions): Promise<UninstallPluginResult>;

/** What of a plugin or a marketplace would count, and what would not and why. */
export declare function validatePlugin(path: string, opts?: ValidatePluginOptions): Promise<PluginValidationReport>;

export declare const startDaemon: (...args: unknown[]) => Promise<never>;

/** There is no daemon, so sessions run without one: what the published SDK says when it cannot reach its own. */
export declare function initDaemon(_options?: unknown): Promise<{
  mode: 'direct';
  reason: 'daemon_unavailable';
}>;

/** There is nothing to shut down. */
export declare function shutdownDaemon(): Promise<void>;

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
  agents?: Record<string, AgentDefinition>;
  canUseTool?: CanUseTool;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  resolveModel?: ModelPolicyProvider;
  settings?: string | Settings;
  modelRequestPatches?: ModelPromptPatches;
  memory?: MemoryOptions;
  evolution?: EvolutionOptions;
  transport?: QueryTransportOptions;
  resolveSessionArtifacts?: ResolveSessionArtifacts;
  /** Replaces the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Absent: the keys that Turnwright finds. A token is sent only to a server whose address you set. */
  auth?: AnyAuthOptions;
}

export type Options = Omit<Options_1, keyof Differing> & Differing;

type Ours = Omit<
  Controls,
  | 'close'
  | 'mcpServerStatus'
  | 'reloadPlugins'
  | 'listByokProviders'
  | 'getContextUsage'
  | 'rewind'
  | 'rewindFiles'
  | 'streamInput'
  | 'createByokConfig'
  | 'updateByokConfig'
  | 'checkByokConfig'
  | 'getAvailableModels'
  | 'listPlugins'
>;

export interface Query extends AsyncGenerator<SDKMessage, void>, Ours {
  close(): Promise<void>;
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reloadPlugins(): Promise<SDKControlReloadPluginsResponse>;
  listPlugins(): Promise<PluginDetails[]>;
  listByokProviders(): Promise<BYOKProviderInfo[] | null>;
  createByokConfig(input: CreateByokConfigInput): ReturnType<Controls['createByokConfig']>;
  updateByokConfig(input: UpdateByokConfigInput): Promise<void>;
  checkByokConfig(input: CheckByokConfigInput): ReturnType<Controls['checkByokConfig']>;
  getAvailableModels(...given: Parameters<Controls['getAvailableModels']>): Promise<ModelInfo[]>;
  getContextUsage(...given: Parameters<Controls['getContextUsage']>): Promise<SDKControlGetContextUsageResponse>;
  rewind(...given: Parameters<Controls['rewind']>): Promise<RewindResult>;
  rewindFiles(...given: Parameters<Controls['rewindFiles']>): Promise<RewindFilesResult>;
}

export interface StartupParams {
  options?: Options;
  initializeTimeoutMs?: number;
}

/** Runs a session as the Qoder Agent SDK does. @throws ConfigError from the first `next()` if it cannot be started */
export declare function query(params: { prompt: Prompt; options?: Options }): Query;

/** Opens a session whose prompt comes later. @throws what opening it throws */
export declare function startup(params?: StartupParams): Promise<WarmQuery<Query>>;

// sdk/dialects/qoder/told-types.ts

export type ByokProtocol = 'openai' | 'openai-responses' | 'anthropic';

export type BYOKLocalizedName = {
  en_us: string;
  cn_zh: string;
};

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

export type CustomByokProviderConfigInput = Server & {
  providerId: string;
  baseUrl: string;
  apiKey: string;
};

export type UpdateCustomByokProviderConfigInput = Server & {
  providerId: string;
  baseUrl?: string;
  apiKey?: string;
};

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

export type UpdateByokModelConfigInput = {
  key: string;
} & Omit<Partial<ByokModelConfigInput>, 'provider' | 'model'>;

export type CreateByokConfigInput = ByokModelConfigInput | CustomByokProviderConfigInput;

export type CheckByokConfigInput = CreateByokConfigInput;

export type UpdateByokConfigInput = UpdateByokModelConfigInput | UpdateCustomByokProviderConfigInput;

export type UUID = string;

/** Ours with fields that say more. */
type Precise<Own, Fields> = Omit<Writable<Own>, keyof Fields> & Fields;

type Message<Own, Fields = unknown> = Precise<
  Own,
  {
    uuid: UUID;
    session_id: string;
  } & Fields
>;

export type ModelUsage = {
  [Key in keyof ModelUsage_1]: NonNullable<ModelUsage_1[Key]>;
} & {
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
  | {
      kind: 'human';
    }
  | {
      kind: 'task-notification';
    }
  | {
      kind: 'bridge';
      sessionId?: string;
    }
  | {
      kind: 'peer';
      from?: string;
      senderTaskId?: string;
      name?: string;
      body?: string;
    };

export type SDKToolNonExecutionKind =
  | 'user-rejected'
  | 'permission-rule'
  | 'automode-blocked'
  | 'automode-unavailable'
  | 'automode-parsing-error'
  | 'interrupted'
  | 'cancelled';

export type SDKToolResultMeta = {
  id: string;
  non_execution_kind: SDKToolNonExecutionKind;
  user_feedback?: string;
};

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

export type MessageParam = {
  role: 'user';
  content: string | ContentBlock[];
};

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

export type SDKUserMessageReplay = SDKUserMessage & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
};

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

export type SDKResultSuccess = Result<SDKResultSuccess_1>;

export type SDKResultError = Result<
  SDKResultError_1,
  {
    subtype: 'error_during_execution' | 'error_max_turns' | 'error_max_budget_usd';
  }
>;

export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export type SDKAssistantMessage = Message<
  SDKAssistantMessage_1,
  {
    error?: SDKAssistantMessageError;
    aborted?: true;
  }
>;

export type SDKPartialAssistantMessage = Message<SDKPartialAssistantMessage_1>;

export type SDKCommandLifecycleMessage = Message<
  SDKCommandLifecycleMessage_1,
  {
    state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded';
  }
>;

export type SDKSystemInitMessage = Message<SDKSystemMessage_1>;

export type SDKAPIRetryMessage = Message<
  SDKAPIRetryMessage_1,
  {
    error: SDKAssistantMessageError;
  }
>;

export type SDKStatusMessage = Message<
  SDKStatusMessage_1,
  {
    status: SDKStatus;
  }
>;

export type SDKAvailableModelsUpdateMessage = Message<
  SDKAvailableModelsUpdateMessage_1,
  {
    models: ModelInfo[];
  }
>;

export type SDKBackgroundTasksChangedMessage = Message<SDKBackgroundTasksChangedMessage_1>;

export type SDKCommandsChangedMessage = Message<SDKCommandsChangedMessage_1>;

export type SDKFilesPersistedEvent = Message<SDKFilesPersistedEvent_1>;

type TaskUsage = {
  usage?: {
    total_tokens?: number;
    tool_uses: number;
    duration_ms: number;
  };
};

export type SDKTaskNotificationMessage = Message<SDKTaskNotificationMessage_1, TaskUsage>;

export type SDKTaskProgressMessage = Message<SDKTaskProgressMessage_1, TaskUsage>;

/** With what its server says of models. */
export type ModelInfo = Precise<
  ModelInfo_1,
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
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type McpServerStatusConfig = McpServerConfigForProcessTransport;

export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = Precise<
  AgentDefinition_1,
  {
    mcpServers?: AgentMcpServerSpec[];
    effort?: EffortLevel;
    memory?: 'user' | 'project' | 'local';
  }
>;

export type Settings = Omit<Settings_1, 'enabledPlugins'> & {
  enabledPlugins?: Record<string, boolean | string[] | Record<string, unknown>>;
};

export type ResolvedSettingsSource = {
  source: ResolvedSettingSource;
  settings: Settings;
  path?: string;
};

export type SettingsProvenanceEntry = ProvenanceEntry;

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

export type BYOKProviderInfo = BYOKProviderInfo_1 & {
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
  model?:
    | string
    | (CustomModel & {
        model: string;
      });
  parameters?: Record<string, unknown>;
  taskId?: string;
  subTask?: string;
};

export type ModelPolicyProvider = (
  context: ModelPolicyContext,
) => ModelPolicyResult | undefined | Promise<ModelPolicyResult | undefined>;

export type McpServerStatus = Precise<
  McpServerStatus_1,
  {
    config?: McpServerStatusConfig;
  }
>;

export type SDKControlReloadPluginsResponse = Precise<
  SDKControlReloadPluginsResponse_1,
  {
    mcpServers: McpServerStatus[];
  }
>;

export type RewindFilesResult = Writable<RewindFilesResult_1>;

export type RewindFileFailure = {
  path: string;
  error: string;
};

export type RewindResult = Precise<
  RewindResult_1,
  {
    failedFiles?: RewindFileFailure[];
  }
>;

export type SDKControlGetContextUsageResponse = Precise<
  SDKControlGetContextUsageResponse_1,
  {
    categories: {
      type: 'system_prompt' | 'system_tools' | 'skills' | 'messages' | 'other' | 'free_space' | 'auto_compact';
      percentage: number;
    }[];
    skills: {
      count: number;
      percentageOfContext: number;
      items: {
        name: string;
        source: 'project' | 'user' | 'built-in' | 'plugin';
        percentageOfContext: number;
      }[];
    };
  }
>;

export type PermissionUpdate = Writable<PermissionUpdate_1>;

export type CanUseToolOptions = Precise<
  CanUseToolOptions_1,
  {
    suggestions?: PermissionUpdate[];
    permissionKind?: CanUseToolPermissionKind;
    permissionOptions?: CanUseToolPermissionOption[];
    details?: CanUseToolPermissionDetails;
  }
> & {
  signal: AbortSignal;
};

export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult>;

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: {
    signal: AbortSignal;
  },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
}

type Compaction = 'manual' | 'auto';

export type BaseHookInput = Omit<BaseHookInput_1, 'hook_event_name'> & {
  model?: string;
};

export type PreToolUseHookInput = Precise<
  PreToolUseHookInput_1,
  {
    permission_mode?: string;
  }
>;

export type PostToolUseFailureHookInput = Precise<
  PostToolUseFailureHookInput_1,
  {
    is_interrupt?: boolean;
  }
>;

export type PermissionRequestHookInput = Precise<
  PermissionRequestHookInput_1,
  {
    permission_mode?: string;
    permission_suggestions?: PermissionUpdate[];
  }
>;

export type PermissionDeniedHookInput = Precise<
  PermissionDeniedHookInput_1,
  {
    denial_reason?: string;
  }
>;

export type SessionStartHookInput = Precise<
  SessionStartHookInput_1,
  {
    source: 'startup' | 'resume' | 'clear' | 'compact';
  }
>;

export type SessionEndHookInput = Precise<
  SessionEndHookInput_1,
  {
    reason: ExitReason;
  }
>;

export type SubagentStopHookInput = Precise<
  SubagentStopHookInput_1,
  {
    agent_id: string;
    agent_type: string;
    agent_transcript_path: string;
  }
>;

export type PreCompactHookInput = Precise<
  PreCompactHookInput_1,
  {
    trigger: Compaction;
  }
>;

export type PostCompactHookInput = Precise<
  PostCompactHookInput_1,
  {
    trigger: Compaction;
  }
>;

export type FileChangedHookInput = Precise<
  FileChangedHookInput_1,
  {
    event: 'change' | 'add' | 'unlink';
  }
>;

export type InstructionsLoadedHookInput = Precise<
  InstructionsLoadedHookInput_1,
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
  | Writable<PostToolUseHookInput>
  | PostToolUseFailureHookInput
  | Writable<UserPromptSubmitHookInput>
  | SessionStartHookInput
  | SessionEndHookInput
  | Writable<StopHookInput>
  | Writable<SubagentStartHookInput>
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | Writable<WorktreeCreateHookInput>
  | Writable<WorktreeRemoveHookInput>
  | InstructionsLoadedHookInput
  | Writable<CwdChangedHookInput>
  | FileChangedHookInput;

// sdk/dialects/qoder/transports.ts

type Request<Subtype extends string, Fields = unknown> = {
  type: Subtype;
} & Fields;

type Config<Input> = {
  config: Input;
};

export type SDKControlBackgroundTasksRequest = {
  subtype: 'background_tasks';
  tool_use_id?: string;
};

export type SDKControlBackgroundTasksResponse = {
  backgrounded?: boolean;
};

export type SDKControlGetModelPolicyResponse = {
  type: 'get_model_policy';
  model?: string;
  parameters?: Record<string, unknown>;
  custom_model?: CustomModel;
  task_id?: string;
  sub_task?: string;
};

export type SDKControlGetUsageInfoResponse = {
  usage: UsageInfo | null;
  session?: SessionCreditsUsage;
  usage_error?: string;
};

export type SDKControlValidateByokModelResponse = {
  success: boolean;
};

export type SDKControlListByokConfigsResponse = {
  configs: ByokConfigInfo[];
};

export type SDKControlCreateByokConfigResponse = {
  config: ByokConfigReference;
};

export type SDKControlCheckByokConfigResponse = ByokConfigCheckResult;

export type SDKControlStopTaskRequest = {
  subtype: 'stop_task';
  task_id: string;
};

export type SDKControlGetUsageInfoRequest = Request<'get_usage_info'>;

export type SDKControlReloadSkillsRequest = Request<'reload_skills'>;

export type SDKControlGetByokConfigRequest = Request<'get_byok_config'>;

export type SDKControlListByokConfigsRequest = Request<'list_byok_configs'>;

export type SDKControlValidateByokModelRequest = Request<'validate_byok_model', BYOKModelValidationInput>;

export type SDKControlCheckByokConfigRequest = Request<'check_byok_config', Config<CheckByokConfigInput>>;

export type SDKControlCreateByokConfigRequest = Request<'create_byok_config', Config<CreateByokConfigInput>>;

export type SDKControlUpdateByokConfigRequest = Request<'update_byok_config', Config<UpdateByokConfigInput>>;

export type SDKControlDeleteByokConfigRequest = Request<
  'delete_byok_config',
  {
    target: DeleteByokConfigInput;
  }
>;

export type SDKControlGetModelPolicyRequest = Request<
  'get_model_policy',
  {
    purpose: QoderModelPurpose;
    sessionId: string;
    turnIndex: number;
    agentId?: string;
    agentType?: string;
    resolvedModel?: string;
    contextUsage?: number;
    estimatedInputTokens?: number;
    estimatedOutputTokens?: number;
    retry?: {
      attempt: number;
      lastError: string;
      lastModelId: string;
    };
    models?: ModelInfo[];
  }
>;

export type ProcessTransportOptions = object;

export type WorkerTransportOptions = {
  pathToQoderWorkerRuntime?: string;
  closeGraceMs?: number;
  execArgv?: string[];
  workerData?: Record<string, unknown>;
};

export type WorkerRuntimeTransportOptions = ProcessTransportOptions & WorkerTransportOptions;

export type QueryTransportCreateOptions = ProcessTransportOptions;

/** How the published SDK talks to an engine elsewhere. */
export interface Transport {
  initialize(): Promise<void>;
  write(data: string): void | Promise<void>;
  close(): void | Promise<void>;
  isReady(): boolean;
  readMessages(): AsyncGenerator<unknown, void, unknown>;
  endInput(): void;
}

export interface QueryTransportProvider<Options = unknown> {
  create(options: Options): Transport;
}

export type QueryTransportProviderOption = QueryTransportProvider<QueryTransportCreateOptions>;

export type QueryTransportOptions = QueryTransportProviderOption;

/** Named as the option `transport`: the session runs in a child process. */
export declare class ProcessTransport {
  static readonly default: ProcessTransport;
  readonly isProcess = true;
  /** @throws ConfigError, always */
  create(_options?: unknown): Transport;
}

/** Named as the option `transport`: the session runs in this process, which needs no worker for it. */
export declare class WorkerTransport {
  static readonly default: WorkerTransport;
  /** Mean nothing without a worker. */
  readonly options: unknown;
  constructor(options?: unknown);
  /** @throws ConfigError, always */
  create(_options?: unknown): Transport;
}

// sdk/dialects/qoder/types.ts

/** What its union names; more may come, as from a newer command line. */
type Kept = Exclude<
  SDKMessage_1,
  {
    type: 'result' | 'system' | 'user' | 'assistant' | 'stream_event';
  }
>;

type KeptSystem = Extract<
  SDKMessage_1,
  {
    type: 'system';
    subtype: SharedSubtype;
  }
>;

type Stamped<Own> = Own extends object
  ? Omit<Writable<Own>, 'uuid' | 'session_id'> & {
      uuid: UUID;
      session_id: string;
    }
  : never;

export type SDKMessage =
  | Stamped<
      Extract<
        Kept,
        {
          type: 'prompt_suggestion' | 'cloud_agent_event';
        }
      >
    >
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

export type SDKSystemMessage = Extract<
  SDKMessage,
  {
    type: 'system';
  }
>;

export type SDKSystemMessageSubtype = SDKSystemMessage['subtype'];

export type SDKSystemMessageBySubtype<Subtype extends SDKSystemMessageSubtype> = Extract<
  SDKSystemMessage,
  {
    subtype: Subtype;
  }
>;

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

export type PermissionScope = 'once' | 'session' | 'persist';

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

/** A command that goes on in the background. */
export type BashToolBackgroundLaunchResult = NotHere & {
  backgroundTaskId: string;
};

export type AgentToolCompletionResult = NotHere;

export type AgentToolBackgroundLaunchResult = NotHere;

export type AgentToolTeammateSpawnedResult = NotHere;

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

export type DaemonInitResult =
  | {
      mode: 'daemon';
      daemon: Daemon;
    }
  | {
      mode: 'direct';
      reason: DaemonFallbackReason;
    };

export type FeedbackResult = {
  success: boolean;
  message: string;
  requestId?: string;
};

export type SecurityScanOptions = NotHere;

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

type Prompt = string | AsyncIterable<SDKUserMessage_1>;

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
