// Values that are secret because of where they are configured: the keys of providers, and variables whose name says so.
import type { Secrets } from '../providers/keys/index.js';
import { toWellFormed } from '../util/text.js';

/** Shorter values would be found in words that are no secret. Characters. */
const SHORTEST_KEY = 8;
const SHORTEST_VALUE = 12;
const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE)$/i;
/** What a variable named like a secret holds if it is none: a path, a number, a switch. */
const PLAIN_VALUE = /^(?:[~.]{0,2}\/|[0-9]+$|true$|false$)/i;

/**
 * Each value with the kind that its placeholder names, longest first: one may be a part of another. Also as it stands in
 * JSON and in an address, if it is written otherwise there.
 */
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
  const forms = found.flatMap(([value, kind]) => [value, ...otherForms(value)].map((form) => [form, kind] as const));
  return new Map(forms.sort(([a], [b]) => b.length - a.length));
}

const PLAIN = /^[\w.~-]*$/;

function otherForms(value: string): readonly string[] {
  if (PLAIN.test(value)) return [];
  const quoted = JSON.stringify(value).slice(1, -1);
  return [quoted, encodeURIComponent(toWellFormed(value))].filter((form) => form !== value);
}

/** True for a credential of the session itself, in any of its forms, which no call may have. */
export function isOwnCredential(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
  { variables, values }: Pick<Secrets, 'variables' | 'values'>,
): boolean {
  const own = [...values.keys(), ...[...variables].map((name) => env[name] ?? '')];
  return own.some((each) => each === value || otherForms(each).includes(value));
}
