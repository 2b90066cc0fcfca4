// The tools of a session and of its agents, those of servers included.
export {
  type AgentParts,
  createAgentParts,
  type SessionAgents,
  type SharedParts,
  setUpAgents,
  spoolFolder,
} from './agent-parts.js';
export type { DeferredTools } from './defer-tools.js';
export { type AgentSetup, usableAgents } from './defined-agents.js';
export type { OfferedScripts } from './offer-scripts.js';
export { openServers, serversOfAgent, takeServerTools } from './open-server-tools.js';
export { createServersAccess, openTools, openValidator, type Sampler, type ServersAccess } from './open-tools.js';
export { taskPins } from './pin-sources.js';
export { serverNetwork } from './server-network.js';
