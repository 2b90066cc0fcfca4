// The agents of a session: what its own is made of, and which others may be started. What reads definitions is loaded
// only where there are some.
import { ConfigError } from '../../protocol/errors.js';
import type { AgentType } from '../../subagents/agent-type.js';
import { GENERAL_PURPOSE } from '../../subagents/general-purpose.js';
import { inheritTools } from '../../subagents/inherit.js';
import { agentTool, describeAgents } from '../../tools/agent.js';
import type { Tools } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import type { MainAgent } from './main-agent.js';

export interface SessionAgents {
  readonly main: MainAgent;
  /** Which subagents there are. */
  readonly types: readonly AgentType[];
  /** The tools of the session, which no agent has more of. */
  readonly tools: Tools;
  /** How deep agents may start agents; 0: none at all. */
  readonly maxDepth: number;
  readonly notices: readonly PendingNotice[];
}

/** Subagents start no agents of their own, unless a configuration says so. */
const DEFAULT_DEPTH = 1;

/** The fields of a configuration that say which agents there are. */
export type AgentFields = Pick<
  QueryEngineConfig,
  | 'agents'
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

/** @throws ConfigError where a definition cannot be used, or names an agent that is not there */
export async function setUpAgents(config: AgentFields): Promise<SessionAgents> {
  const maxDepth = checkDepth(config.maxAgentDepth ?? DEFAULT_DEPTH);
  const { agents: types, notices } = await readTypes(config, maxDepth);
  const offered = inheritTools(config.tools, { tools: null, disallowedTools: [] }, maxDepth > 0);
  const tools = offered.map((tool) =>
    tool === agentTool ? { ...agentTool, description: describeAgents(types) } : tool,
  );
  const plain = { tools, maxTurns: config.maxTurns, effort: config.effort };
  if (config.agent === undefined && config.coordinator !== true) {
    return { main: plain, types, tools, maxDepth, notices };
  }
  const { setUpMainAgent } = await import('./main-agent.js');
  return { main: await setUpMainAgent(config, plain, types), types, tools, maxDepth, notices };
}

async function readTypes(config: AgentFields, maxDepth: number) {
  if (config.agents.length === 0) return { agents: [GENERAL_PURPOSE], notices: [] };
  const { readAgents } = await import('../../subagents/definition.js');
  return readAgents(config.agents, {
    allowBypass: mayBypass(config),
    toolNames: config.tools.map((tool) => tool.name),
    skillNames: config.skills?.names,
    mayNest: maxDepth > 1,
  });
}

function mayBypass({ allowDangerouslySkipPermissions, permissions }: AgentFields): boolean {
  const mode = permissions?.mode;
  return allowDangerouslySkipPermissions === true || mode === 'bypassPermissions' || mode === 'yolo';
}

function checkDepth(depth: number): number {
  if (Number.isInteger(depth) && depth >= 0) return depth;
  throw new ConfigError(`maxAgentDepth is ${depth}. Give a whole number of at least 0.`);
}
