// Tools: the built-in ones for people, tools of a program, the schema of an answer.

export { CONFIG_TOOL, chooseTools, QUESTION_TOOL } from './choose-tools.js';
export type { CreateSdkMcpServerOptions } from './mcp-server.js';
export { createSdkMcpServer } from './mcp-server.js';
export type { SdkMcpToolDefinition, ToolExtras } from './tool.js';
export { tool } from './tool.js';
export type { ListedTool } from './tool-catalogue.js';
export { listTools } from './tool-catalogue.js';
