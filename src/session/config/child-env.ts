// The environment of child processes: the session's own, without the credentials that providers use, and without what is
// called like one.
import { looksLikeModelKey, type Secrets } from '../../providers/keys/index.js';

/** A shorter value is no credential, and might be anything. Characters. */
const SHORTEST = 8;
/** Names, by commas, of variables that are called like a key of a model and reach child processes all the same. */
export const PASSED_VARIABLES = 'TURNWRIGHT_PASS_VARIABLES';

/** Names, by commas, of variables that reach no child process. */
export const HIDDEN_VARIABLES = 'TURNWRIGHT_HIDE_VARIABLES';

/** Without what settings hide from all that is started, for what an owner of the machine wrote himself. */
export function withoutHidden(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const hidden = namesIn(env[HIDDEN_VARIABLES]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}

function namesIn(list: string | undefined): ReadonlySet<string> {
  return new Set((list ?? '').split(',').map((name) => name.trim()));
}

/**
 * A variable goes by its name, and by its value if that is a credential under another name.
 * Contract: the credentials of the known providers never pass, whatever `PASSED_VARIABLES` names.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { variables, values }: Pick<Secrets, 'variables' | 'values'>,
): Record<string, string> {
  const passed = namesIn(env[PASSED_VARIABLES]);
  const kept = namesIn(env[HIDDEN_VARIABLES]);
  const isHidden = (name: string) =>
    kept.has(name) || variables.has(name) || (looksLikeModelKey(name) && !passed.has(name));
  const hidden = new Set(values.keys());
  for (const [name, value = ''] of Object.entries(env)) {
    if (value.length >= SHORTEST && isHidden(name)) hidden.add(value);
  }
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isPassed = passed.has(name) && !variables.has(name) && !kept.has(name);
    if (value !== undefined && !isHidden(name) && (isPassed || !hidden.has(value))) child[name] = value;
  }
  return child;
}
