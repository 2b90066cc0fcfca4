// The published surface of `turnwright/claude`. Written by `npm run api`; a change here is a change for users.

import {
  AccountInfo as AccountInfo_1,
  AgentDefinition as AgentDefinition_1,
  ApiKeySource as ApiKeySource_1,
  AssistantMessage,
  BaseHookInput as BaseHookInput_1,
  CanUseToolOptions,
  ConfigChangeHookInput as ConfigChangeHookInput_1,
  EffortLevel,
  FileChangedHookInput as FileChangedHookInput_1,
  HookInput as HookInput_1,
  HookJSONOutput,
  InstructionsLoadedHookInput as InstructionsLoadedHookInput_1,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpServerStatus as McpServerStatus_1,
  McpStdioServerConfig,
  ModelInfo as ModelInfo_1,
  ModelUsage as ModelUsage_1,
  OutputFormat,
  PermissionMode as PermissionMode_1,
  PermissionRequestHookInput as PermissionRequestHookInput_1,
  PermissionResult as PermissionResult_1,
  PermissionUpdate as PermissionUpdate_1,
  PostCompactHookInput as PostCompactHookInput_1,
  PostToolBatchHookInput as PostToolBatchHookInput_1,
  PostToolUseFailureHookInput as PostToolUseFailureHookInput_1,
  PreCompactHookInput as PreCompactHookInput_1,
  PreToolUseHookInput as PreToolUseHookInput_1,
  RewindFilesResult as RewindFilesResult_1,
  SDKAPIRetryMessage as SDKAPIRetryMessage_1,
  SDKAssistantMessage as SDKAssistantMessage_1,
  SDKAuthStatusMessage as SDKAuthStatusMessage_1,
  SDKBackgroundTasksChangedMessage as SDKBackgroundTasksChangedMessage_1,
  SDKCommandsChangedMessage as SDKCommandsChangedMessage_1,
  SDKCompactBoundaryMessage as SDKCompactBoundaryMessage_1,
  SDKControlReloadPluginsResponse as SDKControlReloadPluginsResponse_1,
  SDKControlRequestProgressMessage as SDKControlRequestProgressMessage_1,
  SDKConversationResetMessage as SDKConversationResetMessage_1,
  SDKElicitationCompleteMessage as SDKElicitationCompleteMessage_1,
  SDKFilesPersistedEvent as SDKFilesPersistedEvent_1,
  SDKHookProgressMessage as SDKHookProgressMessage_1,
  SDKHookResponseMessage as SDKHookResponseMessage_1,
  SDKHookStartedMessage as SDKHookStartedMessage_1,
  SDKLocalCommandOutputMessage as SDKLocalCommandOutputMessage_1,
  SDKMemoryRecallMessage as SDKMemoryRecallMessage_1,
  SDKMessage as SDKMessage_1,
  SDKMirrorErrorMessage as SDKMirrorErrorMessage_1,
  SDKModelRefusalFallbackMessage as SDKModelRefusalFallbackMessage_1,
  SDKModelRefusalNoFallbackMessage as SDKModelRefusalNoFallbackMessage_1,
  SDKNotificationMessage as SDKNotificationMessage_1,
  SDKPartialAssistantMessage as SDKPartialAssistantMessage_1,
  SDKPermissionDeniedMessage as SDKPermissionDeniedMessage_1,
  SDKPermissionRuleEntry,
  SDKPromptSuggestionMessage as SDKPromptSuggestionMessage_1,
  SDKRateLimitEvent as SDKRateLimitEvent_1,
  SDKRateLimitInfo as SDKRateLimitInfo_1,
  SDKResultError as SDKResultError_1,
  SDKResultMessage as SDKResultMessage_1,
  SDKResultSuccess as SDKResultSuccess_1,
  SDKSessionInfo,
  SDKSessionStateChangedMessage as SDKSessionStateChangedMessage_1,
  SDKSessionWritesLostMessage as SDKSessionWritesLostMessage_1,
  SDKStatusMessage as SDKStatusMessage_1,
  SDKSystemMessage as SDKSystemMessage_1,
  SDKTaskNotificationMessage as SDKTaskNotificationMessage_1,
  SDKTaskProgressMessage as SDKTaskProgressMessage_1,
  SDKTaskStartedMessage as SDKTaskStartedMessage_1,
  SDKTaskUpdatedMessage as SDKTaskUpdatedMessage_1,
  SDKThinkingTokensMessage as SDKThinkingTokensMessage_1,
  SDKToolProgressMessage as SDKToolProgressMessage_1,
  SDKToolUseSummaryMessage as SDKToolUseSummaryMessage_1,
  SDKUserMessage,
  SDKUserMessageReplay as SDKUserMessageReplay_1,
  SDKWorkerShuttingDownMessage as SDKWorkerShuttingDownMessage_1,
  SessionEndHookInput as SessionEndHookInput_1,
  SessionMessage,
  SessionStartHookInput as SessionStartHookInput_1,
  SessionStore,
  Settings as Settings_1,
  SetupHookInput as SetupHookInput_1,
  StopFailureHookInput as StopFailureHookInput_1,
  SubagentStopHookInput as SubagentStopHookInput_1,
  Usage,
  UserPromptSubmitHookInput as UserPromptSubmitHookInput_1,
} from './protocol.js';
import {
  ClaimOptions as ClaimOptions_1,
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
  ResolveSettingsOptions as ResolveSettingsOptions_1,
  ResolvedSettingSource,
  SessionFunctionOptions,
  SpareProcess,
  WarmQuery,
} from './index.js';

