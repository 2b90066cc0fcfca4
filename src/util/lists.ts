// Lists that are made or compared by the thousand: most hold none or one, and a longer conversation begins with all of the
// one before.

const NONE: readonly never[] = [];

/** A list without entries, to begin with. Shared, so nothing is ever put into it. */
export function shortList<T>(): readonly T[] {
  return NONE;
}

/**
 * The list with one entry more, of which the caller keeps what is returned: a longer list is changed in place.
 * Contract: the first two are exactly as long as needed; what is pushed to an empty list makes room for seventeen.
 */
export function added<T>(list: readonly T[], entry: T): readonly T[] {
  if (list.length === 0) return [entry];
  if (list.length === 1) return [list[0] as T, entry];
  (list as T[]).push(entry);
  return list;
}

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
