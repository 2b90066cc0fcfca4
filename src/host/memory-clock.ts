// A clock that stands still until it is told to go. Timers run in the order they are due.
import type { HostClock } from './host.js';

export interface MemoryClock extends HostClock {
  /**
   * Moves the time on by `ms`, running each due timer at its own time and letting promise callbacks run after each.
   * A timer set meanwhile runs too where it is due.
   */
  advance(ms: number): Promise<void>;
  /** Number of timers that wait. */
  pending(): number;
}

/** @param start first value of `now()`, milliseconds since the epoch; `monotonic()` starts at 0. */
export function createMemoryClock(start: number): MemoryClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let elapsed = 0;
  let lastTimer = 0;

  const takeDue = (until: number): (() => void) | undefined => {
    let first: { id: number; at: number } | undefined;
    for (const [id, { at }] of timers) {
      if (at <= until && (first === undefined || at < first.at)) first = { id, at };
    }
    if (first === undefined) return undefined;
    const callback = timers.get(first.id)?.callback;
    timers.delete(first.id);
    elapsed = Math.max(elapsed, first.at);
    return callback;
  };

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const id = ++lastTimer;
      timers.set(id, { at: elapsed + Math.max(0, ms), callback });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let callback = takeDue(until); callback !== undefined; callback = takeDue(until)) {
        callback();
        await settle();
      }
      elapsed = until;
    },
    pending: () => timers.size,
  };
}

/** A macrotask: every promise callback that can run has run when this resolves. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
