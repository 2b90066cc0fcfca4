// What `query()` returns: the message stream, and the controls over the session behind it.
import type {
  AccountInfo,
  AskSideQuestionOptions,
  BYOKModelValidationInput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  CheckByokConfigInput,
  CreateByokConfigInput,
  DeleteByokConfigInput,
  EffectiveConfig,
  McpCallOptions,
  McpSetServersResult,
  McpToken,
  PluginDetails,
  RegisterRootOptions,
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
  SDKPlanModeSnapshot,
  SideQuestionResult,
  UpdateByokConfigInput,
} from '../protocol/control.js';
import type { SDKGoalSnapshot, SetGoalParams } from '../protocol/goals.js';
import type { McpCompleteParams, McpServerConfig, McpServerStatus } from '../protocol/mcp.js';
import type { ExitReason, SDKMessage, SDKUserMessage } from '../protocol/messages.js';
import type { BYOKProviderInfo, ModelInfo, UsageInfo } from '../protocol/model.js';
import type { AgentInfo, SdkPluginConfig, SlashCommand } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { RewindFilesOptions, RewindFilesResult, RewindOptions, RewindResult } from '../protocol/rewind.js';

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
    options?: { readonly maxBytes?: number; readonly encoding?: 'utf-8' | 'base64' },
  ): Promise<SDKControlReadFileResponse | null>;
  /** A title by one small request of the model; null if there is none. With `persist` the session gets it. */
  generateSessionTitle(description: string, options?: { readonly persist?: boolean }): Promise<string | null>;
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
  completeMcpArgument(serverName: string, params: McpCompleteParams): Promise<{ readonly values: string[] }>;
  /**
   * The permission mode for the tools of one server, in place of the session's; null: the session's again. Counts from the
   * next call on, but in the modes `plan` and `dontAsk`.
   */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ readonly warning?: string }>;
  /**
   * Begins to sign in to an MCP server. Its browser comes back to this machine, or to `redirectUri`, which the host serves;
   * the server is connected again as soon as that is done. Rejects with what is wrong with the server's way to sign in.
   */
  mcpAuthenticate(
    serverName: string,
    redirectUri?: string,
  ): Promise<{ readonly authUrl?: string; readonly requiresUserAction: boolean }>;
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
