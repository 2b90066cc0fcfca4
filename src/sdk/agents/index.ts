// The agents of a session: options, files, and what people see of them.

export type { AgentOptions } from './agent-options.js';
export type { ListedAgent, ListedAgents } from './agents.js';
export { listAgents } from './agents.js';