export {
  AbortError,
  AgentCreateParams,
  AgentInfo,
  AgentInput,
  AgentOutput,
  AskSideQuestionOptions,
  AskUserQuestionInput,
  AskUserQuestionOutput,
  AssistantBlock,
  AssistantMessage,
  AssistantMessageParam,
  AuthOptions,
  AutoModeOptions,
  BYOKModelInfo,
  BYOKModelTypeInfo,
  BYOKModelValidationInput,
  BYOKProviderInfo,
  Base64Source,
  BashInput,
  BashOutput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  ByokModelConfigInfo,
  ByokModelConfigInput,
  ByokProtocol,
  CAPABILITIES,
  CLAUDE_CODE_VERSION,
  CacheControl,
  CacheCreation,
  CallToolResult,
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
  MessageParam,
  MessagePriority,
  ModelContextConfig,
  ModelContextWindowEntry,
  ModelEffortEntry,
  ModelError,
  ModelErrorKind,
  ModelEvent,
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
  PermissionRuleValue,
  PermissionUpdateDestination,
  PluginDetails,
  PostModelSwitchHookInput,
  PostToolBatchToolCall,
  PostToolUseHookInput,
  PreModelSwitchHookInput,
  PresetName,
  PriceOverride,
  ProviderApi,
  ProviderKeyOptions,
  ProviderOptions,
  QODERCLI_VERSION,
  QoderModelPurpose,
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
  RewindResult,
  RewindScope,
  RewindStatus,
  RunScriptInput,
  RunScriptOutput,
  SDKAssistantMessageError,
  SDKAvailableModelsUpdateMessage,
  SDKBridgeStateMessage,
  SDKCloudAgentEventMessage,
  SDKCommandLifecycleMessage,
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
  SDKControlReloadSkillsResponse,
  SDKControlRequest,
  SDKControlResponse,
  SDKControlSuccess,
  SDKDeferredToolUse,
  SDKEnvelope,
  SDKGoalClearedMessage,
  SDKGoalSnapshot,
  SDKGoalStatus,
  SDKGoalUpdatedMessage,
  SDKHistoryRepairedMessage,
  SDKKeepAlive,
  SDKMcpStatusChangeMessage,
  SDKModelChangedMessage,
  SDKNoticeMessage,
  SDKPermissionDenial,
  SDKPermissionRuleEntry,
  SDKPlanModeChangedMessage,
  SDKPlanModeSnapshot,
  SDKSessionInfo,
  SDKSessionTitleChangedMessage,
  SDKStatus,
  SDKStreamResetMessage,
  SDKSystemEventMessage,
  SDKTranscriptMirror,
  SDKUserMessage,
  SandboxDomains,
  SandboxFilesystemConfig,
  SandboxNetworkConfig,
  SandboxSettings,
  SdkPluginConfig,
  SecretInput,
  SecurityScanOptions,
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
  SideQuestionHistoryEntry,
  SideQuestionResult,
  SkillInput,
  SkillOutput,
  SlashCommand,
  SpawnOptions,
  SpawnedProcess,
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
  TextBlock,
  ThinkingBlock,
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
  ProvenanceEntry,
  ResolvedSettingSource,
  SdkMcpToolDefinition,
  SessionMutationOptions,
  SpareProcess,
  WarmQuery,
  createSdkMcpServer,
  filterEscalatingDefaultMode,
  foldSessionSummary,
  resolveSettings,
  tool,
} from './index.js';

