// The options of the Claude Agent SDK, as types: its agents, servers, settings and hooks if they differ from ours, and all of ours
// beside them. Types only.
import type * as Hooks from '../../../protocol/hooks.js';
import type { HookJSONOutput } from '../../../protocol/hooks.js';
import type {
  McpHttpServerConfig as OurHttp,
  McpSSEServerConfig as OurSse,
  McpStdioServerConfig as OurStdio,
} from '../../../protocol/mcp.js';
import type { EffortLevel, AgentDefinition as OurAgentDefinition } from '../../../protocol/options.js';
import type {
  CanUseToolOptions,
  PermissionMode as OurPermissionMode,
  PermissionResult as OurPermissionResult,
  PermissionUpdate,
} from '../../../protocol/permissions.js';
import type { Settings as OurSettings } from '../../../protocol/settingsTypes.generated.js';
import type { Writable } from '../../../util/writable.js';
import type { Options as OurOptions } from '../../options/index.js';
import type { McpSdkServerConfig } from '../shared-types.js';
import type { HookEvent } from './constants.js';

export type PermissionMode = Exclude<OurPermissionMode, 'yolo'>;

export type McpServerConfigForProcessTransport = OurStdio | OurSse | OurHttp | McpSdkServerConfig;

export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = Omit<Writable<OurAgentDefinition>, 'mcpServers' | 'effort' | 'permissionMode'> & {
  mcpServers?: AgentMcpServerSpec[];
  effort?: EffortLevel | number;
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
      ? Omit<Change, 'mode'> & { mode: PermissionMode }
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

export type PermissionResult = OurPermissionResult;

/** `null`: somebody else answers, and the call waits. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: Omit<CanUseToolOptions, 'suggestions'> & { suggestions?: PermissionChange[]; requestId: string },
) => Promise<PermissionResult | null>;

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

type ThinkingDisplay = 'summarized' | 'omitted';
export type ThinkingAdaptive = { type: 'adaptive'; display?: ThinkingDisplay };
export type ThinkingEnabled = { type: 'enabled'; budgetTokens?: number; display?: ThinkingDisplay };
export type ThinkingDisabled = { type: 'disabled' };
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type SystemPrompt =
  | string
  | string[]
  | { type: 'custom'; prompt: string | string[]; snapshot?: boolean }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string;
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

interface Differing {
  /** Absent: a sentence. `{ type: 'preset', preset: 'claude_code' }` is what Turnwright says by default. */
  systemPrompt?: SystemPrompt;
  /** Replaces the environment of the process. */
  env?: { [variable: string]: string | undefined };
  canUseTool?: CanUseTool;
  agents?: Record<string, AgentDefinition>;
  settings?: string | Settings;
  managedSettings?: Settings;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  thinking?: ThinkingConfig;
  maxThinkingTokens?: number;
  /** Reading settings of a folder vouches for nothing; `trustFolder` does. */
  settingSources?: ('user' | 'project' | 'local')[];
}

export type Options = Omit<OurOptions, keyof Differing> & Differing;
