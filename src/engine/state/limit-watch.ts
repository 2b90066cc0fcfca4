// Which limits of rate and quota the host was told of. One rule: a limit that is near is told once, and again only after
// there was room.
import type { SDKRateLimitInfo } from '../../protocol/rate-limit.js';
import type { LimitState } from '../../providers/contract/index.js';

export interface LimitWatch {
  /** What is to be told of it; null where there is no news. `now`: milliseconds since 1970. */
  see(state: LimitState, now: number): SDKRateLimitInfo | null;
}

/** From this part on a limit is near, and below that one it no longer is. */
const NEAR = 0.9;
const ROOM = 0.8;

/** One per session. */
export function createLimitWatch(): LimitWatch {
  const told = new Set<string>();
  return {
    see({ type, used, resetMs, isWarned }, now) {
      const isNear = isWarned || (used !== null && used >= NEAR);
      if (!isNear) {
        if (used === null || used < ROOM) told.delete(type);
        return null;
      }
      if (told.has(type)) return null;
      told.add(type);
      return {
        status: 'allowed_warning',
        ...(resetMs === null ? {} : { resetsAt: Math.ceil((now + resetMs) / 1_000) }),
        rateLimitType: type,
        ...(used === null ? {} : { utilization: Math.round(used * 1_000) / 1_000 }),
      };
    },
  };
}