// claude.ts

/** The sessions of `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export declare const archiveSession: (id: string, options: SessionFunctionOptions | undefined) => Promise<void>,
  deleteSession: (id: string, options: DeleteSessionOptions | undefined) => Promise<void>,
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
  tagSession: (id: string, tag: string | null, options: SessionFunctionOptions | undefined) => Promise<void>,
  unarchiveSession: (id: string, options: SessionFunctionOptions | undefined) => Promise<void>;

export declare const DirectConnectTransport: new (...args: unknown[]) => Record<string, never>;

export declare const FileIndex: new (...args: unknown[]) => Record<string, never>;

export declare const CommandMatcher: new (...args: unknown[]) => Record<string, never>;

// sdk/dialects/claude/constants.ts

/** Names of the tools that the published SDK has; not all of them are here. */
export declare const BUILTIN_TOOL_NAMES: readonly [
  'Agent',
  'Artifact',
  'AskUserQuestion',
  'Bash',
  'ClaudeDesign',
  'CronCreate',
  'CronDelete',
  'CronList',
  'Edit',
  'EndConversation',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'ExitWorktree',
  'Glob',
  'Grep',
  'ListAgents',
  'ListMcpResourcesTool',
  'LSP',
  'Monitor',
  'NotebookEdit',
  'OfferChromeSetup',
  'PowerShell',
  'Projects',
  'propose_skills',
  'PushNotification',
  'Read',
  'ReadMcpResourceDirTool',
  'ReadMcpResourceTool',
  'ReadNotifications',
  'RemoteTrigger',
  'ReportFindings',
  'ScheduleWakeup',
  'SendFeedback',
  'SendMessage',
  'SendUserFile',
  'SendUserMessage',
  'SetGoal',
  'ShareOnboardingGuide',
  'ShowOnboardingRolePicker',
  'Skill',
  'SubagentHandback',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskStop',
  'TaskUpdate',
  'TodoWrite',
  'ToolSearch',
  'WaitForMcpServers',
  'WebFetch',
  'WebSearch',
  'Workflow',
  'Write',
];

/** Events that a hook can be declared for. */
export declare const HOOK_EVENTS: readonly [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
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
  'DirectoryAdded',
  'MessageDisplay',
];

/** Earlier names of tools, and what they are called now. */
export declare const LEGACY_TOOL_NAME_ALIASES: {
  readonly Task: 'Agent';
  readonly KillShell: 'TaskStop';
  readonly KillBash: 'TaskStop';
  readonly ListPeers: 'ListAgents';
  readonly Brief: 'SendUserMessage';
  readonly ListMcpResources: 'ListMcpResourcesTool';
  readonly ReadMcpResource: 'ReadMcpResourceTool';
  readonly ReadMcpResourceDir: 'ReadMcpResourceDirTool';
  readonly ProposeGoal: 'SetGoal';
};

/** What texts begin with that say an organisation has no access. */
export declare const ORG_POLICY_LIMIT_PREFIXES: readonly ['This service is disabled for your org'];

/** What texts begin with that say a limit of use was reached. */
export declare const USAGE_LIMIT_ERROR_PREFIXES: readonly [
  "You've hit your",
  "You've reached your",
  "You're out of usage credits",
  'Your org is out of usage · add funds to continue',
  'Your org is out of usage · contact your admin',
  "Your seat type doesn't include usage credits",
  "Your seat type doesn't include usage",
  'Your usage allocation has been disabled by your admin',
  "Your group's usage limit is set to $0",
  'Fable 5 requires usage credits',
  "You're out of extra usage",
  "Your seat type doesn't include extra usage",
];

