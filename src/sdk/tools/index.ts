// Tools: the built-in ones for people, tools of a program, the schema of an answer.

export { CONFIG_TOOL, chooseTools, QUESTION_TOOL } from './choose-tools.js';
export {
  type CreateSdkMcpServerOptions,
  createSdkMcpServer,
  type SdkMcpToolDefinition,
  type ToolExtras,
  tool,
} from './tool.js';
export type { ListedTool } from './tool-catalogue.js';
export { listTools } from './tool-catalogue.js';
