// Shares a whole number out, so that the parts add up to it. Pure.

/**
 * Whole numbers in proportion to the weights, with this sum: each is its share, rounded up or down.
 * Contract: a weight of 0 gets 0, unless all are 0; then all are 0.
 */
export function shareOut(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!(sum > 0)) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight / sum) * total);
  const shares = exact.map(Math.floor);
  const order = exact
    .map((share, at) => ({ at, rest: share - Math.floor(share) }))
    .filter(({ at }) => (weights[at] ?? 0) > 0)
    .sort((a, b) => b.rest - a.rest || a.at - b.at);
  let left = Math.round(total) - shares.reduce((all, share) => all + share, 0);
  for (const { at } of order) {
    if (left <= 0) break;
    shares[at] = (shares[at] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}
