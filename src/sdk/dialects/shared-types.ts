// Type names that both published SDKs have and that are not ours. Types only.
import type { Usage } from '../../protocol/content.js';

/** What is told of something that is not here. */
export interface NotHere {
  [key: string]: unknown;
}

export type ConfigScope = 'local' | 'user' | 'project';
export type NonNullableUsage = { [Key in keyof Usage]: NonNullable<Usage[Key]> };
export type AgentMemoryScope = 'user' | 'project' | 'local';
/** Whether a tool of a server runs, is asked about, or never runs. */
export type McpServerToolPolicy = {
  name: string;
  permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
  org_max_permission?: 'allow' | 'ask' | 'blocked';
};
/** A server in this process, as it is told: without what it is made of. */
export type McpSdkServerConfig = { type: 'sdk'; name: string };
/** How the published SDKs talk to an engine in another process. */
export interface Transport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<unknown, void, unknown>;
  endInput(): void;
}
