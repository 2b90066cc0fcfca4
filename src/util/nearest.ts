// Finds the known words that a mistyped one was most likely meant to be.

/** The candidate nearest to `word`, or undefined if none is near enough to be worth naming. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  return nearestWords(word, candidates, 1)[0];
}

/** The candidates nearest to `word`, the nearest first: those that a slip explains, else those that begin with it. */
export function nearestWords(word: string, candidates: readonly string[], most: number): readonly string[] {
  const limit = Math.max(2, Math.floor(word.length / 3));
  const near = candidates.flatMap((candidate) => {
    // A long word cannot be a typo of a much shorter one; this also bounds the work on absurd input.
    if (Math.abs(candidate.length - word.length) > limit) return [];
    const distance = editDistance(word, candidate);
    return distance > limit ? [] : [{ candidate, distance }];
  });
  if (near.length === 0)
    return candidates.filter((candidate) => word.length >= 3 && candidate.startsWith(word)).slice(0, most);
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions and replacements that turn `from` into `to`. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous[to.length] ?? to.length;
}
