// MCP servers: options and files that name them, servers of a program, our tools as a server.

export { readMcpConfigs } from './mcp-config.js';
export type { FiledServer, McpScope } from './mcp-files.js';
export { addFiledServer, filedServers, removeFiledServer } from './mcp-files.js';
export { probeServers, serverAuth } from './mcp-probe.js';
export type { CreateSdkMcpServerOptions } from './mcp-server.js';
export { createSdkMcpServer } from './mcp-server.js';
export { serveTools } from './serve-tools.js';
