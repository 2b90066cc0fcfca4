// Hooks of settings in a session: commands have what commands of the tool Bash have, and no credentials. Loaded
// if a session has some.
import { type OpenedCommands, openCommands } from '../../hooks/command-groups.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookPowers } from '../../hooks/hook-action.js';
import type { Host } from '../../host/host.js';
import type { HookInput } from '../../protocol/hooks.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import { findShell, NOT_REMOTE, shellEnvironment } from '../../tools/bash/shell.js';
import { childEnvironment } from '../config/index.js';

export interface CommandHookPlace {
  readonly host: Host;
  readonly cwd: string;
  /** Variables of the session. */
  readonly env: Host['env'];
  readonly secrets: Pick<Secrets, 'variables' | 'values'>;
  /** Null where commands run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** For hooks that are no commands. */
  readonly powers: HookPowers;
  /** More variables of a command, by what it hears of. */
  variablesFor?(input: HookInput): Readonly<Record<string, string>>;
}

export function openCommandHooks(hooks: readonly CommandHook[], place: CommandHookPlace): OpenedCommands {
  const { host, cwd, env, secrets, sandbox, powers } = place;
  let shell: Promise<string> | null = null;
  // What is found to be a secret later must not reach a process either, so this is asked each time.
  const childEnv = () => childEnvironment(env, secrets);
  return openCommands(hooks, {
    exec: host.exec,
    cwd,
    sandbox,
    powers,
    environment: (input) => ({
      ...shellEnvironment({ childEnv: childEnv() }),
      ...place.variablesFor?.(input),
      ...NOT_REMOTE,
    }),
    async shell() {
      shell ??= findShell({ host, childEnv: childEnv() });
      return [await shell, '-c', '--'];
    },
  });
}
