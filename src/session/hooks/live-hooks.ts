// The hooks of a session, which a change of its settings replaces. Small, because every session has them; what runs
// hooks is loaded where there are some.
import type { CommandHook } from '../../hooks/command-hook.js';
import { NO_HOOKS } from './no-hooks.js';
import type { SessionHooks, SessionHooksOptions } from './session-hooks.js';

export interface LiveHooks extends SessionHooks {
  /** Takes other commands of settings: at once, or with the next prompt. Agents that run keep theirs. @throws ConfigError */
  replace(commands: readonly CommandHook[], isAtOnce: boolean): Promise<void>;
  beginPrompt(): void;
}

/** @throws ConfigError for an unknown event, a matcher that cannot be used, or a hook that is not a function */
export async function openLiveHooks(options: SessionHooksOptions): Promise<LiveHooks> {
  const opened: SessionHooks[] = [];
  const open = async (commands: readonly CommandHook[]) => {
    if (Object.keys(options.matchers).length === 0 && commands.length === 0) return NO_HOOKS;
    const hooks = await (await import('./session-hooks.js')).createSessionHooks({ ...options, commands });
    opened.push(hooks);
    return hooks;
  };
  let current = await open(options.commands);
  let next = current;
  return {
    has: (event) => current.has(event),
    run: (...firing) => current.run(...firing),
    forAgent: (agent) => current.forAgent(agent),
    async replace(commands, isAtOnce) {
      next = await open(commands);
      if (isAtOnce) current = next;
    },
    beginPrompt() {
      current = next;
    },
    async close() {
      await Promise.all(opened.map((hooks) => hooks.close()));
    },
  };
}
