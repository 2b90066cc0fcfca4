// Lists that nearly always hold none or one: the many that are made while a command is read cost no room for more.

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
