// TaskOutput: what a background task has printed since it was read last, or a text for its stdin.
import type { JsonSchema } from '../protocol/json.js';
import type { TaskOutputInput, TaskOutputOutput } from '../protocol/tool-io.js';
import { defineTool, type Tool } from './tool.js';

const taskOutputInputSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', minLength: 1, description: 'Id of the task.' },
    block: { type: 'boolean', description: 'True, the default: waits until the task ends. False: what there is now.' },
    timeout: { type: 'number', description: 'Longest wait in milliseconds. Default 30000, at most 600000.' },
    output: { type: 'string', description: "A text for the task's stdin. Nothing is read then." },
  },
  required: ['task_id'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Reads what a background task has printed since it was read last, and how it stands. You are told by yourself when a task ends, so do not ask again and again: go on with other work, or wait with \`block\`. With \`output\`, the text is written to the task's stdin instead; end it with a line break where the program reads lines.`;

/** Reads a background task, or writes to it. Its `tool_use_result` is `TaskOutputOutput`. */
export const taskOutputTool: Tool<TaskOutputInput, TaskOutputOutput> = defineTool<TaskOutputInput, TaskOutputOutput>({
  name: 'TaskOutput',
  description: DESCRIPTION,
  inputSchema: taskOutputInputSchema,
  readOnly: false,
  onlyReads: ({ output }) => output === undefined,
  concurrencySafe: false,
  polls: true,
  title: ({ task_id: id, output }) =>
    output === undefined
      ? `Read the output of task ${id}`
      : `Write to task ${id}: ${JSON.stringify(output).slice(0, 60)}`,
  // A text may make a program do anything, so it is asked about as what happens out of sight.
  subject: ({ output }) => (output === undefined ? { kind: 'none' } : { kind: 'external' }),
  run: async (input, context) => (await import('./tasks/use-task.js')).useTask(input, context),
});
