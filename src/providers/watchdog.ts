// Two limits on silence with one timer: the wait for the first event, and the wait between two events.
// Rule: an event costs one clock reading, never a timer.
import type { HostClock } from '../host/host.js';

export interface Watchdog {
  /** Something arrived that counts. */
  touch(): void;
  /** The consumer is slow and nothing is read: silence does not count until `proceed`. */
  hold(): void;
  proceed(): void;
  stop(): void;
}

/** What was waited for in vain. */
export type Silence = 'first' | 'next';

/** Longest delay a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A process that slept finds its timers due before it has read its sockets, so silence is confirmed once. */
const CONFIRM_MS = 1;

/**
 * Starts at once. A limit of 0 or Infinity never expires.
 * @param onSilence called once at most
 */
export function createWatchdog(
  clock: Pick<HostClock, 'after' | 'monotonic'>,
  firstMs: number,
  nextMs: number,
  onSilence: (silence: Silence) => void,
): Watchdog {
  let waitingFor: Silence = 'first';
  let limit = firstMs;
  let last = clock.monotonic();
  let held = false;
  let confirming = false;
  let stopped = false;
  let cancel: () => void = () => undefined;

  function arm(ms: number): void {
    cancel();
    cancel = limit > 0 && limit < Infinity ? clock.after(Math.min(ms, MAX_TIMER_MS), onTimer) : () => undefined;
  }
  function onTimer(): void {
    if (held) {
      arm(limit);
      return;
    }
    const left = limit - (clock.monotonic() - last);
    if (left > 0) {
      confirming = false;
      arm(Math.max(left, CONFIRM_MS));
    } else if (!confirming) {
      confirming = true;
      arm(CONFIRM_MS);
    } else {
      onSilence(waitingFor);
    }
  }

  arm(limit);
  return {
    touch() {
      last = clock.monotonic();
      if (waitingFor === 'next' || stopped) return;
      waitingFor = 'next';
      confirming = false;
      limit = nextMs;
      arm(limit);
    },
    hold() {
      held = true;
    },
    proceed() {
      held = false;
      last = clock.monotonic();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
