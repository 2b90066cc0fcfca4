// The published surface of `turnwright`. Written by `npm run api`; a change here is a change for users.

import {
  AccountInfo,
  AgentDefinition,
  AgentInfo,
  ApiKeySource,
  AskSideQuestionOptions,
  AskUserQuestionOutput,
  AssistantMessage,
  AuthOptions,
  AutoModeOptions,
  BYOKModelValidationInput,
  BYOKProviderInfo,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  CallToolResult,
  CanUseTool,
  CatalogueOverrides,
  CheckByokConfigInput,
  CodeModeOptions,
  ContentSource,
  CreateByokConfigInput,
  DeferredDecision,
  DeleteByokConfigInput,
  EffectiveConfig,
  EffectiveParts,
  EffortLevel,
  EngineLimits,
  ExitReason,
  FallbackPolicy,
  FetchToken,
  HookCallbackMatcher,
  HookEvent,
  JsonSchema,
  LoadedPart,
  MCPServerConnection,
  McpCallExtra,
  McpCallOptions,
  McpCompleteParams,
  McpSdkServer,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerStatus,
  McpSetServersResult,
  McpToken,
  McpTokenStore,
  MessageParam,
  MessagePriority,
  ModelEvent,
  ModelInfo,
  ModelPolicyProvider,
  ModelTier,
  ModelTiers,
  ModelUsage,
  OnElicitation,
  OnUserDialog,
  PermissionBehavior,
  PermissionDecisionReasonType,
  PermissionMode,
  PermissionUpdate,
  PluginDetails,
  ProviderKeyOptions,
  ProviderOptions,
  QueryOptions,
  RegisterRootOptions,
  RejectedPart,
  RewindFilesOptions,
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  SDKCompactBoundaryMessage,
  SDKControlAddDirectoriesResponse,
  SDKControlFileSuggestionsResponse,
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
  SDKDeferredToolUse,
  SDKGoalSnapshot,
  SDKMessage,
  SDKMessageOrigin,
  SDKNoticeMessage,
  SDKPermissionDenial,
  SDKPlanModeSnapshot,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKSessionInfo,
  SDKSystemMessage,
  SDKUserMessage,
  SandboxSettings,
  SdkPluginConfig,
  SecretInput,
  SessionKey,
  SessionMessage,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
  SetGoalParams,
  SettingSource,
  Settings,
  SideQuestionResult,
  SlashCommand,
  TaskUsage,
  TelemetryOptions,
  TerminalReason,
  TextBlock,
  ThinkingConfig,
  ThinkingDisplay,
  ToolAnnotations,
  ToolCallProfile,
  ToolResultContent,
  ToolSearchMode,
  UntrustedContentOptions,
  UpdateByokConfigInput,
  Usage,
  UsageInfo,
  UserBlock,
  UserMessageParam,
  WebSearchOutput,
} from './protocol.js';

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
  AuthOptions,
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
  ByokProtocol,
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
  HOOK_EVENTS,
  HistoryRepairKind,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
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
  PluginDetails,
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
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  RewindScope,
  RewindStatus,
  RunScriptInput,
  RunScriptOutput,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKAuthStatusMessage,
  SDKAvailableModelsUpdateMessage,
  SDKBackgroundTasksChangedMessage,
  SDKBridgeStateMessage,
  SDKCloudAgentEventMessage,
  SDKCommandLifecycleMessage,
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
  SDKMessage,
  SDKMessageOrigin,
  SDKMirrorErrorMessage,
  SDKModelChangedMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNoticeMessage,
  SDKNotificationMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDenial,
  SDKPermissionDeniedMessage,
  SDKPermissionRuleEntry,
  SDKPlanModeChangedMessage,
  SDKPlanModeSnapshot,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKRateLimitInfo,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKSessionInfo,
  SDKSessionStateChangedMessage,
  SDKSessionTitleChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatus,
  SDKStatusMessage,
  SDKStreamResetMessage,
  SDKSystemEventMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKTranscriptMirror,
  SDKUserMessage,
  SDKUserMessageReplay,
  SDKWorkerShuttingDownMessage,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
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

// context/effective-settings.ts

/** Fields of settings by their names. */
type FlagChanges = Readonly<Record<string, unknown>>;

// context/environment.ts

interface EnvironmentFacts {
  readonly cwd: string;
  readonly platform: string;
  /** ISO date, as the calendar of the host has it. */
  readonly date: string;
  readonly git: {
    readonly branch: string | null;
  } | null;
  readonly additionalDirectories: readonly string[];
  /** Absent, or null: nothing is told of it. */
  readonly snapshot?: GitSnapshot | null;
}

/** A repository as a session found it. Lines as `plainLine` gives them. */
interface GitSnapshot {
  /** Null: not known. */
  readonly mainBranch: string | null;
  /** The last ones, the newest first: a short id and a subject. Null: not shown. */
  readonly commits?: readonly string[] | null;
  /** As `git status --short` says it; no line for a clean worktree. */
  readonly status?: readonly string[];
  /** Why there is neither, a clause. */
  readonly missing?: string;
}

/** What of it may change while a session lasts. */
type ChangingFacts = Pick<EnvironmentFacts, 'date' | 'git' | 'snapshot'> &
  Partial<Pick<EnvironmentFacts, 'additionalDirectories'>> & {
    /** Where commands start. Absent: not known. */
    readonly cwd?: string;
  };

// context/find-agents.ts

interface AgentFile extends ReadAgent {
  readonly name: string;
  readonly scope: ExtensionPlace['scope'];
  /** Absolute, as it was found. */
  readonly file: string;
}

interface RefusedAgent extends RefusedFile {
  /** A file that does not claim to be an agent, such as a README beside some. */
  readonly isNote: boolean;
}

interface FoundAgents {
  /** The stronger first; in a place in the order of their paths. */
  readonly agents: readonly AgentFile[];
  readonly refused: readonly RefusedAgent[];
  /** Tells what was found from what is found later. */
  readonly stamp: string;
}

interface ReadAgent {
  /** As an option `agents` would say it; its values are checked by whoever reads definitions. */
  readonly definition: Readonly<Record<string, unknown>> & {
    readonly name: string;
  };
  /** What of it has no effect, each a phrase. */
  readonly idle: readonly string[];
}

// context/instructions/instruction-places.ts

/** Whose instructions a file holds, as hooks name it. */
type MemoryType = 'Managed' | 'User' | 'Project' | 'Local';

/** Which of them a session reads. */
interface InstructionSources {
  /** Absolute files of the machine's administrator, those that stand first are read first. */
  readonly managed?: readonly string[];
  /** Absolute folders that hold the user's own files. */
  readonly user?: readonly string[];
  /** False: no files of the project. Default true. */
  readonly project?: boolean;
  /** False: no files of the project that are for one person (`CLAUDE.local.md`). Default true. */
  readonly local?: boolean;
  /** Folders of rules, from the nearest to the farthest. */
  readonly rules?: readonly ExtensionPlace[];
  /** Globs of absolute paths: files that are not read, but for the administrator's. */
  readonly excludes?: readonly string[];
  /** True: somebody vouches for the project, so its files may import what lies outside. */
  readonly isGranted?: boolean;
}

/** Why a file counts, as hooks name it. */
type LoadReason = 'session_start' | 'include' | 'nested_traversal' | 'path_glob_match';

interface InstructionFile {
  /** How it is named to the model and to people: as seen from the working directory, `~/…`, or absolute. */
  readonly source: string;
  /** Absolute. */
  readonly file: string;
  readonly type: MemoryType;
  readonly reason: LoadReason;
  readonly text: string;
  /** Absolute: the file that imports it. */
  readonly parent?: string;
  /** Of a rule for some files. */
  readonly globs?: readonly string[];
}

interface LeftOutFile {
  /** The name by which whoever asks for it names it. */
  readonly source: string;
  /** In words that follow "it was left out:". */
  readonly why: string;
  /** True if somebody should look at it. */
  readonly isProblem: boolean;
}

/** The files that a rule is for. */
interface PathRule {
  readonly globs: readonly string[];
  readonly patterns: readonly GlobPattern[];
}

/** A rule that waits for a file that it is for. */
interface WaitingRule {
  readonly rule: PathRule;
  /** Absolute: where its patterns start. */
  readonly base: string;
  /** What it imports, and itself. */
  readonly files: readonly InstructionFile[];
}

interface Instructions {
  /** As they stand in a prompt: the later one has the last word. */
  readonly files: readonly InstructionFile[];
  readonly waiting: readonly WaitingRule[];
  readonly leftOut: readonly LeftOutFile[];
  /** Folders whose own files are among them: the working directory and those above it in its repository, nearest first. */
  readonly folders: readonly string[];
}

// context/markdown/markdown-files.ts

interface RefusedFile {
  readonly name: string;
  readonly scope: ExtensionPlace['scope'];
  readonly file: string;
  readonly why: string;
  /** What somebody would vouch for; null if that would not help. */
  readonly item: TrustItem | null;
}

// context/settings/merge.ts

/** A value that is not divided further: a key's, or one element of a list that counts together with others. */
interface SettingLeaf {
  readonly path: readonly string[];
  /** `path` with dots. */
  readonly key: string;
  readonly value: unknown;
  /** True for an element of a list. */
  readonly isItem: boolean;
  /** Of an element of a list: its number there. */
  readonly at?: number;
  readonly scope: SettingScope;
  /** Null for settings that were given as an object. */
  readonly file: string | null;
  /** Absolute folder that relative paths start from. */
  readonly base: string;
}

// context/settings/places.ts

/** Whose settings, from the strongest to the weakest. */
declare const SETTING_SCOPES: readonly ['managed', 'flag', 'local', 'project', 'user'];

type SettingScope = (typeof SETTING_SCOPES)[number];

/** A folder of one kind, and whose it is. */
interface ExtensionPlace {
  readonly scope: 'project' | 'user' | 'plugin';
  /** Absolute. */
  readonly folder: string;
  /** Goes before the names of what is in it, with a colon. For plugins. */
  readonly namespace?: string;
}

// context/slash-commands.ts

/** What a local command may look at and do. */
interface CommandContext {
  readonly commands: readonly Command[];
  readonly model: string;
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly totalCostUsd: number;
  readonly costUnknown: boolean;
  readonly apiDurationMs: number;
  /** True if no person follows the session while it runs. */
  readonly isNonInteractiveSession: boolean;
  /** Forgets the conversation: messages, files seen, todos. The session and its cost stay. */
  clearConversation(): Promise<void>;
  /**
   * What a line of a shell prints, for a command that expands: a call of Bash as any other, with these rules beside those
   * of the session. @throws ConfigError if it is not allowed, or fails
   */
  runShell?(
    line: string,
    by: {
      readonly command: string;
      readonly allowedTools: readonly string[];
    },
  ): Promise<string>;
}

export type Command =
  | {
      readonly type: 'local';
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
      /** Contract: returns the text to show; a throw becomes an error result. */
      run(args: string, context: CommandContext): Promise<string>;
    }
  /** Compacts the conversation; its arguments tell the summary what to attend to. */
  | {
      readonly type: 'compaction';
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
    }
  | {
      readonly type: 'prompt';
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
      /** Tools that are approved while this prompt runs; a notice says so if the session has no rules to add to. */
      readonly allowedTools?: readonly string[];
      readonly model?: string;
      /** Text, or the blocks of a message. */
      expand(args: string, context?: CommandContext): Promise<string | readonly UserBlock[]>;
    };

/** The built-in commands. */
export declare function getCommands(): Promise<Command[]>;

// context/system-prompt.ts

/** One part of a system prompt. */
interface SystemPromptSection {
  /** What it is about, for people. */
  readonly name: string;
  /** The instruction file that it is from; null for all else. */
  readonly file: string | null;
  readonly text: string;
}

/** Texts of one or more lines; '' for none. */
interface Attribution {
  readonly commit: string;
  readonly pr: string;
}

// context/trust.ts

/** A value that would act, to be shown to whoever decides. */
interface TrustItem {
  /** Where it stands: the file as seen from the folder, and the key. */
  readonly id: string;
  /** SHA-256 of what it says, and of what the files hold that it names. */
  readonly hash: string;
  /** Files of the folder that its commands name; null for a value without commands. */
  readonly files: ActingFiles | null;
  readonly leaf: SettingLeaf;
}

/** Paths relative to the root, with `/`, to the SHA-256 of what each holds; sorted. */
type ActingFiles = Readonly<Record<string, string>>;

// engine/state/loop-state.ts

/** One wire attempt's cost: what the provider reported, and the time it took. */
interface RequestRecord {
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
  /** Until the first event of the answer; null if none came. */
  readonly firstEventMs: number | null;
}

/** Contract: never rejects. `problems`: what is wrong with it, for the model. */
type ParseOutput = (value: unknown) => Promise<
  | {
      readonly ok: true;
      readonly value: unknown;
    }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
    }
>;

/** What is remembered from one compaction to the next. Replaced, never changed. */
interface CompactionState {
  /** The turn of the last compaction. */
  readonly lastAtTurn: number | null;
  /** What it freed. Tokens. */
  readonly lastFreed: number;
  /** True if it freed too little. It holds while the context stays near `blockedAt`. */
  readonly blocked: boolean;
  /** The size of the messages it left: the frame is no part of it, as no compaction changes that. Tokens. */
  readonly blockedAt: number;
  /** True once the caller told of the block, so that it is told once. */
  readonly noticed: boolean;
  /** The turn of a summary that failed, if none succeeded since and it may have been in passing. */
  readonly failedAtTurn: number | null;
  /** True once the caller warned that the context fills up, until it is well below that level again. */
  readonly warned: boolean;
}

// engine/state/spending.ts

/** Money set aside for one wire attempt. */
interface Reservation {
  readonly usd: number;
  /** Takes what the attempt cost and gives the rest back. Contract: the first call counts; later ones do nothing. */
  settle(actualUsd: number): void;
}

export interface Budget {
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** What may still be set aside, here and in every budget above, US dollars. */
  readonly availableUsd: number;
  /** Of this budget and those above, the one that leaves the least: what is told if money is short. */
  readonly binding: BudgetFigures;
  /** Null if the amount does not fit, here or in a budget above. */
  reserve(usd: number): Reservation | null;
  /** A part of this budget: whatever it spends is spent here too. Without a limit of its own it has this one's. */
  /** @param spentUsd what an earlier process spent of it: the budgets above know of that, or need not */
  child(limitUsd?: number, spentUsd?: number): Budget;
}

/** US dollars. What is neither spent nor set aside is left. */
interface BudgetFigures {
  readonly limitUsd: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
}

/** @param spentUsd what was spent of it before @throws ConfigError for an amount that is none */
export declare function createBudget(limitUsd: number, spentUsd?: number): Budget;

// hooks/command-hook.ts

/** A hook of settings that may run. */
interface CommandHook {
  readonly event: HookEvent;
  /** Where it stands: `PreToolUse[0].hooks[1] (.claude/settings.json)`. */
  readonly label: string;
  /** Whose settings it stands in. */
  readonly scope: string;
  /** Absolute; null for settings that were given as an object. */
  readonly file: string | null;
  readonly matcher: string | undefined;
  /** The line for a shell; of a hook with an action, what that is in a line, for people. */
  readonly command: string;
  /** What is done in place of a command. */
  readonly action?: HookAction;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block';
  readonly isAsync: boolean;
  /** Milliseconds that it may go on unwaited for. Default `timeoutMs`. */
  readonly asyncTimeoutMs?: number;
  readonly statusMessage: string | undefined;
  /** True for what a repository may bring along: it runs in the sandbox, if the session has one. */
  readonly isConfined: boolean;
  /** Absolute; what the command knows as the folder of the project. */
  readonly projectFolder: string;
  /** Absolute; what the command knows as the folder of the plugin that it is from. */
  readonly pluginFolder?: string;
  /** Absolute; what the command knows as the folder of the skill that it is from. */
  readonly skillFolder?: string;
  /** There: it runs once, and this says if it has. */
  readonly once?: {
    isSpent: boolean;
  };
  /** Files that the command names and that are not what was trusted; null if the host vouches for them. */
  readonly changedFiles: (() => Promise<readonly string[]>) | null;
}

// hooks/declared-hooks.ts

type HookAction =
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Variables that `headers` may hold. */
      readonly allowedEnvVars: readonly string[];
    }
  /** `agent`: whoever is asked may read the workspace first. */
  | {
      readonly type: 'prompt' | 'agent';
      readonly prompt: string;
      readonly model: string | undefined;
    }
  | {
      readonly type: 'mcp_tool';
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** Matchers by event. They run in the order they stand. */
type HookMatchers = Partial<Record<HookEvent, readonly HookCallbackMatcher[]>>;

// host/host.ts

interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  /** Last change of content, mode, owner or name. Nobody can set it back, as they can `mtimeMs`. */
  readonly ctimeMs: number;
  /** Permission bits only, for example 0o644. */
  readonly mode: number;
  /** The file system that it stands on. */
  readonly device: number;
  /** Tells a file from another that took its path. Unique on its device among files that exist at the same time. */
  readonly inode: number;
}

/** What stands in a directory. A link is a link here, whatever it points to. */
interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileStat['kind'];
}

