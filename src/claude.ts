// `turnwright/claude`: the Claude Agent SDK by its names and its ways, over this engine. docs/migrating-from-claude.md
import { CLAUDE_FOLDER, sessionFunctions } from './sdk/dialects/folders.js';
import { refusedClass } from './sdk/dialects/refused.js';

export { AbortError } from './protocol/errors.js';
export {
  BUILTIN_TOOL_NAMES,
  EXIT_REASONS,
  type ExitReason,
  HOOK_EVENTS,
  type HookEvent,
  LEGACY_TOOL_NAME_ALIASES,
  ORG_POLICY_LIMIT_PREFIXES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from './sdk/dialects/claude/constants.js';
export { DirectConnectError, parseDirectConnectUrl } from './sdk/dialects/claude/direct-connect.js';
export type { Options, SystemPrompt } from './sdk/dialects/claude/options-types.js';
export {
  type ClaimOptions,
  prewarm,
  type Query,
  query,
  type SpareProcess,
  startup,
  type WarmQuery,
} from './sdk/dialects/claude/query.js';
export type * from './sdk/dialects/claude/types.js';
export { matchDeniedModels } from './sdk/models/index.js';
export { filterEscalatingDefaultMode, resolveSettings } from './sdk/settings/index.js';
export { type CreateSdkMcpServerOptions, createSdkMcpServer, tool } from './sdk/tools/index.js';
export { foldSessionSummary, InMemorySessionStore } from './session/store/index.js';

/** The sessions of `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export const {
  archiveSession,
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
  unarchiveSession,
} = sessionFunctions(CLAUDE_FOLDER);

const NO_SERVER = 'there is no server of sessions to connect to. Run the session in this process with query().';
const NO_SEARCH = 'it belongs to the terminal of another program. Search with a library of your own.';

export const DirectConnectTransport = refusedClass('DirectConnectTransport', NO_SERVER);
export const FileIndex = refusedClass('FileIndex', NO_SEARCH);
export const CommandMatcher = refusedClass('CommandMatcher', NO_SEARCH);
