// What hooks answer, one type for each event, as the published SDKs name them. Types only.
import type { HookJSONOutput } from '../../protocol/hooks.js';
import type { PermissionUpdate } from '../../protocol/permissions.js';
import type { Writable } from '../../util/writable.js';

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
