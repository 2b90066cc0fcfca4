// The options about agents: checked before anything starts, and read by whoever wants to know which agents there are.
// Loaded only if such options are given.

import path from 'node:path';
import { findAgents } from '../../context/find-agents.js';
import { type FileTrust, lookAtMarkdown } from '../../context/markdown/index.js';
import type { ExtensionPlace } from '../../context/settings/index.js';
import { trustRoot } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { AgentInfo } from '../../protocol/options.js';
import { chooseModel, type ModelAccess } from '../../providers/choice/index.js';
import type { AgentFiles } from '../../session/config/index.js';
import { type SettingsOptions, vouches } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { setUpAgents } from '../../session/tools/index.js';
import { type AgentType, type NamedDefinition, namedDefinitions } from '../../subagents/definition.js';
import { getTools } from '../../tools/builtin.js';
import type { Tools } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import { type Options, type PlainOptions, plainOptions } from '../options/index.js';
import { findWithPlugins } from '../plugins/index.js';
import { withSettings } from '../settings/index.js';

/** What the options about agents come to. */
export interface AgentOptions {
  readonly agents: readonly NamedDefinition[];
  /** That the session itself runs as. */
  readonly main: AgentType | undefined;
  /** The agent that settings name and that is not there; absent if there is none. */
  readonly missing?: string;
}

/**
 * @param isOfSettings the agent that the session runs as is named by settings
 * @throws ConfigError for a definition, an agent or a model that cannot be used
 */
export async function readAgentOptions(
  options: PlainOptions,
  tools: Tools,
  openAccess: (model: string | undefined) => ModelAccess,
  files: AgentFiles | null = null,
  isOfSettings = false,
): Promise<AgentOptions> {
  const agents = namedDefinitions(options.agents ?? {});
  const ofFiles = files === null ? {} : { agentFiles: files };
  const { agent, ...fields } = fieldsOf(options);
  const named = { agents, tools, ...ofFiles, ...fields };
  const plain = isOfSettings ? await setUpAgents(named) : null;
  // What settings ask for and cannot be done is told, never fatal.
  if (plain !== null && !plain.types.some(({ name }) => name === agent))
    return { agents, main: undefined, ...(agent === undefined ? {} : { missing: agent }) };
  const { types, main } = await setUpAgents(agent === undefined ? named : { ...named, agent });
  if (options.provider === undefined) {
    const access = openAccess(options.model ?? main.model);
    // Files are written for many sessions: what one names and this one cannot have is told when it is called.
    for (const type of types) if (type.source.scope === 'option') await checkModel(type, access);
  }
  return { agents, main: types.find(({ name }) => name === options.agent) };
}

/** The options that a configuration has under the same names. */
function fieldsOf(
  options: Pick<
    Options,
    'agent' | 'builtInAgents' | 'coordinator' | 'maxAgentDepth' | 'allowDangerouslySkipPermissions'
  >,
) {
  const { agent, builtInAgents, coordinator, maxAgentDepth, allowDangerouslySkipPermissions: mayBypass } = options;
  return {
    ...(builtInAgents === undefined ? {} : { builtInAgents }),
    ...(agent === undefined ? {} : { agent }),
    ...(coordinator === undefined ? {} : { coordinator }),
    ...(maxAgentDepth === undefined ? {} : { maxAgentDepth }),
    ...(mayBypass === undefined ? {} : { allowDangerouslySkipPermissions: mayBypass }),
  };
}

/** @throws ConfigError */
export async function supportedAgents(options: Options): Promise<AgentInfo[]> {
  const host = options.host ?? createNodeHost();
  const { options: found, finder, settings } = await withSettings(plainOptions(options), host);
  await findWithPlugins(finder, options.plugins ?? [], found, settings, host);
  const places = finder.extensions.agents;
  const files = places.length === 0 ? null : await openAgentFiles(places, found, host);
  const { types } = await setUpAgents({
    agents: namedDefinitions(found.agents ?? {}),
    tools: await getTools(),
    ...(files === null ? {} : { agentFiles: files }),
    ...(found.builtInAgents === undefined ? {} : { builtInAgents: found.builtInAgents }),
    allowDangerouslySkipPermissions: true,
  });
  return types.map(({ name, description, model }) => ({ name, description, ...(model === null ? {} : { model }) }));
}

/** A model without a provider, or without a key, would fail only when the agent is called. */
async function checkModel({ name, model }: AgentType, access: ModelAccess): Promise<void> {
  if (model === null) return;
  try {
    await chooseModel(model, access);
  } catch (error) {
    throw new ConfigError(`agents.${name}.model "${model}" cannot be used. ${errorText(error)}`, { cause: error });
  }
}

// Agents of files for a session, and what becomes of them while it lives. Loaded if there are some.

type AgentFilesOptions = Pick<SettingsOptions, 'settingSources' | 'trustFolder'> & {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** @param places from the nearest to the farthest */
export async function openAgentFiles(
  places: readonly ExtensionPlace[],
  options: AgentFilesOptions,
  host: Host,
): Promise<AgentFiles> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const root = await trustRoot(host, cwd);
  const trust: FileTrust = {
    isGranted: vouches(options),
    root,
    cwd,
    home: homeFolder(host, { ...host.env, ...options.env }),
  };
  return { ...(await findAgents(host, places, trust)), root };
}

/** What there is now; null if that is the same as before. */
export async function reopenAgentFiles(
  before: AgentFiles | null,
  places: readonly ExtensionPlace[],
  options: AgentFilesOptions,
  host: Host,
): Promise<AgentFiles | null> {
  const root = before?.root ?? (await trustRoot(host, path.resolve(host.platform.cwd, options.cwd ?? '')));
  const { stamp } = await lookAtMarkdown(host, places, root);
  return stamp === before?.stamp ? null : openAgentFiles(places, options, host);
}
