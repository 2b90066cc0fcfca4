// TaskOutput and TaskStop: what a background task has printed since it was read last, a text for its stdin, and its end.
import type { JsonSchema } from '../protocol/json.js';
import type { TaskOutputInput, TaskOutputOutput, TaskStopInput, TaskStopOutput } from '../protocol/tool-io.js';
import { loadTasks } from './bodies.js';
import { defineTool, type Tool } from './tool.js';

const taskOutputInputSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', minLength: 1, description: 'Id of the task.' },
    block: { type: 'boolean', description: 'Wait until the task ends. Default true.' },
    timeout: { type: 'number', description: 'Longest wait in milliseconds. Default 30000, at most 600000.' },
    output: { type: 'string', description: "Text to write to the task's stdin. If given, nothing is read." },
  },
  required: ['task_id'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Other SDKs named the task by `bash_id` or `shell_id`. */
const acceptedInput = {
  ...taskOutputInputSchema,
  properties: {
    ...taskOutputInputSchema.properties,
    bash_id: { type: 'string', minLength: 1 },
    shell_id: { type: 'string', minLength: 1 },
  },
  required: [],
  anyOf: [{ required: ['task_id'] }, { required: ['bash_id'] }, { required: ['shell_id'] }],
} as const satisfies JsonSchema;

const DESCRIPTION = `Returns what a background task has printed since you last read it, and whether it still runs. You will be told when a task ends, so do not poll: go on with other work, or wait once. With \`output\`, writes that text to the task's stdin instead; end it with a line break if the program reads lines.`;

/** Reads a background task, or writes to it. Its `tool_use_result` is `TaskOutputOutput`. */
export const taskOutputTool: Tool<TaskOutputInput, TaskOutputOutput> = defineTool<TaskOutputInput, TaskOutputOutput>({
  name: 'TaskOutput',
  description: DESCRIPTION,
  inputSchema: taskOutputInputSchema,
  acceptedInput,
  otherFields: { filter: 'all that was printed is returned, so leave it out' },
  readOnly: false,
  onlyReads: ({ output }) => output === undefined,
  concurrencySafe: false,
  polls: true,
  title: (input) =>
    input.output === undefined
      ? `Read the output of task ${taskIdOf(input)}`
      : `Write to task ${taskIdOf(input)}: ${JSON.stringify(input.output).slice(0, 60)}`,
  // A text may make a program do anything, so it is asked about as what happens out of sight.
  subject: ({ output }) => (output === undefined ? { kind: 'none' } : { kind: 'external' }),
  run: async (input, context) => (await loadTasks()).useTask({ ...input, task_id: taskIdOf(input) }, context),
});

/** Other SDKs name it in other ways. */
function taskIdOf(input: NamedTask): string {
  return input.task_id ?? input.bash_id ?? input.shell_id ?? '';
}

interface NamedTask {
  readonly task_id?: string;
  readonly bash_id?: string;
  readonly shell_id?: string;
}

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
const acceptedStop = {
  ...taskStopInputSchema,
  properties: { ...taskStopInputSchema.properties, shell_id: { type: 'string', minLength: 1 } },
  required: [],
  anyOf: [{ required: ['task_id'] }, { required: ['shell_id'] }],
} as const satisfies JsonSchema;

/** Stops a background task: takes back what the session itself began, so it is never asked about. Its `tool_use_result` is `TaskStopOutput`. */
export const taskStopTool: Tool<TaskStopInput, TaskStopOutput> = defineTool<TaskStopInput, TaskStopOutput>({
  name: 'TaskStop',
  description:
    'Stops a background task and everything it started. Stop what you no longer need; the rest stops with the session.',
  inputSchema: taskStopInputSchema,
  acceptedInput: acceptedStop,
  readOnly: true,
  concurrencySafe: false,
  title: (input) => `Stop task ${taskIdOf(input)}`,
  subject: () => ({ kind: 'none' }),
  run: async (input, context) => (await loadTasks()).stopTask({ ...input, task_id: taskIdOf(input) }, context),
});
