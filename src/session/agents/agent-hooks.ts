// Hooks that an agent's definition brings along: they fire while it works, and under the same rules as those of settings.
// Loaded with the first of them.
import type { EffectiveSettings } from '../../context/settings/effective.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { AgentType } from '../../subagents/agent-type.js';
import type { PendingNotice } from '../config/index.js';
import type { AgentRun } from '../core/index.js';

const SCOPES = { 'built-in': 'flag', option: 'flag', user: 'user', plugin: 'project', project: 'project' } as const;

/** Those that run, and what is to be told of the others. */
export async function agentHooks(
  { session }: AgentRun,
  { name, source, hooks = {} }: AgentType,
): Promise<{ readonly commands: readonly CommandHook[]; readonly notices: readonly PendingNotice[] }> {
  const { host, config } = session;
  if (config.onlyManagedHooks === true)
    return {
      commands: [],
      notices: [
        { code: 'agent_problem', message: `The hooks of the agent ${name} do not run: settings allow no others.` },
      ],
    };
  const scope = SCOPES[source.scope];
  const groups = Object.entries(hooks).flatMap(([event, listed]) =>
    (Array.isArray(listed) ? (listed as unknown[]) : []).map((value, at) => ({ event, value, at })),
  );
  const entries = groups.map(({ event, value, at }) => {
    // The end of an agent is SubagentStop.
    const own = event === 'Stop' ? 'SubagentStop' : event;
    const key = `hooks.${own}`;
    return {
      path: ['hooks', own],
      key,
      value,
      isItem: true,
      at,
      scope,
      file: source.file,
      base: config.cwd,
      overridden: [],
    };
  });
  const usable = entries.filter(({ value }) => isGroup(value));
  const { urls, variables } = config.httpHookRules ?? {};
  const values = {
    ...(urls === undefined ? {} : { allowedHttpHookUrls: urls }),
    ...(variables === undefined ? {} : { httpHookAllowedEnvVars: variables }),
  };
  const place = { refused: [], actingFiles: new Map(), root: config.cwd, values, lists: [] };
  const effective = { entries: usable, ...place } as unknown;
  const { settingsHooks } = await import('../hooks/settings-hooks.js');
  const read = settingsHooks(host, effective as EffectiveSettings, config.cwd);
  const odd = entries.filter(({ value }) => !isGroup(value)).map(({ key }) => key);
  const notices: PendingNotice[] = read.notices.map((notice) => ({ ...notice, code: 'agent_problem' as const }));
  if (odd.length > 0)
    notices.push({
      code: 'agent_problem',
      message: `Hooks of the agent ${name} that do not run, because they are no objects with a list of hooks: ${odd.join(', ')}.`,
    });
  return { commands: read.commands, notices };
}

function isGroup(value: unknown): boolean {
  const { hooks, matcher } = (value ?? {}) as { readonly hooks?: unknown; readonly matcher?: unknown };
  return (
    Array.isArray(hooks) &&
    hooks.every((hook: unknown) => typeof hook === 'object' && hook !== null) &&
    (matcher === undefined || typeof matcher === 'string')
  );
}
