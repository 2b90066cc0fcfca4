// TodoWrite: replaces the session's list of todos. It keeps the list and shows it back; it does nothing else.
import type { JsonSchema } from '../protocol/json.js';
import type { TodoWriteInput, TodoWriteOutput } from '../protocol/tool-io.js';
import { count } from '../util/text.js';
import { defineTool } from './tool.js';

const OFFERED = {
  content: { type: 'string', minLength: 1, description: 'What to do: "Run the tests".' },
  status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
  activeForm: { type: 'string', description: 'The same while it is in progress: "Running the tests".' },
} as const;

function listOf<Properties extends JsonSchema>(properties: Properties) {
  return {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        description: 'The whole list. It replaces the previous one.',
        items: { type: 'object', properties, required: ['content', 'status'], additionalProperties: false },
      },
    },
    required: ['todos'],
    additionalProperties: false,
  } as const satisfies JsonSchema;
}

const todoWriteInputSchema = listOf(OFFERED);

/** More is accepted than is offered: an id and a weight, which the specification has. */
export const todoWriteAcceptedInput = listOf({
  ...OFFERED,
  id: { type: 'string', minLength: 1 },
  priority: { type: 'string', enum: ['low', 'medium', 'high'] },
} as const);

const DESCRIPTION = `Keeps the task list of this session. The user sees it while you work.
- Use it for work of three or more steps, or for several tasks; not for a single simple one.
- Send the whole list each time. Have one item in_progress while you work. Mark an item completed as soon as it is done, and only if it is: not with failing tests or open errors.`;

export const todoWriteTool = defineTool<TodoWriteInput, TodoWriteOutput>({
  name: 'TodoWrite',
  description: DESCRIPTION,
  inputSchema: todoWriteInputSchema,
  acceptedInput: todoWriteAcceptedInput,
  readOnly: true,
  concurrencySafe: false,
  title: ({ todos }) => `Update the list of ${count(todos.length, 'todo')}`,
  subject: () => ({ kind: 'none' }),
  run: async (input, context) => (await import('./todo-write/replace-todos.js')).replaceTodos(input, context),
});
