// Agents that files describe.

export { type FoundAgents, findAgents } from './find-agents.js';
