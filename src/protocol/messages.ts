// SDKMessage: everything the engine tells anyone. Branch on `type`, then on `subtype`. Spec 000 section 9.5, 002, 004.
import type { AssistantMessage, ContentBlock, ModelEvent, Usage, UserMessageParam } from './content.js';
import type { SDKAssistantMessageError, SDKEnvelope } from './envelope.js';
import type { SDKPermissionDenial } from './permissions.js';
import type { FastModeState, SDKSystemEventMessage, SDKSystemMessage } from './system-messages.js';

/** One whole model reply, or the text of a local slash command (`message.model` is then `<synthetic>`). */
export interface SDKAssistantMessage extends SDKEnvelope {
  readonly type: 'assistant';
  readonly message: AssistantMessage;
  readonly parent_tool_use_id: string | null;
  /** Of a message in place of a reply: why there is none. Its text says the same in words. */
  readonly error?: SDKAssistantMessageError;
  /** What is shown in place of the text of the message: a hook for MessageDisplay said so. */
  readonly display_content?: string;
  /** True if the reply was cut by an abort. */
  readonly aborted?: boolean;
  /** The message of the user that it answers, or that was delivered last while it was written. */
  readonly user_message_uuid?: string;
  /** The subagent that said it, as `task_started` names it; these three are absent of the session's own agent. */
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  /** How the provider names the request, for its support. */
  readonly request_id?: string;
  readonly timestamp?: string;
}

/**
 * When a message that comes while a prompt runs is looked at. `next`: inside that prompt, after the results of its
 * tools, or else as the prompt after it. `now`: at once, the running prompt is interrupted. `later`: once nothing else
 * waits.
 */
export const MESSAGE_PRIORITIES = ['now', 'next', 'later'] as const;
export type MessagePriority = (typeof MESSAGE_PRIORITIES)[number];

/** Who a message comes from, as far as its sender says. Only `human` is what a user typed. */
export type SDKMessageOrigin =
  | { readonly kind: 'human' }
  | { readonly kind: 'channel'; readonly server: string }
  | {
      readonly kind: 'peer';
      readonly from?: string;
      readonly name?: string;
      readonly body?: string;
      readonly senderTaskId?: string;
    }
  | { readonly kind: 'bridge'; readonly sessionId?: string }
  | { readonly kind: 'task-notification' };

/** A prompt, or the results of the tools a reply asked for. Given by the caller or made by the engine. */
export interface SDKUserMessage {
  readonly type: 'user';
  readonly uuid?: string;
  readonly session_id?: string;
  readonly parent_tool_use_id: string | null;
  readonly message: UserMessageParam;
  readonly isSynthetic?: boolean;
  /** Of a message that the caller sends. Absent: a prompt of its own, in its turn. */
  readonly priority?: MessagePriority;
  /** Of a message that the caller sends. False: it is part of the conversation and asks the model nothing; the next prompt takes it along. */
  readonly shouldQuery?: boolean;
  /** Of a message that the caller sends. True: a slash at its beginning is no command, and `@path` names no file. */
  readonly client_composed?: boolean;
  /** Absent: `human`. */
  readonly origin?: SDKMessageOrigin;
  /** Of a message that the caller sends: files below `cwd` that go along as those do that it names with `@path`. */
  readonly file_attachments?: readonly { readonly file_id?: string; readonly relative_path: string }[];
  /** Typed output of the tool (spec 004's `*Output` types) if the message answers exactly one call. */
  readonly tool_use_result?: unknown;
  /** As in `SDKAssistantMessage`. */
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  readonly timestamp?: string;
}

/** A user message the caller already knows, shown again (`replayUserMessages`, resume). */
export interface SDKUserMessageReplay extends SDKUserMessage, SDKEnvelope {
  readonly uuid: string;
  readonly session_id: string;
  readonly subtype: 'replay';
  readonly isReplay: true;
}

