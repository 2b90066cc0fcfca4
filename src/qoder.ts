// `turnwright/qoder`: the Qoder Agent SDK by its names and its ways, over this engine. docs/migrating-from-qoder.md
import { QODER_FOLDER, sessionFunctions } from './sdk/dialects/folders.js';

export {
  type AccessTokenInput,
  type AuthOptions,
  type FetchJobToken,
  type FetchServiceAccountToken,
  type JobTokenAuthOptions,
  type JobTokenRequest,
  type JobTokenResult,
  jobToken,
  type ServiceAccountAuthOptions,
  type ServiceAccountCredentials,
  type ServiceAccountKeyInput,
  type ServiceAccountTokenResult,
  serviceAccount,
  serviceAccountFromEnv,
} from './sdk/dialects/qoder/auth.js';
export {
  DEFAULT_ACCESS_TOKEN_ENV_VAR,
  DEFAULT_RUNTIME_TRANSPORT,
  DEFAULT_SERVICE_ACCOUNT_ENV_VAR,
  type DefaultRuntimeTransport,
  EXIT_REASONS,
  type ExitReason,
  HOOK_EVENTS,
  type HookEvent,
  MAX_SKILL_EVOLUTION_REVIEW_THRESHOLD,
  QoderModelPurpose,
  WIRE_PROTOCOL_VERSION,
} from './sdk/dialects/qoder/constants.js';
export * from './sdk/dialects/qoder/errors.js';
export * from './sdk/dialects/qoder/plugins-and-daemons.js';
export {
  type Options,
  type Query,
  query,
  type StartupParams,
  startup,
  type WarmQuery,
} from './sdk/dialects/qoder/query.js';
export { ProcessTransport, WorkerTransport } from './sdk/dialects/qoder/transports.js';
export type * from './sdk/dialects/qoder/types.js';
export { accessToken, accessTokenFromEnv, qodercliAuth } from './sdk/models/index.js';
export { filterEscalatingDefaultMode, resolveSettings } from './sdk/settings/index.js';
export { type CreateSdkMcpServerOptions, createSdkMcpServer, tool } from './sdk/tools/index.js';
export { InMemorySessionStore } from './session/store/index.js';

/** Types stand beside the functions; the published SDK has an empty object of this name. */
export const coreTypes = {};

/** The sessions of `QODER_CONFIG_DIR`, or `~/.qoder`. */
export const {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
} = sessionFunctions(QODER_FOLDER);
