// What a client hears of a session that could not start, or of a message that is none: a result, as of one that is.
import { randomUUID } from 'node:crypto';
import { EMPTY_USAGE } from '../../protocol/content.js';
import { errorText } from '../../util/text.js';

interface FailedResult {
  readonly subtype: 'error_during_execution';
  readonly [field: string]: unknown;
}

export function failedResult(error: unknown, sessionId: string | undefined): FailedResult {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: EMPTY_USAGE,
    modelUsage: {},
    permission_denials: [],
    errors: [errorText(error)],
    uuid: randomUUID(),
    session_id: sessionId ?? randomUUID(),
  };
}
