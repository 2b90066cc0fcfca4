// Conversations are compared from turn to turn: a longer one mostly begins with all of the one before.

/**
 * How many items two lists begin with that are the very same, at most `most`. To compare them takes a tenth of the time in
 * which each is looked up in a table.
 */
export function sameStart(list: readonly unknown[], other: readonly unknown[], most = other.length): number {
  const end = Math.min(most, list.length, other.length);
  let at = 0;
  while (at < end && list[at] === other[at]) at++;
  return at;
}
