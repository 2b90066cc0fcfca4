// What to do about a failed model request, and what is told of it. The one place that decides it.

import type { SDKAssistantMessageError } from '../../protocol/envelope.js';
import type { ModelError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Draft } from '../state/index.js';

export type Recovery = { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'give_up' };

/** Beyond the number of retries, only time limits them; then they must not come without a pause. */
const SHORTEST_PATIENT_DELAY_MS = 1_000;
/** A reset further away is not waited for: no timer holds it. Twenty days. */
const LONGEST_RESET_MS = 20 * 86_400_000;
const RESET_SPREAD_MS = 5_000;

/**
 * Decides what follows a failed attempt. Pure.
 * @param attempt attempts made so far in this request, at least 1
 * @param random a number in [0, 1), for jitter
 * @param failingMs time since the first attempt of this request failed
 * @param waitsUntilReset a limit whose reset the server names is waited for, however long that is
 */
export function recoverFrom(
  error: ModelError,
  attempt: number,
  limits: EngineLimits,
  random: number,
  failingMs: number,
  waitsUntilReset = false,
): Recovery {
  const resetMs = waitsUntilReset ? resetOf(error) : null;
  if (resetMs !== null && attempt <= Math.max(1, limits.maxRetries)) {
    // Not all who wait come back in the same moment.
    return { kind: 'retry', delayMs: Math.ceil(resetMs + random * RESET_SPREAD_MS) };
  }
  const leftMs = limits.retryHorizonMs - failingMs;
  const delayMs = retryDelayMs(error, attempt, limits, random, leftMs);
  if (delayMs === null) return { kind: 'give_up' };
  if (attempt <= limits.maxRetries) return { kind: 'retry', delayMs };
  const patientDelayMs = Math.max(delayMs, SHORTEST_PATIENT_DELAY_MS);
  return patientDelayMs <= leftMs ? { kind: 'retry', delayMs: patientDelayMs } : { kind: 'give_up' };
}

/** When a limit is over that was reached, milliseconds; null for other failures, or if the server did not say. */
function resetOf({ kind, retryAfterMs }: ModelError): number | null {
  if ((kind !== 'rate_limit' && kind !== 'quota') || retryAfterMs === null) return null;
  return retryAfterMs <= LONGEST_RESET_MS ? retryAfterMs : null;
}

/** The name the published SDKs have for a failure. */
export function assistantErrorOf(error: ModelError): SDKAssistantMessageError {
  switch (error.kind) {
    case 'authentication':
    case 'permission':
      return 'authentication_failed';
    case 'quota':
      return 'billing_error';
    case 'rate_limit':
      return 'rate_limit';
    case 'overloaded':
      return 'overloaded';
    case 'not_found':
      return 'model_not_found';
    case 'invalid_request':
    case 'context_overflow':
    case 'request_too_large':
      return 'invalid_request';
    case 'connection':
    case 'timeout':
    case 'stream_cut':
    case 'stream_idle':
    case 'malformed':
    case 'server':
      return 'server_error';
    case 'aborted':
      return 'unknown';
    default:
      return error.kind satisfies never;
  }
}

/** What is told of a limit that was reached. */
export function limitReached({ retryAfterMs, limitType }: ModelError, now: number): Draft {
  const resetsAt = retryAfterMs === null ? null : Math.ceil((now + retryAfterMs) / 1_000);
  return {
    type: 'rate_limit_event',
    rate_limit_info: {
      status: 'rejected',
      ...(resetsAt === null ? {} : { resetsAt }),
      ...(limitType === null ? {} : { rateLimitType: limitType }),
    },
  };
}

/** What is told of an attempt that failed before the next one is made. */
export function retryMessage(error: ModelError, attempt: number, maxRetries: number, delayMs: number): Draft {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: error.status,
    error: assistantErrorOf(error),
    reason: error.kind,
    message: error.message,
  };
}

// How long to wait before a failed request is sent again. Pure; who retries, and how often, is the engine's business.

/** A server that asks for a longer wait than this is not waited for, unless the caller has more patience. */
const MAX_RETRY_AFTER_MS = 60_000;

const JITTER = 0.25;

/**
 * The wait before the next attempt, milliseconds, or null if there should be none.
 * Doubles with each attempt, spread by 25 % either way, never above `retryMaxMs`; a wait the server asked for counts
 * instead of it.
 * @param attempt attempts made so far, at least 1
 * @param random a number in [0, 1)
 * @param patienceMs the longest wait that a server may ask for
 */
export function retryDelayMs(
  error: ModelError,
  attempt: number,
  limits: { readonly retryBaseMs: number; readonly retryMaxMs: number },
  random: number,
  patienceMs: number = MAX_RETRY_AFTER_MS,
): number | null {
  if (!error.retryable) return null;
  const asked = error.retryAfterMs;
  if (asked !== null && asked > Math.max(patienceMs, MAX_RETRY_AFTER_MS)) return null;
  if (asked !== null && asked > 0) return Math.ceil(asked);
  // The spread lies around a lower middle at the top, so the limit holds and waits still differ there.
  const middle = Math.min(limits.retryBaseMs * 2 ** (attempt - 1), limits.retryMaxMs / (1 + JITTER));
  return Math.round(middle * (1 - JITTER + 2 * JITTER * random));
}
