// What the head of a successful response says of how much may still be asked. Rule: of several limits the one that is
// used up most; what a server does not say is not guessed.
import type { HostClock } from '../../host/host.js';
import type { LimitState } from '../contract/index.js';
import { durationMs } from './duration.js';
import type { ReadHeader } from './http-exchange.js';

/** The headers that tell of one limit. */
interface LimitHeaders {
  readonly type: string;
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const HEADERS: readonly LimitHeaders[] = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((type) => ({
    type,
    limit: `anthropic-ratelimit-${type}-limit`,
    remaining: `anthropic-ratelimit-${type}-remaining`,
    reset: `anthropic-ratelimit-${type}-reset`,
  })),
  ...['requests', 'tokens'].map((type) => ({
    type,
    limit: `x-ratelimit-limit-${type}`,
    remaining: `x-ratelimit-remaining-${type}`,
    reset: `x-ratelimit-reset-${type}`,
  })),
];
const UNIFIED = 'anthropic-ratelimit-unified';
const LONGEST_NAME = 60;

/** Null where the server says nothing of limits. */
export function readLimitState(header: ReadHeader, clock: Pick<HostClock, 'now'>): LimitState | null {
  const status = header(`${UNIFIED}-status`);
  if (status !== null) {
    const type = header(`${UNIFIED}-representative-claim`)?.slice(0, LONGEST_NAME) || 'account';
    const resetMs = durationMs(header(`${UNIFIED}-reset`), clock);
    return { type, used: null, resetMs, isWarned: status === 'allowed_warning' };
  }
  let most: LimitState | null = null;
  for (const { type, limit, remaining, reset } of HEADERS) {
    const all = header(limit);
    const used = all === null ? null : usedPart(all, header(remaining));
    if (used === null || (most?.used ?? -1) >= used) continue;
    most = { type, used, resetMs: durationMs(header(reset), clock), isWarned: false };
  }
  return most;
}

function usedPart(limit: string, remaining: string | null): number | null {
  if (remaining === null) return null;
  const [all, left] = [Number(limit), Number(remaining)];
  if (!(all > 0) || !(left >= 0)) return null;
  return Math.max(0, 1 - left / all);
}
