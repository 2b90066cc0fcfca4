// How a figure is made of runs that took turns: a value a round and engine, the median of the rounds, and as the ratio the
// median of the ratios within each round, because what slows the machine down for a while slows both.

export function median(values) {
  return percentile(values, 0.5);
}

/** Nearest rank. */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export function pairedRatio(ours, bare) {
  return median(ours.map((value, round) => value / bare[round]));
}

/**
 * A row: ours beside bare.
 * @param ours,bare a value of each round, in order
 * @param maxRatio  the bar; absent: none
 */
export function besideBare(measure, unit, ours, bare, maxRatio) {
  return {
    measure,
    unit,
    ours: median(ours),
    bare: median(bare),
    ratio: pairedRatio(ours, bare),
    ...(maxRatio === undefined ? {} : { bar: { ratio: maxRatio } }),
  };
}

/** Of runs that take a second there are more than of long ones, so that they say the same from day to day. Odd: there is one in the middle. */
export function roundsOfShort({ rounds }) {
  return 2 * rounds + 1;
}

/** Runs rounds of the engines, in alternating order. Returns the runs of each engine, in order. */
export async function alternate(bench, engines, run, rounds = bench.rounds) {
  const runs = Object.fromEntries(engines.map((engine) => [engine, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? engines : engines.toReversed();
    for (const engine of order) runs[engine].push(await run(engine));
  }
  return runs;
}
