// What hooks hear, as the Claude Agent SDK says it: if ours is any text, the texts that there are. Types only.
import type * as Hooks from '../../../protocol/hooks.js';
import type { PermissionMode, PermissionUpdate } from '../../../protocol/permissions.js';
import type { Writable } from '../../../util/writable.js';

/** Ours with fields that say more. */
type Precise<Input, Fields> = Omit<Input, keyof Fields> & Fields;
type Compaction = 'manual' | 'auto';
type AssistantError =
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens'
  | 'cloud_credential_error';

/** It has no mode `yolo`. */
export type PermissionChange =
  Writable<PermissionUpdate> extends infer Change
    ? Change extends { type: 'setMode' }
      ? Omit<Change, 'mode'> & { mode: Exclude<PermissionMode, 'yolo'> }
      : Change
    : never;
/** Without the name of the event, which each input has. */
export type BaseHookInput = Omit<Hooks.BaseHookInput, 'hook_event_name'>;
export type PreToolUseHookInput = Precise<Hooks.PreToolUseHookInput, { permission_mode?: string }>;
export type PostToolUseFailureHookInput = Precise<Hooks.PostToolUseFailureHookInput, { is_interrupt?: boolean }>;
export type PostToolBatchHookInput = Writable<Hooks.PostToolBatchHookInput>;
export type PermissionRequestHookInput = Precise<
  Hooks.PermissionRequestHookInput,
  { permission_suggestions?: PermissionChange[] }
>;
export type UserPromptSubmitHookInput = Precise<
  Hooks.UserPromptSubmitHookInput,
  { source?: 'user' | 'sdk' | 'system' | 'loop_wakeup' | 'schedule_wakeup' | 'poll_event'; session_title?: string }
>;
export type SessionStartHookInput = Precise<
  Hooks.SessionStartHookInput,
  { source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' }
>;
export type SessionEndHookInput = Precise<
  Hooks.SessionEndHookInput,
  { reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other' }
>;
export type StopFailureHookInput = Precise<Hooks.StopFailureHookInput, { error: AssistantError }>;
export type SubagentStopHookInput = Precise<
  Hooks.SubagentStopHookInput,
  { agent_id: string; agent_type: string; agent_transcript_path: string }
>;
export type PreCompactHookInput = Precise<Hooks.PreCompactHookInput, { trigger: Compaction }>;
export type PostCompactHookInput = Precise<Hooks.PostCompactHookInput, { trigger: Compaction }>;
export type SetupHookInput = Precise<Hooks.SetupHookInput, { trigger: 'init' | 'maintenance' }>;
export type ConfigChangeHookInput = Precise<
  Hooks.ConfigChangeHookInput,
  { source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' }
>;
export type InstructionsLoadedHookInput = Precise<
  Hooks.InstructionsLoadedHookInput,
  {
    file_path: string;
    memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
  }
>;
export type FileChangedHookInput = Precise<Hooks.FileChangedHookInput, { event: 'change' | 'add' | 'unlink' }>;

type PreciseInput =
  | PreToolUseHookInput
  | PostToolUseFailureHookInput
  | PermissionRequestHookInput
  | UserPromptSubmitHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopFailureHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | SetupHookInput
  | ConfigChangeHookInput
  | InstructionsLoadedHookInput
  | FileChangedHookInput;
/** One of them by its event: the precise ones, and ours as they are. */
export type HookInput =
  | PreciseInput
  | Writable<Exclude<Hooks.HookInput, { hook_event_name: PreciseInput['hook_event_name'] }>>;
