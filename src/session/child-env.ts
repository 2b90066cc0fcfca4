// The environment of child processes: the session's own, without the credentials that providers use.
import type { Secrets } from '../providers/secrets.js';

/** A shorter value is no credential, and might be anything. Characters. */
const SHORTEST = 8;

/** A variable goes by its name, and by its value where that is a credential under another name. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { variables, values }: Pick<Secrets, 'variables' | 'values'>,
): Record<string, string> {
  const hidden = new Set(values.keys());
  for (const name of variables) {
    const value = env[name];
    if (value !== undefined && value.length >= SHORTEST) hidden.add(value);
  }
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !variables.has(name) && !hidden.has(value)) child[name] = value;
  }
  return child;
}
