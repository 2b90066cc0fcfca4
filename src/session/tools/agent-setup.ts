// The agents of a session: what its own is made of, and which others may be started. What reads definitions is loaded
// only if there are some.

import type { PermissionRule } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import type { AgentType } from '../../subagents/agent-type.js';
import { builtInAgents } from '../../subagents/built-in-agents.js';
import type { AgentTypes, DefinitionRules } from '../../subagents/definition.js';
import { inheritTools } from '../../subagents/inherit.js';
import { agentTool, describeAgents } from '../../tools/agent.js';
import type { Tools } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { MainAgent } from './defined-agents.js';

export interface SessionAgents {
  readonly main: MainAgent;
  /** Which subagents there are: built in first, then of files, then of the host; a stronger one takes the place of its name. */
  readonly types: readonly AgentType[];
  /** The tools of the session, which no agent has more of, but for those that its host named for it. */
  readonly tools: Tools;
  /** Those that only agents have whose definition is the host's and names them. */
  readonly agentTools: Tools;
  /** How deep agents may start agents; 0: none at all. */
  readonly maxDepth: number;
  readonly notices: readonly PendingNotice[];
  /** The same with other tools, or other files of agents. @throws ConfigError as `setUpAgents` */
  again(changes: Partial<Pick<AgentFields, 'tools' | 'agentFiles'>>): Promise<SessionAgents>;
}

/** Subagents start no agents of their own, unless a configuration says so. */
const DEFAULT_DEPTH = 1;

/** The fields of a configuration that say which agents there are. */
export type AgentFields = Pick<
  QueryEngineConfig,
  | 'agents'
  | 'agentFiles'
  | 'agentTools'
  | 'builtInAgents'
  | 'tools'
  | 'agent'
  | 'coordinator'
  | 'maxAgentDepth'
  | 'maxTurns'
  | 'effort'
  | 'permissions'
  | 'skills'
  | 'allowDangerouslySkipPermissions'
>;

/** @throws ConfigError if a definition cannot be used, or names an agent that is not there */
export async function setUpAgents(config: AgentFields): Promise<SessionAgents> {
  const maxDepth = checkDepth(config.maxAgentDepth ?? DEFAULT_DEPTH);
  const { agents: types, notices } = await readTypes(config, maxDepth);
  const offered = inheritTools(config.tools, { tools: null, disallowedTools: [] }, maxDepth > 0 && types.length > 0);
  const tools = offered.map((tool) =>
    tool.run === agentTool.run ? { ...agentTool, description: describeAgents(types) } : tool,
  );
  const again: SessionAgents['again'] = (changes) => setUpAgents({ ...config, ...changes });
  const rest = { types, tools, agentTools: config.agentTools ?? [], maxDepth, notices, again };
  const plain = { tools, maxTurns: config.maxTurns, effort: config.effort };
  if (config.agent === undefined && config.coordinator !== true) {
    return { main: plain, ...rest };
  }
  const { setUpMainAgent } = await DOORS.definedAgents();
  return { main: await setUpMainAgent(config, plain, types), ...rest };
}

async function readTypes(config: AgentFields, maxDepth: number): Promise<AgentTypes> {
  const toolNames = config.tools.map((tool) => tool.name);
  const denied = deniedAgents(config.permissions?.deny ?? []);
  const isThere = ({ name }: AgentType) => !denied.includes(name);
  const builtIn = builtInAgents(checkBuiltIn(config.builtInAgents), toolNames).filter(isThere);
  if (config.agents.length === 0 && config.agentFiles === undefined) return { agents: builtIn, notices: [] };
  const { definedAgents } = await DOORS.definedAgents();
  const rules: DefinitionRules = {
    allowBypass: mayBypass(config),
    toolNames,
    skillNames: config.skills?.names,
    mayNest: maxDepth > 1,
  };
  const ofAgents = (config.agentTools ?? []).map((tool) => tool.name);
  const { agents, notices } = definedAgents(config, rules, ofAgents);
  const types = new Map([...builtIn, ...agents].map((type) => [type.name, type]));
  return { agents: [...types.values()].filter(isThere), notices };
}

/** Those that `Agent(name)` denies are not offered. */
function deniedAgents(deny: readonly PermissionRule[]): readonly string[] {
  return deny.flatMap(({ toolName, content }) =>
    toolName === agentTool.name && content?.kind === 'name' ? [content.name] : [],
  );
}

function checkBuiltIn(wanted: unknown = true): boolean | readonly string[] {
  if (typeof wanted === 'boolean') return wanted;
  if (Array.isArray(wanted) && wanted.every((name) => typeof name === 'string')) return wanted;
  throw new ConfigError('builtInAgents is true, false, or a list of names of built-in agents.');
}

function mayBypass({ allowDangerouslySkipPermissions, permissions }: AgentFields): boolean {
  const mode = permissions?.mode;
  return allowDangerouslySkipPermissions === true || mode === 'bypassPermissions' || mode === 'yolo';
}

function checkDepth(depth: number): number {
  if (Number.isInteger(depth) && depth >= 0) return depth;
  throw new ConfigError(`maxAgentDepth is ${depth}. Give a whole number of at least 0.`);
}
