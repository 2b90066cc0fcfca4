// `turnwright`: the SDK. Named exports only; api/ lists them.
export { type Command, getCommands } from './context/slash-commands.js';
export { type Budget, createBudget } from './engine/state/index.js';
export type { Host } from './host/host.js';
export { createNodeHost } from './host/node-host.js';
export { decidePermission } from './permissions/decide.js';
export type {
  CallSubject,
  PermissionCall,
  PermissionContext,
  PermissionDecision,
} from './permissions/permission-call.js';
export { type PermissionRule, parseRule } from './permissions/rule.js';
export * from './protocol/index.js';
export type { AiSdkLanguageModel, AiSdkVersion } from './providers/ai-sdk/index.js';
export type { ModelRequest, Provider, ToolDefinition } from './providers/contract/index.js';
export { withToolCallText } from './providers/text-calls/index.js';
export type {
  CommandPlace,
  CommandSandbox,
  SandboxStatus,
  SandboxViolation,
  WrappedCommand,
} from './sandbox/command-sandbox.js';
export { useAppStateStore } from './sdk/app-state.js';
export {
  accessToken,
  accessTokenFromEnv,
  apiKey,
  apiKeyFromEnv,
  apiKeyHelper,
  qodercliAuth,
  tokenProvider,
} from './sdk/models/index.js';
export type { Options } from './sdk/options/index.js';
export {
  checkPermission,
  explainCommand,
  type PermissionQuestion,
  type RuleReport,
  testPermissionRules,
} from './sdk/permissions/index.js';
export { type QueryParams, type QueryParamsFor, query } from './sdk/query.js';
export type { Query, SessionControls } from './sdk/query-controls.js';
export type {
  AnyZodRawShape,
  InferShape,
  OutputFormatOption,
  SDKMessageWith,
  SDKResultWith,
} from './sdk/schemas/index.js';
export type {
  CleanSessionsOptions,
  CleanSessionsResult,
  DeleteSessionOptions,
  ExportFormat,
  ExportSessionOptions,
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListRewindPointsOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  RewindSessionOptions,
  SessionFunctionOptions,
  SessionMessageView,
  SessionMutationOptions,
  SessionRewindPoint,
} from './sdk/sessions/index.js';
export {
  archiveSession,
  cleanSessions,
  deleteSession,
  exportSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listRewindPoints,
  listSessions,
  listSubagents,
  renameSession,
  rewindSession,
  tagSession,
  unarchiveSession,
} from './sdk/sessions.js';
export {
  filterEscalatingDefaultMode,
  type ProvenanceEntry,
  type ResolvedSettingSource,
  type ResolvedSettings,
  type ResolveSettingsOptions,
  resolveSettings,
} from './sdk/settings/index.js';
export {
  type ClaimOptions,
  prewarm,
  type SpareProcess,
  type StartupParams,
  startup,
  type WarmQuery,
} from './sdk/startup.js';
export {
  type CreateSdkMcpServerOptions,
  createSdkMcpServer,
  type SdkMcpToolDefinition,
  type ToolExtras,
  tool,
} from './sdk/tools/index.js';
export type { OrphanedPermission, PrefetchedPrompt, QueryEngineConfig } from './session/config/index.js';
export { type AppState, type AppStateStore, createAppState } from './session/config/index.js';
export type { MessageQueue, QueuedMessage } from './session/input/index.js';
export type { Message } from './session/messages/index.js';
export { QueryEngine } from './session/query-engine.js';
export type { FileSessionStore, FileSessionStoreOptions } from './session/store/index.js';
export { createFileStore, createMemoryStore, foldSessionSummary, InMemorySessionStore } from './session/store/index.js';
export type { UserAnswers } from './tools/ask-user-question.js';
export { getTools } from './tools/builtin.js';
export { createFileStateCache, type FileState, type FileStateCache } from './tools/file-state-cache.js';
export {
  type AgentReport,
  type AgentRequest,
  type AnyTool,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolSubject,
  type Tools,
} from './tools/tool.js';
export { VERSION } from './util/version.js';
