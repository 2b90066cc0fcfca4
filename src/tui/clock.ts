// Time, as the terminal is given it: tests have a clock of their own.

/** Milliseconds of a clock that never goes back. */
export interface Clock {
  now(): number;
  /** The returned function takes it back. */
  after(ms: number, run: () => void): () => void;
}

export function systemClock(): Clock {
  return {
    now: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}
