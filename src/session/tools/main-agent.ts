// A session whose own agent is not the default one: it runs as one of the defined agents, or as a coordinator.

import { ConfigError } from '../../protocol/errors.js';
import type { EffortLevel } from '../../protocol/options.js';
import type { AgentType } from '../../subagents/agent-type.js';
import { promptOf } from '../../subagents/built-in-prompts.js';
import { COORDINATOR_PROMPT, coordinatorTools } from '../../subagents/coordinator.js';
import { inheritTools } from '../../subagents/inherit.js';
import type { Tools } from '../../tools/tool.js';
import type { QueryEngineConfig } from '../config/index.js';

/** What one agent is made of, the session's own or a subagent. */
export interface AgentSetup {
  /** What it may use, as its model is told. */
  readonly tools: Tools;
  /** In place of the default system prompt; the environment stays. */
  readonly role?: readonly string[];
  /** Goes after the prompt, whatever that is. */
  readonly section?: string;
  readonly maxTurns: number | undefined;
  readonly effort: EffortLevel | undefined;
}

export interface MainAgent extends AgentSetup {
  /** The model its definition names. */
  readonly model?: string;
  /** Goes before the first prompt of a new session. */
  readonly initialPrompt?: string;
}

/**
 * What the configuration says itself beats the definition.
 * @throws ConfigError if there is no such agent, or nothing to coordinate with
 */
export async function setUpMainAgent(
  config: Pick<QueryEngineConfig, 'agent' | 'coordinator' | 'maxTurns' | 'effort' | 'skills'>,
  plain: AgentSetup,
  types: readonly AgentType[],
): Promise<MainAgent> {
  if (config.coordinator === true) {
    if (config.agent !== undefined)
      throw new ConfigError('Give either agent or coordinator: the main agent cannot be both.');
    return { ...plain, tools: coordinatorTools(plain.tools), section: COORDINATOR_PROMPT };
  }
  const agent = types.find(({ name }) => name === config.agent);
  if (agent === undefined) {
    const names = types.map(({ name }) => name).join(', ');
    throw new ConfigError(`There is no agent "${config.agent}". Define it in agents, or use one of: ${names}.`);
  }
  const skills = agent.skills === undefined ? [] : ((await config.skills?.preload(agent.skills)) ?? []);
  const { maxTurns = agent.maxTurns, effort = agent.effort } = config;
  return {
    tools: inheritTools(plain.tools, agent, true),
    role: [promptOf(agent), ...skills.map(({ text }) => text)],
    maxTurns,
    effort,
    ...(agent.model === null ? {} : { model: agent.model }),
    ...(agent.initialPrompt === undefined ? {} : { initialPrompt: agent.initialPrompt }),
  };
}
