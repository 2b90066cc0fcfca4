// The tools of a session as they were opened, and what of them may change between two prompts. Types alone, for those who
// open them and those who have them.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { McpServerStatus } from '../../protocol/mcp.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { Tools } from '../../tools/tool.js';
import type { PendingNotice } from '../config/index.js';
import type { Elicit } from '../permission/index.js';
import type { SessionAgents } from './agent-setup.js';
import type { AgentSetup } from './main-agent.js';

export interface OpenedTools {
  readonly tools: Tools;
  readonly servers: readonly McpServerStatus[];
  readonly notices: readonly PendingNotice[];
  /** Gives who has them what MCP servers that are programs offer by now; null where there are none. */
  readonly refresh: RefreshTools | null;
}

/** Asked before each prompt. */
export type RefreshTools = (holder: ToolsHolder) => Promise<void>;

/** What follows from the tools of a session. */
export interface ToolsHolder {
  agents: SessionAgents;
  setup: AgentSetup;
  mcpServers: readonly McpServerStatus[];
  tell(draft: MessageDraft): void;
}

/** What servers that are programs are started with. */
export interface ToolsPlace {
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly vault: SecretVault | null;
  readonly secrets: Secrets;
  readonly confining: Promise<{ readonly commands: CommandSandbox } | null>;
  /** Null until it is known who can be asked. */
  elicit(): Elicit | null;
  /** Takes what ends with the session. */
  readonly closing: (() => Promise<void>)[];
  onDraft(draft: MessageDraft): void;
}