/** What texts begin with that say use is paid for otherwise from now on. */
export declare const USAGE_TRANSITION_PREFIXES: readonly [
  "You're now using usage credits",
  "You're now using your usage allocation",
  'Now using your usage allocation',
  'Now using usage credits',
  'Now using credits',
  "You're now using extra usage",
  'Now using extra usage',
];

/** What texts begin with that warn of a limit of use. */
export declare const USAGE_WARNING_PREFIXES: readonly ["You've used", "You're close to"];

/** Why a session ended. */
export declare const EXIT_REASONS: readonly ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'];

/** Parts a system prompt given as a list: what comes before it is the same for all sessions. */
export declare const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

export type HookEvent = (typeof HOOK_EVENTS)[number];

export type ExitReason = (typeof EXIT_REASONS)[number];

/** Kinds of limits that the published SDK knows. */
declare const RATE_LIMIT_TYPES: readonly [
  'five_hour',
  'seven_day',
  'seven_day_opus',
  'seven_day_sonnet',
  'seven_day_overage_included',
  'overage',
];

// sdk/dialects/claude/direct-connect.ts

/** A server of sessions could not be reached. */
export declare class DirectConnectError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number);
}

/** `cc://host:port` as an address of the web, with the token it may carry as user name. */
export declare function parseDirectConnectUrl(url: string): {
  serverUrl: string;
  authToken: string | undefined;
};

// sdk/dialects/claude/options-types.ts

export type PermissionMode = Exclude<PermissionMode_1, 'yolo'>;

export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = Omit<Writable<AgentDefinition_1>, 'mcpServers' | 'effort' | 'permissionMode'> & {
  mcpServers?: AgentMcpServerSpec[];
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  criticalSystemReminder_EXPERIMENTAL?: string;
  autoCompactWindow?: number;
  omitClaudeMd?: boolean;
  memory?: 'user' | 'project' | 'local';
  observer?: string;
  observerMessage?: string;
};

type Allowed<Own> = Own extends undefined
  ? Own
  : Omit<Own, 'defaultMode'> & {
      defaultMode?: PermissionMode;
    };

export type Settings = Omit<Settings_1, 'enabledPlugins' | 'permissions'> & {
  /** An object is told as a problem: which versions of a plugin count is for its marketplace to say. */
  enabledPlugins?: Record<
    string,
    | boolean
    | string[]
    | {
        [field: string]: unknown;
      }
  >;
  permissions?: Allowed<Settings_1['permissions']>;
};

/** Ours with fields that say more. */
type Precise<Input, Fields> = Omit<Input, keyof Fields> & Fields;

type Compaction = 'manual' | 'auto';

type AssistantError =
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens'
  | 'cloud_credential_error';

/** It has no mode `yolo`. */
type PermissionChange =
  Writable<PermissionUpdate_1> extends infer Change
    ? Change extends {
        type: 'setMode';
      }
      ? Omit<Change, 'mode'> & {
          mode: PermissionMode;
        }
      : Change
    : never;

/** Without the name of the event, which each input has. */
export type BaseHookInput = Omit<BaseHookInput_1, 'hook_event_name'>;

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

export type PostToolBatchHookInput = Writable<PostToolBatchHookInput_1>;

export type PermissionRequestHookInput = Precise<
  PermissionRequestHookInput_1,
  {
    permission_suggestions?: PermissionChange[];
  }
>;

export type UserPromptSubmitHookInput = Precise<
  UserPromptSubmitHookInput_1,
  {
    source?: 'user' | 'sdk' | 'system' | 'loop_wakeup' | 'schedule_wakeup' | 'poll_event';
    session_title?: string;
  }
>;

export type SessionStartHookInput = Precise<
  SessionStartHookInput_1,
  {
    source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
  }
>;

export type SessionEndHookInput = Precise<
  SessionEndHookInput_1,
  {
    reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';
  }
>;

