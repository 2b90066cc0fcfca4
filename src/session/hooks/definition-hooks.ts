// Hooks that the definition of an agent or the front matter of a skill brings along: they run while it works, or is in use,
// and under the same rules as those of settings. Loaded with the first of them.
import type { EffectiveSettings } from '../../context/effective-settings.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { Host } from '../../host/host.js';
import type { SkillHooks } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { settingsHooks } from './settings-hooks.js';

const SCOPES = { 'built-in': 'flag', option: 'flag', user: 'user', plugin: 'project', project: 'project' } as const;

export interface HookDefinition {
  readonly kind: 'agent' | 'skill';
  readonly name: string;
  readonly scope: keyof typeof SCOPES;
  /** Absolute; null if it is none. */
  readonly file: string | null;
  /** Foreign data, by event. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** The end of an agent is SubagentStop. */
  readonly inAgent: boolean;
}

export interface DefinedHooks {
  readonly commands: readonly CommandHook[];
  readonly notices: readonly PendingNotice[];
}

type HooksConfig = Pick<QueryEngineConfig, 'cwd' | 'onlyManagedHooks' | 'httpHookRules'>;

/** Those that run, and what is to be told of the others. */
export function definitionHooks(host: Host, config: HooksConfig, definition: HookDefinition): DefinedHooks {
  const { kind, name, file, hooks, inAgent } = definition;
  if (Object.keys(hooks).length === 0) return { commands: [], notices: [] };
  const code = kind === 'agent' ? ('agent_problem' as const) : ('skill_problem' as const);
  const whose = `the ${kind} ${name}`;
  if (config.onlyManagedHooks === true)
    return {
      commands: [],
      notices: [{ code, message: `The hooks of ${whose} do not run: settings allow no others.` }],
    };
  const groups = Object.entries(hooks).flatMap(([event, listed]) =>
    (Array.isArray(listed) ? (listed as unknown[]) : [listed]).map((value, at) => ({ event, value, at })),
  );
  const entries = groups.map(({ event, value, at }) => {
    const own = event === 'Stop' && inAgent ? 'SubagentStop' : event;
    return {
      ...{ path: ['hooks', own], key: `hooks.${own}`, value, isItem: true, at },
      ...{ scope: SCOPES[definition.scope], file, base: config.cwd, overridden: [] },
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
  const read = settingsHooks(host, effective as EffectiveSettings, config.cwd);
  const odd = entries.filter(({ value }) => !isGroup(value)).map(({ key }) => key);
  const notices: PendingNotice[] = read.notices.map((notice) => ({ ...notice, code }));
  if (odd.length > 0)
    notices.push({
      code,
      message: `Hooks of ${whose} that do not run, because they are no objects with a list of hooks: ${odd.join(', ')}.`,
    });
  return { commands: read.commands, notices };
}

/**
 * Those of a skill that is in use from now on: what its folder holds must be as it was loaded, and commands know that
 * folder.
 */
export function skillHooks(host: Host, config: HooksConfig, skill: SkillHooks, inAgent: boolean): DefinedHooks {
  const { name, scope, file, folder, hooks, changedFiles } = skill;
  const { commands, notices } = definitionHooks(host, config, { kind: 'skill', name, scope, file, hooks, inAgent });
  return {
    notices,
    commands: commands.map((command) => ({
      ...command,
      skillFolder: folder,
      changedFiles: changedFiles ?? command.changedFiles,
    })),
  };
}

function isGroup(value: unknown): boolean {
  const { hooks, matcher } = (value ?? {}) as { readonly hooks?: unknown; readonly matcher?: unknown };
  return (
    Array.isArray(hooks) &&
    hooks.every((hook: unknown) => typeof hook === 'object' && hook !== null) &&
    (matcher === undefined || typeof matcher === 'string')
  );
}