/** A file opened for reading. Contract: `close` may be called twice. */
interface ReadHandle {
  /** Stat of the opened file itself, whatever its path names by now. */
  stat(): Promise<FileStat>;
  /** Reads up to `length` bytes at `position`; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The two ends of a file. `tail` is empty if `head` is the whole file. */
interface FileEnds {
  readonly stat: FileStat;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/**
 * Where a path led at one moment, and what stood there. Plain data: a decision is made on it, and what is done then is
 * done to this file or folder and to no other.
 */
interface Located {
  /** As it was asked for. */
  readonly path: string;
  /** Absolute, every symbolic link resolved. What did not exist stands in it as it was written. */
  readonly realPath: string;
  /** What stood at `realPath`; null if nothing did. Never a link. */
  readonly stat: FileStat | null;
  /** If nothing did: the deepest folder above it that existed. */
  readonly above: {
    readonly path: string;
    readonly stat: FileStat;
  } | null;
}

/**
 * A folder that is held open: whatever takes its name meanwhile, this is still the one. Paths are relative to it, and no
 * link is followed on the way to them: what is reached through one is not there.
 * Contract: `close` may be called twice; nothing else is called after it.
 */
interface FolderHandle {
  /** The `cwd` that starts a program of this host in it. Good until `close`. */
  readonly cwd: string;
  /** What stands in it, sorted. */
  names(): Promise<string[]>;
  /** `lstat` of each path, in their order; null for what is not there. */
  lstatAll(paths: readonly string[]): Promise<readonly (FileStat | null)[]>;
  /**
   * Opens files for a program that this host runs: what it reads under the path it is given is that file, whatever
   * takes its name meanwhile. At most some hundred at a time.
   */
  lend(paths: readonly string[]): Promise<LentFiles>;
  /**
   * Whether all names below it on the way to these folders meant the same all the time since it was opened: none was
   * made, moved or taken away there. False also if that cannot be told.
   */
  wasQuiet(folders: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Contract: `giveBack` may be called twice. */
interface LentFiles {
  /** For each: the path to give to the program, and what it is. Null for what is no regular file or cannot be read. */
  readonly files: readonly ({
    readonly path: string;
    readonly stat: FileStat;
  } | null)[];
  giveBack(): Promise<void>;
}

/** A file opened for appending. Contract: one `append` is one write; a short write is an error. */
interface AppendHandle {
  append(text: string): Promise<void>;
  /** Data is on the disk when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface AtomicWriteOptions {
  /** Permission bits of a new file; an existing file keeps its own. Default 0o644. */
  readonly mode?: number;
  /** False: the content need not survive a power cut, and costs no wait for the disk. Default true. */
  readonly durable?: boolean;
}

/**
 * Files. All paths absolute. A missing file is `FileError` with code `ENOENT`; every other failure a `FileError`
 * with the system's code.
 */
interface HostFs {
  /** Follows symbolic links. */
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /** `lstat` of very many files, in their order; null for each that cannot be looked at. `EINVAL` as everywhere. */
  lstatAll(paths: readonly string[]): Promise<readonly (FileStat | null)[]>;
  /** Absolute path with every symbolic link resolved. */
  realpath(path: string): Promise<string>;
  readFile(path: string): Promise<Uint8Array>;
  openRead(path: string): Promise<ReadHandle>;
  /**
   * The first `length` bytes of a file and the last `length` of what follows, as of one moment: what a list needs of
   * each of very many files. Regular files only; `EINVAL` or `EISDIR` for anything else.
   */
  readEnds(path: string, length: number): Promise<FileEnds>;
  /**
   * As `readEnds`, for lists: of a regular file, as `stat` said just now, which is not looked at again.
   * Contract: the bytes count only while `look` runs, and it keeps none of them. What it throws comes out.
   */
  lookAtEnds<T>(path: string, stat: FileStat, length: number, look: (ends: FileEnds) => T): Promise<T>;
  /** Creates the file (mode 0o600) and its folders (0o700) if they are missing. */
  openAppend(path: string): Promise<AppendHandle>;
  /**
   * Replaces the file's content in one step: a reader sees the old content or the new, never a part. Creates missing
   * folders, follows a symbolic link to its target, keeps an existing file's permission bits.
   */
  writeFileAtomic(path: string, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<void>;
  /**
   * Makes a file that must not exist yet, with its whole content, in one step. Creates missing folders (0o700), follows
   * no link. `EEXIST` if anything stands there.
   */
  createFile(path: string, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<void>;
  /**
   * What a path leads to. What is not there is no failure: `ENOENT` says that a link on the way leads nowhere, so that
   * nobody can tell what would be made.
   */
  locate(path: string): Promise<Located>;
  /**
   * Opens a regular file for reading; `EISDIR` or `EINVAL` for anything else, without opening it.
   * Contract: it is the file that was located, or `ESTALE`. No name is followed to another.
   */
  openLocated(located: Located): Promise<ReadHandle>;
  /**
   * As `writeFileAtomic`, for a file that was located, or the place of one. What is written aside stands in the same
   * folder, which is found without following a link; missing folders are made there.
   * Contract: `ESTALE` if anything else stands there by now, and nothing is written then, nor left behind.
   * @returns size and times of the new content
   */
  replaceLocated(located: Located, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<FileStat>;
  /** Holds the folder that was located, of a file the one it stands in. Contract: it is that one, or `ESTALE`. */
  holdFolder(located: Located): Promise<FolderHandle>;
  /** Moves a file, link or directory; what stands at `to` is replaced if it is a file. Creates no folders. */
  rename(from: string, to: string): Promise<void>;
  /** Sets the permission bits. `ELOOP` for a symbolic link. */
  chmod(path: string, mode: number): Promise<void>;
  /** The text of a symbolic link, as it was written. `EINVAL` for anything else. */
  readlink(path: string): Promise<string>;
  /** Makes a symbolic link with the text `target`, which need not exist. `EEXIST` if anything stands there. */
  symlink(target: string, path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  /** As `readdir`, with the kind of each entry: saves a call for each. */
  entries(path: string): Promise<readonly DirectoryEntry[]>;
  mkdir(
    path: string,
    options?: {
      readonly mode?: number;
    },
  ): Promise<void>;
  /** With all its content. A symbolic link is removed itself. */
  remove(path: string): Promise<void>;
  /** Removes one file, one link, or one directory that is empty: `ENOTEMPTY` for any other. */
  removeEntry(path: string): Promise<void>;
}

interface RunOptions {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds until the process group is terminated; 0 for no limit. */
  readonly timeoutMs: number;
  /** What the program reads on stdin, which then ends. Absent: stdin is closed. It need not be read. */
  readonly input?: string;
  /** Called with each chunk as it comes. Contract: must not throw; keeps no reference to the chunk. */
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  /**
   * Back-pressure: asked after each chunk. If it gives a promise, no more output is read until that settles.
   * Contract: must not throw; the promise must not reject.
   */
  readonly pause?: () => Promise<void> | null;
  /**
   * Aborted if nobody waits any more and the program is to go on: then `run` settles as `released`, and `rest` is the
   * program. A host that cannot do so goes on as if it were not there.
   */
  readonly release?: AbortSignal;
  /**
   * Called once, if a program of the run waits for somebody to type, with its name: it reads a terminal that it made for
   * itself. Only if the machine tells. Contract: must not throw.
   */
  readonly onWaiting?: (program: string) => void;
  /** True: it is known to leave no process behind, so none that left its group is looked for at its end. */
  readonly leavesNothing?: boolean;
}

interface RunOutcome {
  /** Exit code; 128 + n after signal n; null if the program never ended by itself. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ended: 'exited' | 'timed_out' | 'aborted' | 'released';
  /** With `released`: what still runs. Its output goes on to the same place. */
  readonly rest?: RunningProcess;
  /** Processes the program left running when it exited, and that were ended. Absent if there were none. */
  readonly leftovers?: number;
}

/** A program that stays until it is stopped. */
interface OpenOptions extends Pick<RunOptions, 'command' | 'cwd' | 'env' | 'onStdout' | 'onStderr' | 'pause'> {
  /** Called once when nothing more comes on its stdout, which may be before it ends. Contract: must not throw. */
  readonly onStdoutEnd?: () => void;
}

/** How long a program that is stopped has for each step, milliseconds. */
interface StopPatience {
  /** From the end of its stdin to TERM. Default 250. */
  readonly inputMs?: number;
  /** From TERM to KILL. Default 700. */
  readonly termMs?: number;
}

/** How a program ended, as in `RunOutcome`. */
type ProcessEnd = Pick<RunOutcome, 'exitCode' | 'signal' | 'leftovers'>;

interface RunningProcess {
  /** To its stdin. Contract: never rejects; false if it does not take it any more. */
  write(data: string): Promise<boolean>;
  /** Settles once it ended and nothing that it started is alive. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes its stdin, and leaves it to the program what it makes of that. */
  endInput(): void;
  /**
   * Closes its stdin, then TERM, then KILL, within two seconds unless `patience` says more.
   * Contract: as `ended`; may be called again.
   */
  stop(patience?: StopPatience): Promise<ProcessEnd>;
}

/** Processes. */
interface HostExec {
  /**
   * Runs a program in a process group of its own until it ends, times out or is aborted. Its stdin is closed, but for
   * `input`.
   * Contract: when this settles, nothing the program started is alive (TERM, then KILL after a grace of at most 2 s;
   * processes that left the group are found by an environment mark), nor if this process ended meanwhile. Rejects
   * with `FileError` only if the program could not be started.
   */
  run(options: RunOptions): Promise<RunOutcome>;
  /**
   * Starts a program that stays, such as a server, in a process group of its own, with pipes to it.
   * Contract: nothing it started is alive after `stop`, nor if this process ended without calling it. Rejects with
   * `FileError` only if the program could not be started.
   */
  open(options: OpenOptions): Promise<RunningProcess>;
  /**
   * Says that programs may be started until the function that comes back is called, so that what watches over them is
   * kept from one to the next. Contract: cheap; starts nothing by itself. Absent: there is nothing to keep.
   */
  hold?(): () => void;
}

/** Names a process so that a later one with the same number is not taken for it. Plain data: it stands in files. */
interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system counts. Empty if that cannot be known. */
  readonly started: string;
  /** The running system: another after each boot. Empty if that cannot be known. */
  readonly boot: string;
  /** The space in which process numbers mean the same, as one container. */
  readonly space: string;
  /** The machine's name. */
  readonly machine: string;
}

/** `unknown`: it cannot be seen from here, as in another container or on another machine. */
type ProcessState = 'alive' | 'ended' | 'unknown';

/** Who this process is, and whether others still live. */
interface HostProcesses {
  self(): Promise<ProcessIdentity>;
  stateOf(process: ProcessIdentity): Promise<ProcessState>;
}

interface HostClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Minutes that the clock of the people there is ahead of UTC at a moment, which gives them their date. Absent: 0. */
  utcOffset?(at: number): number;
  /** Calls `callback` once after `ms`. The returned function cancels it. An unref'd timer does not keep a process alive. */
  after(ms: number, callback: () => void): () => void;
}

interface HostIds {
  /** A new random UUID. */
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export interface Host {
  readonly fs: HostFs;
  readonly exec: HostExec;
  readonly processes: HostProcesses;
  readonly clock: HostClock;
  readonly ids: HostIds;
  /** SHA-256 of the bytes, hex. */
  sha256(bytes: Uint8Array): Promise<string>;
  /** The environment of the host. Read-only; a session's own variables are merged over it by the SDK. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: {
    readonly os: string;
    readonly release: string;
    readonly homedir: string;
    readonly tmpdir: string;
    readonly cwd: string;
    /** The program that runs JavaScript files as this process does. Absent if there is none to start. */
    readonly node?: string;
  };
}

// host/node-host.ts

/**
 * Creates the host of this process. `overrides` replaces whole parts, for example `{ fs }` or `{ clock }`.
 * `env` is the live `process.env`; `platform` is read once, here.
 * Contract: a waiting `clock.after` keeps the process alive, because a retry that waits must not end it. Whoever sets
 * a timer as a mere guard cancels it when its work is done; a session's scope cancels all of its timers.
 */
export declare function createNodeHost(overrides?: Partial<Host>): Host;

// mcp/oauth/signing-in.ts

/** Signing in to one server, while a session lasts. */
interface ServerAuth {
  /**
   * Begins to sign in.
   * @param redirectUri the address at which the host itself takes the user back; absent: one of this machine
   * @throws Error in words that follow the name of the server and a colon
   */
  begin(redirectUri?: string): Promise<BegunSignIn>;
  /** True if the server asked for more rights than were given. */
  wantsMore(): Promise<boolean>;
  /** Finishes what was begun. @throws Error in such words */
  submit(callback: string): Promise<void>;
  /** Forgets all that is kept of this server. */
  clear(): Promise<void>;
  /** Uses a token that somebody got elsewhere, as long as the session lasts. It is not kept. */
  use(token: McpToken): void;
  /** Nobody waits for a browser any more. */
  close(): void;
}

interface BegunSignIn {
  /** For the user's browser. */
  readonly authUrl: string;
  /** Settles with the tokens; rejects if it was given up. */
  readonly done: Promise<void>;
}

// mcp/server-definition.ts

interface ServerTerms {
  readonly name: string;
  /** Longest call, milliseconds; absent: as the session's limits say. */
  readonly toolTimeoutMs?: number;
  /** Who named it, as `McpServerStatus` says it. */
  readonly scope?: string;
  /** What may be shown of its definition. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** True if it is not a process of this session: after it failed often it is still tried again when it is needed. */
  readonly isRemote?: boolean;
  /** It runs in the program of the host: it starts with the session, whose first message waits so long for it, milliseconds. */
  readonly firstWaitMs?: number;
  /** What makes it the server that it is, for what is kept of its tools. Absent: as the program and its arguments say; or nothing is kept. */
  readonly identity?: string;
  /** Asked before each start: why it may not be started now, in words that follow its name; null if it may. */
  check?(): Promise<string | null>;
}

/** A server that is a program of this machine. */
interface StdioServerDefinition extends ServerTerms {
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that is reached in another way. */
interface TransportServerDefinition extends ServerTerms {
  /** A new transport for each connection, not started. */
  open(place: TransportPlace): Promise<McpTransport>;
  /** Absent if nobody signs in to it. @throws ConfigError */
  auth?(place: TransportPlace): Promise<ServerAuth | null>;
}

type McpServerDefinition = StdioServerDefinition | TransportServerDefinition;

// mcp/server-lists.ts

/** One of these. */
interface ServerRule {
  readonly serverName?: string;
  /** `*` stands for any text. */
  readonly serverUrl?: string;
  /** The program with all its arguments. */
  readonly serverCommand?: readonly string[];
}

interface ServerLists {
  readonly denied: readonly ServerRule[];
  /** Null: all that are not denied. */
  readonly allowed: readonly ServerRule[] | null;
}

// mcp/transport.ts

/** Contract: nothing is called before `start`, nor after `ended` settled. */
interface TransportListeners {
  /** One message as it was parsed: an object, or an array of them from servers of an older version. */
  onMessage(message: unknown): void;
  /** Something came that is no message. */
  onGarbage(text: string): void;
  /**
   * A message did not come through: an answer too long to be read, or a request that could not be sent.
   * @param head how the message began: its `id` says which request fails
   */
  onLost(head: string, error: Error): void;
}

interface McpTransport {
  /**
   * Opens it. Contract: settles soon after the signal aborts.
   * @throws Error in words that follow "the server cannot be used:"; nothing of it is left then
   */
  start(listeners: TransportListeners, signal: AbortSignal): Promise<void>;
  /**
   * @param headers of this message; a way without headers leaves them
   * Contract: never throws. What cannot be sent ends the transport, or fails that one request by `onLost`.
   */
  send(message: object, headers?: Readonly<Record<string, string>>): void;
  /** Told after the handshake, before anything else is sent. */
  setProtocolVersion?(version: string): void;
  /** How it ended, in words that follow the name of the server; settles once. Never rejects. */
  readonly ended: Promise<string>;
  /** What the server said last outside the protocol, for people: begins with a space; '' if it said nothing. */
  lastWords?(): Promise<string>;
  /** After a call: takes back what the sandbox could not hold beforehand, and tells it. */
  inspect?(): Promise<void>;
  /** Nothing of it is alive when this settles. May be called again, also before `start`. Never rejects. */
  close(): Promise<void>;
}

/** What a session gives the transports of its servers. */
interface TransportPlace {
  readonly exec: Pick<HostExec, 'open'>;
  readonly clock: Pick<HostClock, 'after'>;
  readonly cwd: string;
  /** Of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null if servers run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** Takes secrets out of what a server said. */
  hide(text: string): Promise<string>;
  /** What ways over the network need besides. Absent: there is no network. @throws ConfigError */
  network?(): Promise<NetworkPlace>;
}

interface NetworkPlace {
  readonly clock: Pick<HostClock, 'after' | 'now'>;
  readonly ids: Pick<HostIds, 'uuid'>;
  readonly exec: Pick<HostExec, 'run'>;
  /** For commands that print headers: without the keys of models. */
  readonly env: Readonly<Record<string, string>>;
  /** The proxy and the authorities for an address; undefined: straight. */
  routeTo(address: string): Promise<TransportChoice | undefined>;
  readonly tokens: McpTokenStore;
  /** Told of each secret before it is used. */
  onSecret(value: string, kind: string): void;
}

// permissions/act-pattern.ts

/** The words of a pattern, as far as they can be told apart. */
interface PatternWords {
  /** The program by its usual name, then its words without quotes; null: any words. */
  readonly words: readonly (string | null)[];
  /** True if more words may follow. */
  readonly openEnd: boolean;
}

/** A pattern that knows the program. */
declare class ActPattern {
  #private;
  constructor(pattern: PatternWords);
  /**
   * Whether the run is what the pattern names: for certain, or if the words that are not known were others, or if options
   * that are not known took a value.
   * Contract: pure; `no` for programs without a description.
   */
  speaksOf(run: ProgramRun): 'yes' | 'maybe' | 'no';
  /** Whether words behind a program of which nothing is known are what the pattern names, if it starts them. */
  mayBeStartedBy({ mayStart, mayStartNames: names, mainNames }: ProgramRun): boolean;
}

// permissions/command-pattern.ts

/** The content of a rule about commands. */
interface CommandPattern {
  /** `prefix`: these words and any after them, written `words:*` or `words *`. */
  readonly kind: 'exact' | 'prefix' | 'wildcard';
  /** As written. */
  readonly text: string;
  /** In the form that `ProgramRun.allowText` has. */
  readonly words: TextPattern;
  /** As written, for texts in which quotes were left out. */
  readonly plain: TextPattern;
  /** What a rule that denies or asks is held against texts as: each form that names the same, the two above first. */
  readonly forms: readonly TextPattern[];
  /** Holds a substitution, which can only be compared as written. */
  readonly isRaw: boolean;
  /** How much of a text that matches is spelled out by the pattern, from its start. */
  readonly spelled: string;
  /** For rules that deny or ask, which know the program: what they name, and what is the same by other words. */
  readonly acts: readonly ActPattern[];
}

// permissions/command-text.ts

/** What stands between the wildcards of a pattern, and how the last piece ends. */
interface TextPattern {
  readonly pieces: readonly string[];
  /** True if the last piece is followed by the end of the text or a blank and anything. */
  readonly openEnd: boolean;
}

// permissions/decide.ts

/**
 * Decides one tool call. Pure: reads nothing but its arguments. The first that applies wins: deny rules, what is always
 * asked for (protected paths, critical removals), ask rules, plan mode, bypass, the sandbox, accepted edits, allow
 * rules, harmless calls; what is left asks.
 * Contract: deny beats ask beats allow, whatever is more specific; an allow for a path needs the path as written and its
 * real path; of a command that is not provably static, a rule must spell out what cannot be told; no mode approves a
 * write to a protected path or a critical removal; never throws.
 * @returns the behaviour with the rule, the part of the command and the reason that decided it
 */
export declare function decidePermission(given: PermissionContext, call: PermissionCall): PermissionDecision;

// permissions/domain-pattern.ts

/** A host, or all below one: `example.com`, `*.example.com`. */
interface DomainPattern {
  readonly host: string;
  /** True: names below the host, and not the host itself. */
  readonly below: boolean;
}

// permissions/path-pattern.ts

interface PathPattern {
  /** As written. */
  readonly source: string;
  /** Where it starts: the root of the machine, the home folder, the folder of the rule, or anywhere. */
  readonly anchor: 'root' | 'home' | 'base' | 'anywhere';
  readonly glob: GlobPattern;
  /** The same in one case and one Unicode form. */
  readonly folded: GlobPattern;
  /** The folders that it spells out before anything is left open. */
  readonly spelled: string;
  /** What all that `folded` matches, or that lies below it, begins with. */
  readonly foldedStart: string;
  /** True if all below a match is meant too: the last part is plain text. */
  readonly coversBelow: boolean;
  /** True if what it spells out is a folder, written with a slash at the end: a file of that name is not meant. */
  readonly endsAtFolder: boolean;
  /** A name, folded, that rules which deny or ask mean at any depth; null if it is more than a name. */
  readonly name: GlobPattern | null;
  /** The name, folded, if it has no wildcards; else ''. */
  readonly foldedName: string;
  /** True if the name is that of folders only. */
  readonly isFolderName: boolean;
}

// permissions/permission-call.ts

/** What settings forbid, whatever mode a session is in and whatever its rules allow. */
interface Confinement {
  /** True: no mode may skip questions. Default false. */
  readonly disableBypass?: boolean;
  /** True: mode `auto` decides as `default` does. Default false. */
  readonly disableAuto?: boolean;
  /** True: in mode `auto` there is what no call may do, told to the judge in words, so nothing is accepted unjudged. Default false. */
  readonly hasHardDenials?: boolean;
  /** True: files outside the workspace are not read, in any mode. Default false. */
  readonly blockReadsOutside?: boolean;
  /** True: files outside the workspace are not written, in any mode. Default false. */
  readonly blockWritesOutside?: boolean;
  /** True: what would be asked about is denied. Default false. */
  readonly deniesAsks?: boolean;
  /** True: only managed settings allow anything, so no answer adds a rule that does. Default false. */
  readonly onlyManagedRules?: boolean;
}

/** Everything a decision depends on. */
export interface PermissionContext extends Confinement {
  readonly mode: PermissionMode;
  /** The mode that the first plan leads to, if the session begins with one. Default `default`. */
  readonly beforePlan?: PermissionMode;
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  /** Workspace folders, absolute, as given and with symbolic links resolved; the working directory first. */
  readonly roots: readonly string[];
  /** The home folder, absolute. Absent: patterns below `~` mean nothing. */
  readonly home?: string;
  /** Absent: commands run without a sandbox. */
  readonly sandbox?: SandboxedCommands;
  /** False: nobody vouches for the folder, so its git configuration may run programs. Default true. */
  readonly isTrusted?: boolean;
  /** True: what calls remove can be brought back, so `acceptEdits` covers it. Default false. */
  readonly keepsRemoved?: boolean;
  /** What mode `plan` may read and write all the same. Absent: nothing. */
  readonly planFile?: PlanFile;
  /** Where the session puts results that are too large to show: file tools read there without a question. Absolute. */
  readonly resultsFolder?: string;
  /** True: in mode `auto` a model judges what the rules leave undecided. Default false. */
  readonly isJudged?: boolean;
  /** Hosts that are not public and may be fetched. Absent: who is asked decides; given, all others are denied. */
  readonly privateHosts?: readonly string[];
}

/** The file of a plan. `realPath`: what its path led to when the plan was begun. */
interface PlanFile {
  readonly path: string;
  readonly realPath: string;
}

/** What the sandbox changes about commands. */
interface SandboxedCommands {
  /** Commands that run inside need no approval. */
  readonly autoAllowBash: boolean;
  /** Whether a call may ask to run outside. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside. */
  readonly excluded: readonly CommandPattern[];
  /** Domains that commands inside may connect to; null if they may reach or write more than that and the workspace. */
  readonly reach?: readonly string[] | null;
}

/** What a call would touch. `realPath` has every symbolic link resolved, as far as the path exists. */
export type CallSubject =
  | {
      readonly kind: 'none';
    }
  /** `ofServer`: `mcp__<server>__` of a server that is asked without a tool of its own; what denies all its tools denies this. */
  | {
      readonly kind: 'external';
      readonly ofServer?: string;
    }
  /** An agent or a skill, by name; of a skill with what follows it. `isText`: the call only brings a text. */
  | {
      readonly kind: 'name';
      readonly name: string;
      readonly isText?: boolean;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
    }
  | CommandSubject
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly realPath: string;
      readonly access: 'read' | 'write';
      readonly isHook?: boolean;
      /** True if a regular file stands there, or the call would make one. */
      readonly isFile?: boolean;
    };

interface CommandSubject {
  readonly kind: 'command';
  readonly command: string;
  /** True if the call asks to run outside the sandbox. */
  readonly unsandboxed?: boolean;
  /** Absent: nobody read it, so that nothing is known of what it would run. */
  readonly reading?: CommandReading;
  /** The home folder that the command sees, if it is another than that of the machine's user: rules and guards mean both. */
  readonly home?: string;
  /** The files that the reading names, in its order. */
  readonly files?: readonly TouchedFile[];
  /** What its version control would start, or might, without anybody having vouched for it. */
  readonly gitStarts?: readonly GitStart[];
  /** What it starts that the workspace itself provides, under a name of the PATH: whoever may edit files may have put it there. */
  readonly workspacePrograms?: readonly WorkspaceProgram[];
}

/** A program that would be found in the workspace. */
interface WorkspaceProgram {
  /** One of the runs of `reading`. */
  readonly run: ProgramRun;
  /** The file. */
  readonly path: string;
}

/** A program that a repository makes version control start. */
interface GitStart {
  /** One of the runs of `reading`. */
  readonly run: ProgramRun;
  /** For people. */
  readonly why: string;
  /** Names what a yes vouches for; null if it cannot be told which repository it is. */
  readonly seen: string | null;
}

/** A file that a command names. `path` is null if it is not static. */
interface TouchedFile {
  readonly path: string | null;
  readonly realPath: string | null;
  /** True if the paths are those of a folder, and files of it are meant that cannot be told one by one. */
  readonly isAnyWithin?: boolean;
  /** True if these are some of its files: their names begin or end as a glob says. */
  readonly isSome?: boolean;
  /** What those names begin and end with. */
  readonly names?: NameEnds;
  /** True if it comes out of an archive or a patch: then `part` is the text of the run that writes it. */
  readonly isUnpacked?: boolean;
  readonly part?: string;
  /** True if git's configuration makes it a program that git runs: what `core.hooksPath` names, or lies in there. */
  readonly isHook?: boolean;
  /** True if a regular file stands there, or the shell would make one. */
  readonly isFile?: boolean;
  /** True if it was gone through, and holds no file that a rule keeps from such an access. */
  readonly holdsNoneKept?: boolean;
  /** True if a word of which nobody said what it is names it, so that it may be something else. */
  readonly isMaybe?: boolean;
  readonly access: 'read' | 'write' | 'remove';
  /** `tree`, `through`: it, and all that lies below it if it is a folder. */
  readonly reach: 'itself' | 'tree' | 'through';
  readonly by: 'redirection' | 'operand';
  readonly program: string | null;
  /** Of git: which files below it that it does not track are meant too. */
  readonly untracked?: Untracked;
  /** Why `path` cannot be told, if there is more to say than that it is not static. */
  readonly why?: string;
}

export interface PermissionCall {
  readonly toolName: string;
  readonly readOnly: boolean;
  readonly subject: CallSubject;
  /** True for the call that shows a plan: nobody but the user approves it, and only in mode `plan`. */
  readonly exitsPlan?: boolean;
  /** True for a call that changes what calls are held against, such as settings: no mode and no rule allows it. */
  readonly confines?: boolean;
  /** True for the call that asks to plan first: nobody but the user says yes to it. */
  readonly entersPlan?: boolean;
  /** Why a person has to say yes, whatever rules allow. */
  readonly mustAsk?: string;
}

export interface PermissionDecision {
  /** True for an ask that nobody but a person may answer: a protected path, or a rule that says ask. */
  readonly isFirm?: boolean;
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly reasonType: PermissionDecisionReasonType;
  readonly reason: string;
  /** The rule that decided, as it was written. */
  readonly rule?: string;
  /** The part of the command line that decided. */
  readonly subcommand?: string;
  readonly blockedPath?: string;
  readonly suggestions?: readonly PermissionUpdate[];
  /** True for an ask that mode `auto` would have answered with yes, or that a model may answer there. */
  readonly isAutoApprovable?: boolean;
  /** What a yes of a person vouches for: `seen` of its `gitStarts`. */
  readonly vouches?: readonly string[];
  /** True if the call, if it runs, runs outside the sandbox of the session. */
  readonly outsideSandbox?: boolean;
}

// permissions/rule.ts

/** A parsed rule: a tool, or those of its calls that its content means. */
export interface PermissionRule extends Omit<ToolRule, 'content'> {
  /** Null: every call of the tool. */
  readonly content: RuleContent | null;
}

type RuleContent =
  | {
      readonly kind: 'command';
      readonly pattern: CommandPattern;
    }
  | {
      readonly kind: 'path';
      readonly pattern: PathPattern;
    }
  | {
      readonly kind: 'domain';
      readonly pattern: DomainPattern;
    }
  /** Of an agent or a skill. `withArguments`: even if something follows the name. */
  | {
      readonly kind: 'name';
      readonly name: string;
      readonly withArguments: boolean;
    };

/**
 * Parses `Read`, `Bash(npm run test *)`, `Edit(/src/**)`, `WebFetch(domain:example.com)`, `Agent(name)`, `Skill(name)`,
 * `mcp__server__tool`, `mcp__server`, `mcp__server__*`, `mcp__server__get_*`; for rules that restrict any name with stars (`*`).
 * @throws ConfigError (`rule_invalid`) for anything else, and for a rule that could never match
 */
export declare function parseRule(source: string, setting?: RuleSetting): PermissionRule;

// permissions/shell/command-reading.ts

/**
 * What a command line would do, as far as it can be told without running it.
 * Contract: a command may run on the strength of rules if and only if each of `programs` is read-only or allowed by one
 * (`allowsRun`): what is unknown without belonging to one program stands in the list as a run without a name, which
 * no rule allows.
 */
interface CommandReading {
  /** Why not all of it can be told, of whatever part; null if all is static and known. */
  readonly unknown: string | null;
  /**
   * Every program, builtin and function that could start, at any depth, in the order of the text: wrappers before what
   * they start, substitutions before the command they are part of.
   */
  readonly programs: readonly ProgramRun[];
  /** Files it names: redirections, and operands of programs whose operands are known. */
  readonly files: readonly FileUse[];
  /** What it writes out of archives and patches, or reads because of them; which files those are stands in them. */
  readonly unpacks?: readonly Unpacking[];
}

/** Files that a program takes out of an archive or a patch and writes. */
interface Unpacking {
  readonly kind: 'archive' | 'patch';
  /** What is done with the files that it names. */
  readonly access: 'read' | 'write';
  /** Null if it cannot be told. */
  readonly source:
    | {
        readonly file: string;
      }
    | {
        readonly text: string;
      }
    | null;
  /** Absolute folder; null if it cannot be told. */
  readonly into: string | null;
  /** How many folders are cut off the front of each name, in each way there may be. */
  readonly cut: readonly number[];
  /** Of an archive: only the last part of each name counts. */
  readonly isFlat?: true;
  /** Names that are wanted, with what lies in them; null: all. */
  readonly only: readonly string[] | null;
  readonly program: string;
  /** `text` of its run. */
  readonly text: string;
}

/** One program that could start. */
interface ProgramRun {
  /** Part of the command line, as written, without redirections; blanks between words are single. */
  readonly text: string;
  /** Words after quote removal, the program first; null is a word that is not static. */
  readonly words: readonly (string | null)[];
  /** Base name of the program; null if it is not static. */
  readonly name: string | null;
  /** What an allow rule is held against; null: no rule about content may allow it. */
  readonly allowText: string | null;
  /**
   * How much of `allowText` a rule must spell out, from its start: what decides which programs run. A rule whose
   * wildcard stands in it does not allow the run.
   */
  readonly spelled: string;
  /** Runs that start this one: a rule for one of them allows this one too if it spells out as much as said here. */
  readonly startedBy: readonly StartedBy[];
  /** What deny and ask rules are held against: each form that names the same act. */
  readonly restrictTexts: readonly string[];
  /** The same with a NUL for each word that is not static, for rules that may or may not match. */
  readonly openTexts: readonly string[];
  /**
   * Texts of the same kind for programs that it may start, if nothing is known of what it does with its words: any
   * program may be a wrapper.
   */
  readonly mayStart: readonly string[];
  /** Some of its words are, or may be, a program or code that it starts: a rule that leaves them open allows anything. Absent: no. */
  readonly startsWords?: true;
  /** It does nothing but read and start others, each of which is a run of its own. Absent: it may do more. */
  readonly onlyStarts?: true;
  /** True if it is of the documented read-only set with harmless flags. Read-only git needs a trusted workspace. */
  readonly readOnly: boolean;
  readonly isGit: boolean;
  /** Folders that it may start in, absolute, `cd` tracked; null if that is not known. None: not on this machine. */
  readonly startsIn: readonly (string | null)[];
  /** Why this run cannot be told; null if it can. */
  readonly unknown: string | null;
  /** The program as it is usually called: `grep` of `egrep`. Null if its name is not known. Absent in a copy. */
  readonly usualName?: string | null;
  /** The programs that `mayStart` begins with, as they are usually called, in its order. Absent in a copy. */
  readonly mayStartNames?: readonly string[];
  /** Its subcommand and options by their main names. Not enumerable, and made when it is asked for: few rules need it. Absent in a copy. */
  readonly mainNames?: MainNames;
}

/** Words of a program by the names that are the same for all ways to say the same. */
interface MainNames {
  /** False if no word of it can be this subcommand, so that the others say nothing of it either. */
  mayBe(subcommand: string): boolean;
  /** The run, in each way that is known to say the same; none if its program has no description. */
  runs(): readonly NamedRun[];
  /** What it may be, if options that are not described take the words behind them. */
  possible(): readonly NamedRun[];
  /** Other static words of the same program. */
  of(words: readonly string[]): readonly NamedRun[];
}

/** A run by its main names, as `programs/canonical-run.ts` makes it. */
interface NamedRun {
  readonly subcommand: string | null;
  readonly globals: readonly NamedOption[];
  readonly options: readonly NamedOption[];
  readonly operands: readonly {
    readonly word: NamedWord;
  }[];
}

interface NamedOption {
  readonly main: string;
  readonly value: NamedWord | null;
  readonly isKnown: boolean;
}

/** What of a word is known: all of it, or its beginning. */
interface NamedWord {
  readonly value: string | null;
  readonly head: string;
  readonly isPipe: boolean;
}

interface StartedBy {
  readonly allowText: string;
  readonly spelled: string;
}

/** A file that a command names. */
interface FileUse {
  /** As the program would get it, with `~` expanded; null if it is not static. */
  readonly path: string | null;
  /** For a glob in its last part: the folder that all it can match lies in, as `path` would be written; null elsewhere. */
  readonly within: string | null;
  /** What the names that it can match begin and end with, in any case; null if `within` is. */
  readonly names: NameEnds | null;
  /** Absolute folder it is relative to, `cd` tracked; null if that is not known. One use for each that is possible. */
  readonly base: string | null;
  /** `remove`: it and all below it may be gone afterwards. */
  readonly access: 'read' | 'write' | 'remove';
  /** `tree`: it, and all that lies below it if it is a folder. `through`: also what links below it lead to. */
  readonly reach: 'itself' | 'tree' | 'through';
  /** All that lies below it is changed, protected files too. */
  readonly sweeps?: boolean;
  /** How names of files below it, which nobody wrote, reach the program. Absent: whole, and never as options. */
  readonly taken?: TakenNames;
  /**
   * For a target that may be a folder: the names that stand in it then, as `cp a b` writes `b/a`. Null: any names. Absent:
   * `path` is meant as it is.
   */
  readonly into?: readonly string[] | null;
  /** The program goes through no link on the way to it, whatever an earlier part of the line put there. */
  readonly throughNoLink?: true;
  /**
   * Nobody said what the word is: it counts as read if something stands there, and as written if nothing does and it is
   * spelled as a path to a folder that is there.
   */
  readonly isMaybe?: true;
  /**
   * A text with names in it, such as several words in one, or files that the program looks for by itself: each counts as read
   * if it is there, below `path` or by a path of its own, and a rule keeps it. `path` itself is not used.
   */
  readonly mentions?: string;
  /** Of git, which else takes only what it tracks below a folder: also what nothing says to ignore, or all. */
  readonly untracked?: Untracked;
  /** What earlier parts of the line make, which is none of its names as it is written but may be where a link of it leads. */
  readonly madeBefore?: readonly MadeName[];
  /** Why `path` cannot be told, if there is more to say than that it is not static. */
  readonly why?: string;
  readonly by: 'redirection' | 'operand';
  /** The program it is an operand of; null for redirections. */
  readonly program: string | null;
}

/** A name that the line makes into something that cannot be looked at beforehand. */
interface MadeName {
  /** Absolute; null: it may be any. */
  readonly path: string | null;
  /** `link`: programs may go through it from a folder above. `contents`: the folder stays, what lies below it is new. */
  readonly kind: 'link' | 'file' | 'contents';
}

/** Which files git takes besides those that it tracks. */
type Untracked = 'unignored' | 'all';

/** Names that are not written in the command but listed by another program or matched by the shell. */
interface TakenNames {
  /** They are split at blanks, so that a part of one may be another file. */
  readonly areSplit?: true;
  /** Wildcards in them match other names. */
  readonly areMatched?: true;
  /** The index of git has them, all or some: such a file need not be there. */
  readonly areRecorded?: 'all' | 'some';
  /** One that begins with a dash is an option: one right in the folder, or a part of any. */
  readonly mayBeOptions?: 'first' | 'any';
}

/** What is known of the names that a glob matches. */
interface NameEnds {
  readonly start: string;
  readonly end: string;
}

// permissions/tool-rule.ts

type RuleOrigin = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'cliArg' | 'session' | 'command';

/** Where a rule comes from. */
interface RuleSetting {
  /** Default `session`. */
  readonly origin?: RuleOrigin;
  readonly base?: string;
}

/** A rule about all calls of a tool. */
interface ToolRule {
  /** `Read`, `mcp__server__tool`, `mcp__server`, or `mcp__` for all servers; with stars for any signs. */
  readonly toolName: string;
  readonly content: null;
  /** The rule as it was written. */
  readonly source: string;
  /** Who said it. */
  readonly origin: RuleOrigin;
  /** Absolute folder that its path patterns start from. Null: the working directory of the session. */
  readonly base: string | null;
}

// protocol/query-options.generated.ts

/** Options that mean the same to a session, under the same names. */
interface PassedOptions {
  /** The agent, of `agents`, of a file or built in, that the session itself runs as. Default: the default agent. */
  readonly agent?: string;
  /**
   * True: a line from time to time about what a subagent is at, asked of its model: small requests. Default: false.
   */
  readonly agentProgressSummaries?: boolean;
  /** True: the mode `bypassPermissions` may be chosen, in which everything runs unasked. Default: false. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** False: the conversation is compacted only by `/compact` or when the model refuses its length. Default: true. */
  readonly autoCompact?: boolean;
  /**
   * A model that judges, in mode `auto`, what the rules leave undecided. Default: nobody does, such calls are asked
   * about.
   */
  readonly autoMode?: AutoModeOptions;
  /**
   * A command of Bash that runs for so many milliseconds goes on in the background, and the model with it. Default:
   * only if somebody moves it there.
   */
  readonly backgroundAfterMs?: number;
  /** A command of Bash that reaches its timeout goes on in the background instead of being stopped. Default: false. */
  readonly backgroundOnTimeout?: boolean;
  /**
   * Which built-in agents there are (`general-purpose`, `Explore`, `Plan`): true for all, false for none, or names.
   * Default: true.
   */
  readonly builtInAgents?: boolean | string[];
  /** Limits and prices of models, by `PROVIDER/NAME`, over those of the built-in catalogue. */
  readonly catalogueOverrides?: CatalogueOverrides;
  /**
   * True: the model has the tool RunScript, which runs a script of its own that calls the other tools as functions. An
   * object says how. Default: false.
   */
  readonly codeMode?: boolean | CodeModeOptions;
  /** Tokens the model takes in one request. Default: what the catalogue knows of the model, else 200,000. */
  readonly contextWindow?: number;
  /** True: the main agent only plans, looks and delegates. Default: false. */
  readonly coordinator?: boolean;
  /**
   * True: a call that would have to be asked about, with nobody to ask, waits. The prompt ends with `terminal_reason`
   * `tool_deferred`, and `resume` with `decisions` goes on. False: such a call is denied. Default: false.
   */
  readonly deferPermissions?: boolean;
  /** How long a deferred call waits for a decision, milliseconds; then it is denied. Default: for ever. */
  readonly deferredExpiryMs?: number;
  /** How much work the model puts in. */
  readonly effort?: EffortLevel;
  /** Merged over the host's environment; `undefined` removes a variable. */
  readonly env?: Record<string, string | undefined>;
  /** As `fallbackModel`, with triggers, a price ceiling and a pin. */
  readonly fallback?: FallbackPolicy;
  /** Asked when the model does not answer: a name, or several with commas between them, tried in order. */
  readonly fallbackModel?: string;
  /** False: of subagents only calls and results are sent, not what they write and think. Default: true. */
  readonly forwardSubagentText?: boolean;
  /** Replies that a goal may take which is set in this session. Default: 200. */
  readonly goalMaxTurns?: number;
  /** True: messages say when hooks run. Default: false. */
  readonly includeHookEvents?: boolean;
  /** True: replies are sent in parts too, as they are written. Default: false. */
  readonly includePartialMessages?: boolean;
  /**
   * True: messages say whether the session works, waits for an answer, or is idle. `idle` follows the `result` after
   * which nothing waits. Default: false.
   */
  readonly includeSessionState?: boolean;
  /**
   * False: a person follows the session while it runs, as at a terminal. Told to tools and slash commands in their
   * context; nothing built in reads it. Default: true.
   */
  readonly isNonInteractiveSession?: boolean;
  /** Retries, waits and sizes. */
  readonly limits?: Partial<EngineLimits>;
  /** How deep subagents may start subagents; 0: there are none. Default: 1. */
  readonly maxAgentDepth?: number;
  /**
   * US dollars that the session may cost. Checked before money is spent, so it needs models with a known price.
   * Default: no limit.
   */
  readonly maxBudgetUsd?: number;
  /**
   * Tokens for thinking; 0: none. Models that decide by themselves how much do so. `thinking` says more, and beats it.
   */
  readonly maxThinkingTokens?: number;
  /** The prompt ends after so many replies of the model. Default: no limit. */
  readonly maxTurns?: number;
  /**
   * Whether MCP servers may ask the model of the session, at its cost: never, after the user said yes to each question,
   * or always. Default: 'off'.
   */
  readonly mcpSampling?: 'off' | 'ask' | 'allow';
  /** Keeps what signing in to MCP servers gives, in place of the file of `turnwright login`. */
  readonly mcpTokenStore?: McpTokenStore;
  /**
   * Shows a dialog of a kind that `supportedDialogKinds` names. There is one: `turnwright_refusal_fallback`, whether a
   * model of the fallback chain is asked after another declined to answer.
   */
  readonly onUserDialog?: OnUserDialog;
  /** The tool, of an MCP server for example, that is asked in place of `canUseTool`; the model cannot call it. */
  readonly permissionPromptToolName?: string;
  /** False: nothing is kept on disk. Default: true. */
  readonly persistSession?: boolean;
  /** What the model is told with each prompt in mode `plan`, between what that mode allows and how it ends. */
  readonly planModeInstructions?: string;
  /** False: keys and passwords are left in what the model reads and in what is written. Default: true. */
  readonly redactSecrets?: boolean;
  /**
   * True: a resumed session begins with what the user said in it before, each message with `isReplay`. Default: false.
   */
  readonly replayHistory?: boolean;
  /** True: the messages of the user are sent back as the session takes them. Default: false. */
  readonly replayUserMessages?: boolean;
  /** Names the model of each request. With it nothing is fallen back to, and `setModel` does nothing. */
  readonly resolveModel?: ModelPolicyProvider;
  /** How long `resolveModel` may take, milliseconds. Default: 500. */
  readonly resolveModelTimeoutMs?: number;
  /** Fires the hooks for Setup before the first prompt, with this as their trigger. */
  readonly setup?: 'init' | 'maintenance';
  /**
   * True, with `includePartialMessages`: replies of subagents come event by event too; `parent_tool_use_id` names the
   * call. Default: false.
   */
  readonly streamSubagents?: boolean;
  /** The dialogs that `onUserDialog` can show. Others are not asked for. */
  readonly supportedDialogKinds?: string[];
  /**
   * Tokens of one prompt, input and output. Then the model sums up, and the prompt is a success. Default: no limit.
   */
  readonly taskBudget?: {
    readonly total: number;
  };
  /**
   * True: spans and metrics of the session go to the OpenTelemetry SDK that the process has. An object says whether
   * texts of the conversation go along. Default: `true` if TURNWRIGHT_TELEMETRY or CLAUDE_CODE_ENABLE_TELEMETRY is set.
   */
  readonly telemetry?: boolean | TelemetryOptions;
  /**
   * What the model calls by one name goes to the tool of another: `{ Bash: "mcp__remote__bash" }`. One step, no chain.
   */
  readonly toolAliases?: Record<string, string>;
  /**
   * When tools of MCP servers are left out of requests until the model has searched for them: `auto`, `always`,
   * `never`, or a percentage of the context window in place of the 10 of `auto`. Default: `auto`, or what
   * ENABLE_TOOL_SEARCH says.
   */
  readonly toolSearch?: ToolSearchMode;
  /** One line about each round of tools, asked of the session's model or another: small requests. Default: false. */
  readonly toolUseSummaries?:
    | boolean
    | {
        readonly model?: string;
      };
  /**
   * What may follow from pages, answers of servers, files of others and messages of commits: whether a call that could
   * carry something out of the workspace is asked about or denied from then on. Default: such calls are decided as any
   * other.
   */
  readonly untrustedContent?: UntrustedContentOptions;
  /**
   * True: prompts are what the model reads, letter by letter: a slash at the beginning is no command. Default: false.
   */
  readonly verbatimPrompts?: boolean;
  /** True: a limit of rate or quota whose reset the server names is waited for, however long. Default: false. */
  readonly waitUntilReset?: boolean;
  /**
   * What WebFetch and WebSearch may reach, which model reads pages, and who searches. Default: the public internet; the
   * tier `lite` reads; variables say who searches.
   */
  readonly web?: WebOptions;
}

// protocol/web-options.ts

interface WebOptions {
  /**
   * Hosts that are not on the public internet and may be fetched all the same: `localhost`, `localhost:3000`,
   * `*.corp.example`, `10.0.0.5`, `10.1.0.0/16`. Default: none.
   */
  readonly privateHosts?: readonly string[];
  /** Answers questions about pages; false: nobody does, and pages are shown. Default: the tier `lite` of the provider. */
  readonly model?: string | false;
  readonly search?: WebSearchOptions;
}

declare const SEARCH_PROVIDERS: readonly ['brave', 'tavily', 'exa', 'searxng', 'model'];

/** `model`: the provider of the session's model searches, if its API can. */
type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

interface WebSearchOptions {
  /** Default: the first whose variable is set, in the order brave, tavily, exa, searxng. */
  readonly provider?: SearchProviderName;
  /** Default: the variable of the provider. */
  readonly apiKey?: SecretInput;
  /** Address of its API; for `searxng` of the server. */
  readonly baseUrl?: string;
  /** Results of one search. Default 10. */
  readonly maxResults?: number;
}

// providers/ai-sdk/language-model.ts

declare const AI_SDK_VERSIONS: readonly ['v2', 'v3', 'v4'];

export type AiSdkVersion = (typeof AI_SDK_VERSIONS)[number];

/** A model object of a provider package of the AI SDK, such as `openai('gpt-5')`. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: AiSdkVersion;
  /** For example `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{
    readonly stream: unknown;
  }>;
}

// providers/choice/provider-access.ts

type ModelObjects = ReadonlyMap<string, AiSdkLanguageModel>;

// providers/contract/provider.ts

/** One request, already valid: `engine/request/build-request.ts` made it so. */
export interface ModelRequest {
  readonly model: string;
  /** In order; the stable part first. */
  readonly system: readonly TextBlock[];
  readonly tools: readonly ToolDefinition[];
  /**
   * Oldest first. Contract: a message object is never changed after it was sent once, so a provider may keep its
   * serialised form by identity.
   */
  readonly messages: readonly MessageParam[];
  /** `none`: the model may not call a tool, though it is told of them. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** Limit of the reply, tokens. */
  readonly maxTokens: number;
  readonly thinking?: RequestThinking | undefined;
  readonly effort?: EffortLevel | undefined;
  /** What `Provider.outputSchema` made of the caller's schema: the text of the answer is JSON that fits it. */
  readonly outputSchema?: JsonSchema | undefined;
  /** The server may search the web for the reply. Given to a provider whose `searchesWeb` says yes, and to no other. */
  readonly webSearch?: RequestedSearch | undefined;
}

interface RequestedSearch {
  /** Searches of one reply. */
  readonly maxUses: number;
  /** Host names. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  /** Told parts of the reply that may hold what was found, as the API sends them. Contract: must not throw. */
  onPart(part: unknown): void;
}

/** What is asked for, once it is known of which model: who asks for a budget says how large it is. */
type RequestThinking =
  | Exclude<
      ThinkingConfig,
      {
        readonly type: 'enabled';
      }
    >
  | {
      readonly type: 'enabled';
      readonly budgetTokens: number;
      readonly display?: ThinkingDisplay;
    };

/** `adaptive`: it decides by itself. `budget`: it takes a number of tokens. `none`: it does not think. */
type ThinkingForm = 'adaptive' | 'budget' | 'none';

/** Waits of one attempt, milliseconds. */
interface AttemptLimits {
  /** Longest wait for the first event, whatever pings come before it. 0: no limit. */
  readonly requestTimeoutMs: number;
  /** Longest silence within a reply; comments and pings are signs of life. 0: no limit. */
  readonly streamIdleMs: number;
  /** Longest time within a reply in which only comments and pings come; at least, and by default, `streamIdleMs`. */
  readonly contentIdleMs?: number;
  /** Told what the head of a successful response says of limits of rate and quota; not if it says nothing. */
  readonly onLimitState?: (state: LimitState) => void;
}

export interface Provider {
  /** `anthropic`, `offline` … shown in `system/init`. */
  readonly id: string;
  /** True if requests cost nothing. Absent: the price comes from the catalogue, and is unknown without one. */
  readonly free?: boolean;
  /**
   * The schema in the form in which the API holds an answer of that model to it, or null if the model or the schema
   * cannot be used so. Absent: the API has no such thing. The loop then asks for the value through a tool.
   * Contract: pure; a value that fits what it returns fits `schema`.
   */
  outputSchema?(model: string, schema: JsonSchema): JsonSchema | null;
  /**
   * How that model is asked to think as much as it sees fit; null if that is not known. Absent: its API has words for
   * that, or none are needed. Contract: pure.
   */
  thinkingForm?(model: string): ThinkingForm | null;
  /** Whether the server searches the web for that model. Absent: it does not. Contract: pure. */
  searchesWeb?(model: string): boolean;
  /**
   * Sends one request once and streams the reply.
   * Contract: throws `ModelError` and nothing else; ends normally only after `message_stop`; a stream that ends
   * without it, or falls silent, throws. After an abort throws `ModelError` of kind `aborted` at once. Never retries.
   */
  stream(request: ModelRequest, limits: AttemptLimits, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** One limit of the account or of the rate of requests, as of now. */
interface LimitState {
  /** The server's name for it, such as `five_hour` or `input-tokens`. */
  readonly type: string;
  /** Part of it that is used, 0 to 1; null if that is not said. */
  readonly used: number | null;
  /** Until it is reset, milliseconds; null if that is not said. */
  readonly resetMs: number | null;
  /** The server itself warns of it. */
  readonly isWarned: boolean;
}

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

// providers/http/http-tunnel.ts

/** The way of the requests to one address. */
interface HttpRoute {
  /** An http, https or socks5 URL, with user and password if the proxy wants them. */
  readonly proxy: URL | null;
  /** Authorities in PEM form; null: those that come with the runtime. */
  readonly authorities: readonly string[] | null;
}

// providers/http/routed-fetch.ts

type TransportKind = 'node' | 'fetch';

/**
 * Forces how requests travel, or which way they take; a function says which way the next request takes, undefined:
 * straight, and gives the same object for the same way.
 */
type TransportChoice = TransportKind | HttpRoute | (() => Promise<HttpRoute | undefined>);

// providers/text-calls/tool-call-text.ts

/**
 * A provider whose replies hold real calls if the model wrote them as text: `<tool_call>{…}</tool_call>`,
 * `[TOOL_CALLS][…]`, JSON with name and arguments, and the forms of the other open model families.
 * Contract: a text becomes a call only if it is whole, has the exact name of an offered tool, and is the whole message
 * or stands in marks at its end; text that was shown never holds a part of a call. Arguments are repaired if only one
 * repair is possible. With `native` it is the provider itself.
 */
export declare function withToolCallText(
  provider: Provider & {
    close?(): void;
  },
  profile?: ToolCallProfile,
): Provider & {
  close?(): void;
};

// providers/web/fetch-page.ts

type FetchedPage =
  | {
      readonly kind: 'text';
      /** The address at which it was found, after redirects. */
      readonly url: string;
      readonly status: number;
      /** Markdown of a page, or the text as it was sent. */
      readonly text: string;
      readonly title: string;
      /** True if it was written to be read as it is: no page for browsers. */
      readonly isPlain: boolean;
      /** False: the rest is not there. */
      readonly isWhole: boolean;
    }
  | {
      readonly kind: 'file';
      readonly url: string;
      readonly status: number;
      /** `pdf`, `png`, `jpg`, `gif` or `webp`. */
      readonly extension: string;
      readonly bytes: Uint8Array;
    }
  /** To another host: whether that may be fetched is decided anew. */
  | {
      readonly kind: 'redirect';
      readonly url: string;
      readonly status: number;
      readonly to: string;
    };

// sandbox/command-sandbox.ts

/** Something that a command wanted and did not get. */
export interface SandboxViolation {
  readonly kind: 'file' | 'network' | 'socket';
  /** A path, or `host:port`; '' if the command did not say. */
  readonly target: string;
  /** For people and the model: what was refused. */
  readonly message: string;
}

/** A command as it runs inside. */
export interface WrappedCommand {
  readonly command: readonly string[];
  /** The whole environment of the process that `command` starts. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * To be called once, whatever way the command ended.
   * Contract: takes away what stood ready for this command alone; gives what was refused, without what the settings
   * ignore; never throws.
   * @param printed what the command printed, or its end
   */
  ended(printed: string): Promise<readonly SandboxViolation[]>;
  /**
   * For a program that stays, such as a server, after each thing it did: takes back what could not be held back, as
   * `ended` does, and tells it. Absent if there is nothing of that kind. Never throws.
   */
  inspect?(): Promise<readonly SandboxViolation[]>;
}

/** What `system/init` says of the sandbox. */
export interface SandboxStatus {
  readonly available: boolean;
  readonly mechanism: 'bubblewrap' | 'seatbelt' | null;
  /** Why it is not available, and what to do; null if it is. */
  readonly reason: string | null;
}

export interface CommandSandbox {
  readonly status: SandboxStatus;
  /** True if a call may ask to run outside, which is then asked for on its own. */
  readonly allowsUnsandboxed: boolean;
  /**
   * Contract: the returned command does nothing outside the policy.
   * @throws ToolError if it cannot be confined: then nothing may run
   */
  wrap(command: readonly string[], place: CommandPlace): Promise<WrappedCommand>;
  /**
   * What is kept below `from` is kept at the same places below `to` as well, for commands that start from now on, such as
   * in a worktree of it. Absolute. Absent: it cannot be.
   */
  alsoBelow?(from: string, to: string): void;
  /** Ends what works for the sandbox and removes its files. Contract: may be called twice. */
  close(): Promise<void>;
}

export interface CommandPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** True for a program that stays as long as the session, such as a server of tools. */
  readonly isLasting?: true;
}

// sdk/app-state.ts

/** One store for the process, made on import. A session of `query()` has a store of its own. */
export declare const useAppStateStore: AppStateStore;

// sdk/models/auth.ts

/** A bearer token. It is sent only to a server whose address you set; see `AuthOptions`. */
export declare function accessToken(token: string): AuthOptions;

/** A bearer token out of a variable, by default QODER_PERSONAL_ACCESS_TOKEN. */
export declare function accessTokenFromEnv(envVar?: string): AuthOptions;

/** The keys of the environment, and those that `turnwright login` keeps: the same as no `auth` at all. */
export declare function qodercliAuth(): AuthOptions;

/** Bearer tokens that `fetchToken` gives, such as those of a job or a service account; see `AuthOptions`. */
export declare function tokenProvider(fetchToken: FetchToken, provider?: string): ProviderKeyOptions;

/** The key of a provider. @param provider default: the one that the session's model belongs to */
export declare function apiKey(key: string, provider?: string): ProviderKeyOptions;

/** As `apiKey`, out of a variable that is read when a session starts. */
export declare function apiKeyFromEnv(envVar: string, provider?: string): ProviderKeyOptions;

/** A command that prints the key; see `ProviderKeyOptions`. */
export declare function apiKeyHelper(
  command: string,
  options?: {
    readonly ttlMs?: number;
    readonly provider?: string;
  },
): ProviderKeyOptions;

// sdk/options/sdk-options.generated.ts

/** Options of `query()`: those of the published SDKs, and what this one has beside them. */
export interface Options extends Omit<QueryOptions, 'fallback' | 'model' | 'modelTiers' | 'outputFormat'> {
  /** False: the conversation is compacted only by `/compact` or when the model refuses its length. Default: true. */
  autoCompact?: boolean;
  /**
   * A command of Bash that runs for so many milliseconds goes on in the background, and the model with it. Default:
   * only if somebody moves it there.
   */
  backgroundAfterMs?: number;
  /** A command of Bash that reaches its timeout goes on in the background instead of being stopped. Default: false. */
  backgroundOnTimeout?: boolean;
  /** A budget shared with other sessions, made by `createBudget`; `maxBudgetUsd` is a part of it. */
  budget?: Budget;
  /**
   * Which built-in agents there are (`general-purpose`, `Explore`, `Plan`): true for all, false for none, or names.
   * Default: true.
   */
  builtInAgents?: boolean | string[];
  /** Limits and prices of models, by `PROVIDER/NAME`, over those of the built-in catalogue. */
  catalogueOverrides?: CatalogueOverrides;
  /**
   * True: the model has the tool RunScript, which runs a script of its own that calls the other tools as functions. An
   * object says how. Default: false.
   */
  codeMode?: boolean | CodeModeOptions;
  /** Tokens the model takes in one request. Default: what the catalogue knows of the model, else 200,000. */
  contextWindow?: number;
  /** Which other models a prompt may go to, and when: names or model objects, triggers, a price ceiling, a pin. */
  fallback?: Omit<FallbackPolicy, 'models'> & {
    readonly models?: readonly (string | AiSdkLanguageModel)[];
  };
  /** The machine the session works on. Default: this one. */
  host?: Host;
  /**
   * True: messages say whether the session works, waits for an answer, or is idle. `idle` follows the `result` after
   * which nothing waits. Default: false.
   */
  includeSessionState?: boolean;
  /**
   * False: a person follows the session while it runs, as at a terminal. Told to tools and slash commands in their
   * context; nothing built in reads it. Default: true.
   */
  isNonInteractiveSession?: boolean;
  /**
   * Whether MCP servers may ask the model of the session, at its cost: never, after the user said yes to each question,
   * or always. Default: 'off'.
   */
  mcpSampling?: 'off' | 'ask' | 'allow';
  /** Keeps what signing in to MCP servers gives, in place of the file of `turnwright login`. */
  mcpTokenStore?: McpTokenStore;
  /**
   * `PROVIDER/NAME`, a name, a tier, or `offline`; or a model object of the AI SDK (specification v2, v3 or v4).
   * Default: what settings and variables name, else the first provider that there is a key for.
   */
  model?: string | AiSdkLanguageModel;
  /** Model objects of the AI SDK by names of the host's own, which stand for them wherever a model is named. */
  modelObjects?: Readonly<Record<string, AiSdkLanguageModel>>;
  /** What the tiers stand for: names, and model objects. */
  modelTiers?: Readonly<Partial<Record<ModelTier, string | AiSdkLanguageModel>>>;
  /**
   * The answer as data that fits a schema, `structured_output` of the result: `{ type: 'json_schema', schema }`, or the
   * schema itself. With one of Zod the value has its type.
   */
  outputFormat?: OutputFormatOption | JsonSchema | ZodLike;
  /** Begun with each prompt for the model: gives texts that go along with it, as `QueryEngineConfig.prefetch`. */
  prefetch?: (prompt: PrefetchedPrompt) => Promise<readonly string[]>;
  /** Answers the model requests, instead of the provider that `model` and the environment choose. */
  provider?: Provider | AiSdkLanguageModel;
  /**
   * True: a resumed session begins with what the user said in it before, each message with `isReplay`. Default: false.
   */
  replayHistory?: boolean;
  /** Fires the hooks for Setup before the first prompt, with this as their trigger. */
  setup?: 'init' | 'maintenance';
  /**
   * True, with `includePartialMessages`: replies of subagents come event by event too; `parent_tool_use_id` names the
   * call. Default: false.
   */
  streamSubagents?: boolean;
  /**
   * True: the model keeps its list item by item, with TaskCreate, TaskGet, TaskUpdate and TaskList in place of
   * TodoWrite. Default: false.
   */
  taskTools?: boolean;
  /**
   * True: spans and metrics of the session go to the OpenTelemetry SDK that the process has. An object says whether
   * texts of the conversation go along. Default: `true` if TURNWRIGHT_TELEMETRY or CLAUDE_CODE_ENABLE_TELEMETRY is set.
   */
  telemetry?: boolean | TelemetryOptions;
  /**
   * When tools of MCP servers are left out of requests until the model has searched for them: `auto`, `always`,
   * `never`, or a percentage of the context window in place of the 10 of `auto`. Default: `auto`, or what
   * ENABLE_TOOL_SEARCH says.
   */
  toolSearch?: ToolSearchMode;
  /** One line about each round of tools, asked of the session's model or another: small requests. Default: false. */
  toolUseSummaries?:
    | boolean
    | {
        readonly model?: string;
      };
  /**
   * True: you vouch for the folder, so that its settings, hooks, servers and skills act. False: naming its settings in
   * `settingSources` reads them and vouches for nothing. Default: what `settingSources` says.
   */
  trustFolder?: boolean;
  /**
   * What WebFetch and WebSearch may reach, which model reads pages, and who searches. Default: the public internet; the
   * tier `lite` reads; variables say who searches.
   */
  web?: WebOptions;
}

// sdk/permissions/check-permission.ts

/** A call, and what holds for it. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default `default`. */
  readonly mode?: PermissionMode;
  readonly rules?: Readonly<Partial<Record<PermissionBehavior, readonly string[]>>>;
  /** Working directory. Default: that of the host. */
  readonly cwd?: string;
  /** Folders of the workspace beside it. */
  readonly roots?: readonly string[];
  /** Default: that of the host. */
  readonly home?: string;
  /**
   * False: nobody vouches for the folder. True: the host does, for what its repository starts too. Default: true for its
   * settings; of its repository, what the user vouched for.
   */
  readonly trusted?: boolean;
  /** True: commands run in a sandbox, with its defaults. Default false. */
  readonly sandbox?: boolean;
}

export interface RuleReport {
  readonly rules: number;
  readonly examples: readonly CheckedExample[];
  /** Rules that are understood, and probably not meant so. */
  readonly faults: readonly {
    readonly behavior: PermissionBehavior;
    readonly rule: string;
    readonly problem: string;
  }[];
  /** Rules that cannot be used. */
  readonly problems: readonly string[];
}

// sdk/permissions/permissions.ts

/**
 * What would be decided about a call. Reads the file system, to follow links; runs nothing, asks nobody.
 * @throws ConfigError for a question that cannot be understood
 */
export declare function checkPermission(question: PermissionQuestion, host?: Host): Promise<PermissionDecision>;

/**
 * What a command line would start, and which files it names, as far as it can be told without running it.
 * @param place absolute folders: where it would run, and what `~` is
 */
export declare function explainCommand(
  command: string,
  place: {
    readonly cwd: string;
    readonly home: string | null;
  },
): Promise<CommandReading>;

/**
 * Looks over the rules of a folder's settings: whether they can be used, whether their examples hold, and which are wider
 * than they look or never count.
 * @throws ConfigError if the options are wrong
 */
export declare function testPermissionRules(
  options?: SettingsOptions & {
    readonly cwd?: string;
  },
  host?: Host,
): Promise<RuleReport>;

// sdk/query-controls.ts

/** @typeParam Message what the stream gives: with a schema of Zod in `outputFormat`, results that have its value */
export interface Query<Message = SDKMessage> extends AsyncGenerator<Message, void>, SessionControls {
  /** Ends the running prompt: no tool starts after this resolves, its result says `aborted`, and the session goes on. With `cancelQueued` the messages that wait are dropped. */
  interrupt(options?: { readonly cancelQueued?: boolean }): Promise<SDKControlInterruptResponse>;
  /** Takes effect on the next tool call. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /**
   * Takes effect on the next model request; also of another provider. Without an argument: back to the session's first
   * model. Rejects with ConfigError if there is no such provider, or no key for it.
   */
  setModel(model?: string): Promise<void>;
  /**
   * Adds messages to the session, after those already there. Each is a prompt of its own, unless its `priority` says
   * otherwise. Resolves when the stream has been read to its end.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /**
   * Sets files back to what they were before a message of the user. Needs `enableFileCheckpointing`.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewindFiles(userMessageId: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
  /**
   * Sets the conversation, the files or both (the default) back to what they were before a message of the user. The next
   * prompt goes on from there. Not while a prompt runs: then, and wherever else it cannot be done, the status is
   * `rejected`.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewind(userMessageId: string, options?: RewindOptions): Promise<RewindResult>;
  /**
   * The models that can be named: the tiers, the session's own, model objects by their names, and what the catalogue
   * lists of the providers that have a key. Behind a provider of the host's own, the objects alone; empty if the list
   * cannot be made. Contract: each `value` can be given to `setModel`; it does not throw.
   */
  getAvailableModels(): Promise<ModelInfo[]>;
  /** The same list, by its other name. */
  supportedModels(): Promise<ModelInfo[]>;
  /** The providers that take a key of one's own, with the models that the catalogue lists; null if there is no list. */
  listByokProviders(): Promise<BYOKProviderInfo[] | null>;
  /** What the server of the session's model tells of the account, if its description has a `usageUrl`; else null. Does not throw. */
  getUsageInfo(): Promise<UsageInfo | null>;
  /**
   * Stops a command that runs in the background, by the id that its `task_started` names; the model is told. Rejects if
   * there is no such task. Contract: nothing of it is alive when this resolves.
   */
  stopTask(taskId: string): Promise<void>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  /** Ends the session at once. The iterator then ends. `reason`: what SessionEnd hooks hear, `other` if it is absent. */
  close(reason?: ExitReason): void;
  /** `close()`, and waits until nothing of the session runs any more: for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The controls that a program rarely needs. Contract: each opens the session when it is not open yet, works between two
 * prompts and while one runs, and rejects with a typed error that says what to do; none of them writes to the stream.
 */
export interface SessionControls {
  /** What a client asks first: commands, agents, models, account. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** The same, read again. */
  reinitialize(): Promise<SDKControlInitializeResponse>;
  /** How full the context window is, and with what. Sends no request. `summary` leaves out the picture and the lists. */
  getContextUsage(options?: { readonly detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  /** Tokens that the model may think, for the next request on; 0: none; null: as the session's options say. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void>;
  /** Sets fields of the settings that `settings` gave, for this session; null takes a field away. Never written to a file. */
  applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes fields to a settings file of the user or of the folder; null takes a field away. In force with the next prompt. */
  updateSettings(source: 'localSettings' | 'userSettings', settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** The settings in force, and those of each source. Keys and tokens are left out. */
  getSettings(): Promise<SDKControlGetSettingsResponse>;
  /** What the session runs with: each option, tool, part of the system prompt and rule, with where it comes from. Sends no request. */
  describeEffectiveConfig(): Promise<EffectiveConfig>;
  /** The permission rules in force, and whose they are. */
  listPermissionRules(): Promise<SDKControlListPermissionRulesResponse>;
  /** Adds folders to the workspace. One that cannot be added is told, and the others are. */
  addDirectories(directories: readonly string[]): Promise<SDKControlAddDirectoriesResponse>;
  /** Says that the model knows a file as it was at that time (milliseconds since 1970), so that Edit asks for no Read. */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** A file of the workspace, for a client that shows it; null if it may not or cannot be read. */
  readFile(
    path: string,
    options?: {
      readonly maxBytes?: number;
      readonly encoding?: 'utf-8' | 'base64';
    },
  ): Promise<SDKControlReadFileResponse | null>;
  /** A title by one small request of the model; null if there is none. With `persist` the session gets it. */
  generateSessionTitle(
    description: string,
    options?: {
      readonly persist?: boolean;
    },
  ): Promise<string | null>;
  /** Gives this session a title. */
  renameSession(title: string): Promise<void>;
  /**
   * Asks the model something beside the conversation: it knows the conversation, has no tools, and forgets the question.
   * Null if there is no answer.
   */
  askSideQuestion(question: string, options?: AskSideQuestionOptions): Promise<SideQuestionResult | null>;
  /** Takes a message back that waits. False if it does not wait any more. */
  cancelAsyncMessage(messageUuid: string): Promise<boolean>;
  /** Sends what runs in the foreground, one call or all, to the background. False if nothing could be sent. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** What a background task has written so far; its end if that is long. */
  getTaskOutput(taskId: string): Promise<SDKControlGetTaskOutputResponse>;
  /** The MCP servers, with all that is known of each. */
  mcpServerStatus(): Promise<McpServerStatus[]>;
  /**
   * The servers that are added while the session runs become these; those it was opened with stay. Resolves once they are
   * connected, or 5 seconds later; what cannot be used is told by its name.
   */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  /** Ends the connection to a server and makes another. Rejects with why there is none. */
  reconnectMcpServer(serverName: string): Promise<void>;
  /** Switches a server off, or on again, for this session. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  /**
   * Calls a tool of an MCP server for the host: `mcp__server__tool`. No model asks for it or sees the answer, and nobody is
   * asked about it; a rule that denies the tool holds. Not for servers that run in the host itself.
   */
  callMcpTool(
    tool: string,
    input?: Readonly<Record<string, unknown>>,
    options?: McpCallOptions,
  ): Promise<SDKControlMcpCallResponse>;
  /** Has the connection to a server use a token that the host got elsewhere, in this session. It is kept nowhere. */
  injectMcpToken(serverName: string, token: McpToken): Promise<void>;
  /** What a server proposes for an argument of a prompt, or of a template of addresses; nothing if it completes none. */
  completeMcpArgument(
    serverName: string,
    params: McpCompleteParams,
  ): Promise<{
    readonly values: string[];
  }>;
  /**
   * The permission mode for the tools of one server, in place of the session's; null: the session's again. Counts from the
   * next call on, but in the modes `plan` and `dontAsk`.
   */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{
    readonly warning?: string;
  }>;
  /**
   * Begins to sign in to an MCP server. Its browser comes back to this machine, or to `redirectUri`, which the host serves;
   * the server is connected again as soon as that is done. Rejects with what is wrong with the server's way to sign in.
   */
  mcpAuthenticate(
    serverName: string,
    redirectUri?: string,
  ): Promise<{
    readonly authUrl?: string;
    readonly requiresUserAction: boolean;
  }>;
  /** The address that the browser came back to, if nobody listened there. Rejects if it is no answer to what was begun. */
  mcpSubmitOAuthCallbackUrl(serverName: string, callbackUrl: string): Promise<void>;
  /** Forgets what signing in to an MCP server gave. */
  mcpClearAuth(serverName: string): Promise<void>;
  /** The hooks of the session, those of settings, plugins and code, for a client that shows them. */
  getHooksListing(): Promise<SDKControlGetHooksListingResponse>;
  /** Files and folders that fit what is typed behind `@`, the best first. What git ignores is left out. */
  suggestFiles(query: string): Promise<SDKControlFileSuggestionsResponse>;
  /**
   * Adds a folder below those that the session began with, and loads what it brings. Rejects for any other, and for one that
   * is there already. Its instruction files come to the model with the first file that it looks at there.
   */
  registerRepoRoot(directory: string, options?: RegisterRootOptions): Promise<void>;
  /** Looks for skills again, on the disk. */
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  reloadPlugins(options?: {
    readonly holdOnCacheImpact?: boolean;
    readonly addPlugins?: readonly SdkPluginConfig[];
    readonly refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  listPlugins(): Promise<PluginDetails[]>;
  /** Whose key pays, as far as it is known. */
  accountInfo(): Promise<AccountInfo>;
  /** What the session has cost. Sends no request. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    readonly skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  setPlanMode(active: boolean): Promise<SDKPlanModeSnapshot>;
  getPlanMode(): Promise<SDKPlanModeSnapshot>;
  /** Sets what the session works towards, or changes its status. Null if there is none afterwards. */
  setGoal(params: SetGoalParams): Promise<SDKGoalSnapshot | null>;
  getGoal(): Promise<SDKGoalSnapshot | null>;
  /** True if there was one. */
  clearGoal(): Promise<boolean>;
  /** How many turns a goal may take; null: as many as by default. @returns the number in force */
  setGoalMaxTurns(maxTurns: number | null): Promise<number>;
  /** The proxy of the next model request on; null or nothing: what the variables say. */
  setProxy(proxy?: string | null): Promise<void>;
  listByokConfigs(): Promise<ByokConfigInfo[]>;
  createByokConfig(input: CreateByokConfigInput): Promise<ByokConfigReference>;
  updateByokConfig(input: UpdateByokConfigInput): Promise<void>;
  deleteByokConfig(target: DeleteByokConfigInput): Promise<void>;
  /** Tries a configuration with one small request. */
  checkByokConfig(input: CheckByokConfigInput): Promise<ByokConfigCheckResult>;
  /** Tries a model with a key. Null if it could not be tried. */
  validateByokModel(input: BYOKModelValidationInput): Promise<boolean | null>;
  flushMemory(): Promise<void>;
  refreshMemory(): Promise<void>;
  flushSkillEvolution(): Promise<void>;
}

// sdk/query.ts

export interface QueryParams {
  /**
   * Text for one prompt, or an iterable for a session of several. Each message is a prompt with a result of its own;
   * one with a `priority` may join a prompt that runs, or interrupt it.
   */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/** Parameters that ask for a value by a schema of Zod. */
export interface QueryParamsFor<Schema extends ZodLike> extends Omit<QueryParams, 'options'> {
  readonly options: Omit<Options, 'outputFormat'> & {
    readonly outputFormat: OutputFormatOption<Schema> | Schema;
  };
}

/**
 * Runs a session and streams its messages. For each prompt: one `system/init` first, one `result` last.
 * Contract: nothing runs before the first `next()`; leaving the loop early ends the session and all it started.
 * @throws ConfigError or SessionError from the first `next()` if the options cannot be used; AbortError after the
 *   result if `abortController` was aborted; ModelPolicyTimeoutError after it if `resolveModel` was too slow
 */
export declare function query<Schema extends ZodLike>(
  params: QueryParamsFor<Schema>,
): Query<SDKMessageWith<Schema['_output']>>;

export declare function query(params: QueryParams): Query;

// sdk/schemas/output-format.ts

/** The answer as data: what it must fit, as a JSON Schema or as a schema of Zod 3 or 4. */
export interface OutputFormatOption<Schema extends JsonSchema | ZodLike = JsonSchema | ZodLike> {
  readonly type: 'json_schema';
  readonly schema: Schema;
}

/** Endings that are a success only with a value, if one was asked for. */
type EndsWithValue = Extract<TerminalReason, 'completed' | 'task_budget'>;

/** A result of a prompt that asked for a value of that type: `completed` has one, and an error has none. */
export type SDKResultWith<Value> =
  | (Omit<SDKResultSuccess, 'structured_output' | 'terminal_reason'> & {
      readonly terminal_reason: EndsWithValue;
      readonly structured_output: Value;
    })
  | (Omit<SDKResultSuccess, 'structured_output' | 'terminal_reason'> & {
      readonly terminal_reason: Exclude<TerminalReason, EndsWithValue>;
      readonly structured_output?: undefined;
    })
  | SDKResultError;

/** The messages of a session whose answers are values of that type. */
export type SDKMessageWith<Value> = Exclude<SDKMessage, SDKResultMessage> | SDKResultWith<Value>;

// sdk/schemas/zod-schema.ts

/** A Zod 4 or Zod 3 schema, as far as this package looks at one. */
interface ZodLike {
  safeParseAsync(value: unknown): Promise<
    | {
        readonly success: true;
        readonly data: unknown;
      }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly ZodIssueLike[];
        };
      }
  >;
  readonly _output: unknown;
}

interface ZodIssueLike {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A field object such as `{ name: z.string() }`, not `z.object(...)`. */
export type AnyZodRawShape = {
  readonly [field: string]: ZodLike;
};

type OptionalKeys<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: undefined extends Shape[Key]['_output'] ? Key : never;
}[keyof Shape];

type Flatten<T> = {
  [Key in keyof T]: T[Key];
};

/** The arguments a shape describes. Fields that may be undefined are optional. */
export type InferShape<Shape extends AnyZodRawShape> = Flatten<
  {
    [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: Shape[Key]['_output'];
  } & {
    [Key in OptionalKeys<Shape>]?: Shape[Key]['_output'];
  }
>;

// sdk/sessions.ts

/**
 * The sessions of a folder, of its worktrees, or of all folders; the one written last first.
 * Contract: reads the names of all, and the ends of the transcripts of the page; a damaged transcript is left out.
 * @throws ConfigError for options that cannot be used, such as a store that cannot list
 */
export declare function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]>;

/**
 * One session; undefined if there is none of that id, or nothing in it to make a title of.
 * @throws SessionError if the id is no UUID
 */
export declare function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined>;

/**
 * The conversation of a session, oldest first: what a resumed session goes on with, or with `view: 'historical'` all of
 * it. A reply may come as several messages with one `message.id`.
 * @returns empty if there is no such session
 * @throws SessionError if the id is no UUID, or the transcript cannot be read
 */
export declare function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]>;

/**
 * The ids of the subagents that a session started, sorted; none if there is no such session.
 * @throws SessionError if the id is no UUID; ConfigError for a store that cannot list them
 */
export declare function listSubagents(sessionId: string, options?: ListSubagentsOptions): Promise<string[]>;

/**
 * The conversation of a subagent, oldest first.
 * @returns empty if there is no such session or subagent
 * @throws SessionError if the session's id is no UUID; ConfigError if the agent's could not be one
 */
export declare function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]>;

/**
 * Gives a session a title, which goes before every other. May be called while the session runs.
 * @throws SessionError if there is no such session, or it cannot be written; ConfigError if the title is empty
 */
export declare function renameSession(
  sessionId: string,
  title: string,
  options?: SessionMutationOptions,
): Promise<void>;

/**
 * Tags a session. A session has one tag at most. May be called while the session runs.
 * @param tag null takes the tag away
 * @throws SessionError if there is no such session, or it cannot be written; ConfigError if the tag is empty
 */
export declare function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void>;

/**
 * Marks a session as archived. Lists still have it, with `archived: true`; a prompt sent to it later takes that back.
 * @throws SessionError if there is no such session; ConfigError with a store, which has no place for the mark
 */
export declare function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void>;

/** Takes the mark of `archiveSession` back: lists then have `archived: false`. Throws as that does. */
export declare function unarchiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void>;

/**
 * Deletes a session: its transcript and everything beside it, such as subagents, checkpoints and kept output. With a
 * store it calls that store's `delete`; a store without one keeps the session, and that is no error.
 * Contract: nothing of it is left when this resolves; if it rejects, the session is still found.
 * @throws SessionError if there is no such session, if another process writes it (`session_in_use`) and `force`
 *   is not given, or if something cannot be removed
 */
export declare function deleteSession(sessionId: string, options?: DeleteSessionOptions): Promise<void>;

/**
 * Removes what nobody needs any more from the home: sessions that are too old or too much, if that was asked for,
 * and what crashes left: content that no session names, folders without a session, locks of processes that are gone,
 * halves of writes.
 * Contract: never a session that runs; a removal that fails is in the result, not thrown. Without `olderThanDays` and
 * `maxBytes` no session is deleted.
 * @throws ConfigError for options that cannot be used
 */
export declare function cleanSessions(options?: CleanSessionsOptions): Promise<CleanSessionsResult>;

/**
 * Copies a session, or its beginning, into a new one beside it, which can be resumed. Every entry gets a new uuid and
 * names the one it came from (`forkedFrom`). On the disk its subagents, large content and checkpoints are copied too; its
 * tag and its bill stay with the original.
 * @throws SessionError if there is no such session, or no such message in it; ConfigError if the title is empty
 */
export declare function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<ForkSessionResult>;

/**
 * Copies a session of the disk into a store, with the transcripts of its subagents. May be repeated: the store tells
 * entries apart by their uuid. Lines that cannot be read are left out.
 * @throws SessionError if there is no such session, or it cannot be read; whatever the store throws
 */
export declare function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void>;

/**
 * The whole conversation of a session as one text, what compactions replaced included, with its subagents and costs.
 * Contract: nothing in a session can become markup, a script or a load from elsewhere. Thinking is left out unless
 * asked for.
 * @throws SessionError if there is no such session, or it cannot be read; ConfigError for an unknown format
 */
export declare function exportSession(sessionId: string, options?: ExportSessionOptions): Promise<string>;

/**
 * The messages of the user that a session can go back to, oldest first, also from before a compaction, with the files
 * that each prompt changed. Of a `sessionStore` nothing is known of files.
 * @throws SessionError if there is no such session, or it cannot be read
 */
export declare function listRewindPoints(
  sessionId: string,
  options?: ListRewindPointsOptions,
): Promise<SessionRewindPoint[]>;

/**
 * As `rewind` of a running session: sets conversation, files or both (the default) back to before a message of the user.
 * Starts no model, tool or hook. In a `sessionStore` only the conversation can be set back, and `dir` must be there.
 * @param messageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
 * @throws SessionError if there is no such session, or another process writes it; ConfigError if its folder is gone
 */
export declare function rewindSession(
  sessionId: string,
  messageId: string,
  options?: RewindSessionOptions,
): Promise<RewindResult>;

// sdk/sessions/change-sessions.ts

/** What was removed, what should have been and could not, and what is left. */
export type CleanSessionsResult = GarbageReport;

// sdk/sessions/session-options.ts

/** What every function over stored sessions takes. */
export interface SessionFunctionOptions {
  /** The working directory whose sessions are meant. Absent: every folder is looked in. */
  dir?: string;
  /** The sessions of this store instead of those on the disk. `dir` then names the project; absent, this folder. */
  sessionStore?: SessionStore;
  /** The machine whose sessions are meant. Default: this one. */
  host?: Host;
  /** Variables merged over those of the host, such as `TURNWRIGHT_HOME`. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface ListSessionsOptions extends SessionFunctionOptions {
  /** Sessions at most. Default: all. */
  limit?: number;
  /** Sessions to pass over, the newest first. Default 0. */
  offset?: number;
  /** With `dir`: also the sessions of the other worktrees of its git repository. Not with a store. Default true. */
  includeWorktrees?: boolean;
  /** False: without the sessions that other SDKs marked as started by a program. Not with a store. Default true. */
  includeProgrammatic?: boolean;
}

export type GetSessionInfoOptions = SessionFunctionOptions;

export type SessionMutationOptions = SessionFunctionOptions;

export type ListSubagentsOptions = SessionFunctionOptions;

/** `runtime`: what a resumed session goes on with. `historical`: also what compactions replaced, without their summaries. */
export type SessionMessageView = 'runtime' | 'historical';

export interface GetSessionMessagesOptions extends SessionFunctionOptions {
  limit?: number;
  /** Messages to pass over, the oldest first. Default 0. */
  offset?: number;
  /** Also messages of type `system`, such as the boundary of a compaction. Default false. */
  includeSystemMessages?: boolean;
  /** Default `runtime`. */
  view?: SessionMessageView;
}

export interface GetSubagentMessagesOptions extends SessionFunctionOptions {
  limit?: number;
  offset?: number;
}

export interface DeleteSessionOptions extends SessionFunctionOptions {
  /** True: also a session that another process writes. What that process writes from then on is lost. Default false. */
  force?: boolean;
}

export interface CleanSessionsOptions extends Pick<SessionFunctionOptions, 'host' | 'env'> {
  /** Sessions that were not written for so many days are deleted. Default: none for their age. */
  olderThanDays?: number;
  /** The oldest sessions are deleted until all take no more than so many bytes. Default: none for their size. */
  maxBytes?: number;
  /** True: nothing is removed; the result says what would be. Default false. */
  dryRun?: boolean;
  /** Ends the work between two removals. */
  signal?: AbortSignal;
}

export interface ForkSessionOptions extends SessionFunctionOptions {
  /** The last message of the original that the fork has, by its uuid. Default: all. */
  upToMessageId?: string;
  /** Default: the title of the original and " (fork)". */
  title?: string;
}

export interface ForkSessionResult {
  /** Id of the new session. */
  readonly sessionId: string;
}

export interface ImportSessionToStoreOptions extends Omit<SessionFunctionOptions, 'sessionStore'> {
  /** False: without the transcripts of subagents. Default true. */
  includeSubagents?: boolean;
  /** Entries given to the store at a time. Default 100. */
  batchSize?: number;
}

export type ListRewindPointsOptions = SessionFunctionOptions;

export interface RewindSessionOptions extends ListRewindPointsOptions, RewindOptions {}

/** A message of the user that a session can go back to. */
export interface SessionRewindPoint {
  readonly uuid: string;
  /** What was said, one line of 200 characters at most. */
  readonly prompt: string;
  /** Milliseconds since the epoch; absent if it is not known. */
  readonly at?: number;
  /** Absolute paths that the prompt changed; null if there is no checkpoint of it. */
  readonly filesChanged: readonly string[] | null;
}

export type ExportFormat = 'markdown' | 'html' | 'json';

export interface ExportSessionOptions extends SessionFunctionOptions {
  /** Default `markdown`. */
  format?: ExportFormat;
  /** True: with the model's thinking. Default false. */
  includeThinking?: boolean;
  /** Characters of one tool input or result that Markdown and HTML show; what is cut is said. Default 10,000. */
  maxResultChars?: number;
}

// sdk/settings/resolve-settings.ts

/** Whose settings: files of the user, the project, the folder; the option `settings`; the machine. */
export type ResolvedSettingSource = SettingSource | 'flag' | 'managed';

export interface ResolveSettingsOptions {
  /** Default: the folder of the process. */
  readonly cwd?: string;
  /** Absent: all; `[]`: managed ones alone. */
  readonly settingSources?: SettingSource[];
  readonly settings?: string | Settings;
  readonly managedSettings?: Settings;
  /** True: you vouch for the folder. Default: what `settingSources` says. */
  readonly trustFolder?: boolean;
  readonly host?: Host;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ProvenanceEntry {
  source: ResolvedSettingSource;
  /** Absent for settings that were given as an object. */
  path?: string;
}

export interface ResolvedSettings {
  /** What counts. */
  effective: Settings;
  /** For each key of it, the strongest source that says something. */
  provenance: {
    [Key in keyof Settings]?: ProvenanceEntry;
  };
  /** What each source says, from the weakest to the strongest, whether it counts or not. */
  sources: {
    source: ResolvedSettingSource;
    settings: Settings;
    path?: string;
  }[];
}

/** @throws ConfigError if the options cannot be used */
export declare function resolveSettings(options?: ResolveSettingsOptions): Promise<ResolvedSettings>;

/** What counts, without a permission mode that asks less and that the repository chose. */
export declare function filterEscalatingDefaultMode(resolved: ResolvedSettings): Settings;

// sdk/startup.ts

type Prompt = string | AsyncIterable<SDKUserMessage>;

export interface StartupParams {
  readonly options?: Options;
  /** The longest it may take to get ready, milliseconds. Default 60,000. */
  readonly initializeTimeoutMs?: number;
}

/** A session that is ready and waits for its prompt. */
export interface WarmQuery<Session = Query> {
  /** Gives it its prompt. Once. */
  query(prompt: Prompt): Session;
  /** Ends it without one. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is settled only when the session is. */
export interface ClaimOptions {
  /** The folder of the session. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Beside those of the options. Relative ones start from `cwd`. */
  readonly additionalDirectories?: string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxThinkingTokens?: number | null;
  /** Beat those of the options key by key. */
  readonly settings?: {
    readonly [Key in keyof Settings]?: Settings[Key] | null;
  };
  readonly appendSystemPrompt?: string;
  readonly title?: string;
  readonly agents?: Record<string, AgentDefinition>;
}

/** Options that are checked and an engine that is loaded, for a session that is not known yet. */
export interface SpareProcess<Session = Query> {
  /** Starts the session. Once. */
  claim(params: { readonly prompt: Prompt; readonly options: ClaimOptions }): Session;
  /** Settles when the session is open; rejects if it cannot be opened, or `close()` came before. */
  readonly claimed: Promise<{
    readonly cwd: string;
    readonly sessionId: string;
    readonly parkedMs?: number;
    readonly sdkMcpSettled: boolean;
  }>;
  /** Settles when it, or the session it became, was closed. */
  readonly exited: Promise<void>;
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a session: options are checked, settings read, servers started. Its prompt comes later.
 * @throws ConfigError or SessionError if it cannot be opened, EngineError if it takes too long
 */
export declare function startup(params?: StartupParams): Promise<WarmQuery>;

/**
 * Checks options that all sessions share and loads what sessions need, so that one starts at once when its folder is known.
 * Contract: no session is kept and no prompt sent before `claim`.
 * @throws ConfigError if the options cannot be used, EngineError if it takes too long
 */
export declare function prewarm(params?: StartupParams): Promise<SpareProcess>;

// sdk/tools/tool.ts

/** What a tool may know of the call beside its arguments, and do while it runs. */
type RequestHandlerExtra = Required<Omit<McpCallExtra, 'sessionId'>> & Pick<McpCallExtra, 'sessionId'>;

export type ToolExtras = {
  readonly annotations?: ToolAnnotations;
  /** Words that ToolSearch finds it by, beside its name, its description and its arguments. */
  readonly searchHint?: string;
  /** True: it is in every request, however many tools there are. */
  readonly alwaysLoad?: boolean;
};

/** A Zod raw shape (3 or 4), a Zod object, or a JSON Schema object. */
type ToolInputSchema = AnyZodRawShape | ZodLike | JsonSchema;

/** The arguments a handler gets for an input schema. A JSON Schema says nothing to the type checker. */
type InferInput<Schema> = Schema extends ZodLike
  ? Schema['_output']
  : Schema extends AnyZodRawShape
    ? InferShape<Schema>
    : Record<string, unknown>;

export interface SdkMcpToolDefinition<Schema = ToolInputSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations?: ToolAnnotations;
  readonly searchHint?: string;
  readonly alwaysLoad?: boolean;
  handler(args: InferInput<Schema>, extra: RequestHandlerExtra): Promise<CallToolResult>;
}

/**
 * Declares a tool. Names and descriptions are checked when a server takes it.
 * @param inputSchema types the handler's `args`, and every call is validated against it
 * @param handler Contract: called once per allowed call; a throw becomes an error result the model reads
 */
export declare function tool<const Schema extends ToolInputSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferInput<Schema>, extra: RequestHandlerExtra) => Promise<CallToolResult>,
  extras?: ToolExtras,
): SdkMcpToolDefinition<Schema>;

export interface CreateSdkMcpServerOptions {
  /** Becomes part of the tools' full names: `mcp__{name}__{tool}`. */
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  /** True: its tools are in every request, however many tools there are. */
  readonly alwaysLoad?: boolean;
  readonly tools?: readonly SdkMcpToolDefinition<any>[];
}

/** @throws ConfigError for an empty name or description, or two tools of one name. */
export declare function createSdkMcpServer(
  options: CreateSdkMcpServerOptions,
): McpSdkServerConfigWithInstance<McpSdkServer>;

// secrets/secret-vault.ts

/** `typed`: the user handed it over, so it goes wherever a call takes it. `found`: something that was read holds it. */
type SecretOrigin = 'typed' | 'found';

/** What a text with placeholders goes to. `file`: into one that holds `text` now. */
type SecretPlace =
  | {
      readonly kind: 'sandbox';
    }
  | {
      readonly kind: 'outside';
    }
  | {
      readonly kind: 'file';
      readonly text: string;
    };

/** Why a placeholder stayed. `shell`: the shell would act on what the secret holds. */
type WhyKept = 'unknown' | 'own' | 'found' | 'shell';

/** A text with secrets in place of placeholders, and the placeholders that stayed. */
interface Restored {
  readonly text: string;
  readonly kept: readonly {
    readonly placeholder: string;
    readonly why: WhyKept;
    readonly variable: string;
  }[];
}

/** Takes a text that comes in pieces, such as the output of a command. */
interface HiddenStream {
  /** What of the text so far may be shown. What a secret may still continue waits for more. */
  push(text: string): Promise<string>;
  /** What waits, if that is a line without an end and nothing in it looks like a secret; else nothing. It still waits. */
  line(): string;
  /** The rest. */
  end(): Promise<string>;
}

interface OpenVault {
  /** The text with a placeholder in each secret's place. Secrets are remembered, so that a call may use them. */
  hide(text: string, origin: SecretOrigin): Promise<string>;
  /** As `SecretVault.hide`. */
  hideIn<T>(value: T, origin: SecretOrigin, isMessage: boolean): Promise<T>;
  restore(text: string, place: SecretPlace): Promise<Restored>;
  /** As `restore`, for a shell: also the variables that the command names in place of placeholders. */
  restoreCommand(
    command: string,
    place: SecretPlace,
  ): Promise<
    Restored & {
      readonly env: Readonly<Record<string, string>>;
    }
  >;
  stream(): HiddenStream;
}

interface SecretVault {
  /** False if the text surely holds none. Contract: cheap. */
  suspects(text: string): boolean;
  /** As `suspects`, of all texts of a JSON value. @param isMessage as in `hide` */
  suspectsIn(value: unknown, isMessage: boolean): boolean;
  /** False if the text surely names no secret by its placeholder. */
  mayHoldPlaceholder(text: string): boolean;
  /**
   * All texts of a JSON value without secrets; the very same value if there are none.
   * @param isMessage true for a message or its blocks: their ids, signed thinking and media stay as they are
   */
  hide<T>(value: T, origin: SecretOrigin, isMessage: boolean): T | Promise<T>;
  open(): Promise<OpenVault>;
  /** How many secrets were found since the last call, by kind; each counts once. */
  takeFound(): ReadonlyMap<string, number>;
}

// session/config/config.ts

/** Where a session is in its life, told to `setSDKStatus`. */
type SessionStatus = 'running' | 'awaiting_input' | 'completed' | 'failed' | 'aborted';

/** A permission request that an earlier session did not get answered. */
export interface OrphanedPermission {
  readonly toolUseID: string;
  readonly toolName: string;
  /** As the call has it in the conversation; another one is told by a notice and not used. */
  readonly input: Record<string, unknown>;
}

/** Fields of spec 000, section 9.2. */
export interface QueryEngineConfig extends EngineExtensions {
  readonly cwd: string;
  readonly tools: Tools;
  readonly commands: readonly Command[];
  readonly mcpClients: readonly MCPServerConnection[];
  /** MCP servers that are programs: the session starts them with its first prompt, watches them, and ends them. */
  readonly mcpServers?: readonly McpServerDefinition[];
  /** Which MCP servers there may be, as settings say. */
  readonly mcpServerLists?: ServerLists;
  /** Keeps what signing in to MCP servers gives. Default: the file of `turnwright login`. */
  readonly mcpTokenStore?: McpTokenStore;
  readonly agents: readonly (AgentDefinition & {
    readonly name?: string;
  })[];
  /** Tools that the main agent does not have: only an agent of `agents` whose `tools` name one has it. */
  readonly agentTools?: Tools;
  /** Agents in files of the project and of the user. */
  readonly agentFiles?: AgentFiles;
  /** Asked before each prompt but the first: what files say now, if they are others by now; else null. */
  readonly reopenAgents?: (isAsked?: boolean) => Promise<AgentFiles | null>;
  /** Asked before every call that `permissions` does not decide; without `permissions`, before every call. */
  readonly canUseTool: CanUseTool | undefined;
  /** Names that the model may call, and the tool that is meant. One step, no chain. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly getAppState: () => AppState;
  readonly setAppState: (change: (previous: AppState) => AppState) => void;
  readonly initialMessages?: readonly Message[];
  readonly readFileCache: FileStateCache;
  readonly customSystemPrompt?: string | readonly string[];
  readonly appendSystemPrompt?: string;
  /**
   * True: the system prompt of the first request is that of every later one, also once the session is resumed, until its
   * conversation is compacted. False: it is made anew with each prompt. Absent: it stays, and the model is told of changes.
   */
  readonly systemPromptSnapshot?: boolean;
  /** True: what the machine is like goes along with the first message, so that the system prompt is the same elsewhere. */
  readonly environmentBeside?: boolean;
  readonly userSpecifiedModel?: string;
  readonly fallbackModel?: string;
  readonly thinkingConfig?: ThinkingConfig;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly taskBudget?: {
    readonly total: number;
  };
  readonly jsonSchema?: Record<string, unknown>;
  /** Has the last word on a value that fits `jsonSchema`, and makes of it what the result has. */
  readonly parseOutput?: ParseOutput;
  readonly verbose?: boolean;
  readonly replayUserMessages?: boolean;
  /** Answers the model's questions. With it the model has the tool AskUserQuestion. */
  readonly handleElicitation?: OnElicitation;
  readonly includePartialMessages?: boolean;
  /** True: a resumed session begins with what the user said before, marked as a replay. */
  readonly replayHistory?: boolean;
  /** True: messages say whether the session works, waits for an answer, or is idle. */
  readonly includeSessionState?: boolean;
  readonly setSDKStatus?: (status: SessionStatus) => void;
  readonly abortController?: AbortController;
  readonly orphanedPermission?: OrphanedPermission;
  /**
   * Called after a compaction, with the message that marks its boundary and the conversation as it was before: gives
   * the one to go on with in place of the summary, or nothing. Called too before the first prompt of a resumed session
   * whose conversation begins with a summary, which is then its first message.
   */
  readonly snipReplay?: (
    yieldedSystemMsg: SDKCompactBoundaryMessage,
    store: Message[],
  ) =>
    | {
        messages: Message[];
        executed: boolean;
      }
    | undefined;
}

/** A notice known before the first prompt; told right after `system/init`. */
interface PendingNotice
  extends Pick<SDKNoticeMessage, 'code' | 'message' | 'remedy' | 'setting' | 'settings' | 'data'> {
  /** Default `warning`. */
  readonly level?: SDKNoticeMessage['level'];
}

/** The prompt as `prefetch` sees it. */
export interface PrefetchedPrompt {
  readonly text: string;
  readonly cwd: string;
  /** Aborted with the prompt: its answer is no longer waited for. */
  readonly signal: AbortSignal;
}

/** When settings are looked at again: before a prompt, or between two turns of one. */
type SettingsMoment = 'prompt' | 'turn';

/** What the settings come to after a change. */
interface SettingsChange {
  readonly files: readonly {
    readonly scope: SettingScope;
    readonly file: string;
  }[];
  /** Keys whose values are others now. */
  readonly keys: readonly string[];
  /** In place of what the session began with. */
  readonly base: Pick<PermissionContext, 'deny' | 'ask' | 'allow' | 'roots'> &
    Required<Pick<PermissionContext, 'disableBypass' | 'isTrusted'>> &
    Confinement;
  readonly live: LiveSettings;
  readonly commandHooks: readonly CommandHook[];
  /** True: hooks of plugins do not run. */
  readonly onlyManagedHooks?: boolean;
  /** What is to be told of the new settings themselves. */
  readonly notices: readonly PendingNotice[];
}

/** A change that may still be refused in part. */
interface OfferedChange extends SettingsChange {
  /** What is left of it if these files count as before, until they change again. Null: nothing. @throws ConfigError */
  without(files: SettingsChange['files']): Promise<SettingsChange | null>;
}

/** Values of a session that a change of its settings changes. Undefined: as without a setting. */
interface LiveSettings extends Pick<QueryEngineConfig, 'thinkingConfig' | 'effort' | 'language' | 'attribution'> {
  /** The model, if it was not named in another way. */
  readonly model?: string;
}

/** What Turnwright adds: all optional, so that a plain spec 000 configuration is complete. */
interface EngineExtensions extends PassedOptions {
  /** The machine. Default: this one. */
  readonly host?: Host;
  /** Answers the requests; a model object of the AI SDK will do. Default: chosen by `userSpecifiedModel` and the environment. */
  readonly provider?: Provider | AiSdkLanguageModel;
  readonly apiKeySource?: ApiKeySource;
  /** Keys, providers of one's own, tiers, proxies: how models are reached. */
  readonly models?: ModelOptions;
  /** What `resolveModel` is shown as `availableModels`. Default: nothing. */
  readonly listModels?: () => Promise<ModelInfo[]>;
  /** Rules, mode and workspace. Absent: `canUseTool` decides every call. */
  readonly permissions?: PermissionContext;
  /** True if the host vouches for the folder: what its own repository starts counts as it stood. Default false. */
  readonly isFolderGranted?: boolean;
  /**
   * Keeps permission updates beyond the session, as far as their destination is a settings file. Gives what is to be
   * told; a rejection denies the call that was answered with them. Absent: they hold for the session alone.
   */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<readonly PendingNotice[]>;
  /** The settings files that were read, for `system/init`. */
  readonly settingsFiles?: SDKSystemMessage['settings_files'];
  /**
   * Asked before each prompt, and between turns: what the settings come to, if a file of theirs changed since; else
   * null. Contract: between turns null at once if the session has no settings.
   */
  readonly reopenSettings?: (moment: SettingsMoment) => Promise<OfferedChange | null> | null;
  /** The settings that the host gave, and changes while the session runs; read by `reopenSettings`. */
  readonly flagSettings?: {
    /** Fields in place of those of before; null takes one away. */
    change(fields: FlagChanges): void;
    /** What was changed so far. */
    readonly changes: FlagChanges;
  };
  readonly additionalDirectories?: readonly string[];
  /** What commands may do. Default: commands run as they are. */
  readonly sandbox?: SandboxSettings;
  /** What the model adds to commits and pull requests. Default: nothing. */
  readonly attribution?: Attribution;
  /** The language the model answers in, such as `German`. Default: the user's own. */
  readonly language?: string;
  /** UUID of the session. Default: a new one. */
  readonly sessionId?: string;
  /** Title of a new session. A resumed session keeps its own. */
  readonly title?: string;
  /**
   * Who gives a new session a title: its first prompt, which costs nothing, or the model, by one small request more.
   * Default `prompt`.
   */
  readonly titles?: 'prompt' | 'model';
  /** Sessions of the same home that were not written for so many days are deleted. Absent: none is. */
  readonly cleanupPeriodDays?: number;
  /** Gets every entry of the transcript as well; with `persistSession: false`, alone. */
  readonly sessionStore?: SessionStore;
  /** Default `batched`. */
  readonly sessionStoreFlush?: SessionStoreFlush;
  /** True: the session goes on as a copy of another. */
  readonly isFork?: boolean;
  /** Transcript uuid that the next message follows, for a resumed session. */
  readonly resumedFrom?: string | null;
  /** What an earlier process used and decided in a resumed session. Its todos belong in the application state. */
  readonly resumedState?: SessionState;
  /** Replies that `resumedState` does not count yet. */
  readonly resumedReplies?: readonly RequestRecord[];
  /** Why no prompt of this session may start; each ends with this as its error. */
  readonly cannotStart?: string;
  /** True: what calls change in files can be undone, see `rewindFiles`. Default false. */
  readonly enableFileCheckpointing?: boolean;
  /** True: a session that comes to mode plan later offers the tool ExitPlanMode from then on. Default false. */
  readonly offersPlanLater?: boolean;
  /**
   * True: git may be run once, to tell the model how the repository stands, and nothing of the folder waits for trust.
   * False: something does, and the model is told that it was not run. Absent: nothing is told of it.
   */
  readonly mayRunGit?: boolean;
  /** Milliseconds after which a command of Bash goes on in the background. Absent: only if somebody wants that. */
  readonly backgroundAfterMs?: number;
  /** True: a command that reaches its timeout goes on in the background. Default: it is stopped. */
  readonly backgroundOnTimeout?: boolean;
  /** False: no instruction files are read. Default true. */
  readonly readInstructionFiles?: boolean;
  /** Whose instruction files are read. Default: those of the project. */
  readonly instructionSources?: InstructionSources;
  /** The skills there are, for agents that work by some and for who asks; the tool and the commands stand beside it. */
  readonly skills?: SessionSkills;
  /**
   * Looks for skills again, on the disk; from now on also in these folders. @throws ConfigError
   * @param folders absolute, each of which may hold skills
   */
  readonly reloadSkills?: (folders?: readonly string[]) => Promise<ReloadedSkills>;
  /** Asked before each prompt but the first, behind `reopenAgents`: true if skills are others than at the last look. */
  readonly areSkillsOthers?: () => Promise<boolean>;
  /** Looks for plugins again, with these beside those of before. @throws ConfigError */
  readonly reloadPlugins?: (added: readonly SdkPluginConfig[]) => Promise<ReloadedPlugins>;
  /** The only models that may be named, of settings. Absent: any. */
  readonly allowedModels?: {
    readonly names: readonly string[];
    readonly isForDefault: boolean;
  };
  /** What the judge of mode `auto` goes by beside its own rules, in words. */
  readonly autoRules?: NonNullable<Settings['autoMode']>;
  /** What of files and plugins there is now, and what is not, for who looks at the session. Absent: nothing was found. */
  readonly loaded?: () => {
    readonly loaded: readonly LoadedPart[];
    readonly rejected: readonly RejectedPart[];
  };
  /** What hooks of the type http may reach and send along, of agents too. Absent: settings say nothing of it. */
  readonly httpHookRules?: {
    readonly urls?: readonly string[] | undefined;
    readonly variables?: readonly string[] | undefined;
  };
  /** Hooks given as code, by event. */
  readonly hooks?: HookMatchers;
  /** Hooks of settings. A change of settings replaces them. */
  readonly commandHooks?: readonly CommandHook[];
  /** How the model writes, in place of what the default prompt says of it. */
  readonly outputStyle?: {
    readonly name: string;
    readonly text: string;
    readonly keepsCoding: boolean;
  };
  /** Hooks of plugins: they stay when settings change. */
  readonly pluginHooks?: readonly CommandHook[];
  /** The plugins there are. */
  readonly plugins?: readonly PluginFacts[];
  /** True: settings let no hooks run but managed ones, so those of agents do not either. */
  readonly onlyManagedHooks?: boolean;
  /** A budget shared with other sessions; this one's `maxBudgetUsd` is a part of it. */
  readonly budget?: Budget;
  /**
   * Begun with each prompt for the model, beside everything else that prepares it, and waited for when its message is
   * made, a minute at most: gives texts that go along with it, such as the skills that fit it. A failure is logged; then nothing goes along.
   */
  readonly prefetch?: (prompt: PrefetchedPrompt) => Promise<readonly string[]>;
  readonly notices?: readonly PendingNotice[];
  /** Told of faults that nobody else is told of. Default: nobody. */
  readonly log?: (event: string, detail: unknown) => void;
}

/** A plugin of a session. */
interface PluginFacts {
  readonly name: string;
  /** Its folder, absolute. */
  readonly path: string;
  readonly version: string;
  /** `name@marketplace`; `name@local` for a folder. */
  readonly id: string;
  /** The marketplace, or `local`. */
  readonly source: string;
  /** Whose settings name it; `session` for an option. */
  readonly scope: string;
}

/** Options about reaching models, as the host gives them. */
interface ModelOptions {
  readonly auth?: AuthOptions | ProviderKeyOptions;
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
  readonly modelTiers?: ModelTiers;
  readonly modelObjects?: ModelObjects;
  /** Asked of the API of Anthropic. */
  readonly betas?: readonly string[];
  /** Absolute. */
  readonly modelsFile?: string;
  readonly proxy?: string;
  /** Absolute. */
  readonly caFile?: string;
}

/** What a configuration has of agents in files. */
interface AgentFiles extends FoundAgents {
  /** The folder that trust is about. */
  readonly root: string;
}

/** What a configuration has of skills. */
interface SessionSkills extends SkillLibrary {
  /** Of all. */
  readonly names: readonly string[];
  /** Those that can be called with these tools: by the model, or by the user. */
  usableWith(tools: Tools | undefined): readonly string[];
  /**
   * Texts for an agent that works by these; in place of one that cannot be had, why. Names of none are left out.
   * @param kept rules that deny or ask: nobody is asked here, so what one of them means is not had
   */
  preload(names: readonly string[], kept: readonly PermissionRule[]): Promise<readonly PreloadedSkill[]>;
  /** True if one of them brings hooks along, as it was found. */
  readonly hasHooks: boolean;
  /** The hooks of a skill as the user loaded it last; null if there are none. */
  hooksOfTyped(name: string): SkillHooks | null;
}

/** The plugins of a session as they are now. */
interface ReloadedPlugins {
  readonly plugins: readonly PluginFacts[];
  readonly hooks: readonly CommandHook[];
  /** All of the session that are no skills. */
  readonly commands: readonly Command[];
  readonly servers: {
    readonly gone: readonly string[];
    /** As `NewServer` of the room of servers. */
    readonly come: readonly {
      readonly given: McpServerDefinition | MCPServerConnection;
      readonly identity: null;
      readonly config?: unknown;
    }[];
  };
  readonly notices: readonly PendingNotice[];
  /** How many parts of them are left out. */
  readonly problems: number;
}

/** The skills of a session as they are now. */
interface ReloadedSkills {
  readonly library: SessionSkills;
  /** The tool Skill, if the model may call one and nothing leaves it out. */
  readonly tools: Tools;
  /** Of the whole session. */
  readonly commands: readonly Command[];
  readonly notices: readonly PendingNotice[];
}

interface PreloadedSkill {
  readonly text: string;
  /** That it brings along; null if it brings none. */
  readonly hooks: SkillHooks | null;
  /** Null if it was loaded. */
  readonly problem: string | null;
}

/** Open for the host's own keys. */
export interface AppState {
  readonly todos: readonly TodoItem[];
  readonly [key: string]: unknown;
}

export interface AppStateStore {
  getState(): AppState;
  /** Replaces the given keys, keeps the others. */
  setState(state: Partial<AppState> | ((previous: AppState) => Partial<AppState>)): void;
  /** Called after each change, with the state as it is then. The returned function ends it. */
  subscribe(listener: (state: AppState) => void): () => void;
}

/** A new store. */
export declare function createAppState(initial?: Partial<AppState>): AppStateStore;

/** What a resumed session goes on with. Contract: nothing in it grants a permission. */
interface SessionState {
  readonly ledger: LedgerState;
  /** Model replies so far in the session. */
  readonly turns: number;
  readonly compaction: CompactionState;
  readonly todos: readonly TodoItem[];
  /** The compaction that the conversation begins with. Read back from its own line; not part of this one. */
  readonly boundary?: SDKCompactBoundaryMessage['compact_metadata'];
  /** What the system prompt says of what may change. Absent: it is taken anew. */
  readonly environment?: ChangingFacts;
  /** The system prompt as it was recorded. */
  readonly systemPrompt?: readonly SystemPromptSection[];
  /** What the session works towards. */
  readonly goal?: SDKGoalSnapshot;
  /** The sources of texts that nobody vouches for. Absent: nobody kept them. */
  readonly untrusted?: readonly ContentSource[];
  /** Calls that wait for a decision. Read back from lines of their own; not part of this one. */
  readonly deferred?: readonly WaitingCall[];
}

interface WaitingCall {
  readonly toolUseId: string;
  readonly reason: string;
  /** As the line says it. */
  readonly timestamp: unknown;
  /** The same; undefined if it was to wait for ever. */
  readonly expiresAt: unknown;
  /** Where it was decided about. Absent: in the folder of the session. */
  readonly cwd?: string;
  /** As a hook changed it. Absent: as the model gave it. */
  readonly input?: Record<string, unknown>;
}

// session/controls/engine-controls.ts

/** What a session is, before its first prompt too. */
interface SessionFacts {
  readonly sessionId: string;
  readonly permissionMode: PermissionMode;
  readonly apiKeySource: ApiKeySource;
  /** Of the model, as in `system/init`. */
  readonly provider: string;
  /** The model of the next request, unless a policy names another. */
  readonly model: string;
  readonly effort: EffortLevel | undefined;
}

/** Contract: as the methods of the same names say in `sdk/query-controls.ts`. */
interface EngineControls {
  facts(): SessionFacts;
  getContextUsage(options?: { readonly detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  setMaxThinkingTokens(tokens: number | null, display?: string | null): void;
  /** What the host changed of the settings that it gave. */
  flagSettings(): FlagChanges;
  /** Fields of them, by their names; null takes one away. In force as a change of a file is. @throws ConfigError */
  changeFlagSettings(fields: FlagChanges): void;
  /** What the next request would be made of. */
  effectiveParts(): Promise<EffectiveParts>;
  listPermissionRules(managedOnly: boolean): SDKControlListPermissionRulesResponse;
  addDirectories(directories: readonly string[]): Promise<SDKControlAddDirectoriesResponse>;
  seedReadState(path: string, mtime: number): Promise<void>;
  readFile(path: string, options?: ReadFileOptions): Promise<SDKControlReadFileResponse | null>;
  generateSessionTitle(description: string, persist: boolean): Promise<string | null>;
  renameSession(title: string): Promise<void>;
  askSideQuestion(question: string, options?: AskSideQuestionOptions): Promise<SideQuestionResult | null>;
  /** A message with what the user might say next, after the last prompt; null if there is none. Does not throw. */
  suggestPrompt(until: AbortSignal): Promise<SDKMessage | null>;
  getTaskOutput(taskId: string): Promise<SDKControlGetTaskOutputResponse>;
  mcpServerStatus(): readonly McpServerStatus[];
  reconnectMcpServer(name: string): Promise<void>;
  toggleMcpServer(name: string, enabled: boolean): Promise<void>;
  setMcpServers(servers: readonly NewServer[]): Promise<McpSetServersResult>;
  mcpAuthenticate(
    name: string,
    redirectUri: string | undefined,
  ): Promise<{
    readonly authUrl?: string;
    readonly requiresUserAction: boolean;
  }>;
  mcpSubmitOAuthCallbackUrl(name: string, callbackUrl: string): Promise<void>;
  mcpClearAuth(name: string): Promise<void>;
  readMcpResource(name: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  completeMcpArgument(
    name: string,
    params: McpCompleteParams,
  ): Promise<{
    readonly values: string[];
  }>;
  callMcpTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options?: McpCallOptions,
  ): Promise<SDKControlMcpCallResponse>;
  injectMcpToken(name: string, token: McpToken): Promise<void>;
  hooksListing(): Promise<SDKControlGetHooksListingResponse>;
  suggestFiles(query: string): Promise<SDKControlFileSuggestionsResponse>;
  /** @throws ConfigError */
  registerRepoRoot(directory: string): Promise<void>;
  setMcpPermissionModeOverride(
    name: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{
    readonly warning?: string;
  }>;
  getUsage(): Promise<SDKControlGetUsageResponse>;
  /** Which instruction files were loaded, and which were not. */
  instructions(): Promise<SessionInstructions>;
  /** Agents, skills, commands, plugins, servers and hooks that are not there, with the reason. */
  rejectedParts(): readonly RejectedPart[];
  /** As `addNote`. */
  addNote(scope: NoteScope, note: string): Promise<string>;
  /** The prompts that the conversation holds, the oldest first. */
  prompts(): readonly OwnPrompt[];
  /** The name of the output style. */
  outputStyle(): string;
  /** The plugins of the session. */
  plugins(): readonly PluginFacts[];
  /** What runs in the background. */
  tasks(): readonly TaskFacts[];
  setPlanMode(active: boolean): SDKPlanModeSnapshot;
  getPlanMode(): SDKPlanModeSnapshot;
  /** Opened with the first call. */
  goals(): Promise<SessionGoals>;
  setProxy(proxy: string | null): Promise<void>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  /** @param added plugins that the session has from now on */
  reloadPlugins(added: readonly SdkPluginConfig[]): Promise<Omit<SDKControlReloadPluginsResponse, 'commands'>>;
  /** Ends the requests that controls sent. Contract: nothing of them runs when this resolves. */
  close(): Promise<void>;
}

interface OwnPrompt {
  readonly uuid: string;
  /** How it begins, on one line. */
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string | undefined;
}

// session/controls/workspace-controls.ts

interface ReadFileOptions {
  readonly maxBytes?: number;
  readonly encoding?: 'utf-8' | 'base64';
}

type NoteScope = 'project' | 'local' | 'user';

interface SessionInstructions {
  readonly files: readonly (Pick<InstructionFile, 'source' | 'file' | 'type' | 'reason'> & {
    /** What its text takes of a context, about. */
    readonly tokens: number;
  })[];
  /** Files that were told later, by source. */
  readonly later: readonly string[];
  /** Rules that wait for a file, with their patterns. */
  readonly waiting: readonly {
    readonly source: string;
    readonly globs: readonly string[];
  }[];
  readonly leftOut: Instructions['leftOut'];
}

// session/goals/session-goal.ts

/** How a prompt ended that ran while the goal was active. */
interface GoalPromptEnd {
  readonly reason: TerminalReason;
  readonly isError: boolean;
  /** True if a limit of the API was the failure. */
  readonly isLimited: boolean;
  readonly turns: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

interface SessionGoals {
  readonly current: SDKGoalSnapshot | null;
  readonly isActive: boolean;
  /** Replies that it may still take. */
  readonly turnsLeft: number;
  /** @throws ConfigError for what cannot be set */
  set(params: SetGoalParams): SDKGoalSnapshot | null;
  clear(reason?: string): boolean;
  /** @returns the number that goals get from now on. @throws ConfigError */
  setMaxTurns(maxTurns: number | null): number;
  /** The model says that it is reached, or that it cannot go on. False if there is none to speak of. */
  report(status: 'complete' | 'blocked', reason: string): boolean;
  /** A prompt begins. */
  promptBegan(): void;
  /** The same prompt ended. Contract: does not throw. */
  promptEnded(end: GoalPromptEnd): void;
}

// session/input/message-queue.ts

export interface QueuedMessage {
  readonly prompt: PromptInput;
  /** Id of the message in the transcript. */
  readonly uuid?: string;
  /** True: not typed by the user. */
  readonly isMeta?: boolean;
  /**
   * `next`: may go to the model inside the running prompt, after the results of its tools. `now`: before all others.
   * `later`: after all others. Absent: a prompt of its own, in its turn.
   */
  readonly priority?: MessagePriority;
  /** False: it asks the model nothing. */
  readonly shouldQuery?: boolean;
  readonly isVerbatim?: boolean;
  readonly origin?: SDKMessageOrigin;
  readonly notices?: readonly PendingNotice[];
}

export interface MessageQueue {
  /** What waits, in the order in which it would be taken. */
  readonly waiting: readonly QueuedMessage[];
  push(message: QueuedMessage): void;
  /** The next message, to be a prompt of its own; null if none waits. */
  take(): QueuedMessage | null;
  /** Lets who waits for a message look whether there is something else to do. */
  nudge(): void;
  /** True as soon as a message waits, or once it is nudged; false once the queue has ended and is empty. @throws what `fail` was given */
  ready(): Promise<boolean>;
  /**
   * The first message with `next`, if the running prompt can take it. It stays until it is removed. One that cannot be
   * taken holds back those behind it: they may build on it.
   */
  firstBetweenTurns(canTake: (message: QueuedMessage) => boolean): QueuedMessage | null;
  /** False if it is no longer here. */
  remove(message: QueuedMessage): boolean;
  /** No more messages; what waits is still given. */
  end(): void;
  /** As `end`, but who waits for more gets this error. */
  fail(error: unknown): void;
}

// session/input/process-user-input.ts

/** What a prompt may be: text, or blocks of the Messages API. */
type PromptInput = string | readonly UserBlock[];

// session/mcp/session-servers.ts

/** A server that is added while the session runs. */
interface NewServer {
  readonly given: McpServerDefinition | MCPServerConnection;
  /** Its definition as JSON: the same text is the same server. Null: it stays when the host sets others. */
  readonly identity: string | null;
  /** As it was given, for what settings say of servers. Default: `given`. */
  readonly config?: unknown;
}

// session/messages/history.ts

interface MessageIdentity {
  readonly uuid: string;
  readonly timestamp?: string;
  /** Who said it, if no user did. */
  readonly origin?: SDKMessageOrigin;
  /** Made by the engine or a host, not typed by the user. */
  readonly isMeta?: boolean;
}

/** An element of a conversation's history, and of `initialMessages`. */
export type Message =
  | (MessageIdentity & {
      readonly type: 'user';
      readonly message: UserMessageParam;
      readonly toolUseResult?: unknown;
      /** The summary that a compaction put in place of what was before. */
      readonly isCompactSummary?: true;
    })
  | (MessageIdentity & {
      readonly type: 'assistant';
      readonly message: AssistantMessage;
    });

// session/prompt/prepare-prompt.ts

interface PromptOptions {
  /** Id of the user message in the transcript. */
  readonly uuid?: string;
  /** True: not typed by the user. */
  readonly isMeta?: boolean;
  /** True: the engine's own, about background tasks that ended. */
  readonly isTaskNews?: boolean;
  /** True: a slash is no command, and `@path` no file. */
  readonly isVerbatim?: boolean;
  /** Who said it; absent: a user. */
  readonly origin?: SDKMessageOrigin;
  /** What is to be told of it. */
  readonly notices?: readonly PendingNotice[];
  /** Replies that it may have, at most. */
  readonly maxTurns?: number;
}

// session/query-engine.ts

/**
 * One conversation. Reuse the instance for every prompt of it.
 * Contract: each `submitMessage()` yields exactly one `system/init`, first, and exactly one `result`, last.
 */
export declare class QueryEngine {
  #private;
  /**
   * @param queue the queue of waiting messages, if you fill it from outside; default: one of the session's own
   * @throws ConfigError if `initialMessages` are no messages, or `abortController` is none
   */
  constructor(config: QueryEngineConfig, queue?: MessageQueue);
  /**
   * Runs one prompt and streams everything that happens.
   * @param prompt text, or content blocks of the Messages API
   * @param options `uuid`: the user message's id in the transcript; `isMeta`: not typed by the user
   * @throws EngineError if another prompt of this session still runs, or the session was closed
   */
  submitMessage(prompt: PromptInput, options?: PromptOptions): AsyncGenerator<SDKMessage, void, unknown>;
  /**
   * Goes on with calls that were deferred, in this process or an earlier one: those that are allowed run, the others are
   * refused. Once none waits any more the model goes on; else the result says `tool_deferred` again. Decisions may come
   * one by one and in any order; one about a call that does not wait is told and changes nothing.
   * Contract: as `submitMessage`; an allowed call runs once, whatever happens to the process.
   * @throws EngineError as `submitMessage`
   */
  submitDecisions(decisions: readonly DeferredDecision[]): AsyncGenerator<SDKMessage, void, unknown>;
  /**
   * The next prompt if the model has to hear of background tasks that ended since it was last talked to.
   * Contract: as `submitMessage`; to be called if `taskEnded` said true.
   */
  submitTaskNews(): AsyncGenerator<SDKMessage, void, unknown>;
  /** True while there is a goal that is not reached, and nothing keeps the session from going on with it. */
  get hasGoal(): boolean;
  /**
   * The next prompt of the goal.
   * Contract: as `submitMessage`; to be called if `hasGoal` is true and no message waits.
   */
  submitGoal(): AsyncGenerator<SDKMessage, void, unknown>;
  /**
   * Waits between two prompts for a background task to end. False if the model should not hear of one before the user
   * says more, and once `until` aborts: then the next prompt tells what there is.
   * @param isLast the user says nothing more: waits at most `limits.backgroundWaitMs`
   */
  taskEnded(until: AbortSignal, isLast?: boolean): Promise<boolean>;
  /** True once there are messages to show between two prompts; false once `until` aborts. */
  told(until: AbortSignal): Promise<boolean>;
  /** The messages that `told` is about. */
  takeTold(): Promise<readonly SDKMessage[]>;
  /** True once something may be told between two prompts: a task in the background, a hook that nobody waits for. */
  get mayTellLater(): boolean;
  /** The commands that run in the background. */
  backgroundTasks(): readonly TaskFacts[];
  /**
   * Stops a background task. The model is told. Nothing of the task is alive when this resolves.
   * @throws ToolError if there is no such task
   */
  stopTask(taskId: string): Promise<void>;
  /**
   * Lets calls that wait for an agent or a command go on without it, all or one: they are told that it works in the background.
   * False if nothing was waited for.
   */
  moveToBackground(toolUseId?: string): boolean;
  /** Calls that wait for a decision, in their order. */
  deferredCalls(): Promise<readonly SDKDeferredToolUse[]>;
  /**
   * Puts a message into the conversation that asks the model nothing: the next prompt takes it along. Not while a prompt
   * runs. @returns what is to be told
   */
  appendMessage(prompt: PromptInput, options?: PromptOptions): Promise<readonly SDKMessage[]>;
  /**
   * Hands over a message while a prompt runs. With `next`, the default, it goes to the model inside that prompt, after
   * the results of the next tools. With `now` it waits, and the running prompt is interrupted. With `later` it waits.
   * Contract: a message that the prompt did not take waits, also after an interrupt or an error: submit what
   * `takeQueuedMessage()` gives after the result. A slash command always waits. The engine starts no prompt by itself.
   * @throws EngineError if the session was closed
   */
  queueMessage(
    prompt: PromptInput,
    options?: PromptOptions & {
      readonly priority?: MessagePriority;
    },
  ): void;
  /** The message that should be the next prompt; null if none waits. */
  takeQueuedMessage(): QueuedMessage | null;
  /** Ends the running prompt: no tool starts after this returns, and the stream goes on to a result that says `aborted`. */
  interrupt(): void;
  /** For the next tool call on. Needs a session with `permissions`. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /**
   * For the next model request on; without an argument, back to the session's own model.
   * @throws ConfigError for what is no name
   */
  setModel(model?: string): void;
  /**
   * As `setModel`, for a model of any provider, and heard by hooks, which may refuse it.
   * @throws ConfigError if there is no such provider, no key for it, or a hook refuses
   */
  switchModel(model?: string): Promise<void>;
  /**
   * The name that requests use for a model, of any provider: what `setModel` and results go by.
   * @throws ConfigError if there is no such provider, or no key for it
   */
  admitModel(name: string): Promise<string>;
  /** The slash commands of the session. */
  supportedCommands(): SlashCommand[];
  /** What else can be asked and changed while the session lives. Opens it when it is not open yet. */
  controls(): Promise<EngineControls>;
  /** The conversation so far, oldest first. */
  getMessages(): readonly Message[];
  /** Tokens of the whole session. */
  getUsage(): Usage;
  getModelUsage(): Readonly<Record<string, ModelUsage>>;
  /** Milliseconds in model requests, whole session. */
  getTotalAPIDuration(): number;
  /** US dollars, as far as prices are known. */
  getTotalCost(): number;
  /** Every call refused in this session, oldest first. */
  getPermissionDenials(): Promise<readonly SDKPermissionDenial[]>;
  /**
   * Sets files back to what they were before a message of the user: what the agent changed since then and nobody else.
   * Needs `enableFileCheckpointing`. The conversation stays. Works for sessions that were resumed, and after `close()`.
   * Contract: what somebody else changed is left as it is and told; each file changes in one step or not at all; if
   * it ended half way, the same call goes on. Do not call it while a prompt runs.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewindFiles(userMessageId: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
  /**
   * Sets the conversation back to the moment before a message of the user, or its files, or both, which is the default:
   * the next prompt goes on from there. The transcript keeps everything, so a message that was removed can be gone to
   * again; what was spent stays spent. Works for sessions that were resumed, and after `close()`.
   * Contract: throws for bugs alone; if files cannot be set back, the conversation is not either. Not while a prompt
   * runs.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewind(userMessageId: string, options?: RewindOptions): Promise<RewindResult>;
  /** True while a prompt runs. */
  get isBusy(): boolean;
  /**
   * Ends the session: aborts what runs, closes the transcript and connections. May be called twice. What the SessionEnd
   * hooks have to tell is logged, as `session_end_message`, and kept for `takeClosingMessages`.
   */
  close(reason?: ExitReason): Promise<void>;
  /** What the last prompt failed with if its caller must hear of it as a throw too, once. */
  takeFailure(): Promise<Error | null>;
  /**
   * What follows a result in the stream of `query()`: with `includeSessionState`, that the session is idle. Nothing if
   * another prompt waits.
   */
  messagesAfterResult(): Promise<readonly SDKMessage[]>;
  /** Messages about the end of the session, once: no prompt is there any more whose stream could carry them. */
  takeClosingMessages(): readonly SDKMessage[];
}

// session/settings/find-settings.ts

/** What the host says of settings. */
interface SettingsOptions {
  readonly settings?: string | Settings | undefined;
  readonly managedSettings?: Settings | undefined;
  /** Naming `project` or `local` vouches for the folder. Absent: all, the folder's only as far as it is trusted. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Whether the host vouches for the folder, whatever sources it names. */
  readonly trustFolder?: boolean | undefined;
  /** True: no file of the project says which MCP servers there are. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Absolute: the folder that counts as the project's in place of the working directory. */
  readonly projectConfigRoot?: string | undefined;
  /** Fields in place of those of `settings`, by their names; null: a field that counts no more. */
  readonly flagChanges?: FlagChanges | undefined;
}

// session/settings/rule-examples.ts

interface CheckedExample {
  /** As the example names it. */
  readonly rule: string;
  /** Null if no list has the rule. */
  readonly behavior: PermissionBehavior | null;
  readonly example: string;
  readonly expected: 'match' | 'not_match';
  readonly isRight: boolean;
  readonly file: string | null;
}

// session/spending/usage-ledger.ts

/** A ledger as a transcript keeps it, by model. Money in whole 1e-12 US dollars, as digits. */
interface LedgerState {
  readonly apiDurationMs: number;
  readonly models: Readonly<Record<string, LineState>>;
}

interface LineState {
  readonly usage: Usage;
  readonly costPico: string;
  readonly isPriceKnown: boolean;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

// session/store/collect-garbage.ts

/** Something that was removed, or would be. */
interface Removed {
  /** `folder`: kept beside a session that is gone; `temporary`: half of a write that a crash ended. */
  readonly kind: 'session' | 'folder' | 'blob' | 'lock' | 'temporary';
  readonly path: string;
  readonly bytes: number;
  /** Of a session. */
  readonly sessionId?: string;
  /** Of a session: when it was last written, milliseconds since the epoch. */
  readonly lastModified?: number;
}

interface GarbageReport {
  readonly removed: readonly Removed[];
  /** What should have gone and could not: why. */
  readonly kept: readonly {
    readonly path: string;
    readonly reason: string;
  }[];
  /** Of all sessions that are left, with all that belongs to them. Null if nobody asked for a size. */
  readonly remainingBytes: number | null;
}

// session/store/file-store-access.ts

export interface FileSessionStoreOptions {
  /** The folder that has `projects/` in it. Default: `$TURNWRIGHT_HOME`, or `~/.turnwright`. */
  readonly home?: string;
  /** Default: this machine. */
  readonly host?: Host;
}

export type FileSessionStore = Required<Omit<SessionStore, 'listSessionSummaries'>>;

// session/store/session-facts.ts

/**
 * The summary of a session with a batch of entries added, for a store that keeps summaries.
 * Contract: pure; `data` is the engine's own and is kept as it is. `mtime` comes from `options`, else from `prev`: give
 * the time the store keeps for the session, never one of an entry.
 * @param prev the summary so far; undefined with the first append
 * @param key  of the main transcript; entries of one beside it (`subpath`) change nothing
 */
export declare function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options?: {
    readonly mtime?: number;
  },
): SessionSummaryEntry;

// session/store/session-stores.ts

/** Keeps sessions as long as it lives. For tests, and for programs that keep sessions elsewhere at the end. */
export declare class InMemorySessionStore implements SessionStore {
  #private;
  /** @param clock milliseconds since the epoch; by default this machine's */
  constructor(clock?: {
    now(): number;
  });
  append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions(projectKey: string): Promise<
    {
      sessionId: string;
      mtime: number;
    }[]
  >;
  listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]>;
  delete(key: SessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
  /** What is kept under a key, for tests. Empty if there is nothing. */
  getEntries(key: SessionKey): SessionStoreEntry[];
  /** Number of sessions; transcripts beside a main one do not count. */
  get size(): number;
  clear(): void;
}

/** A new store in memory, as the class. */
export declare function createMemoryStore(clock?: { now(): number }): InMemorySessionStore;

/**
 * Sessions in the layout of transcripts. An append takes the session as a running one does: if the session is in use,
 * it rejects with the `SessionError` `session_in_use`. Lines that cannot be read are left out of `load`.
 */
export declare function createFileStore(options?: FileSessionStoreOptions): FileSessionStore;

// tools/ask-user-question.ts

/** What the caller gets: the one text of the specification, and the answer to each question by its text. */
export type UserAnswers = AskUserQuestionOutput & {
  readonly answers: Readonly<Record<string, string>>;
};

// tools/background-tasks.ts

type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

/** A task as it stands. */
interface TaskFacts {
  readonly id: string;
  readonly kind: 'command' | 'agent';
  /** What it does, in a few words, on one line. */
  readonly description: string;
  readonly status: TaskStatus;
  /** 128 + n after signal n. Null while it runs, and if it did not end by itself. */
  readonly exitCode: number | null;
  /** Why it did not end by itself, a sentence; null if it did, and while it runs. */
  readonly reason: string | null;
  /** What else there is to say of its end, each a sentence: what it was refused, what was lost of its output. */
  readonly notes: readonly string[];
  /** What an agent said at its end, also if it did not finish; null for a command, and while it works. */
  readonly report: string | null;
  /** Milliseconds since it started, or from its start to its end. */
  readonly runsMs: number;
  /** Absolute path of the file with all its output; null if none is kept. */
  readonly outputFile: string | null;
}

interface TaskRequest {
  readonly toolUseId: string;
  /** Absent: a command. */
  readonly agent?: {
    readonly id: string;
    readonly type: string;
    readonly prompt?: string;
    readonly runId: string;
  };
  /** True if its call waited for it first. */
  readonly isMoved?: boolean;
  readonly description: string;
  /** Milliseconds after which it is stopped. Absent: it runs until it ends, is stopped, or the session ends. */
  readonly timeoutMs?: number | undefined;
}

/** How its program ended. */
interface TaskExit {
  /** Of an agent: 0 if it finished. */
  readonly exitCode: number | null;
  /** What an agent said at its end. */
  readonly report?: string;
  readonly notes: readonly string[];
}

/** The program of a task. */
interface TaskProgram {
  readonly outputFile: string | null;
  /** Settles once nothing of it is alive and all its output was taken. Never rejects. */
  readonly ended: Promise<TaskExit>;
  /** Contract: `ended` settles soon after. May be called again; never rejects. */
  stop(): Promise<void>;
  /** To its stdin. False if it takes no more. Never rejects. */
  write(text: string): Promise<boolean>;
  /** What it printed since this was called last, cut in the middle if that is long. */
  takeOutput(): string;
  /** The line without an end that it waits behind, which `takeOutput` does not give yet; empty if there is none. */
  question?(): string;
  /** What it was refused since it was looked at last, each a sentence. Never rejects. */
  inspect(): Promise<readonly string[]>;
}

/** What a program is started with. */
interface TaskPlace {
  readonly id: string;
  /** Aborted when the task is to end. */
  readonly signal: AbortSignal;
}

/** The tasks that an agent may see: its own, and those of agents that worked for it. */
interface BackgroundTasks {
  /**
   * Contract: what `launch` throws comes out, and then there is no task.
   * @throws ToolError if no more tasks may run
   */
  start(request: TaskRequest, launch: (place: TaskPlace) => Promise<TaskProgram>): Promise<TaskFacts>;
  /** @throws ToolError if there is no such task */
  find(id: string): Promise<TaskFacts>;
  /** Resolves once the task ended, `ms` have passed, or `signal` aborts. @throws ToolError as `find` */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
  /**
   * The task as it stands, and what it printed since the last call. An end that is read here is not told once more.
   * @throws ToolError as `find`
   */
  read(id: string): Promise<
    TaskFacts & {
      readonly output: string;
    }
  >;
  /** False if it does not take it. @throws ToolError as `find` */
  write(id: string, text: string): Promise<boolean>;
  /** Nothing of it is alive when this resolves. An end that is told here is not told once more. @throws ToolError as `find` */
  stop(id: string, reason?: string): Promise<TaskFacts>;
}

// tools/builtin.ts

/** A new list each time: what a caller takes out of it stays in for others. */
export declare function getTools(): Promise<AnyTool[]>;

// tools/file-state-cache.ts

export type FileState = SeenFile | RememberedFile;

/** A version of a file that the model has seen, or has written. */
interface SeenFile {
  /** SHA-256 of the whole content, hex. */
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The part last shown, lines counted from 1; null if the whole file was shown or written. */
  readonly range: {
    readonly offset: number;
    readonly limit: number;
  } | null;
}

/** A file that the model saw before the session was resumed: it is the same as long as nothing has changed it since. */
interface RememberedFile {
  readonly hash: null;
  /** Milliseconds since the epoch. */
  readonly seenAtMs: number;
}

/** Keys are real absolute paths. Belongs to one session. */
export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  delete(path: string): void;
  clear(): void;
  /** Most recently set first. */
  entries(): IterableIterator<[string, FileState]>;
  /**
   * The model no longer sees what the files held, but goes on with the work: a read shows them again, and one that did
   * not change since counts as seen. Absent: they are cleared.
   */
  forget?(): void;
  /** Files seen since `clear`, most recently seen first. Absent: those of `entries`. */
  recentPaths?(): readonly string[];
  /** Files set since this was called last, each once. Absent: nobody is told. */
  takeTouched?(): readonly string[];
}

/** An empty cache. It holds the last 1,000 files. */
export declare function createFileStateCache(): FileStateCache;

// tools/skill.ts

interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** Permission rules that count once it is in use. */
  readonly allowedTools: readonly string[];
  readonly isForModel: boolean;
  /** Whose it is, such as `project`; absent: nobody says. */
  readonly scope?: string;
}

interface LoadedSkill {
  /** As the model reads it. */
  readonly text: string;
  /** Absolute. */
  readonly folder: string;
  readonly allowedTools: readonly string[];
  /** Null if it brings none along. */
  readonly hooks: SkillHooks | null;
}

/** What there is, and how it is read. */
interface SkillLibrary {
  /** In the order of their names; the same for as long as the session lasts. */
  readonly skills: readonly OfferedSkill[];
  /** As it stands now. @throws ToolError if it is not there, or may not be used by whoever asks */
  load(name: string, args: string, by: 'model' | 'user' | 'host'): Promise<LoadedSkill>;
}

// tools/tool.ts

/** What a permission rule matches on. Paths are absolute but not yet resolved. */
export type ToolSubject =
  | {
      readonly kind: 'none';
    }
  /**
   * Something outside that only a server knows: never inside the workspace. `ofServer`: `mcp__<server>__` of a server that is
   * asked without a tool of its own; what denies all its tools denies this.
   */
  | {
      readonly kind: 'external';
      readonly ofServer?: string;
    }
  /** `unsandboxed`: the call asks to run outside the sandbox. `outlives`: the command goes on after its call. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly unsandboxed?: boolean;
      readonly outlives?: boolean;
    }
  /** An agent or a skill. `isText`: a call only brings a text, and allows nothing beside it. */
  | {
      readonly kind: 'name';
      readonly name: string;
      readonly isText?: boolean;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
    }
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly access: 'read' | 'write';
    };

/** True for a file that rules keep from a call. Paths are absolute. */
interface KeptFiles {
  (file: string): boolean;
  /** False if nothing below the folder can be such a file. */
  mayKeepBelow?(folder: string): boolean;
}

/** What a tool gets for one call. */
export interface ToolContext {
  readonly host: Host;
  /** Absolute working directory of the agent: where commands start and relative paths begin. */
  readonly cwd: string;
  /** The folder that the agent works for, of which `cwd` may be a part. Default `cwd`. */
  readonly folder?: string;
  /** How a command that runs may go on in the background. Absent: it may not. */
  readonly background?: BackgroundMoves;
  /** The worktrees of the session. Absent if the agent cannot move to one. */
  readonly worktrees?: ToolWorktrees;
  /**
   * A command ended in another folder, which is the working directory of the calls that follow. Absent: it stays.
   * Contract: never throws; gives what the model must be told, null if there is nothing.
   */
  moveTo?(folder: string): Promise<string | null>;
  /** Environment for child processes. Provider credentials are not in it. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** For servers that work for the call, if a trace is recorded. Programs have it in `childEnv`. */
  readonly traceContext?: TraceContext;
  /** Aborted when the call must end: by the caller, or at the session's end. */
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** Which file versions the model has seen. */
  readonly readFileCache: FileStateCache;
  /** A private folder for output too large to show, or null if nothing may be written. */
  readonly spoolDirectory: string | null;
  /** Milliseconds a call may run that names no timeout of its own. */
  readonly toolTimeoutMs: number;
  readonly todos: TodoStore;
  /** Confines what a tool starts. Absent: commands run as they are. */
  readonly sandbox?: CommandSandbox;
  /** Knows what placeholders in an input stand for. Absent: secrets are not hidden, and there are none. */
  readonly secrets?: SecretVault;
  /**
   * What the path of the call's subject led to when it was decided: the file or folder to work on, and no other. Absent
   * if nobody decided, or the call names no path.
   */
  readonly located?: Located;
  /** True if this call was allowed to run outside the sandbox. */
  readonly runUnsandboxed?: boolean;
  /**
   * Files that rules keep from being read, or with `write` from being changed, `change` by rules about changes alone: a search that starts at `start`
   * leaves them out. What a rule asks about is kept too, unless it was asked about with `start`. Null, or absent, if
   * there is no such rule.
   */
  hiddenFiles?(start: string | null, access?: 'read' | 'write' | 'change'): Promise<KeptFiles | null>;
  /**
   * Asks the user, for tools that say `asksUser`; null if nobody can be asked. Contract: never rejects; settles soon
   * after `signal` aborts.
   */
  readonly elicit: ((question: UserQuestion) => Promise<UserAnswer>) | null;
  /** True if no person follows the session while it runs. */
  readonly isNonInteractiveSession: boolean;
  /**
   * Runs a subagent to its end, for tools that say `spawnsAgents`. Absent if no more agents may be started here.
   * Contract: throws `ToolError` if the request cannot be met; settles soon after `signal` aborts, and nothing of
   * the agent is left then but its background tasks, which are then its caller's.
   */
  spawnAgent?(request: AgentRequest): Promise<AgentReport>;
  /**
   * Makes one call of another tool, for tools that say `callsTools`: it is decided, hooked, recorded and shown like a call
   * of the model. Contract: never rejects; calls that only read run beside each other, all others alone and in order.
   */
  callTool?(name: string, input: unknown): Promise<NestedResult>;
  /** The background tasks of the session, as this agent may see them. Absent if nothing may outlive a call. */
  openTasks?(): Promise<BackgroundTasks>;
  /** The web, as the session may reach it. Absent: not at all. */
  openWeb?(): Promise<WebAccess>;
  /**
   * Asks a small model, for tools that say `asksModel`: one request, without tools, that is paid for as any other. Null
   * if the session has none, or it gave no answer.
   * Contract: never rejects, but with `AbortError`.
   */
  askModel?(question: ModelQuestion): Promise<string | null>;
  /**
   * Permission rules that count from now on, for as long as the prompt or the subagent runs, for tools that say
   * `approvesTools`. What denies or asks stands above them. Contract: `ConfigError` for what is no rule.
   */
  approveTools?(rules: readonly string[]): Promise<void>;
  /**
   * Hooks of a skill that run from now on, as long as it is in use, for tools that say `approvesTools`. What cannot be used of
   * them is told. Contract: never rejects.
   */
  startHooks?(of: SkillHooks): Promise<void>;
  /** The plan of the session, for tools that say `entersPlan` or `exitsPlan`. Absent: it has none. */
  openPlan?(): Promise<PlanAccess>;
  /**
   * Reports output while the tool runs, for display.
   * Contract: cheap, never throws; may be called any number of times.
   */
  onProgress(text: string): void;
  /** Says how far the call is. Contract: as `onProgress`. */
  tellProgress?(progress: CallProgress): void;
}

/** The hooks of a skill as it was loaded. */
interface SkillHooks {
  readonly name: string;
  readonly scope: 'project' | 'user' | 'plugin';
  /** Its SKILL.md and its folder, absolute. */
  readonly file: string;
  readonly folder: string;
  /** Foreign data, by event. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** What of it is not as somebody vouched for it; null if nobody has to. */
  readonly changedFiles: (() => Promise<readonly string[]>) | null;
}

/** A span of a trace, as the W3C trace context writes it. */
interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** How far a call is. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  /** In a few words. */
  readonly message?: string;
}

/** The plan of a session that comes to mode `plan`. */
interface PlanAccess {
  /** Absolute; null if the session keeps no files. */
  readonly file: string | null;
  /** What the model is told of the mode. */
  readonly workflow: string;
  /** '' if there is none yet. @throws FileError */
  read(): Promise<string>;
  /** Does nothing if there is no file. @throws FileError */
  write(plan: string): Promise<void>;
  /** The user approved what it holds. */
  approved(): void;
}

interface BackgroundMoves {
  /** Milliseconds after which a command goes on there by itself; null: never. */
  readonly afterMs: number | null;
  /** True: at its timeout a command goes on there, instead of being stopped. */
  readonly atTimeout: boolean;
  /** `move` is called when a person wants the call to go on there. Gives what ends that. */
  listen(move: () => void): () => void;
}

/** How the session moves to a worktree and back. */
interface ToolWorktrees {
  /**
   * A new one, or the one that was kept if `name` is its name.
   * @returns `note`: what the model must be told of the move
   * @throws ToolError if it cannot be had
   */
  enter(
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<{
    readonly path: string;
    readonly branch: string | null;
    readonly note: string;
    readonly isNew: boolean;
  }>;
  /**
   * `remove` refuses if work would be lost, and says which.
   * @throws ToolError if there is none to leave, or it cannot be removed
   */
  leave(how: 'keep' | 'remove' | 'discard', signal: AbortSignal): Promise<WorktreeLeft>;
}

type WorktreeLeft =
  | {
      readonly isLeft: true;
      readonly note: string;
    }
  | {
      readonly isLeft: false;
      readonly uncommitted: readonly string[];
      readonly unmerged: readonly string[];
    };

interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** What it is called while it is worked on: "Running the tests". */
  readonly activeForm?: string;
  readonly priority?: 'low' | 'medium' | 'high';
  /** More than its name says; of lists that are kept by TaskCreate and its kin, as is what follows. */
  readonly description?: string;
  readonly owner?: string;
  /** Ids of those that have to be done before. */
  readonly blockedBy?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface TodoStore {
  get(): readonly TodoItem[];
  set(todos: readonly TodoItem[]): void;
}

/** One piece of work for a subagent. */
export interface AgentRequest {
  /** Its name; null for the agent of all trades. */
  readonly agent: string | null;
  /** All that it is told. */
  readonly prompt: string;
  /** What it does, in a few words, for people. */
  readonly description: string;
  /** In place of the model its definition names. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /** Milliseconds after which it is stopped. Absent: never. */
  readonly timeoutMs?: number | undefined;
  /** An agent that there is, by its id or name: `prompt` is said to it, and no other one is started. */
  readonly to?: string | undefined;
  /** By which others may call it while it is known, beside its id. */
  readonly name?: string | undefined;
  /** True: the call does not wait for it. False: it does. Absent: as its definition says. */
  readonly background?: boolean | undefined;
  /** `worktree`: it works in a checkout of its own, whatever its definition says. */
  readonly isolation?: 'worktree' | undefined;
}

/** What became of it. */
export interface AgentReport {
  readonly agentId: string;
  /** The name of the agent that ran. */
  readonly agent: string;
  /** The last text it said; '' if it said nothing. */
  readonly text: string;
  /** Why it did not come to its own end; null if it did. */
  readonly error: string | null;
  readonly usage: TaskUsage;
  /** There if it goes on by itself: nothing else is known of it yet. */
  readonly background?: {
    readonly taskId: string;
    readonly outputFile: string | null;
  };
  /** True if it works already and will hear what was said. */
  readonly isHeard?: boolean;
}

/** How a call ended that a tool made. */
interface NestedResult {
  readonly isError: boolean;
  /** It was not allowed to run. */
  readonly isRefused: boolean;
  /** Whoever refused it wants the whole prompt to end. */
  readonly endsPrompt: boolean;
  /** As a model would read it. */
  readonly text: string;
  /** Typed output, if there is some. */
  readonly data: unknown;
  readonly durationMs: number;
}

/** A form for the user: one property of `requestedSchema` a question. */
interface UserQuestion {
  readonly message: string;
  readonly requestedSchema: Record<string, unknown>;
  /** A page that the user is to open, in place of a form; the schema has no properties then. */
  readonly url?: string;
  /** What the asker calls the question, if it does. */
  readonly elicitationId?: string;
}

/** `none`: nobody answered, and why. */
type UserAnswer =
  | {
      readonly action: 'accept';
      readonly content: Readonly<Record<string, unknown>>;
    }
  | {
      readonly action: 'decline' | 'cancel';
    }
  | {
      readonly action: 'none';
      readonly reason: string;
    };

/** What a call produced: `model` is shown to the model, `data` is typed for the caller (`tool_use_result`). */
export interface ToolOutcome<Output> {
  readonly model: string | readonly ToolResultContent[];
  readonly data: Output;
  /** True if the model should read the result as a failure, for example a command's non-zero exit. */
  readonly isError?: boolean;
}

export interface Tool<Input = never, Output = unknown> {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What the model is told, made once by `defineTool`. Absent, or no longer fitting: each session makes its own. */
  readonly definition?: ToolDefinition;
  /** What an input must satisfy, if more is accepted than the model is told of. Default `inputSchema`. */
  readonly acceptedInput?: JsonSchema;
  /**
   * Fields that other tools of its kind have and this one refuses: what to do instead, by their names. Told when a call
   * gives one. Clauses, without a full stop.
   */
  readonly otherFields?: Readonly<Record<string, string>>;
  /** What an input must satisfy that a hook or the host changed. Default: as one from the model. */
  readonly approvedInput?: JsonSchema;
  /** Its calls are questions to the user: the host is asked about each, since it may answer by changing the input. */
  readonly asksUser?: boolean;
  /** Its calls show a plan: each is asked about, in mode `plan` only, and a yes ends the mode. */
  readonly exitsPlan?: boolean;
  /** Its calls ask to plan first: each is asked about, and a yes begins mode `plan`. */
  readonly entersPlan?: boolean;
  /** True for a call that changes what calls are held against: it is asked about in every mode. Contract: pure. */
  confines?(input: Input): boolean;
  /** Why a person has to say yes to the next call, whatever rules allow; null if nobody has to. Contract: cheap. */
  mustAsk?(): string | null;
  /** The call that a call of it means: that one is checked, decided on and run in its place. Contract: pure. */
  standsFor?(input: Input): {
    readonly name: string;
    readonly input: Record<string, unknown>;
  };
  /** Changes nothing outside the engine. */
  readonly readOnly: boolean;
  /** The same of one call, if not all of them are alike. Default: `readOnly`. Contract: pure. */
  onlyReads?(input: Input): boolean;
  /** May run beside other calls that say so too. */
  readonly concurrencySafe: boolean;
  /**
   * It may be left out of requests until it was found by ToolSearch, if that saves enough: `server` counts for whether it
   * does, `rare` goes along once it does.
   */
  readonly deferrable?: 'server' | 'rare';
  /** Its calls make calls of other tools, through `ToolContext.callTool`. */
  readonly callsTools?: boolean;
  /** What it gives is for the model that calls it: no other tool may make calls of it. */
  readonly forModelOnly?: boolean;
  /** Words that the search finds it by, beside its name, its description and its arguments. */
  readonly searchHint?: string;
  /** It asks how something else is getting on: the same call with the same answer, again and again, is no circle. */
  readonly polls?: boolean;
  /**
   * Its calls start subagents. They wait until their reply is whole, for what an agent did cannot be taken back; and
   * agents that may start none are not offered the tool.
   */
  readonly spawnsAgents?: boolean;
  /** Its calls may ask a small model. */
  readonly asksModel?: boolean;
  /** Its calls move the session to another folder, so that subagents are not offered it. */
  readonly movesSession?: boolean;
  /** Its calls may allow other calls; a subject that says `isText` is a promise that they do not. */
  readonly approvesTools?: boolean;
  /** One line for people: what this call does. No line breaks. */
  title(input: Input): string;
  /** Contract: pure; `input` satisfies `inputSchema`. */
  subject(input: Input, cwd: string): ToolSubject;
  /**
   * Runs one call. Called once, after the input was validated and the call allowed.
   * Contract: throws `ToolError` for what the model should read; any other throw is a bug. Settles soon after
   * `context.signal` aborts, leaving nothing running but background tasks.
   */
  run(input: Input, context: ToolContext): Promise<ToolOutcome<Output>>;
}

/** Any tool, if its input type does not matter. Its methods take only what `inputSchema` accepted. */
export type AnyTool = Tool<never, unknown>;

export type Tools = readonly AnyTool[];

/** Declares a tool: infers its types, and keeps what the model is told of it for all sessions that have it. @throws ConfigError */
export declare function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output>;

// tools/web-access.ts

interface WebAccess {
  /**
   * A page as it is now, or was a short while ago. `url` is what was decided on.
   * Contract: throws `ToolError` for what cannot be fetched; settles soon after the signal aborts.
   */
  fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage>;
  /** Null if nobody is set who searches. Contract: as `fetchPage`. */
  readonly search: ((query: WebQuery, context: SearchContext) => Promise<readonly WebHit[]>) | null;
}

/** What a search needs of its call. */
interface SearchContext {
  readonly signal: AbortSignal;
  /** As `ToolContext.askModel`. */
  askModel?(question: ModelQuestion): Promise<string | null>;
}

interface WebQuery {
  readonly query: string;
  /** Only these hosts and those below them. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

type WebHit = WebSearchOutput['results'][number];

/** A question to a small model, about a text that nobody vouches for. */
interface ModelQuestion {
  /** What is asked. */
  readonly question: string;
  /** What it is asked about. */
  readonly text: string;
  /** What the model is told of both. */
  readonly instruction: string;
  readonly maxTokens: number;
  /** The provider searches the web for the answer. Then the session's own model is asked, if it can. */
  readonly webSearch?: RequestedSearch;
}

// util/glob-pattern.ts

interface GlobPattern {
  /** True if the pattern matches a relative path with `/` between its parts, without `./` before it. */
  matches(path: string): boolean;
  /** Patterns for the last part of every path that can match, in ripgrep's syntax; null if any could. */
  readonly lastParts: readonly string[] | null;
  /** True if each file whose name fits `lastParts`, at any depth, matches: nothing else is asked of its path. */
  readonly isNameAlone: boolean;
  /** How many folders deep a match can lie, counting the file; null if there is no limit. */
  readonly maxDepth: number | null;
}

// util/version.ts

export declare const VERSION = '0.1.0';

export {};
