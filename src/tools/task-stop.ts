// TaskStop: ends a background task. It takes back what the session itself began, so it is never asked about.
import type { JsonSchema } from '../protocol/json.js';
import type { TaskStopInput, TaskStopOutput } from '../protocol/tool-io.js';
import { defineTool, type Tool } from './tool.js';

const taskStopInputSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', minLength: 1, description: 'Id of the task.' },
    reason: { type: 'string', description: 'Why, in a few words. The user sees it.' },
  },
  required: ['task_id'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Other SDKs named the task by `shell_id`. */
const acceptedInput = {
  ...taskStopInputSchema,
  properties: { ...taskStopInputSchema.properties, shell_id: { type: 'string', minLength: 1 } },
  required: [],
  anyOf: [{ required: ['task_id'] }, { required: ['shell_id'] }],
} as const satisfies JsonSchema;

/** Stops a background task. Its `tool_use_result` is `TaskStopOutput`. */
export const taskStopTool: Tool<TaskStopInput, TaskStopOutput> = defineTool<TaskStopInput, TaskStopOutput>({
  name: 'TaskStop',
  description:
    'Stops a background task and everything it started. Stop what you no longer need; the rest stops with the session.',
  inputSchema: taskStopInputSchema,
  acceptedInput,
  readOnly: true,
  concurrencySafe: false,
  title: (input) => `Stop task ${taskIdOf(input)}`,
  subject: () => ({ kind: 'none' }),
  run: async (input, context) =>
    (await import('./tasks/use-task.js')).stopTask({ ...input, task_id: taskIdOf(input) }, context),
});

function taskIdOf(input: TaskStopInput & { readonly shell_id?: string }): string {
  return input.task_id ?? input.shell_id ?? '';
}
