// The names of the specification, and which of a group's fields some messages show.
import { readFileSync } from 'node:fs';

const names = JSON.parse(readFileSync(new URL('../../scripts/spec-names.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;

/** @throws Error if there is no such group */
export function namesOf(group: string): readonly string[] {
  const found = names[group];
  if (found === undefined) throw new Error(`The specification has no group ${group}.`);
  return found;
}

/** The fields of the group that no value has. A name with dots is a path; lists are looked into. */
export function missingFields(group: string, values: readonly unknown[]): string[] {
  return namesOf(group).filter((name) => !values.some((value) => has(value, name.split('.'))));
}

function has(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return value !== undefined;
  if (Array.isArray(value)) return value.some((item) => has(item, [first, ...rest]));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return false;
  return has((value as Record<string, unknown>)[first], rest);
}
