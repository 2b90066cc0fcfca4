// The agents that are always there, unless somebody takes them away. Every session has them; their prompts
// are loaded with the first call.
import type { AgentType } from './definition.js';

const SOURCE = { scope: 'built-in', file: null } as const;
/** What only looks. */
const READING = ['Read', 'Grep', 'Glob', 'WebFetch', 'WebSearch'];

export const GENERAL_PURPOSE: AgentType = {
  name: 'general-purpose',
  description:
    'Searches, reads and works on a task of several steps by itself. For anything that no other agent is made for.',
  prompt: null,
  source: SOURCE,
  tools: null,
  disallowedTools: [],
  model: null,
};

const EXPLORE: AgentType = {
  ...GENERAL_PURPOSE,
  name: 'Explore',
  description:
    'Finds files and answers questions about a code base, fast. Changes nothing. Say how thorough it must be.',
  tools: READING,
  size: 'small',
};

const PLAN: AgentType = {
  ...GENERAL_PURPOSE,
  name: 'Plan',
  description: 'Works out a plan for a change: steps, files, risks. Changes nothing.',
  tools: READING,
};

/**
 * @param wanted false: none; names: only those
 * @param tools names of the tools of the session: an agent without a tool would be of no use
 */
export function builtInAgents(wanted: boolean | readonly string[], tools: readonly string[]): readonly AgentType[] {
  return [GENERAL_PURPOSE, EXPLORE, PLAN].filter(
    ({ name, tools: own }) =>
      (wanted === true || (wanted !== false && wanted.includes(name))) &&
      (own === null || own.some((tool) => tools.includes(tool))),
  );
}
