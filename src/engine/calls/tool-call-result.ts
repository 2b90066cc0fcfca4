// How a tool call ended, and the result the model reads of it.
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import type { TerminalReason } from '../../protocol/messages.js';
import type { Draft, GateAnswer } from '../state/index.js';

/** `not_started` had no effect; after `interrupted_after_start` the effects are unknown. */
/** A `deferred` call has no result yet: its block is not shown. */
export type CallEnding = 'completed' | 'failed' | 'refused' | 'not_started' | 'interrupted_after_start' | 'deferred';

export interface ToolCallResult {
  readonly block: ToolResultBlock;
  /** Typed output for the caller, if there is some. */
  readonly data: unknown;
  readonly ending: CallEnding;
  /** True if the tool itself was started. */
  readonly ran: boolean;
  readonly durationMs: number;
  /** Set where the call ends the whole prompt. */
  readonly ends: TerminalReason | null;
  /** Messages about the call, before its result. */
  readonly drafts: readonly Draft[];
}

export function callEnded(
  call: ToolUseBlock,
  content: ToolResultBlock['content'],
  isError: boolean,
  ending: CallEnding,
): ToolCallResult {
  const block: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: call.id,
    content,
    ...(isError ? { is_error: true } : {}),
  };
  return { block, data: undefined, ending, ran: false, durationMs: 0, ends: null, drafts: [] };
}

export function callFailed(call: ToolUseBlock, text: string, data?: unknown): ToolCallResult {
  return { ...callEnded(call, text, true, 'failed'), data };
}

/** A call that will not run, for the reason given. */
export function notRun(call: ToolUseBlock, text: string): ToolCallResult {
  return callEnded(call, text, true, 'not_started');
}

/** Also for calls that were never looked at because the prompt ended before them. */
export function notStarted(call: ToolUseBlock): ToolCallResult {
  return notRun(call, 'The prompt was interrupted before this call started. It had no effect.');
}

/** What stands for a call that waits for a decision: no result, and a word to the caller. */
export function callDeferred(call: ToolUseBlock, reason: string): ToolCallResult {
  const told: Draft = {
    type: 'system',
    subtype: 'notice',
    code: 'tool_deferred',
    level: 'info',
    message: `The call ${call.id} of ${call.name} waits for a decision: ${reason}.`,
  };
  return { ...callEnded(call, '', false, 'deferred'), drafts: [told] };
}

export function interruptedAfterStart(call: ToolUseBlock, detail: string | undefined, data: unknown): ToolCallResult {
  const text = `Interrupted after it started; its effects are unknown.${detail === undefined ? '' : `\n${detail}`}`;
  return { ...callEnded(call, text, true, 'interrupted_after_start'), data };
}

/** A refused call. If nobody was asked, the caller learns of it by a message of its own. */
export function callRefused(call: ToolUseBlock, answer: Extract<GateAnswer, { behavior: 'deny' }>): ToolCallResult {
  const told: Draft = {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: call.name,
    tool_use_id: call.id,
    decision_reason_type: answer.reasonType,
    decision_reason: answer.reason,
    message: answer.told ?? answer.message,
  };
  return {
    ...callEnded(call, answer.message, true, 'refused'),
    ends: answer.interrupt ? 'permission_interrupt' : null,
    drafts: answer.asked ? [] : [told],
  };
}
