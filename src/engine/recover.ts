// What to do about a failed model request. The one place that decides it.

import type { SDKAssistantMessageError } from '../protocol/envelope.js';
import type { ModelError } from '../protocol/errors.js';
import type { EngineLimits } from '../protocol/options.js';
import { retryDelayMs } from '../providers/retry.js';

export type Recovery = { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'give_up' };

/** Beyond the number of retries, only time limits them; then they must not come without a pause. */
const SHORTEST_PATIENT_DELAY_MS = 1_000;

/**
 * Decides what follows a failed attempt. Pure.
 * @param attempt attempts made so far in this request, at least 1
 * @param random a number in [0, 1), for jitter
 * @param failingMs time since the first attempt of this request failed
 */
export function recoverFrom(
  error: ModelError,
  attempt: number,
  limits: EngineLimits,
  random: number,
  failingMs: number,
): Recovery {
  const leftMs = limits.retryHorizonMs - failingMs;
  const delayMs = retryDelayMs(error, attempt, limits, random, leftMs);
  if (delayMs === null) return { kind: 'give_up' };
  if (attempt <= limits.maxRetries) return { kind: 'retry', delayMs };
  const patientDelayMs = Math.max(delayMs, SHORTEST_PATIENT_DELAY_MS);
  return patientDelayMs <= leftMs ? { kind: 'retry', delayMs: patientDelayMs } : { kind: 'give_up' };
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
