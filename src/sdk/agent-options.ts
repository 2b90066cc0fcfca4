// The options about agents: checked before anything starts, and read by whoever wants to know which agents there are.
// Loaded only where such options are given.
import { ConfigError } from '../protocol/errors.js';
import type { AgentInfo } from '../protocol/options.js';
import { chooseModel, type ModelAccess } from '../providers/choice/index.js';
import { setUpAgents } from '../session/tools/index.js';
import type { AgentType } from '../subagents/agent-type.js';
import { type NamedDefinition, namedDefinitions, readAgents } from '../subagents/definition.js';
import type { Tools } from '../tools/tool.js';
import { errorText } from '../util/text.js';
import type { Options, PlainOptions } from './options.js';

/** What the options about agents come to. */
export interface AgentOptions {
  readonly agents: readonly NamedDefinition[];
  /** That the session itself runs as. */
  readonly main: AgentType | undefined;
}

/** @throws ConfigError for a definition, an agent or a model that cannot be used */
export async function readAgentOptions(
  options: PlainOptions,
  tools: Tools,
  openAccess: (model: string | undefined) => ModelAccess,
): Promise<AgentOptions> {
  const agents = namedDefinitions(options.agents ?? {});
  const { types, main } = await setUpAgents({ agents, tools, ...fieldsOf(options) });
  if (options.provider === undefined) {
    const access = openAccess(options.model ?? main.model);
    for (const type of types) await checkModel(type, access);
  }
  return { agents, main: types.find(({ name }) => name === options.agent) };
}

/** The options that a configuration has under the same names. */
function fieldsOf(
  options: Pick<Options, 'agent' | 'coordinator' | 'maxAgentDepth' | 'allowDangerouslySkipPermissions'>,
) {
  const { agent, coordinator, maxAgentDepth, allowDangerouslySkipPermissions: mayBypass } = options;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(coordinator === undefined ? {} : { coordinator }),
    ...(maxAgentDepth === undefined ? {} : { maxAgentDepth }),
    ...(mayBypass === undefined ? {} : { allowDangerouslySkipPermissions: mayBypass }),
  };
}

/** @throws ConfigError */
export function supportedAgents(options: Options): AgentInfo[] {
  const definitions = namedDefinitions(options.agents ?? {});
  const { agents } = readAgents(definitions, { allowBypass: true, toolNames: [], mayNest: true });
  return agents.map(({ name, description, model }) => ({ name, description, ...(model === null ? {} : { model }) }));
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
