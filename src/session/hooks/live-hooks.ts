// The hooks of a session, which a change of its settings replaces, and to which skills in use add theirs. Every
// session has them; what runs hooks is loaded if there are some.
import type { CommandHook } from '../../hooks/command-hook.js';
import { EMPTY_HOOK_RESULT } from '../../hooks/hook-result.js';
import { DOORS } from '../features.js';
import type { HookAgent, SessionHooks, SessionHooksOptions } from './session-hooks.js';

export interface LiveHooks extends SessionHooks {
  /** Takes other commands of settings: at once, or with the next prompt. Agents that run keep theirs. @throws ConfigError */
  replace(commands: readonly CommandHook[], isAtOnce: boolean): Promise<void>;
  beginPrompt(): void;
  /** Forgets what was added. */
  dropAdded(): Promise<void>;
  /** Those of settings and plugins, and those that were added. */
  readonly declared: readonly CommandHook[];
}

/** @throws ConfigError for an unknown event, a matcher that cannot be used, or a hook that is not a function */
export async function openLiveHooks(options: SessionHooksOptions): Promise<LiveHooks> {
  const opened: SessionHooks[] = [];
  const added = new Map<string, readonly CommandHook[]>();
  const open = async (wanted: readonly CommandHook[]) => {
    if (Object.keys(options.matchers).length === 0 && wanted.length === 0) return NO_HOOKS;
    const hooks = await (await DOORS.hooks()).createSessionHooks({ ...options, commands: wanted });
    opened.push(hooks);
    return hooks;
  };
  const withAdded = (of: readonly CommandHook[]) => open([...of, ...[...added.values()].flat()]);
  let [commands, waiting] = [options.commands, options.commands];
  let current = await open(commands);
  let next = current;
  const reopen = async () => {
    current = await withAdded(commands);
    next = waiting === commands ? current : await withAdded(waiting);
  };
  /** As the session has them when it begins; what it is given itself later is its own. */
  const forAgent = (agent: HookAgent): SessionHooks => {
    const before = [...commands, ...[...added.values()].flat()];
    const own = new Map<string, readonly CommandHook[]>();
    const mine: SessionHooks[] = [];
    let now = current.forAgent(agent);
    return {
      has: (event) => now.has(event),
      run: (...firing) => now.run(...firing),
      forAgent,
      mayTellLater: () => now.mayTellLater(),
      async add(key, more) {
        own.set(key, more);
        const hooks = await open([...before, ...[...own.values()].flat()]);
        mine.push(hooks);
        now = hooks.forAgent(agent);
      },
      async close() {
        for (const hooks of mine.splice(0)) {
          await hooks.close();
          opened.splice(opened.indexOf(hooks), 1);
        }
      },
    };
  };
  return {
    has: (event) => current.has(event),
    run: (...firing) => current.run(...firing),
    forAgent,
    mayTellLater: () => opened.some((hooks) => hooks.mayTellLater()),
    async add(key, more) {
      added.set(key, more);
      await reopen();
    },
    async dropAdded() {
      if (added.size === 0) return;
      added.clear();
      await reopen();
    },
    async replace(replaced, isAtOnce) {
      waiting = replaced;
      next = await withAdded(replaced);
      if (!isAtOnce) return;
      commands = replaced;
      current = next;
    },
    beginPrompt() {
      commands = waiting;
      current = next;
    },
    get declared() {
      return [...commands, ...[...added.values()].flat()];
    },
    async close() {
      await Promise.all(opened.map((hooks) => hooks.close()));
    },
  };
}

// The hooks of a session that has none.

export const NO_HOOKS: SessionHooks = {
  has: () => false,
  run: async () => EMPTY_HOOK_RESULT,
  forAgent: () => NO_HOOKS,
  mayTellLater: () => false,
  close: async () => undefined,
};
