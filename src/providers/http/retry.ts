// How long to wait before a failed request is sent again. Pure; who retries, and how often, is the engine's business.
import type { ModelError } from '../../protocol/errors.js';

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
