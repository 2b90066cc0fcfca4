// Agents, their servers and settings, as the Claude Agent SDK takes them. Types only.
import type {
  McpHttpServerConfig as OurHttp,
  McpSSEServerConfig as OurSse,
  McpStdioServerConfig as OurStdio,
} from '../../../protocol/mcp.js';
import type * as Options from '../../../protocol/options.js';
import type * as Permissions from '../../../protocol/permissions.js';
import type { Settings as OurSettings } from '../../../protocol/settingsTypes.generated.js';
import type { Writable } from '../../../util/writable.js';
import type { McpSdkServerConfig } from '../shared-types.js';

export type PermissionMode = Exclude<Permissions.PermissionMode, 'yolo'>;

export type McpServerConfigForProcessTransport = OurStdio | OurSse | OurHttp | McpSdkServerConfig;

export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = Omit<Writable<Options.AgentDefinition>, 'mcpServers' | 'effort' | 'permissionMode'> & {
  mcpServers?: AgentMcpServerSpec[];
  effort?: Options.EffortLevel | number;
  permissionMode?: PermissionMode;
  criticalSystemReminder_EXPERIMENTAL?: string;
  autoCompactWindow?: number;
  omitClaudeMd?: boolean;
  memory?: 'user' | 'project' | 'local';
  observer?: string;
  observerMessage?: string;
};

type Allowed<Own> = Own extends undefined ? Own : Omit<Own, 'defaultMode'> & { defaultMode?: PermissionMode };

export type Settings = Omit<OurSettings, 'enabledPlugins' | 'permissions'> & {
  /** An object is told as a problem: which versions of a plugin count is for its marketplace to say. */
  enabledPlugins?: Record<string, boolean | string[] | { [field: string]: unknown }>;
  permissions?: Allowed<OurSettings['permissions']>;
};
