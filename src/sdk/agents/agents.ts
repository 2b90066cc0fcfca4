// The agents of a folder, for people and programs that look at them: what there is and where it comes from, what is refused,
// and why.

import type { EffectiveSettings } from '../../context/effective-settings.js';
import type { Host } from '../../host/host.js';
import { findSettings, type SettingsOptions } from '../../session/settings/index.js';
import { usableAgents } from '../../session/tools/index.js';
import { builtInAgents } from '../../subagents/built-in-agents.js';
import type { AgentSource, AgentType } from '../../subagents/definition.js';
import { getTools } from '../../tools/builtin.js';
import { findWithPlugins } from '../plugins/index.js';
import { openAgentFiles } from './agent-options.js';

export interface ListedAgent extends AgentSource {
  readonly name: string;
  readonly description: string;
  /** As its definition names it; null for that of whoever calls it. */
  readonly model: string | null;
  /** Null: all of the session. */
  readonly tools: readonly string[] | null;
  readonly color: string | null;
  /** Fields of its file without effect. */
  readonly idle: readonly string[];
}

export interface ListedAgents {
  readonly agents: readonly ListedAgent[];
  readonly refused: readonly {
    readonly name: string;
    readonly scope: AgentSource['scope'];
    readonly file: string;
    readonly why: string;
    /** True if it would be there once the folder is trusted. */
    readonly needsTrust: boolean;
  }[];
  /** The agent that sessions run as by the settings; null for the default one. */
  readonly main: string | null;
}

/** @param cwd absolute. @throws ConfigError if the options are wrong */
export async function listAgents(
  host: Host,
  cwd: string,
  options: Pick<SettingsOptions, 'settingSources'>,
): Promise<ListedAgents> {
  const finder = findSettings(host, host.env, cwd, options);
  const settings = await finder.open();
  const values: EffectiveSettings['values'] = settings?.effective.values ?? {};
  await findWithPlugins(finder, [], { cwd }, settings, host);
  const files = await openAgentFiles(finder.extensions.agents, { ...options, cwd }, host);
  const toolNames = (await getTools()).map(({ name }) => name);
  const { agents, refused } = usableAgents(files, { allowBypass: true, toolNames, mayNest: true });
  const types = new Map(
    [...builtInAgents(values.builtInAgents ?? true, toolNames), ...agents].map((type) => [type.name, type]),
  );
  const idleOf = (file: string | null) => files.agents.find((each) => each.file === file)?.idle ?? [];
  const unusable = refused.map(({ file, why }) => ({ ...files.agents.find((each) => each.file === file), file, why }));
  return {
    agents: [...types.values()].map((type) => listed(type, idleOf(type.source.file))),
    refused: [
      ...files.refused.map(({ name, scope, file, why, item }) => ({
        name,
        scope,
        file,
        why,
        needsTrust: item !== null,
      })),
      ...unusable.map(({ name = '', scope = 'user' as const, file, why }) => ({
        name,
        scope,
        file,
        why,
        needsTrust: false,
      })),
    ],
    main: values.agent ?? null,
  };
}

function listed(
  { name, description, model, size, tools, source, color }: AgentType,
  idle: readonly string[],
): ListedAgent {
  return {
    name,
    description,
    ...source,
    model: size === 'small' ? 'lite' : model,
    tools,
    color: color ?? null,
    idle,
  };
}