/** Tokens and cost of one model. `costUSD` is null if no price is known. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number | null;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** What ended the prompt, finer than the subtype. */
export type TerminalReason =
  | 'completed'
  | 'local_command'
  | 'max_turns'
  | 'budget_exhausted'
  | 'task_budget'
  | 'aborted'
  | 'permission_interrupt'
  | 'loop_detected'
  | 'hook_stopped'
  | 'max_output_tokens'
  | 'prompt_too_long'
  | 'refusal'
  | 'empty_reply'
  | 'api_error'
  | 'structured_output_retry_exhausted'
  | 'turn_setup_failed'
  /** Calls wait for a decision that may come later, also to another process. */
  | 'tool_deferred'
  | 'engine_error';

interface SDKResultCommon extends SDKEnvelope {
  readonly type: 'result';
  readonly is_error: boolean;
  /** Wall time of the prompt, milliseconds. */
  readonly duration_ms: number;
  /** Time spent in model requests of the prompt, milliseconds. */
  readonly duration_api_ms: number;
  /** From the first request of the prompt that was answered to the first event of its answer, milliseconds. */
  readonly ttft_ms?: number;
  /** Model replies of the prompt. */
  readonly num_turns: number;
  /** Final text; on an error the partial text, or the error's text if there is none. */
  readonly result: string;
  readonly stop_reason: string | null;
  /** Of the session so far: the sum of what is known; `cost_unknown` says that a model without a price took part. */
  readonly total_cost_usd: number;
  readonly cost_unknown?: boolean;
  /** Totals of the session so far, all models. */
  readonly usage: Usage;
  /** What this prompt alone used, all models and subagents. */
  readonly prompt_usage?: Usage;
  /** What this prompt alone cost; null if a model without a price took part. */
  readonly prompt_cost_usd?: number | null;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  /** Every call refused in the session so far. */
  readonly permission_denials: readonly SDKPermissionDenial[];
  readonly structured_output?: unknown;
  readonly terminal_reason: TerminalReason;
  /** If a model request failed for good: the HTTP status; null if there was no answer to have one. */
  readonly api_error_status?: number | null;
  readonly fast_mode_state?: FastModeState;
  /** Of the prompt, if it was not one that a user typed. */
  readonly origin?: SDKMessageOrigin;
  /** The last of `user_message_uuids`. */
  readonly user_message_uuid?: string;
  /** The prompt, then the messages that were delivered while it ran. Absent if the prompt could not start. */
  readonly user_message_uuids?: readonly string[];
  /** Messages that wait to be prompts of their own. Absent if none does. */
  readonly queued_turn_count?: number;
}

export interface SDKResultSuccess extends SDKResultCommon {
  readonly subtype: 'success';
  /** The first of `deferred_tool_uses`. */
  readonly deferred_tool_use?: SDKDeferredToolUse;
  /** Calls that wait for a decision, in their order. Absent if none does. */
  readonly deferred_tool_uses?: readonly SDKDeferredToolUse[];
}

/** A call that waits for a decision. */
export interface SDKDeferredToolUse {
  readonly id: string;
  readonly name: string;
  /** What would run: as a PreToolUse hook changed it. */
  readonly input: Record<string, unknown>;
  /** Why it was not decided at once. */
  readonly reason?: string;
  /** From this time on it is denied, whatever is decided. Absent if it may wait for ever. */
  readonly expires_at?: string;
  /** The folder it starts in, if that is not the one of the session. */
  readonly cwd?: string;
}

