// What a session has of files and plugins, each with where it comes from, and what was left out, with the reason. Loaded if
// there is any of it. One rule: every candidate is in one of the two lists.
import type { CommandFile } from '../context/commands/find-commands.js';
import type { LoadedPart, RejectedPart } from '../protocol/system-messages.js';
import type { OpenedCommands } from '../session/commands/index.js';
import type { AgentFiles } from '../session/config/index.js';
import type { OpenedSettings } from '../session/settings/index.js';
import type { FoundSkillParts } from '../session/skills/index.js';
import type { OpenedPlugins } from './plugin-options.js';

export interface LoadedSources {
  readonly skills: FoundSkillParts | null;
  readonly commands: OpenedCommands | null;
  readonly agents: AgentFiles | null;
  readonly plugins: OpenedPlugins | null;
  readonly settings: OpenedSettings | null;
}

export interface LoadedParts {
  readonly loaded: readonly LoadedPart[];
  readonly rejected: readonly RejectedPart[];
}

type Kind = LoadedPart['kind'];

export function loadedParts({ skills, commands, agents, plugins, settings }: LoadedSources): LoadedParts {
  const loaded: LoadedPart[] = [];
  const rejected: RejectedPart[] = [];
  const add = (kind: Kind, name: string, scope: string, source: string | null) =>
    void loaded.push({ kind, name, scope, source: source ?? 'option' });
  const refuse = (kind: Kind, name: string, source: string | null, reason: string) =>
    void rejected.push({ kind, name, source: source ?? 'option', reason });

  for (const { name, scope, file } of skills?.skills ?? []) add('skill', name, scope, file);
  for (const { name, file, why } of skills?.refused ?? []) refuse('skill', name, file, why);
  for (const { name, scope, file } of commands?.files ?? ([] as readonly CommandFile[]))
    add('command', name, scope, file);
  for (const { name, file, why } of commands?.refused ?? []) refuse('command', name, file, why);
  for (const { name, file, why } of commands?.taken ?? []) refuse('command', name, file, why);
  for (const { name, scope, file } of agents?.agents ?? []) add('agent', name, scope, file);
  for (const { name, file, why } of agents?.refused ?? []) refuse('agent', name, file, why);

  for (const { name, scope, folder, servers } of plugins?.plugins ?? []) {
    add('plugin', name, scope, folder);
    for (const server of Object.keys(servers)) {
      const whole = `plugin_${name}_${server}`;
      if (plugins?.servers[whole] !== undefined) add('server', whole, 'plugin', folder);
    }
  }
  for (const why of plugins?.problems ?? []) refuse('plugin', why.split(/[ :]/, 1)[0] ?? '', 'plugin', why);
  for (const { name, owner, file, state } of settings?.effective.servers ?? []) {
    if (state === 'used') add('server', name, owner, file);
    else refuse('server', name, file, STATES[state]);
  }
  for (const { label, scope, file } of [...(settings?.commandHooks ?? []), ...(plugins?.hooks ?? [])])
    add('hook', label, scope, file);
  for (const { label, file, why } of settings?.refusedHooks ?? []) refuse('hook', label, file, why);
  return { loaded, rejected };
}

const STATES = {
  not_trusted: 'nobody vouches for it as it stands',
  not_enabled: 'settings do not name it',
  disabled: 'settings switch it off',
} as const;
