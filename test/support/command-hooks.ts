// Commands of settings, and what is left of their runs: each run appends what it was given to a log.
import { existsSync, readFileSync } from 'node:fs';
import type { CommandHook } from '../../src/hooks/command-hook.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { HookEvent, HookInput } from '../../src/protocol/hooks.js';
import { createSecrets } from '../../src/providers/keys/secrets.js';
import { openCommandHooks } from '../../src/session/hooks/command-hooks.js';

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

/** Commands of this machine, with the environment of the tests. */
export function openedCommands(hooks: readonly CommandHook[], cwd: string, env: Record<string, string> = {}) {
  const host = createNodeHost();
  return openCommandHooks(hooks, { host, cwd, env: { ...host.env, ...env }, secrets: createSecrets(), sandbox: null });
}

/** What was given to hooks that ran `cat >> file`, in the order they read it. */
export function loggedInputs(file: string): HookInput[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HookInput);
}
