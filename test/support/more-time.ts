// For what must be seen before a limit of real time is over: a machine that stood still meanwhile has seen nothing, and tries
// once more with a wider limit.

const MOST_MS = 30_000;

/**
 * Runs with a limit of `firstMs`, and again with eight times as much while `isThere` is false of what it gave.
 * Contract: gives the last result, whether it is there or not; never tries a limit above 30 s.
 */
export async function withMoreTime<Result>(
  firstMs: number,
  run: (limitMs: number) => Promise<Result>,
  isThere: (result: Result) => boolean,
): Promise<Result> {
  for (let limitMs = firstMs; ; limitMs *= 8) {
    const result = await run(limitMs);
    if (isThere(result) || limitMs * 8 > MOST_MS) return result;
  }
}
