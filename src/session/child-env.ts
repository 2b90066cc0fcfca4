// The environment of child processes: the session's own, without the credentials that providers use.
import { PROVIDER_SECRET_VARIABLES } from '../providers/registry.js';

export function childEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const secret = new Set<string>(PROVIDER_SECRET_VARIABLES);
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !secret.has(name)) child[name] = value;
  }
  return child;
}