export const RESULT_ERROR_SUBTYPES = [
  'error_max_turns',
  'error_during_execution',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const;

export interface SDKResultError extends SDKResultCommon {
  readonly subtype: (typeof RESULT_ERROR_SUBTYPES)[number];
  readonly errors: readonly string[];
}

/** The last message of every prompt, exactly once. Check `subtype` before trusting `result`. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** One raw stream event, with `includePartialMessages`. The deltas of a message fold to exactly that message. */
export interface SDKPartialAssistantMessage extends SDKEnvelope {
  readonly type: 'stream_event';
  readonly event: ModelEvent;
  readonly parent_tool_use_id: string | null;
  /** With `message_start`: from the sending of the request to its first event, milliseconds. */
  readonly ttft_ms?: number;
  /** With `message_start`, of the session's own agent: the message that it answers. */
  readonly user_message_uuid?: string;
}

/** What a round of tools did, in one line, with `toolUseSummaries`. Comes when it is ready, after other messages too. */
export interface SDKToolUseSummaryMessage extends SDKEnvelope {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  /** The calls of the round. */
  readonly preceding_tool_use_ids: readonly string[];
}

/** A tool runs for long: told every few seconds. */
export interface SDKToolProgressMessage extends SDKEnvelope {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly task_id?: string;
  /** True if it says only that the call still runs. */
  readonly heartbeat?: boolean;
  /** How far it is, if its tool says so; of `total`, if that is known. */
  readonly progress?: number;
  readonly total?: number;
  /** What it does now, as its tool says it. */
  readonly message?: string;
  /** What the tool printed since the last, of much its end. */
  readonly output?: string;
}

/** Something is wrong with how the session shows who it is: a key was refused. */
export interface SDKAuthStatusMessage extends SDKEnvelope {
  readonly type: 'auth_status';
  readonly isAuthenticating: boolean;
  readonly output: readonly string[];
  readonly error?: string;
}

/** The conversation was forgotten: what was shown of it is over. */
export interface SDKConversationResetMessage extends SDKEnvelope {
  readonly type: 'conversation_reset';
  /** The session that the next prompt belongs to. */
  readonly new_conversation_id: string;
  readonly trigger?: 'clear';
  readonly user_message_uuid?: string;
  readonly timestamp?: string;
}

/** Over the wire, to clients that know it: what became of a message that they sent with an id. */
export interface SDKCommandLifecycleMessage extends SDKEnvelope {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded';
}

export interface SDKPromptSuggestionMessage extends SDKEnvelope {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

export interface SDKCloudAgentEventMessage extends SDKEnvelope {
  readonly type: 'cloud_agent_event';
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKSystemEventMessage
  | SDKPartialAssistantMessage
  | SDKToolUseSummaryMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKConversationResetMessage
  | SDKPromptSuggestionMessage
  | SDKRateLimitEvent
  | SDKCommandLifecycleMessage
  | SDKCloudAgentEventMessage;

export const EXIT_REASONS = [
  'clear',
  'resume',
  'logout',
  'prompt_input_exit',
  'other',
  'bypass_permissions_disabled',
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** True for the message that ends a prompt. */
export function isResultMessage(message: SDKMessage): message is SDKResultMessage {
  return message.type === 'result';
}

/** The content blocks of an assistant or user message, or undefined if the message has none. */
export function getMessageContentBlocks(message: SDKMessage): ContentBlock[] | undefined {
  const inner = (message as { message?: { content?: unknown } }).message;
  return Array.isArray(inner?.content) ? (inner.content as ContentBlock[]) : undefined;
}

/** The fields of `system/init` that logs want. On any other message all of them are undefined. */
export function getSystemInitData(message: SDKMessage): {
  subtype?: string;
  model?: string;
  tools?: string[];
  session_id?: string;
} {
  return message as { subtype?: string; model?: string; tools?: string[]; session_id?: string };
}

/** The refused calls a result carries; empty for any other message. */
export function getPermissionDenials(message: SDKMessage): SDKPermissionDenial[] {
  const typed = message as { permission_denials?: SDKPermissionDenial[] };
  return typed.permission_denials ?? [];
}

export interface SDKRateLimitInfo {
  /**
   * `rejected`: the request was refused for it; `allowed`: requests are answered again; `allowed_warning`: it was answered,
   * but little is left.
   */
  readonly status: 'allowed' | 'allowed_warning' | 'rejected';
  /** When the limit is reset, seconds since 1970; absent if the server did not say. */
  readonly resetsAt?: number;
  /** Which limit it is, in the server's words, such as `five_hour`. */
  readonly rateLimitType?: string;
  /** Part of the limit that is used, 0 to 1; absent if the server did not say. */
  readonly utilization?: number;
}

/** A limit of the account or of the rate of requests is near, was reached, or is over. */
export interface SDKRateLimitEvent extends SDKEnvelope {
  readonly type: 'rate_limit_event';
  readonly rate_limit_info: SDKRateLimitInfo;
}
