// Hook events, their inputs and their output. All 27 names of spec 000 are valid; spec 004 gives the input shapes. Those
// behind them are events of published SDKs.
import type { PermissionUpdate } from './permissions.js';

export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'DirectoryAdded',
  'MessageDisplay',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Fields every hook input has. */
export interface BaseHookInput {
  readonly hook_event_name: HookEvent;
  readonly session_id: string;
  /** Path of the session's transcript, or '' if the session keeps none. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode?: string | undefined;
  readonly agent_id?: string;
  readonly agent_type?: string;
  /** Uuid of the user message that is answered; absent before the first. */
  readonly prompt_id?: string;
  /** How much work the model puts in, if that was said. */
  readonly effort?: { readonly level: string };
  /** The model of the session's next request. */
  readonly model?: string;
}

/** What a hook answers. All fields optional; `{}` lets things go on. */
export interface HookJSONOutput {
  /** False ends the prompt. */
  readonly continue?: boolean;
  readonly suppressOutput?: boolean;
  readonly stopReason?: string;
  readonly decision?: 'approve' | 'block';
  readonly systemMessage?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
  /** True: the hook goes on by itself and its answer has no effect, whatever else it says. */
  readonly async?: boolean;
  readonly asyncTimeout?: number;
}

/**
 * A hook given as code.
 * Contract: called with a signal that is aborted at the timeout or when the session is; a throw is a failed hook.
 */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  /**
   * Which firings the hooks see: a name, a list (`Edit|Write`), or a regular expression over the whole tool name. Other
   * events match their own subject, for example the source of SessionStart. Absent, '' and '*' match all.
   */
  readonly matcher?: string;
  readonly hooks: HookCallback[];
  /** Seconds; 60 when absent. */
  readonly timeout?: number;
  /**
   * What a hook that throws, times out or gives no usable answer means: 'continue' (the default) lets things go on,
   * 'block' counts as a refusal. 'block' is accepted for the events a hook can block.
   */
  readonly onFailure?: 'continue' | 'block';
}

export interface PreToolUseHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreToolUse';
  readonly permission_mode: string | undefined;
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
}

export interface PostToolUseHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolUse';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
  readonly tool_use_id: string;
  readonly duration_ms?: number;
}

export interface PostToolUseFailureHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly error: string;
  readonly is_interrupt: boolean | undefined;
  readonly tool_use_id: string;
  readonly duration_ms?: number;
}

export interface UserPromptSubmitHookInput extends BaseHookInput {
  readonly hook_event_name: 'UserPromptSubmit';
  readonly prompt: string;
  /** `user`: a person follows the session as at a terminal; `sdk`: a program does. */
  readonly source?: 'user' | 'sdk';
}

export interface SessionStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionStart';
  readonly source: string;
  readonly model?: string;
  /** The session's own agent, if it has a name. */
  readonly agent_type?: string;
  readonly session_title?: string;
}

export interface SessionEndHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionEnd';
  readonly reason: string;
}

export interface StopHookInput extends BaseHookInput {
  readonly hook_event_name: 'Stop';
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
}

export interface SubagentStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStart';
  readonly agent_id: string;
  readonly agent_type: string;
}

export interface SubagentStopHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStop';
  readonly stop_hook_active: boolean;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly agent_transcript_path?: string;
  readonly last_assistant_message?: string;
}

export interface PreCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreCompact';
  readonly trigger: string;
  readonly custom_instructions: string | null;
}

export interface PostCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostCompact';
  readonly trigger: string;
  readonly compact_summary: string;
}

export interface CwdChangedHookInput extends BaseHookInput {
  readonly hook_event_name: 'CwdChanged';
  readonly old_cwd: string;
  readonly new_cwd: string;
}

export interface InstructionsLoadedHookInput extends BaseHookInput {
  readonly hook_event_name: 'InstructionsLoaded';
  readonly load_reason: string;
  readonly file_path?: string;
  readonly memory_type?: string;
}

export interface FileChangedHookInput extends BaseHookInput {
  readonly hook_event_name: 'FileChanged';
  readonly file_path: string;
  readonly event: string;
}

export interface PermissionRequestHookInput extends BaseHookInput {
  readonly hook_event_name: 'PermissionRequest';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly permission_suggestions: PermissionUpdate[] | undefined;
}

export interface NotificationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Notification';
  readonly message: string;
  readonly title?: string;
  readonly notification_type: string;
}

