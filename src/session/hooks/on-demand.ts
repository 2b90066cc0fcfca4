// What only some hooks need: tools of MCP servers that they call, files that they watch.

export { callServerTool } from './command-hooks.js';
export { createWatchedFiles } from './watched-files.js';
