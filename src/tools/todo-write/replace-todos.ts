// What TodoWrite does: puts one list in the place of the other. One rule: an item keeps its id as long as its text stays.
import { ToolError } from '../../protocol/errors.js';
import type { TodoWriteInput, TodoWriteOutput } from '../../protocol/tool-io.js';
import type { TodoItem, ToolContext, ToolOutcome } from '../tool.js';

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

export async function replaceTodos(input: TodoWriteInput, context: ToolContext): Promise<ToolOutcome<TodoWriteOutput>> {
  const todos = assignIds(input, context.todos.get());
  context.todos.set(todos);
  const list = todos.map(({ id, content, status, priority }) => {
    const weight = priority === undefined ? '' : ` (${priority})`;
    return `${MARKS[status]} ${id}. ${content}${weight}`;
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
