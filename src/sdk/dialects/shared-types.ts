// Type names that both published SDKs have and that are not ours; what hooks answer, one type for each event, among them. Types
// only.
import type { Usage } from '../../protocol/content.js';
import type { HookJSONOutput } from '../../protocol/hooks.js';
import type { PermissionUpdate } from '../../protocol/permissions.js';
import type { Writable } from '../../util/writable.js';

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

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

interface Context<Event extends string> {
  hookEventName: Event;
  additionalContext?: string;
}

export type PreToolUseHookSpecificOutput = Context<'PreToolUse'> & {
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
};
export type PostToolUseHookSpecificOutput = Context<'PostToolUse'> & {
  classifierContext?: string;
  updatedToolOutput?: unknown;
  updatedMCPToolOutput?: unknown;
};
export type PostToolUseFailureHookSpecificOutput = Context<'PostToolUseFailure'>;
export type PostToolBatchHookSpecificOutput = Context<'PostToolBatch'>;
export type NotificationHookSpecificOutput = Context<'Notification'>;
export type UserPromptSubmitHookSpecificOutput = Context<'UserPromptSubmit'> & {
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};
export type UserPromptExpansionHookSpecificOutput = Context<'UserPromptExpansion'> & {
  suppressOriginalPrompt?: boolean;
};
export type SessionStartHookSpecificOutput = Context<'SessionStart'> & {
  initialUserMessage?: string;
  sessionTitle?: string;
  watchPaths?: string[];
  reloadSkills?: boolean;
};
export type SetupHookSpecificOutput = Context<'Setup'>;
export type StopHookSpecificOutput = Context<'Stop'>;
export type SubagentStartHookSpecificOutput = Context<'SubagentStart'>;
export type SubagentStopHookSpecificOutput = Context<'SubagentStop'>;
export type PermissionRequestHookSpecificOutput = {
  hookEventName: 'PermissionRequest';
  decision:
    | { behavior: 'allow'; updatedInput?: Record<string, unknown>; updatedPermissions?: Writable<PermissionUpdate>[] }
    | { behavior: 'deny'; message?: string; interrupt?: boolean };
};
export type PermissionDeniedHookSpecificOutput = { hookEventName: 'PermissionDenied'; retry?: boolean };
export type PreModelSwitchHookSpecificOutput = {
  hookEventName: 'PreModelSwitch';
  permissionDecision?: 'allow' | 'deny' | 'ask';
  permissionDecisionReason?: string;
};
export type PostModelSwitchHookSpecificOutput = Context<'PostModelSwitch'>;
export type ElicitationHookSpecificOutput = {
  hookEventName: 'Elicitation';
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};
export type ElicitationResultHookSpecificOutput = {
  hookEventName: 'ElicitationResult';
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};
export type CwdChangedHookSpecificOutput = { hookEventName: 'CwdChanged'; watchPaths?: string[] };
export type FileChangedHookSpecificOutput = { hookEventName: 'FileChanged'; watchPaths?: string[] };
export type WorktreeCreateHookSpecificOutput = { hookEventName: 'WorktreeCreate'; worktreePath: string };
export type MessageDisplayHookSpecificOutput = { hookEventName: 'MessageDisplay'; displayContent?: string };

export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | NotificationHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | SessionStartHookSpecificOutput
  | SetupHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | MessageDisplayHookSpecificOutput;

/** The hook goes on by itself. */
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };
export type SyncHookJSONOutput = Omit<HookJSONOutput, 'async' | 'asyncTimeout'>;
