// The `system` messages: `init` first in every prompt, and one type for each thing that happens beside the
// conversation. Nothing the engine skips, drops, retries or replaces goes without one.

import type { SDKAssistantMessageError, SDKEnvelope } from './envelope.js';
import type { SDKGoalSnapshot } from './goals.js';
import type { McpServerStatus } from './mcp.js';
import type { ModelInfo } from './model.js';
import type { FallbackTrigger } from './model-options.js';
import type { SlashCommand } from './options.js';
import type { PermissionMode } from './permissions.js';
import type { SessionKey } from './session-store.js';

interface SystemEnvelope extends SDKEnvelope {
  readonly type: 'system';
  /** The subagent it is about; absent if it is about the session itself. */
  readonly agent_id?: string;
}

export type ApiKeySource = 'user' | 'project' | 'org' | 'temporary' | 'none';

/** There is no fast mode here: always `off`. */
export type FastModeState = 'off' | 'cooldown' | 'on';

/** `system/init`: the first message of every prompt, and the only one with the session's metadata. */
export interface SDKSystemMessage extends SystemEnvelope {
  readonly subtype: 'init';
  readonly turnwright_version: string;
  /** The versions of published programs whose stream this one is like, for who reads them. */
  readonly claude_code_version: string;
  readonly qodercli_version: string;
  readonly protocol_version: string;
  /** What the session can be asked for beside prompts: `CAPABILITIES`. An open list. */
  readonly capabilities: readonly string[];
  readonly apiKeySource: ApiKeySource;
  readonly cwd: string;
  readonly model: string;
  /** Which provider answers: `anthropic`, `offline` … */
  readonly provider: string;
  readonly permissionMode: PermissionMode;
  readonly tools: readonly string[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly plugins: readonly { readonly name: string; readonly path: string; readonly source?: string }[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  /** Present if commands are to be confined. Not available: none runs, and `reason` says why. */
  readonly sandbox?: {
    readonly enabled: true;
    readonly available: boolean;
    readonly mechanism: 'bubblewrap' | 'seatbelt' | null;
    readonly reason: string | null;
  };
  readonly fast_mode_state?: FastModeState;
  /** The settings files that were read. Absent: none was there. */
  readonly settings_files?: readonly { readonly scope: string; readonly file: string }[];
  /** What of files and plugins there is, and where it comes from. Absent: none was there. */
  readonly loaded?: readonly LoadedPart[];
  /** What was found and is not there, and why. */
  readonly rejected?: readonly RejectedPart[];
}

/** A part of a session that stands in a file or comes with a plugin. */
export interface LoadedPart {
  readonly kind: 'agent' | 'skill' | 'command' | 'plugin' | 'server' | 'hook' | 'instructions';
  readonly name: string;
  /** Whose: `project`, `user`, `plugin`, `managed` … */
  readonly scope: string;
  /** Its file or folder, absolute; `option` for what stands in none. */
  readonly source: string;
}

/** A candidate that is not there. */
export interface RejectedPart extends Pick<LoadedPart, 'kind' | 'name' | 'source'> {
  readonly reason: string;
}

/** Context was compacted here. Both spellings of the published documents: `summary` and `compact_metadata`. */
export interface SDKCompactBoundaryMessage extends SystemEnvelope {
  readonly subtype: 'compact_boundary';
  readonly summary?: string;
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    /**
     * The newest messages from before that are still in the context word for word, without a gap: first and last, by the
     * ids they were sent under. They follow the summary, whose id in the transcript is the anchor. Absent: none are.
     */
    readonly preserved_segment?: {
      readonly head_uuid: string;
      readonly anchor_uuid: string;
      readonly tail_uuid: string;
    };
    /** All that are still there, also those before a gap, in their order. */
    readonly preserved_messages?: {
      readonly anchor_uuid: string;
      readonly uuids: readonly string[];
    };
  };
}

export type SDKStatus = 'compacting' | 'requesting' | null;

/**
 * What the session does beside the conversation. `compacting` lasts until the next status; `requesting`, only with
 * `includePartialMessages`, until the next event of the stream. With `permissionMode`: the mode is another from here on.
 */
export interface SDKStatusMessage extends SystemEnvelope {
  readonly subtype: 'status';
  readonly status: SDKStatus;
  readonly permissionMode?: PermissionMode;
  /** How a compaction ended. */
  readonly compact_result?: 'success' | 'failed';
  readonly compact_error?: string;
}

/** Mode `plan` began or is over. A `status` with the mode comes before it. */
export interface SDKPlanModeChangedMessage extends SystemEnvelope {
  readonly subtype: 'plan_mode_changed';
  readonly plan_mode: { readonly active: boolean };
}

/** The goal of the session was set, or is another than it was: its words, its status, what it has used. */
export interface SDKGoalUpdatedMessage extends SystemEnvelope {
  readonly subtype: 'goal_updated';
  readonly goal: SDKGoalSnapshot;
  /** Why: the model's words, or `interrupted`, `safety-limit`, `budget`, `no-progress`, the reason of a result. */
  readonly reason?: string;
}

export interface SDKGoalClearedMessage extends SystemEnvelope {
  readonly subtype: 'goal_cleared';
  readonly goal_id: string;
  readonly reason?: string;
}

/** The slash commands are others from here on: all of them. */
export interface SDKCommandsChangedMessage extends SystemEnvelope {
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommand[];
}

/** The models that may be named are others from here on: all of them. */
export interface SDKAvailableModelsUpdateMessage extends SystemEnvelope {
  readonly subtype: 'available_models_update';
  readonly models: readonly ModelInfo[];
  readonly currentModel: string;
}

/** A control request of the wire protocol takes its time. */
export interface SDKControlRequestProgressMessage extends SystemEnvelope {
  readonly subtype: 'control_request_progress';
  readonly request_id: string;
  readonly status: 'started' | 'api_retry';
  readonly attempt?: number;
  readonly max_retries?: number;
  readonly retry_delay_ms?: number;
  readonly error_status?: number | null;
}

export interface SDKMcpStatusChangeMessage extends SystemEnvelope {
  readonly subtype: 'mcp_status_change';
  readonly servers: readonly McpServerStatus[];
}

/** Requests go to another model from here on, and why. */
export interface SDKModelChangedMessage extends SystemEnvelope {
  readonly subtype: 'model_changed';
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** What led to it; `prompt_started`: each prompt begins with the session's own model; `resolve_model`: the
   * host named it. */
  readonly trigger?: FallbackTrigger | 'prompt_started' | 'resolve_model';
}

interface RefusedRequest {
  readonly original_model: string;
  /** How the provider names the request; null if it does not. */
  readonly request_id: string | null;
  /** What happened, for people. */
  readonly content: string;
}

/** A model declined to answer, and another one is asked. `model_changed` says the same of every change of models. */
export interface SDKModelRefusalFallbackMessage extends SystemEnvelope, RefusedRequest {
  readonly subtype: 'model_refusal_fallback';
  readonly trigger: 'refusal';
  /** `retry`: for the rest of the prompt; each prompt begins with its own model. */
  readonly direction: 'retry';
  readonly fallback_model: string;
}

/** A model declined to answer, and no other is asked: the prompt ends with `refusal`. */
export interface SDKModelRefusalNoFallbackMessage extends SystemEnvelope, RefusedRequest {
  readonly subtype: 'model_refusal_no_fallback';
}

/** How much a model that thinks has thought by now, estimated. With `includePartialMessages`. */
export interface SDKThinkingTokensMessage extends SystemEnvelope {
  readonly subtype: 'thinking_tokens';
  /** Of the reply so far. */
  readonly estimated_tokens: number;
  /** Since the last of these messages. */
  readonly estimated_tokens_delta: number;
}

/** A model request failed and will be sent again after `retry_delay_ms`. One message an attempt. */
export interface SDKAPIRetryMessage extends SystemEnvelope {
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: SDKAssistantMessageError;
  /** The failure's own class, for example `stream_idle`, and its text. */
  readonly reason: string;
  readonly message: string;
}

/** The partial output streamed for `message_id` is withdrawn: its attempt failed. Discard what was shown of it. */
export interface SDKStreamResetMessage extends SystemEnvelope {
  readonly subtype: 'stream_reset';
  readonly message_id: string;
  readonly reason: string;
}

/** What was repaired in the history before a request, so that the request is valid. */
export interface SDKHistoryRepairedMessage extends SystemEnvelope {
  readonly subtype: 'history_repaired';
  readonly repairs: readonly { readonly kind: HistoryRepairKind; readonly detail: string }[];
}

export type HistoryRepairKind =
  | 'missing_tool_result'
  | 'orphan_tool_result'
  | 'duplicate_tool_result'
  | 'duplicate_tool_use'
  | 'empty_block'
  | 'empty_message'
  | 'unsigned_thinking'
  | 'role_order'
  | 'invalid_block'
  | 'invalid_text'
  | 'media_removed'
  | 'media_corrected'
  | 'thinking_removed';

export type NoticeCode =
  | 'option_without_effect'
  | 'unknown_tool_name'
  | 'transcript_unavailable'
  | 'transcript_recovered'
  | 'transcript_entries_lost'
  | 'prompt_end_failed'
  | 'secrets_redacted'
  | 'blobs_full'
  | 'transcript_damaged'
  | 'transcript_cut'
  | 'session_resumed_with_open_calls'
  | 'prompt_blocks_dropped'
  | 'fallback_skipped'
  | 'hook_failed'
  | 'untrusted_content'
  | 'hook_message'
  | 'compaction_blocked'
  | 'history_shrunk'
  | 'context_filling'
  | 'thinking_reduced'
  | 'output_schema_refused'
  | 'output_limit_lowered'
  | 'loop_suspected'
  | 'reply_cut_by_budget'
  | 'tool_deferred'
  | 'call_judged'
  | 'deferred_dropped'
  | 'attachment_left_out'
  | 'instructions_left_out'
  | 'orphaned_permission_dropped'
  | 'checkpoint_incomplete'
  | 'queued_message_blocked'
  | 'message_id_replaced'
  | 'mcp_server_failed'
  | 'mcp_tool_left_out'
  | 'mcp_server_not_used'
  | 'mcp_server_restarted'
  | 'mcp_server_output'
  | 'mcp_server_log'
  | 'mcp_instructions_cut'
  | 'child_process_output'
  | 'mcp_tools_changed'
  | 'mcp_tools_unknown'
  | 'tool_schema_unusable'
  | 'tool_name_taken'
  | 'no_session_to_continue'
  | 'sessions_deleted'
  | 'settings_problem'
  | 'settings_refused'
  | 'settings_changed'
  | 'settings_not_saved'
  | 'folder_not_trusted'
  | 'permission_rule_unusable'
  | 'permission_example_failed'
  | 'worktree_left'
  | 'sandbox_unavailable'
  | 'sandbox_violation'
  | 'command_model_unusable'
  | 'command_problem'
  | 'plugin_problem'
  | 'skill_problem'
  | 'skill_refused'
  | 'messages_not_shown'
  | 'telemetry_unavailable'
  | 'agent_problem'
  | 'agent_refused';

/**
 * Why a conversation was not, or not much, compacted: the window is nearly full and another compaction would make no
 * room; one was made and left it nearly full; its summary would have been as long; there was no summary to be had; the
 * budget does not allow one.
 */
export type CompactionBlockedReason = 'window_full' | 'little_room_made' | 'no_shorter' | 'no_summary' | 'over_budget';

/** Which setting a notice is about. */
export interface NoticedSetting {
  /** Absolute; null for settings that were given as an option. */
  readonly file: string | null;
  /** For example `permissions.allow[2]`; null for the file itself. */
  readonly key: string | null;
  /** What would have been right. */
  readonly expected?: string;
  /** The known key that was perhaps meant. */
  readonly nearest?: string;
}

/** One of several settings that a notice is about. */
export interface ToldSetting extends NoticedSetting {
  /** What is wrong with it. */
  readonly message: string;
}

/** Something was skipped, dropped, shortened or does nothing, and why. `remedy` says what to do about it. */
export interface SDKNoticeMessage extends SystemEnvelope {
  readonly subtype: 'notice';
  readonly code: NoticeCode;
  /** With `compaction_blocked`, always. */
  readonly reason?: CompactionBlockedReason;
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly remedy?: string;
  /** Figures that the message names, for programs. */
  readonly data?: Readonly<Record<string, number>>;
  readonly setting?: NoticedSetting;
  /** In place of `setting`, if the same is wrong with several of one file: all of them. */
  readonly settings?: readonly ToldSetting[];
}

export interface SDKLocalCommandOutputMessage extends SystemEnvelope {
  readonly subtype: 'local_command_output';
  readonly content: string;
}

/** A line for people. `prevent_continuation`: a hook ended the prompt, and this is why. */
export interface SDKInformationalMessage extends SystemEnvelope {
  readonly subtype: 'informational';
  readonly content: string;
  readonly level: 'info' | 'notice' | 'suggestion' | 'warning';
  readonly tool_use_id?: string;
  readonly prevent_continuation?: boolean;
}

/** A person should look: the session waits for an answer. With `includeSessionState`. */
export interface SDKNotificationMessage extends SystemEnvelope {
  readonly subtype: 'notification';
  /** What it is about: one with the same key takes the place of an earlier one. */
  readonly key: string;
  readonly text: string;
  readonly priority: 'low' | 'medium' | 'high' | 'immediate';
}

interface HookEnvelope extends SystemEnvelope {
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

export interface SDKHookStartedMessage extends HookEnvelope {
  readonly subtype: 'hook_started';
  /** What the hook's `statusMessage` says. */
  readonly status_message?: string;
}

export interface SDKHookProgressMessage extends HookEnvelope {
  readonly subtype: 'hook_progress';
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

export interface SDKHookResponseMessage extends HookEnvelope {
  readonly subtype: 'hook_response';
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Of a command that ended by itself. */
  readonly exit_code?: number;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

export interface SDKTaskStartedMessage extends SystemEnvelope {
  readonly subtype: 'task_started';
  readonly task_id: string;
  /**
   * One run of the task: the same in every message about it. An agent that goes on keeps its `task_id` and gets another;
   * of one task they sort as texts in the order in which they began.
   */
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly description: string;
  /** The name of the agent. */
  readonly subagent_type?: string;
  /** `local_agent`: a subagent. `local_bash`: a command in the background. */
  readonly task_type?: string;
  /** True for what goes on while the conversation does. */
  readonly is_backgrounded?: boolean;
  /** Of an agent: 1 if the session's own agent started it, one more below each agent. */
  readonly spawn_depth?: number;
  /** The agent that started it; absent for the session's own. */
  readonly parent_task_id?: string;
  readonly workflow_name?: string;
  readonly prompt?: string;
}

/** Something about a task is different: take the fields of `patch` over. */
export interface SDKTaskUpdatedMessage extends SystemEnvelope {
  readonly subtype: 'task_updated';
  readonly task_id: string;
  readonly run_id?: string;
  readonly patch: {
    readonly status?: 'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'paused';
    readonly description?: string;
    /** Milliseconds since 1970. */
    readonly end_time?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
  };
}

/** What runs in the background, all of it, as it is from here on. */
export interface SDKBackgroundTasksChangedMessage extends SystemEnvelope {
  readonly subtype: 'background_tasks_changed';
  readonly tasks: readonly BackgroundTaskSummary[];
}

export interface BackgroundTaskSummary {
  readonly task_id: string;
  readonly run_id?: string;
  readonly task_type: string;
  readonly description: string;
  readonly subagent_type?: string;
}

export interface SDKTaskProgressMessage extends SystemEnvelope {
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: TaskUsage;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

export interface SDKTaskNotificationMessage extends SystemEnvelope {
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output_file: string;
  readonly summary: string;
  readonly usage?: TaskUsage;
}

/**
 * Whether a session works, waits for an answer, or is idle: with `includeSessionState`. `idle` follows the `result` after
 * which nothing waits, so it alone says that a turn of the conversation is over.
 */
export interface SDKSessionStateChangedMessage extends SystemEnvelope {
  readonly subtype: 'session_state_changed';
  readonly state: 'idle' | 'running' | 'requires_action';
}

export interface SDKSessionTitleChangedMessage extends SystemEnvelope {
  readonly subtype: 'session_title_changed';
  readonly title: string;
  readonly source: 'ai' | 'custom';
  readonly revision: number;
}

export interface SDKBridgeStateMessage extends SystemEnvelope {
  readonly subtype: 'bridge_state';
  readonly state: string;
  readonly detail?: string;
}

export interface SDKFilesPersistedEvent extends SystemEnvelope {
  readonly subtype: 'files_persisted';
  readonly files: readonly { readonly filename: string; readonly file_id: string }[];
  readonly failed: readonly { readonly filename: string; readonly error: string }[];
  readonly processed_at: string;
}

export interface SDKElicitationCompleteMessage extends SystemEnvelope {
  readonly subtype: 'elicitation_complete';
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** A call was refused without asking anyone: by a rule, a mode, or because nobody could be asked. */
export interface SDKPermissionDeniedMessage extends SystemEnvelope {
  readonly subtype: 'permission_denied';
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly decision_reason_type?: string;
  readonly decision_reason?: string;
  readonly message: string;
}

/** The host's own session store did not take some entries, after all attempts; they are missing there. */
export interface SDKMirrorErrorMessage extends SystemEnvelope {
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: SessionKey;
}

/** The disk is full: messages of the session's transcript could not be kept, so a resumed session does not have them. */
export interface SDKSessionWritesLostMessage extends SystemEnvelope {
  readonly subtype: 'session_writes_lost';
  readonly error_code: 'ENOSPC' | 'EDQUOT';
  readonly lost: readonly 'transcript'[];
  readonly transcript_session_ids?: readonly string[];
}

/** The process that runs the session ends. */
export interface SDKWorkerShuttingDownMessage extends SystemEnvelope {
  readonly subtype: 'worker_shutting_down';
  readonly reason: string;
}

/** What an agent with a memory has of its earlier runs in its system prompt: the index of its folder. */
export interface SDKMemoryRecallMessage extends SystemEnvelope {
  readonly subtype: 'memory_recall';
  /** Always `select` here: the file as it is. */
  readonly mode: 'select' | 'synthesize';
  readonly memories: readonly {
    /** Absolute. */
    readonly path: string;
    /** `team` for a memory that belongs to the project. */
    readonly scope: 'personal' | 'team' | 'organization';
    readonly content?: string;
  }[];
}

/** Every `system` message but `init`. */
export type SDKSystemEventMessage =
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKMcpStatusChangeMessage
  | SDKAPIRetryMessage
  | SDKModelChangedMessage
  | SDKStreamResetMessage
  | SDKHistoryRepairedMessage
  | SDKNoticeMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskNotificationMessage
  | SDKSessionStateChangedMessage
  | SDKSessionTitleChangedMessage
  | SDKBridgeStateMessage
  | SDKFilesPersistedEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKMirrorErrorMessage
  | SDKPlanModeChangedMessage
  | SDKGoalUpdatedMessage
  | SDKGoalClearedMessage
  | SDKCommandsChangedMessage
  | SDKAvailableModelsUpdateMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKThinkingTokensMessage
  | SDKInformationalMessage
  | SDKNotificationMessage
  | SDKTaskUpdatedMessage
  | SDKBackgroundTasksChangedMessage
  | SDKSessionWritesLostMessage
  | SDKWorkerShuttingDownMessage
  | SDKMemoryRecallMessage;
