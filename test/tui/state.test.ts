// The list that the terminal shows, as the messages of calls that change it leave it.
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { initialState, reduceMessage } from '../../src/tui/state.js';

let calls = 0;
/** A call and what came of it, as a session tells them. */
function told(name: string, input: object, output: object, isError = false): SDKMessage[] {
  const id = `toolu_${calls++}`;
  const parent = { parent_tool_use_id: null };
  const result = { type: 'tool_result', tool_use_id: id, content: 'ok', ...(isError ? { is_error: true } : {}) };
  return [
    { type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] }, ...parent },
    { type: 'user', message: { role: 'user', content: [result] }, tool_use_result: output, ...parent },
  ] as never;
}

const created = (id: string, subject: string) =>
  told('TaskCreate', { subject, description: '' }, { task: { id, subject, description: '' } });
const updated = (input: { taskId: string }, isError = false) =>
  told('TaskUpdate', input, { success: !isError, taskId: input.taskId, updatedFields: [] }, isError);
const after = (messages: readonly SDKMessage[]) =>
  messages.reduce((state, message) => reduceMessage(state, message, 0), initialState('/')).todos;

it('a list that is changed item by item is shown as it stands', () => {
  const messages = [
    ...created('1', 'Read'),
    ...created('2', 'Write'),
    ...updated({ taskId: '1', status: 'in_progress', activeForm: 'Reading' } as never),
    ...updated({ taskId: '2', status: 'completed' } as never, true),
    ...created('3', 'Test'),
    ...updated({ taskId: '3', status: 'deleted' } as never),
  ];
  expect(after(messages)).toEqual([
    { id: '1', content: 'Read', status: 'in_progress', activeForm: 'Reading' },
    { id: '2', content: 'Write', status: 'pending' },
  ]);
});

it('a list that is sent whole takes the place of the one before', () => {
  const todos = [{ content: 'one', status: 'pending' }];
  expect(after([...created('1', 'Read'), ...told('TodoWrite', { todos }, { success: true, todos })])).toEqual(todos);
});