export type StopFailureHookInput = Precise<
  StopFailureHookInput_1,
  {
    error: AssistantError;
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

export type SetupHookInput = Precise<
  SetupHookInput_1,
  {
    trigger: 'init' | 'maintenance';
  }
>;

export type ConfigChangeHookInput = Precise<
  ConfigChangeHookInput_1,
  {
    source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings';
  }
>;

export type InstructionsLoadedHookInput = Precise<
  InstructionsLoadedHookInput_1,
  {
    file_path: string;
    memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
  }
>;

export type FileChangedHookInput = Precise<
  FileChangedHookInput_1,
  {
    event: 'change' | 'add' | 'unlink';
  }
>;

type PreciseInput =
  | PreToolUseHookInput
  | PostToolUseFailureHookInput
  | PermissionRequestHookInput
  | UserPromptSubmitHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopFailureHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | SetupHookInput
  | ConfigChangeHookInput
  | InstructionsLoadedHookInput
  | FileChangedHookInput;

/** One of them by its event: the precise ones, and ours as they are. */
export type HookInput =
  | PreciseInput
  | Writable<
      Exclude<
        HookInput_1,
        {
          hook_event_name: PreciseInput['hook_event_name'];
        }
      >
    >;

export type PermissionResult = PermissionResult_1;

/** `null`: somebody else answers, and the call waits. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: Omit<CanUseToolOptions, 'suggestions'> & {
    suggestions?: PermissionChange[];
    requestId: string;
  },
) => Promise<PermissionResult | null>;

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
  onFailure?: 'continue' | 'block';
}

type ThinkingDisplay = 'summarized' | 'omitted';

export type ThinkingAdaptive = {
  type: 'adaptive';
  display?: ThinkingDisplay;
};

export type ThinkingEnabled = {
  type: 'enabled';
  budgetTokens?: number;
  display?: ThinkingDisplay;
};

export type ThinkingDisabled = {
  type: 'disabled';
};

export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type SystemPrompt =
  | string
  | string[]
  | {
      type: 'custom';
      prompt: string | string[];
      snapshot?: boolean;
    }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string;
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

interface Differing {
  /** Absent: a sentence. `{ type: 'preset', preset: 'claude_code' }` is what Turnwright says by default. */
  systemPrompt?: SystemPrompt;
  /** Replaces the environment of the process. */
  env?: {
    [variable: string]: string | undefined;
  };
  canUseTool?: CanUseTool;
  agents?: Record<string, AgentDefinition>;
  settings?: string | Settings;
  managedSettings?: Settings;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  thinking?: ThinkingConfig;
  maxThinkingTokens?: number;
  /** Reading settings of a folder vouches for nothing; `trustFolder` does. */
  settingSources?: ('user' | 'project' | 'local')[];
}

export type Options = Omit<Options_1, keyof Differing> & Differing;

// sdk/dialects/claude/query.ts

type Ours = Omit<Controls, 'mcpServerStatus' | 'reloadPlugins' | 'supportedModels'>;

export interface Query extends AsyncGenerator<SDKMessage, void>, Ours {
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reloadPlugins(...given: Parameters<Controls['reloadPlugins']>): Promise<SDKControlReloadPluginsResponse>;
  supportedModels(): Promise<ModelInfo[]>;
}

/**
 * Runs a session as the Claude Agent SDK does.
 * @throws Error behind the last message if the last prompt failed; AbortError if `abortController` was aborted
 */
export declare function query(params: { prompt: Prompt; options?: Options }): Query;

/** Opens a session whose prompt comes later. @throws what opening it throws */
export declare function startup(params?: {
  options?: Options;
  initializeTimeoutMs?: number;
}): Promise<WarmQuery<Query>>;

/** Checks options and loads what sessions need; the folder comes later. @throws if the options cannot be used */
export declare function prewarm(params?: {
  options?: Options;
  initializeTimeoutMs?: number;
}): Promise<SpareProcess<Query>>;

export type ClaimOptions = Omit<ClaimOptions_1, 'settings' | 'agents'> & {
  agents?: Record<string, AgentDefinition>;
  settings?: {
    [Key in keyof Settings]?: Settings[Key] | null;
  };
};

// sdk/dialects/claude/types.ts

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
      ? {
          -readonly [Key in keyof T]: Key extends 'uuid' ? UUID | Extract<T[Key], undefined> : ToldField<Key, T[Key]>;
        }
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
type ResultUsage = Writable<SDKResultMessage_1['usage']> & {
  server_tool_use: {
    web_search_requests: number;
    web_fetch_requests: number;
  };
  service_tier: 'standard';
  cache_creation: {
    ephemeral_1h_input_tokens: number;
    ephemeral_5m_input_tokens: number;
  };
};

