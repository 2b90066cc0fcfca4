// Tools: the built-in ones for people, tools of a program, the schema of an answer.

export { QUESTION_TOOL } from './choose-tools.js';
export type { OutputFormatOption, SDKMessageWith, SDKResultWith } from './output-format.js';
export type { SdkMcpToolDefinition, ToolExtras } from './tool.js';
export { tool } from './tool.js';
export type { ListedTool } from './tool-catalogue.js';
export { listTools } from './tool-catalogue.js';
export type { AnyZodRawShape, InferShape } from './zod-shape.js';
