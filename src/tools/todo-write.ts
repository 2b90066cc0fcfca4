// TodoWrite: replaces the session's list of todos, and shows it back. One rule: an item keeps its id as long as its text
// stays.

import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { TodoWriteInput, TodoWriteOutput } from '../protocol/tool-io.js';
import { count } from '../util/text.js';
import { defineTool, type TodoItem, type ToolContext, type ToolOutcome } from './tool.js';

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
  run: async (input, context) => replaceTodos(input, context),
});

/** How the model is shown where an item of a list of todos stands. */
export const TODO_MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

async function replaceTodos(input: TodoWriteInput, context: ToolContext): Promise<ToolOutcome<TodoWriteOutput>> {
  const todos = assignIds(input, context.todos.get());
  context.todos.set(todos);
  const list = todos.map(({ id, content, status, priority }) => {
    const weight = priority === undefined ? '' : ` (${priority})`;
    return `${TODO_MARKS[status]} ${id}. ${content}${weight}`;
  });
  const done = todos.filter(({ status }) => status === 'completed').length;
  const heading =
    todos.length === 0 ? 'The list is now empty.' : `The list is stored: ${done} of ${todos.length} completed.`;
  return { model: [heading, ...list].join('\n'), data: { success: true, todos } };
}

/** Items without an id keep the one their text had before, else get the smallest free number. */
function assignIds({ todos }: TodoWriteInput, previous: readonly TodoItem[]): TodoItem[] {
  const taken = new Set<string>();
  for (const { id } of todos) {
    if (id === undefined) continue;
    if (taken.has(id)) {
      const error = `Two items have the id "${id}", so the list was not changed. Give each its own id, or none.`;
      throw new ToolError(error, { success: false, todos: [...previous], error } satisfies TodoWriteOutput);
    }
    taken.add(id);
  }
  const kept = todos.map((item) => item.id ?? keepId(item.content, previous, taken));
  let next = 1;
  return todos.map((item, index) => {
    let id = kept[index];
    while (id === undefined) {
      const candidate = String(next++);
      if (!taken.has(candidate)) id = candidate;
    }
    return { ...item, id };
  });
}

function keepId(content: string, previous: readonly TodoItem[], taken: Set<string>): string | undefined {
  const id = previous.find((item) => item.content === content && !taken.has(item.id))?.id;
  if (id !== undefined) taken.add(id);
  return id;
}
