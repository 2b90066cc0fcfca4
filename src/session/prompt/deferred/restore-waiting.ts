// The calls of a resumed session that wait: what its transcript says was deferred, as far as the conversation has it open.
import type { MessageParam, ToolUseBlock } from '../../../protocol/content.js';
import type { SDKDeferredToolUse } from '../../../protocol/messages.js';
import type { WaitingCall } from '../../config/index.js';
import { soonest } from './expiry.js';
import { unanswered } from './waiting-calls.js';

/** @param expiryMs how long this session lets calls wait */
export function waitingCalls(
  kept: readonly WaitingCall[],
  history: readonly MessageParam[],
  expiryMs: number | undefined,
): Map<string, SDKDeferredToolUse> {
  const waiting = new Map<string, SDKDeferredToolUse>();
  const open = unanswered(history);
  for (const { toolUseId, reason, timestamp, expiresAt } of kept) {
    const call = open.find(({ id }) => id === toolUseId);
    if (call === undefined) continue;
    const expiry = soonest(expiresAt, timestamp, expiryMs);
    waiting.set(call.id, { id: call.id, name: call.name, input: inputOf(call), reason, ...expiry });
  }
  return waiting;
}

function inputOf({ input }: ToolUseBlock): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}
