// TodoWrite: the list is replaced as a whole, and every item has one id.
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/protocol/errors.js';
import { todoWriteTool } from '../../src/tools/todo-write.js';
import { createToolContext } from '../support/tool-context.js';

const item = (content: string, id?: string) => ({
  content,
  status: 'pending' as const,
  ...(id === undefined ? {} : { id }),
});

describe('TodoWrite', () => {
  it('stores the list, gives ids, and shows it back', async () => {
    const context = createToolContext();
    const todos = [
      { content: 'read', status: 'completed' as const },
      { content: 'write', status: 'in_progress' as const, priority: 'high' as const },
      { content: 'test', status: 'pending' as const, id: '1' },
    ];
    const { model, data } = await todoWriteTool.run({ todos }, context);
    expect(data.todos.map(({ id }) => id)).toEqual(['2', '3', '1']);
    expect(context.todos.get()).toEqual(data.todos);
    expect(model).toBe('The list is stored: 1 of 3 completed.\n[x] 2. read\n[~] 3. write (high)\n[ ] 1. test');
  });

  it('keeps what an item is called while it is worked on', async () => {
    const context = createToolContext();
    const todo = { content: 'Run the tests', status: 'in_progress' as const, activeForm: 'Running the tests' };
    const { data } = await todoWriteTool.run({ todos: [todo] }, context);
    expect(data.todos).toEqual([{ ...todo, id: '1' }]);
    expect(context.todos.get()).toEqual(data.todos);
  });

  it('replaces the list, and keeps the id of a text that stays', async () => {
    const context = createToolContext();
    await todoWriteTool.run({ todos: [item('a'), item('b'), item('c')] }, context);
    const { data } = await todoWriteTool.run({ todos: [item('c'), item('new'), item('b'), item('b')] }, context);
    expect(data.todos.map(({ id }) => id)).toEqual(['3', '1', '2', '4']);
    const emptied = await todoWriteTool.run({ todos: [] }, context);
    expect([emptied.model, context.todos.get()]).toEqual(['The list is now empty.', []]);
  });

  it('refuses two items of one id and leaves the list', async () => {
    const context = createToolContext();
    await todoWriteTool.run({ todos: [item('a', 'x')] }, context);
    const error: unknown = await todoWriteTool
      .run({ todos: [item('b', 'y'), item('c', 'y')] }, context)
      .catch((e) => e);
    expect(error).toBeInstanceOf(ToolError);
    expect((error as ToolError).message).toContain('"y"');
    expect(context.todos.get().map(({ content }) => content)).toEqual(['a']);
  });

  it('touches nothing outside and runs alone', () => {
    expect(todoWriteTool.subject({ todos: [] }, '/')).toEqual({ kind: 'none' });
    expect([todoWriteTool.readOnly, todoWriteTool.concurrencySafe]).toEqual([true, false]);
    expect(todoWriteTool.title({ todos: [item('a')] })).toBe('Update the list of 1 todo');
  });
});
