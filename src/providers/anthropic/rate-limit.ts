// What the headers of the Messages API say of limits. Rule: only a limit that is used up is waited for.
import type { HostClock } from '../../host/host.js';
import type { ReadHeader } from '../http/index.js';

export interface ReachedLimit {
  /** Milliseconds until the limit is reset; null where that is not said. */
  readonly resetMs: number | null;
  /** The server's name for it, such as `five_hour`. */
  readonly type: string | null;
}

const LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const;
const PREFIX = 'anthropic-ratelimit';

export function readReachedLimit(header: ReadHeader, clock: Pick<HostClock, 'now'>): ReachedLimit {
  if (header(`${PREFIX}-unified-status`) === 'rejected') {
    const type = header(`${PREFIX}-unified-representative-claim`);
    return { resetMs: until(header(`${PREFIX}-unified-reset`), clock), type: type?.slice(0, 60) ?? null };
  }
  const usedUp = LIMITS.filter((name) => header(`${PREFIX}-${name}-remaining`)?.trim() === '0');
  const resets = usedUp.flatMap((name) => until(header(`${PREFIX}-${name}-reset`), clock) ?? []);
  return { resetMs: resets.length === 0 ? null : Math.max(...resets), type: usedUp[0] ?? null };
}

/** A point in time, in seconds since 1970 or as a date. */
function until(text: string | null, clock: Pick<HostClock, 'now'>): number | null {
  if (text === null) return null;
  const at = /^\s*\d+\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - clock.now()) : null;
}
