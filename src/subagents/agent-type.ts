// A kind of agent, once its definition was read.
import type { AgentMcpServerSpec } from '../protocol/mcp.js';
import type { EffortLevel } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';

/** Where a definition comes from. */
export interface AgentSource {
  readonly scope: 'built-in' | 'option' | 'project' | 'user' | 'plugin';
  /** Absolute; null if it stands in no file. */
  readonly file: string | null;
}

export interface AgentType {
  readonly name: string;
  /** What it is for, told to the model that may call it. */
  readonly description: string;
  /** Its system prompt; null for one that is built in, see `promptOf`. */
  readonly prompt: string | null;
  readonly source: AgentSource;
  /** Names of the tools it may have; null for all of the session. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** As the definition names it; null for the model of the agent that calls it. */
  readonly model: string | null;
  /** `small`: in place of the model that calls it a small one of the same provider, if there is one. */
  readonly size?: 'small';
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly effort?: EffortLevel;
  readonly permissionMode?: PermissionMode;
  /** Names of skills whose texts it works by. */
  readonly skills?: readonly string[];
  /** Servers of the session that it may use, by name, and servers of its own. */
  readonly mcpServers?: readonly AgentMcpServerSpec[];
  /** As settings have them; read when the agent starts. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Whose folder keeps what it wants to remember. */
  readonly memory?: 'user' | 'project' | 'local';
  /** For people. */
  readonly color?: string;
  /** True: its calls do not wait for it. */
  readonly background?: boolean;
  /** `worktree`: it works in a checkout of its own. */
  readonly isolation?: 'worktree';
}