export type ModelUsage = {
  [Key in keyof ModelUsage_1]: NonNullable<ModelUsage_1[Key]>;
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

export type SDKResultSuccess = Result<SDKResultSuccess_1>;

export type SDKResultError = Result<SDKResultError_1>;

export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export type ApiKeySource = 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | '/login managed key' | 'oauth' | ApiKeySource_1;

export type SDKSystemMessage = Omit<Told<SDKSystemMessage_1>, 'apiKeySource'> & {
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

export type SDKAPIRetryMessage = Told<SDKAPIRetryMessage_1>;

export type SDKBackgroundTasksChangedMessage = Told<SDKBackgroundTasksChangedMessage_1>;

export type SDKCommandsChangedMessage = Told<SDKCommandsChangedMessage_1>;

export type SDKCompactBoundaryMessage = Told<SDKCompactBoundaryMessage_1>;

export type SDKControlRequestProgressMessage = Told<SDKControlRequestProgressMessage_1>;

export type SDKElicitationCompleteMessage = Told<SDKElicitationCompleteMessage_1>;

export type SDKFilesPersistedEvent = Told<SDKFilesPersistedEvent_1>;

export type SDKHookProgressMessage = Told<SDKHookProgressMessage_1>;

export type SDKHookResponseMessage = Told<SDKHookResponseMessage_1>;

export type SDKHookStartedMessage = Told<SDKHookStartedMessage_1>;

export type SDKLocalCommandOutputMessage = Told<SDKLocalCommandOutputMessage_1>;

export type SDKMemoryRecallMessage = Told<SDKMemoryRecallMessage_1>;

export type SDKMirrorErrorMessage = Told<SDKMirrorErrorMessage_1>;

export type SDKModelRefusalFallbackMessage = Told<SDKModelRefusalFallbackMessage_1>;

export type SDKModelRefusalNoFallbackMessage = Told<SDKModelRefusalNoFallbackMessage_1>;

export type SDKNotificationMessage = Told<SDKNotificationMessage_1>;

export type SDKPermissionDeniedMessage = Told<SDKPermissionDeniedMessage_1>;

export type SDKSessionStateChangedMessage = Told<SDKSessionStateChangedMessage_1>;

export type SDKSessionWritesLostMessage = Told<SDKSessionWritesLostMessage_1>;

export type SDKStatusMessage = Told<SDKStatusMessage_1>;

export type SDKTaskNotificationMessage = Told<SDKTaskNotificationMessage_1>;

export type SDKTaskProgressMessage = Told<SDKTaskProgressMessage_1>;

export type SDKTaskStartedMessage = Told<SDKTaskStartedMessage_1>;

export type SDKTaskUpdatedMessage = Told<SDKTaskUpdatedMessage_1>;

export type SDKThinkingTokensMessage = Told<SDKThinkingTokensMessage_1>;

export type SDKWorkerShuttingDownMessage = Told<SDKWorkerShuttingDownMessage_1>;

export type SDKAssistantMessage = Told<SDKAssistantMessage_1>;

export type SDKUserMessageReplay = Told<SDKUserMessageReplay_1>;

export type SDKPartialAssistantMessage = Told<SDKPartialAssistantMessage_1>;

export type SDKToolUseSummaryMessage = Told<SDKToolUseSummaryMessage_1>;

export type SDKPromptSuggestionMessage = Told<SDKPromptSuggestionMessage_1>;

export type SDKToolProgressMessage = Told<SDKToolProgressMessage_1>;

export type SDKAuthStatusMessage = Told<SDKAuthStatusMessage_1>;

export type SDKConversationResetMessage = Told<SDKConversationResetMessage_1>;

/** Limits of other kinds are told without a kind: `messages.ts` sees to that. */
export type SDKRateLimitInfo = Omit<Writable<SDKRateLimitInfo_1>, 'rateLimitType'> & {
  rateLimitType?: RateLimitType;
};

export type RateLimitType = (typeof RATE_LIMIT_TYPES)[number];

export type SDKRateLimitEvent = Omit<Told<SDKRateLimitEvent_1>, 'rate_limit_info'> & {
  rate_limit_info: SDKRateLimitInfo;
};

/** Ours that stay as they are. */
type Kept = Exclude<
  SDKMessage_1,
  {
    type: 'result' | 'system' | 'rate_limit_event';
  }
>;

type KeptSystem = Extract<
  SDKMessage_1,
  {
    type: 'system';
    subtype: SharedSubtype;
  }
>;

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

export type SDKMcpResourceLink = NotHere & {
  uri: string;
  name: string;
};

export type SDKContextUsageCategory = {
  name: string;
  tokens: number;
  kind: 'used' | 'free' | 'buffer' | 'deferred';
};

export type SDKContextUsage = {
  model: string;
  total_tokens: number;
  raw_max_tokens: number;
  percentage: number;
  over_limit?: {
    tokens_over: number;
    kind: 'hard_limit' | 'compaction_window';
  };
  categories: SDKContextUsageCategory[];
  mcp_tools: {
    name: string;
    server_name: string;
    tokens: number;
  }[];
  memory_files: {
    path: string;
    type: string;
    tokens: number;
  }[];
  agents: {
    agent_type: string;
    source: string;
    tokens: number;
  }[];
  skills?: {
    name: string;
    source: string;
    plugin_name?: string;
    tokens: number;
  }[];
};

export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};

export type SDKPermissionRuleDescription = {
  prefix: string;
  emphasis?: string;
  suffix?: string;
};

export type SDKPermissionWorkspaceDirectory = {
  path: string;
  source: string;
};

export type SDKSettingsParseError = {
  file?: string;
  path: string;
  message: string;
};

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

export type SessionCronSummary = {
  id: string;
  schedule: string;
  recurring: boolean;
  prompt: string;
};

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

export type RewindFilesResult = Writable<RewindFilesResult_1>;

export type ResolveSettingsOptions = Omit<ResolveSettingsOptions_1, 'settings' | 'managedSettings'> & {
  settings?: string | Settings;
  managedSettings?: Settings;
};

export type ResolvedSettings = {
  effective: Settings;
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  sources: {
    source: ResolvedSettingSource;
    settings: Settings;
    path?: string;
  }[];
};

export type PermissionUpdate = PermissionChange;

export type McpServerStatus = Omit<Writable<McpServerStatus_1>, 'config'> & {
  config?: McpServerStatusConfig;
};

export type SDKControlReloadPluginsResponse = Omit<Writable<SDKControlReloadPluginsResponse_1>, 'mcpServers'> & {
  mcpServers: McpServerStatus[];
};

export type ModelInfo = Omit<ModelInfo_1, 'isEnabled'> & {
  isEnabled?: boolean;
};

/** Where a message comes from. */
export type SDKMessageOrigin =
  | {
      kind: 'human' | 'coordinator' | 'unclassified' | 'auto-continuation' | 'observer-activity';
    }
  | {
      kind: 'channel';
      server: string;
    }
  | {
      kind: 'observer';
      from: string;
      senderTaskId: string;
    }
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

export type AccountInfo = Omit<AccountInfo_1, 'apiProvider'> & {
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

export type BaseOutputFormat = {
  type: OutputFormatType;
};

export type JsonSchemaOutputFormat = OutputFormat;

export type McpClaudeAIProxyServerConfig = {
  type: 'claudeai-proxy';
  url: string;
  id: string;
  timeout?: number;
};

export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;

export type McpServerProvenance = {
  name: string;
  source: string;
};

export type SandboxCredentialsConfig = NotHere;

export type SandboxIgnoreViolations = Record<string, string[]>;

// sdk/dialects/hook-answers.ts

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

interface Context<Event extends string> {
  hookEventName: Event;
  additionalContext?: string;
}

export type PreToolUseHookSpecificOutput = Context<'PreToolUse'> & {
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
};

export type PostToolUseHookSpecificOutput = Context<'PostToolUse'> & {
  classifierContext?: string;
  updatedToolOutput?: unknown;
  updatedMCPToolOutput?: unknown;
};

export type PostToolUseFailureHookSpecificOutput = Context<'PostToolUseFailure'>;

export type PostToolBatchHookSpecificOutput = Context<'PostToolBatch'>;

export type NotificationHookSpecificOutput = Context<'Notification'>;

export type UserPromptSubmitHookSpecificOutput = Context<'UserPromptSubmit'> & {
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};

export type UserPromptExpansionHookSpecificOutput = Context<'UserPromptExpansion'> & {
  suppressOriginalPrompt?: boolean;
};

export type SessionStartHookSpecificOutput = Context<'SessionStart'> & {
  initialUserMessage?: string;
  sessionTitle?: string;
  watchPaths?: string[];
  reloadSkills?: boolean;
};

export type SetupHookSpecificOutput = Context<'Setup'>;

export type StopHookSpecificOutput = Context<'Stop'>;

export type SubagentStartHookSpecificOutput = Context<'SubagentStart'>;

export type SubagentStopHookSpecificOutput = Context<'SubagentStop'>;

export type PermissionRequestHookSpecificOutput = {
  hookEventName: 'PermissionRequest';
  decision:
    | {
        behavior: 'allow';
        updatedInput?: Record<string, unknown>;
        updatedPermissions?: Writable<PermissionUpdate_1>[];
      }
    | {
        behavior: 'deny';
        message?: string;
        interrupt?: boolean;
      };
};

export type PermissionDeniedHookSpecificOutput = {
  hookEventName: 'PermissionDenied';
  retry?: boolean;
};

export type PreModelSwitchHookSpecificOutput = {
  hookEventName: 'PreModelSwitch';
  permissionDecision?: 'allow' | 'deny' | 'ask';
  permissionDecisionReason?: string;
};

export type PostModelSwitchHookSpecificOutput = Context<'PostModelSwitch'>;

export type ElicitationHookSpecificOutput = {
  hookEventName: 'Elicitation';
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};

export type ElicitationResultHookSpecificOutput = {
  hookEventName: 'ElicitationResult';
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};

export type CwdChangedHookSpecificOutput = {
  hookEventName: 'CwdChanged';
  watchPaths?: string[];
};

export type FileChangedHookSpecificOutput = {
  hookEventName: 'FileChanged';
  watchPaths?: string[];
};

export type WorktreeCreateHookSpecificOutput = {
  hookEventName: 'WorktreeCreate';
  worktreePath: string;
};

export type MessageDisplayHookSpecificOutput = {
  hookEventName: 'MessageDisplay';
  displayContent?: string;
};

export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | NotificationHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | SessionStartHookSpecificOutput
  | SetupHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | MessageDisplayHookSpecificOutput;

/** The hook goes on by itself. */
export type AsyncHookJSONOutput = {
  async: true;
  asyncTimeout?: number;
};

export type SyncHookJSONOutput = Omit<HookJSONOutput, 'async' | 'asyncTimeout'>;

// sdk/dialects/session.ts

/** The controls, without what a stream has. */
type Controls = Omit<Query_1, keyof AsyncGenerator>;

// sdk/dialects/shared-types.ts

/** What is told of something that is not here. */
interface NotHere {
  [key: string]: unknown;
}

export type ConfigScope = 'local' | 'user' | 'project';

export type NonNullableUsage = {
  [Key in keyof Usage]: NonNullable<Usage[Key]>;
};

/** Whether a tool of a server runs, is asked about, or never runs. */
export type McpServerToolPolicy = {
  name: string;
  permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
  org_max_permission?: 'allow' | 'ask' | 'blocked';
};

/** A server in this process, as it is told: without what it is made of. */
export type McpSdkServerConfig = {
  type: 'sdk';
  name: string;
};

/** How the published SDKs talk to an engine in another process. */
export interface Transport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<unknown, void, unknown>;
  endInput(): void;
}

// sdk/models/denied-models.ts

export interface DeniedModelsMatch {
  /** For each model asked about, in order. */
  denied: boolean[];
  /** What was not understood, or means less than it seems to. */
  warnings: string[];
}

/**
 * The name of a family (`opus`) means all its models; a model means itself with every date, window and provider.
 * Contract: does not throw, and grants nothing: a name of your own may stand for any model.
 */
export declare function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch>;

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
