// Whether anybody of a session answers questions to the user: the host, or a hook. It is asked before hooks are opened,
// since a server hears with its first message whether it may ask.
import type { QueryEngineConfig } from '../config/index.js';

type Answering = Pick<QueryEngineConfig, 'handleElicitation' | 'hooks' | 'commandHooks' | 'pluginHooks'>;

/** Contract: never throws; a list of hooks that cannot be used is told when hooks are opened. */
export function canAsk({ handleElicitation, hooks, commandHooks = [], pluginHooks = [] }: Answering): boolean {
  if (handleElicitation !== undefined) return true;
  const matchers: unknown = hooks?.Elicitation;
  const isHeard = Array.isArray(matchers) && matchers.some((matcher) => matcher?.hooks?.length > 0);
  return isHeard || [...commandHooks, ...pluginHooks].some(({ event }) => event === 'Elicitation');
}
