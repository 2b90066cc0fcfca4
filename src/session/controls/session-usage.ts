// What a session has cost. One rule: it counts all that was sent, whoever sent it: prompts, subagents, controls.
import type { SDKControlGetUsageResponse } from '../../protocol/control-answers.js';
import { combine, countConversation, NOTHING_COUNTED, type Session, type SessionRuntime } from '../core/index.js';

export async function sessionUsage(
  { ledger, history, memory, host, startedAt }: Session,
  { prices }: SessionRuntime,
): Promise<SDKControlGetUsageResponse> {
  ledger.priceWith(await prices.load());
  const counts = combine(memory.earlier ?? NOTHING_COUNTED, countConversation(history.messages), 1);
  return {
    session: {
      total_cost_usd: ledger.totalCostUsd,
      total_api_duration_ms: Math.round(ledger.apiDurationMs),
      total_duration_ms: Math.round(host.clock.monotonic() - startedAt),
      total_lines_added: counts.linesAdded,
      total_lines_removed: counts.linesRemoved,
      model_usage: { ...ledger.byModel },
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}
