// MCP servers of a session and of its agents: opened, and what they say and offer at prompts.

export { openServers, serversOfAgent } from '../tools/index.js';
export { parts as servers } from './join-servers.js';
