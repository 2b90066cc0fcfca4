// Chance that can be repeated: the same seed gives the same numbers.

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** True in `share` of all cases. */
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** A 32-bit mixing generator: plenty for tests, useless for secrets. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: (from) => {
      if (from.length === 0) throw new Error('There is nothing to pick from.');
      return from[int(0, from.length - 1)] as (typeof from)[number];
    },
  };
}
