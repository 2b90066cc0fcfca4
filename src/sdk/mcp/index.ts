// MCP servers: options and files that name them, servers of a program, our tools as a server.

export type { FiledServer, McpScope } from './mcp-files.js';
export { addFiledServer, filedServers, removeFiledServer } from './mcp-files.js';
export type { McpServersGiven } from './mcp-options.js';
export { isOwnServer, newServers, sdkServerOf } from './mcp-options.js';
export { probeServers, serverAuth } from './mcp-probe.js';
