// TodoWrite: replaces the session's list of todos. It keeps the list and shows it back; it does nothing else.
import type { JsonSchema } from '../protocol/json.js';
import type { TodoWriteInput, TodoWriteOutput } from '../protocol/tool-io.js';
import { count } from '../util/text.js';
import { defineTool } from './tool.js';

export const todoWriteInputSchema = {
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      description: 'The whole list. It replaces the previous one.',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', minLength: 1, description: 'Id of the item. Left out, the item gets or keeps one.' },
          content: { type: 'string', minLength: 1, description: 'What is to be done, as one short sentence.' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed'], description: 'How far it is.' },
          priority: { type: 'string', enum: ['low', 'medium', 'high'], description: 'How much it matters.' },
        },
        required: ['content', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Keeps the list of what is to be done in this session. The user sees it.
- Use it for work of three or more steps, and when the user gives several tasks. Not for a single simple step.
- Give the whole list each time. Have one item in_progress while you work, and mark each item completed as soon as it is done, not in batches.
- Mark an item completed only when it really is: not with failing tests or open errors.`;

export const todoWriteTool = defineTool<TodoWriteInput, TodoWriteOutput>({
  name: 'TodoWrite',
  description: DESCRIPTION,
  inputSchema: todoWriteInputSchema,
  readOnly: true,
  concurrencySafe: false,
  title: ({ todos }) => `Update the list of ${count(todos.length, 'todo')}`,
  subject: () => ({ kind: 'none' }),
  run: async (input, context) => (await import('./todo-write/replace-todos.js')).replaceTodos(input, context),
});
