// The hooks of a session, which a change of its settings replaces. Small, because every session has them; what runs
// hooks is loaded if there are some.
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
  const open = async (wanted: readonly CommandHook[]) => {
    if (Object.keys(options.matchers).length === 0 && wanted.length === 0) return NO_HOOKS;
    const hooks = await (await import('./session-hooks.js')).createSessionHooks({ ...options, commands: wanted });
    opened.push(hooks);
    return hooks;
  };
  let commands = options.commands;
  let current = await open(commands);
  let next = current;
  return {
    has: (event) => current.has(event),
    run: (...firing) => current.run(...firing),
    forAgent: (agent) => current.forAgent(agent),
    async withCommands(more) {
      return (await import('./session-hooks.js')).createSessionHooks({ ...options, commands: [...commands, ...more] });
    },
    async replace(replaced, isAtOnce) {
      commands = replaced;
      next = await open(replaced);
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
