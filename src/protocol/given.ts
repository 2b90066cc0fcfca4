// What a program gives a public function (plain JavaScript may give anything): named in words, never shown, as it may
// be a key.
import { ConfigError } from './errors.js';

/** @param what names the value, as in "The options of forkSession()" @throws ConfigError for anything but an object */
export function checkObject(value: unknown, what: string): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new ConfigError(`${what} must be an object, not ${kindOf(value)}.`);
}

/** What a value is, in words that follow "not": `null`, "a list", "a text". */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN';
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
