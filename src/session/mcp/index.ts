// The MCP servers of a session: what they are, what they offer by now, and what is asked of them.
export { type KnownToolsFile, openKnownToolsFile } from './known-tools-file.js';
export { type NewServer, SessionServers } from './session-servers.js';
