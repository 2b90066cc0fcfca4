// Hooks, once a session has some: what runs them, the tools of MCP servers that they call, and files that they watch.

export { callServerTool } from './command-hooks.js';
export { createSessionHooks, createWatchedFiles } from './session-hooks.js';