export interface StopFailureHookInput extends BaseHookInput {
  readonly hook_event_name: 'StopFailure';
  readonly error: string;
  readonly error_details?: string;
  readonly last_assistant_message?: string;
}

export interface PermissionDeniedHookInput extends BaseHookInput {
  readonly hook_event_name: 'PermissionDenied';
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly reason: string;
  /** The same, by its other name. */
  readonly denial_reason?: string;
}

export interface SetupHookInput extends BaseHookInput {
  readonly hook_event_name: 'Setup';
  readonly trigger: string;
}

export interface TeammateIdleHookInput extends BaseHookInput {
  readonly hook_event_name: 'TeammateIdle';
  readonly teammate_name: string;
  readonly team_name: string;
}

export interface TaskCreatedHookInput extends BaseHookInput {
  readonly hook_event_name: 'TaskCreated';
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
}

export interface TaskCompletedHookInput extends BaseHookInput {
  readonly hook_event_name: 'TaskCompleted';
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
}

export interface ElicitationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Elicitation';
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: 'form' | 'url';
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: Record<string, unknown>;
}

export interface ElicitationResultHookInput extends BaseHookInput {
  readonly hook_event_name: 'ElicitationResult';
  readonly mcp_server_name: string;
  readonly elicitation_id?: string;
  readonly mode?: 'form' | 'url';
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

export interface ConfigChangeHookInput extends BaseHookInput {
  readonly hook_event_name: 'ConfigChange';
  readonly source: string;
  readonly file_path?: string;
}

export interface WorktreeCreateHookInput extends BaseHookInput {
  readonly hook_event_name: 'WorktreeCreate';
  readonly name: string;
}

export interface WorktreeRemoveHookInput extends BaseHookInput {
  readonly hook_event_name: 'WorktreeRemove';
  readonly worktree_path: string;
}

/** A call of a batch, and what the model reads of it. */
export interface PostToolBatchToolCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly tool_response?: unknown;
}

export interface PostToolBatchHookInput extends BaseHookInput {
  readonly hook_event_name: 'PostToolBatch';
  readonly tool_calls: readonly PostToolBatchToolCall[];
}

export interface UserPromptExpansionHookInput extends BaseHookInput {
  readonly hook_event_name: 'UserPromptExpansion';
  readonly expansion_type: 'slash_command' | 'mcp_prompt';
  readonly command_name: string;
  readonly command_args: string;
  readonly command_source?: string;
  /** As it was typed. */
  readonly prompt: string;
}

interface ModelSwitchFields {
  readonly from_model: string;
  readonly to_model: string;
  /** Null: back to the session's first model. */
  readonly requested_model: string | null;
  /** Tokens that the next request sends again. */
  readonly context_tokens: number;
  /** True if the last reply is so young that a prompt cache still holds, as far as its age says. */
  readonly prompt_cache_warm: boolean;
  readonly cache_ttl: '5m' | '1h';
  /** What it costs to write those tokens into the new model's cache; 0 if its price is not known (`default`). */
  readonly estimated_cache_write_usd: number;
  readonly pricing: 'configured' | 'catalog' | 'default';
}

export interface PreModelSwitchHookInput extends BaseHookInput, ModelSwitchFields {
  readonly hook_event_name: 'PreModelSwitch';
  readonly source: 'command' | 'picker' | 'sdk';
}

export interface PostModelSwitchHookInput extends BaseHookInput, ModelSwitchFields {
  readonly hook_event_name: 'PostModelSwitch';
  readonly source: 'command' | 'picker' | 'sdk' | 'auto' | 'resume';
}

export interface DirectoryAddedHookInput extends BaseHookInput {
  readonly hook_event_name: 'DirectoryAdded';
  /** Absolute. */
  readonly directory: string;
  readonly source: 'slash_command' | 'register_repo_root';
}

export interface MessageDisplayHookInput extends BaseHookInput {
  readonly hook_event_name: 'MessageDisplay';
  /** Uuid of the user message that is answered. */
  readonly turn_id: string;
  /** Uuid of the message that is shown. */
  readonly message_id: string;
  readonly index: number;
  readonly final: boolean;
  readonly delta: string;
}

export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | SetupHookInput
  | TeammateIdleHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | InstructionsLoadedHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | PostToolBatchHookInput
  | UserPromptExpansionHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | DirectoryAddedHookInput
  | MessageDisplayHookInput;
