// Agents that somebody defines: those of options and of files, and the session's own if it is one of them, or a coordinator.
// Loaded if there are some. One rule: a definition that a stronger one hides, and one that cannot be used, are told.

import { ConfigError } from '../../protocol/errors.js';
import type { EffortLevel } from '../../protocol/options.js';
import { COORDINATOR_PROMPT, coordinatorTools, promptOf } from '../../subagents/built-in-prompts.js';
import {
  type AgentType,
  type AgentTypes,
  type DefinitionRules,
  type NamedDefinition,
  readAgents,
  readFileAgent,
} from '../../subagents/definition.js';
import { inheritTools } from '../../subagents/inherit.js';
import type { Tools } from '../../tools/tool.js';
import { count } from '../../util/text.js';
import { type AgentFiles, HOW_TO_TRUST, type PendingNotice, type QueryEngineConfig, told } from '../config/index.js';

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
  /** Parts of calls that its definition refuses: rules. */
  readonly denied?: readonly string[];
  /** Goes before the first prompt of a new session. */
  readonly initialPrompt?: string;
}

/**
 * What the configuration says itself beats the definition.
 * @throws ConfigError if there is no such agent, or nothing to coordinate with
 */
export async function setUpMainAgent(
  config: Pick<QueryEngineConfig, 'agent' | 'coordinator' | 'maxTurns' | 'effort' | 'skills' | 'permissions'>,
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
  const { deny = [], ask = [] } = config.permissions ?? {};
  const skills =
    agent.skills === undefined ? [] : ((await config.skills?.preload(agent.skills, [...deny, ...ask])) ?? []);
  const { maxTurns = agent.maxTurns, effort = agent.effort } = config;
  const denied = agent.disallowedTools.filter((name) => name.includes('('));
  return {
    tools: inheritTools(plain.tools, agent, true),
    role: [promptOf(agent), ...skills.map(({ text }) => text)],
    maxTurns,
    effort,
    ...(agent.model === null ? {} : { model: agent.model }),
    ...(denied.length === 0 ? {} : { denied }),
    ...(agent.initialPrompt === undefined ? {} : { initialPrompt: agent.initialPrompt }),
  };
}

/**
 * Those of files, the weakest first, then those of the host.
 * @param ofAgents names of tools that only agents of the host may have
 * @throws ConfigError if a definition of the host cannot be used
 */
export function definedAgents(
  { agents, agentFiles }: Pick<QueryEngineConfig, 'agents' | 'agentFiles'>,
  rules: DefinitionRules,
  ofAgents: readonly string[],
): AgentTypes {
  const given = readAgents(agents, { ...rules, toolNames: [...rules.toolNames, ...ofAgents] });
  if (agentFiles === undefined) return given;
  const ofFiles = fileAgents(agentFiles, rules, given.agents);
  return { agents: [...ofFiles.agents, ...given.agents], notices: [...ofFiles.notices, ...given.notices] };
}

export interface RefusedFile {
  readonly file: string;
  readonly why: string;
}

/** Those of files that can be used, the weakest first, and why the others cannot. */
export function usableAgents(
  { agents }: Pick<AgentFiles, 'agents'>,
  rules: DefinitionRules,
): { readonly agents: readonly AgentType[]; readonly refused: readonly RefusedFile[] } {
  const refused: RefusedFile[] = [];
  const usable = agents.toReversed().flatMap(({ definition, scope, file }): readonly AgentType[] => {
    try {
      return [readFileAgent(definition as NamedDefinition, { scope, file }, rules)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      refused.push({ file, why: error.message.replace(/\.$/, '') });
      return [];
    }
  });
  return { agents: usable, refused };
}

/** @param given those of the host, which are stronger */
function fileAgents(files: AgentFiles, rules: DefinitionRules, given: readonly AgentType[]): AgentTypes {
  const { agents, refused } = usableAgents(files, rules);
  const hidden = agents.filter(({ name }) => given.some((other) => other.name === name));
  return { agents, notices: [...fileNotices(files, refused), ...hiddenNotice(hidden)] };
}

function fileNotices({ agents, refused, root }: AgentFiles, unusable: readonly RefusedFile[]): PendingNotice[] {
  const untrusted = refused.filter(({ item }) => item !== null);
  const lost = [...refused.filter(({ item, isNote }) => item === null && !isNote), ...unusable];
  const idle = agents.flatMap(({ file, idle: phrases }) => phrases.map((phrase) => `${file}: ${phrase}`));
  return [
    ...told(
      untrusted.map(({ name }) => name),
      (names) => ({
        code: 'folder_not_trusted',
        message: `Nobody vouches for ${root}, so these agents of it are not there: ${names}.`,
        remedy: HOW_TO_TRUST,
      }),
    ),
    ...told(
      lost.map(({ file, why }) => `${file}: ${why}`),
      (each) => ({
        code: 'agent_refused',
        message: `${count(lost.length, 'agent')} cannot be used. ${each}.`,
        remedy: 'Correct what is said, or move the file away. "turnwright agents list" shows all.',
      }),
    ),
    ...told(idle, (each) => ({
      code: 'agent_problem',
      level: 'info',
      message: `What files of agents say without effect: ${each}.`,
    })),
  ];
}

function hiddenNotice(hidden: readonly AgentType[]): PendingNotice[] {
  return told(
    hidden.map(({ name, source }) => `${name} (${source.file ?? ''})`),
    (names) => ({
      code: 'agent_problem',
      level: 'info',
      message: `Agents given as an option take the place of files of the same name: ${names}.`,
    }),
  );
}
