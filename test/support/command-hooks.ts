// Commands of settings, and what is left of their runs: each run appends what it was given to a log.
import { existsSync, readFileSync } from 'node:fs';
import type { CommandHook } from '../../src/hooks/command-hook.js';
import type { HookPowers } from '../../src/hooks/declared-hooks.js';
import type { HookEvent, HookInput } from '../../src/protocol/hooks.js';
import { createSecrets } from '../../src/providers/keys/key-variables.js';
import { openCommandHooks } from '../../src/session/hooks/command-hooks.js';
import { lastingHost } from './lasting-host.js';

export function commandHook(event: HookEvent, command: string, more: Partial<CommandHook> = {}): CommandHook {
  return {
    event,
    label: `${event}[0].hooks[0] (test)`,
    scope: 'user',
    file: '/settings.json',
    matcher: undefined,
    command,
    timeoutMs: 30_000,
    onFailure: 'continue',
    isAsync: false,
    statusMessage: undefined,
    isConfined: false,
    projectFolder: '/',
    changedFiles: null,
    ...more,
  };
}

const none = async (): Promise<never> => {
  throw new Error('There is none in this test.');
};

/** Outside a session nothing is lent to hooks. */
export const NO_POWERS: HookPowers = { openWeb: none, askModel: none, askAgent: none, callTool: none };

/** Hooks of this machine, with the environment of the tests. */
export function openedCommands(
  hooks: readonly CommandHook[],
  cwd: string,
  env: Record<string, string> = {},
  powers: HookPowers = NO_POWERS,
) {
  const host = lastingHost();
  const place = { host, cwd, env: { ...host.env, ...env }, secrets: createSecrets(), sandbox: null, powers };
  return openCommandHooks(hooks, place);
}

/** What was given to hooks that ran `cat >> file`, in the order they read it. */
export function loggedInputs(file: string): HookInput[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HookInput);
}
