// The MCP servers of a session: what they are, what they offer by now, and what is asked of them. Types alone: all else is
// loaded for sessions that have servers.
export type { KnownToolsFile } from './known-tools-file.js';
export type { NewServer, SessionServers } from './session-servers.js';
