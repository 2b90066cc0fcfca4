// The tools of a session as they were opened, and what of them may change between two requests. Types alone, for those who
// open them and those who have them.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { Tools } from '../../tools/tool.js';
import type { PendingNotice } from '../config/index.js';
import type { SessionServers } from '../mcp/index.js';
import type { Elicit } from '../permission/index.js';
import type { SessionAgents } from './agent-setup.js';
import type { AgentSetup } from './defined-agents.js';

export interface OpenedTools {
  readonly tools: Tools;
  readonly notices: readonly PendingNotice[];
}

/** The MCP servers of a session. */
export interface ServersAccess {
  /** Null for as long as there are none. */
  readonly now: SessionServers | null;
  /** For those who add one. */
  open(): Promise<SessionServers>;
  /** Servers that one agent alone has; opened with its first run. */
  ofAgent(agent: string, definitions: readonly McpServerDefinition[]): Promise<SessionServers>;
}

/** Asks the model for a server: takes and gives what `sampling/createMessage` does. @throws Error */
export type Sampler = (params: unknown, signal: AbortSignal, server: string) => Promise<unknown>;

/** What follows from the tools of a session. */
export interface ToolsHolder {
  agents: SessionAgents;
  setup: AgentSetup;
  readonly servers: ServersAccess;
}

/** What MCP servers are connected with. */
export interface ToolsPlace {
  readonly host: Host;
  readonly sessionId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly vault: SecretVault | null;
  readonly secrets: Secrets;
  readonly confining: Promise<{ readonly commands: CommandSandbox } | null>;
  /** Null until it is known who can be asked. */
  elicit(): Elicit | null;
  /** Null until there is a prompt. */
  sampler(): Sampler | null;
  /** The folders of the workspace, the working directory first. */
  roots(): readonly string[];
  /** Takes what ends with the session. */
  readonly closing: (() => Promise<void>)[];
  onDraft(draft: MessageDraft): void;
  log(event: string, detail: Readonly<Record<string, unknown>>): void;
}
