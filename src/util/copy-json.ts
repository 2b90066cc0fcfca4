// Copies of JSON values: what goes to code of the host's own must not be the very object that a conversation keeps.

/**
 * A copy of a JSON value of its own; texts are shared.
 * Contract: for values that `isNestedDeeper` calls false; throws what a getter of the value throws.
 */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyJson(part as unknown)])) as T;
}
