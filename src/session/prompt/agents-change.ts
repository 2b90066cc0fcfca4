// Files of agents that changed while a session lives: they count from the prompt on that finds them so. Loaded with the first
// change.
import { ConfigError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import type { AgentFiles, PendingNotice } from '../config/index.js';
import type { SessionRuntime } from '../core/index.js';

/** Contract: what cannot be done leaves the agents as they were, and is told. */
export async function takeAgentsChange(runtime: SessionRuntime, agentFiles: AgentFiles): Promise<PendingNotice[]> {
  const before = runtime.agents;
  try {
    const agents = await before.again({ agentFiles });
    const told = new Set(before.notices.map(({ message }) => message));
    // What is offered beside them stays.
    const beside = runtime.setup.tools.filter((tool) => !before.main.tools.some(({ name }) => name === tool.name));
    runtime.agents = agents;
    runtime.setup = { ...agents.main, tools: [...agents.main.tools, ...beside] };
    const names = (types: typeof agents.types) => types.map(({ name }) => name);
    const came = names(agents.types).filter((name) => !names(before.types).includes(name));
    const went = names(before.types).filter((name) => !names(agents.types).includes(name));
    return [changeNotice(came, went), ...agents.notices.filter(({ message }) => !told.has(message))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      {
        code: 'agent_problem',
        message: `Files of agents changed, and the session cannot go by them, so it stays with the agents it had: ${errorText(error)}`,
      },
    ];
  }
}

function changeNotice(came: readonly string[], went: readonly string[]): PendingNotice {
  const parts = [
    ...(came.length === 0 ? [] : [`new: ${came.join(', ')}`]),
    ...(went.length === 0 ? [] : [`gone: ${went.join(', ')}`]),
  ];
  const what = parts.length === 0 ? '' : ` (${parts.join('; ')})`;
  return {
    code: 'agent_problem',
    level: 'info',
    message: `Files of agents changed${what}; they count from this prompt on.`,
  };
}
