// Values that are secret because of where they are configured: the keys of providers, and variables whose name says so.
import type { Secrets } from '../providers/secrets.js';

/** Shorter values would be found in words that are no secret. Characters. */
const SHORTEST_KEY = 8;
const SHORTEST_VALUE = 12;
const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE)$/i;
/** What a variable named like a secret holds where it is none: a path, a number, a switch. */
const PLAIN_VALUE = /^(?:[~.]{0,2}\/|[0-9]+$|true$|false$)/i;

/** Each value with the kind that its placeholder names, longest first: one may be a part of another. */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  { variables, values }: Pick<Secrets, 'variables' | 'values'>,
): ReadonlyMap<string, string> {
  const found: [string, string][] = [...values];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || values.has(value)) continue;
    const kind = `value of ${name}`;
    if (variables.has(name)) {
      if (value.length >= SHORTEST_KEY) found.push([value, kind]);
    } else if (value.length >= SHORTEST_VALUE && SECRET_NAME.test(name) && !PLAIN_VALUE.test(value)) {
      found.push([value, kind]);
    }
  }
  return new Map(found.sort(([a], [b]) => b.length - a.length));
}

/** True for a credential of the session itself, which no call may have. */
export function isOwnCredential(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
  { variables, values }: Pick<Secrets, 'variables' | 'values'>,
): boolean {
  return values.has(value) || [...variables].some((name) => env[name] === value);
}
