// Three limits on silence with one timer: the wait for the first event, the wait for any sign of life after it, and the
// wait for content, which pings and comments are not. Rule: what arrives costs one clock reading, never a timer.
import type { HostClock } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';

export interface Watchdog {
  /** Something arrived: a sign of life, be it a ping, a comment or a part of an event. */
  hear(): void;
  /** What was just heard is content. Contract: follows a `hear`, whose time it takes. */
  progress(): void;
  /** The consumer is slow and nothing is read: silence does not count until `proceed`. */
  hold(): void;
  proceed(): void;
  stop(): void;
}

/** What was waited for in vain: the first event, any sign of life, or content among signs of life. */
export type Silence = 'first' | 'life' | 'content';

/** Milliseconds; 0 or Infinity never expires. */
export interface SilenceLimits {
  readonly requestTimeoutMs: number;
  readonly streamIdleMs: number;
  /** Default: `streamIdleMs`. Contract: never counts for less, so more patience with silence is more with pings too. */
  readonly contentIdleMs?: number;
}

/** Longest delay a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A process that slept finds its timers due before it has read its sockets, so silence is confirmed once. */
const CONFIRM_MS = 1;

/**
 * Starts at once.
 * @param onSilence called once at most
 */
export function createWatchdog(
  clock: Pick<HostClock, 'after' | 'monotonic'>,
  limits: SilenceLimits,
  onSilence: (silence: Silence) => void,
): Watchdog {
  const firstMs = orNever(limits.requestTimeoutMs);
  const lifeMs = orNever(limits.streamIdleMs);
  const contentMs = Math.max(orNever(limits.contentIdleMs ?? limits.streamIdleMs), lifeMs);
  let hasBegun = false;
  let lastLife = clock.monotonic();
  let lastContent = lastLife;
  let held = false;
  let confirming = false;
  let stopped = false;
  let cancel: () => void = () => undefined;

  function arm(ms: number): void {
    cancel();
    cancel = ms < Infinity ? clock.after(Math.min(Math.max(ms, CONFIRM_MS), MAX_TIMER_MS), onTimer) : () => undefined;
  }
  /** Milliseconds until something was waited for in vain. */
  function left(): number {
    const now = clock.monotonic();
    if (!hasBegun) return lastContent + firstMs - now;
    return Math.min(lastLife + lifeMs, lastContent + contentMs) - now;
  }
  function onTimer(): void {
    const ms = held ? (hasBegun ? lifeMs : firstMs) : left(); // content never has less time than life
    if (ms > 0) {
      confirming = false;
      arm(ms);
    } else if (!confirming) {
      confirming = true;
      arm(CONFIRM_MS);
    } else {
      onSilence(whatFailed());
    }
  }
  function whatFailed(): Silence {
    if (!hasBegun) return 'first';
    return clock.monotonic() - lastLife >= lifeMs ? 'life' : 'content';
  }

  arm(firstMs);
  return {
    hear() {
      lastLife = clock.monotonic();
    },
    progress() {
      lastContent = lastLife;
      if (hasBegun || stopped) return;
      hasBegun = true;
      confirming = false;
      arm(lifeMs);
    },
    hold() {
      held = true;
    },
    proceed() {
      held = false;
      lastLife = clock.monotonic();
      lastContent = lastLife;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

function orNever(ms: number): number {
  return ms > 0 ? ms : Infinity;
}

/** The failure of a wait in vain, told with the limit that was over. */
export function silenceError(silence: Silence, limits: SilenceLimits): ModelError {
  if (silence === 'first') {
    return new ModelError('timeout', `The model gave no answer within ${limits.requestTimeoutMs / 1_000} s.`);
  }
  const text =
    silence === 'life'
      ? `The reply stopped: nothing came for ${limits.streamIdleMs / 1_000} s.`
      : `The reply stopped: signs of life, but no content for ${(limits.contentIdleMs ?? limits.streamIdleMs) / 1_000} s.`;
  return new ModelError('stream_idle', text);
}
