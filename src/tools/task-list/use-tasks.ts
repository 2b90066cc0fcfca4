// What the tools of the task list do and show. One rule: a call that cannot be carried out changes nothing and says why.
import { ToolError } from '../../protocol/errors.js';
import type {
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
} from '../../protocol/tool-io.js';
import type { TodoItem, TodoStore, ToolOutcome } from '../tool.js';
import { noSuchTask, withTask, withUpdate } from './change-tasks.js';

export function createTask(input: TaskCreateInput, store: TodoStore): ToolOutcome<TaskCreateOutput> {
  const changed = withTask(store.get(), input);
  if ('error' in changed) throw new ToolError(changed.error);
  store.set(changed.todos);
  const { id, content: subject, description = '' } = changed.item;
  return { model: `Task ${id} is on the list: ${subject}`, data: { task: { id, subject, description } } };
}

export function getTask({ taskId }: TaskGetInput, store: TodoStore): ToolOutcome<TaskGetOutput> {
  const todos = store.get();
  const item = todos.find(({ id }) => id === taskId);
  if (item === undefined) return { model: noSuchTask(taskId, todos), data: { task: null }, isError: true };
  const { id, content: subject, description = '', status, blockedBy = [], owner, metadata } = item;
  const blocks = todos.filter((todo) => todo.blockedBy?.includes(id)).map((todo) => todo.id);
  const lines = [
    `Task ${id}: ${subject} (${status})`,
    description,
    ...(owner === undefined ? [] : [`Owner: ${owner}`]),
    ...(blockedBy.length === 0 ? [] : [`Waits for: ${blockedBy.join(', ')}`]),
    ...(blocks.length === 0 ? [] : [`Waiting for it: ${blocks.join(', ')}`]),
    ...(metadata === undefined ? [] : [`Kept with it: ${JSON.stringify(metadata)}`]),
  ];
  const task = { id, subject, description, status, blocks, blockedBy: [...blockedBy] };
  return { model: lines.filter((line) => line !== '').join('\n'), data: { task } };
}

export function updateTask(input: TaskUpdateInput, store: TodoStore): ToolOutcome<TaskUpdateOutput> {
  const before = store.get();
  const { taskId } = input;
  const changed = withUpdate(before, input);
  if ('error' in changed) {
    const { error } = changed;
    return { model: error, data: { success: false, taskId, updatedFields: [], error }, isError: true };
  }
  store.set(changed.todos);
  const from = before.find(({ id }) => id === taskId)?.status ?? 'pending';
  const to = input.status ?? from;
  const open = changed.todos.filter(({ status }) => status !== 'completed').length;
  return {
    model: `Task ${taskId} is changed (${changed.fields.join(', ') || 'nothing'}). ${open} of ${changed.todos.length} are open.`,
    data: {
      success: true,
      taskId,
      updatedFields: [...changed.fields],
      ...(to === from ? {} : { statusChange: { from, to } }),
    },
  };
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

export function listTasks(store: TodoStore): ToolOutcome<TaskListOutput> {
  const todos = store.get();
  const done = new Set(todos.filter(({ status }) => status === 'completed').map(({ id }) => id));
  const tasks = todos.map(({ id, content: subject, status, owner, blockedBy = [] }) => ({
    id,
    subject,
    status,
    ...(owner === undefined ? {} : { owner }),
    blockedBy: blockedBy.filter((other) => !done.has(other)),
  }));
  return { model: tasks.length === 0 ? 'The list is empty.' : tasks.map(lineOf).join('\n'), data: { tasks } };
}

type ListedTask = TaskListOutput['tasks'][number];

function lineOf({ id, subject, status, owner, blockedBy }: ListedTask): string {
  const who = owner === undefined ? '' : `, ${owner}`;
  const waits = blockedBy.length === 0 ? '' : `, waits for ${blockedBy.join(', ')}`;
  return `${MARKS[status as TodoItem['status']]} ${id}. ${subject}${who}${waits}`;
}
