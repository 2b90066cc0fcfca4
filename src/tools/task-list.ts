// TaskCreate, TaskGet, TaskUpdate, TaskList: the session's list of todos, changed item by item. The same list as
// TodoWrite's; a session has the one or the other.

import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type {
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
} from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { noSuchTask, withTask, withUpdate } from './task-list/index.js';
import { TODO_MARKS } from './todo-write.js';
import { type AnyTool, defineTool, type TodoItem, type TodoStore, type ToolOutcome } from './tool.js';

const MAX_TITLE = 80;
const id = { type: 'string', minLength: 1, description: 'Its id, as TaskCreate gave it.' } as const;
const ids = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
const subject = { type: 'string', minLength: 1, description: 'What to do: "Run the tests".' } as const;
const description = { type: 'string', description: 'What it takes, for whoever does it.' } as const;
const activeForm = {
  type: 'string',
  description: 'The subject while it is in progress: "Running the tests".',
} as const;
const metadata = { type: 'object', description: 'Anything else to keep with it.' } as const;

export const taskCreateInputSchema = {
  type: 'object',
  properties: { subject, description, activeForm, metadata },
  required: ['subject', 'description'],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const taskGetInputSchema = {
  type: 'object',
  properties: { taskId: id },
  required: ['taskId'],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const taskUpdateInputSchema = {
  type: 'object',
  properties: {
    taskId: id,
    subject,
    description,
    activeForm,
    status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'deleted'] },
    addBlocks: { ...ids, description: 'Ids of tasks that have to wait for it.' },
    addBlockedBy: { ...ids, description: 'Ids of tasks that it has to wait for.' },
    owner: { type: 'string', description: 'Who does it.' },
    metadata: { type: 'object', description: 'Merged into what there is; null takes a key away.' },
  },
  required: ['taskId'],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const taskListInputSchema = {
  type: 'object',
  properties: {},
  additionalProperties: false,
} as const satisfies JsonSchema;

const CREATE = `Adds a task to the list of this session, as pending. The user sees the list while you work. It starts nothing: it is you who does it.
- Use it for work of three or more steps, or for several tasks; not for a single simple one.`;
const UPDATE = `Changes a task of the list. Set status in_progress when you begin it, completed as soon as it is done, and only if it is: not with failing tests or open errors. deleted takes it off the list.`;

const common = { readOnly: true, concurrencySafe: false, subject: () => ({ kind: 'none' }) as const };

const taskCreateTool = defineTool<TaskCreateInput, TaskCreateOutput>({
  ...common,
  name: 'TaskCreate',
  description: CREATE,
  inputSchema: taskCreateInputSchema,
  title: (input) => shorten(`Add the task ${input.subject}`, MAX_TITLE),
  run: async (input, context) => createTask(input, context.todos),
});

const taskGetTool = defineTool<TaskGetInput, TaskGetOutput>({
  ...common,
  name: 'TaskGet',
  description: 'Shows one task of the list whole, with what it waits for and what waits for it.',
  inputSchema: taskGetInputSchema,
  title: ({ taskId }) => `Look at task ${shorten(taskId, MAX_TITLE)}`,
  run: async (input, context) => getTask(input, context.todos),
});

const taskUpdateTool = defineTool<TaskUpdateInput, TaskUpdateOutput>({
  ...common,
  name: 'TaskUpdate',
  description: UPDATE,
  inputSchema: taskUpdateInputSchema,
  title: ({ taskId, status }) =>
    shorten(`Change task ${taskId}${status === undefined ? '' : ` to ${status}`}`, MAX_TITLE),
  run: async (input, context) => updateTask(input, context.todos),
});

const taskListTool = defineTool<TaskListInput, TaskListOutput>({
  ...common,
  name: 'TaskList',
  description: 'Shows the list of tasks: ids, subjects, states, and what each still waits for.',
  inputSchema: taskListInputSchema,
  title: () => 'Look at the list of tasks',
  run: async (_, context) => listTasks(context.todos),
});

/** In the order in which the model is told of them. */
export const TASK_LIST_TOOLS = [taskCreateTool, taskGetTool, taskUpdateTool, taskListTool] as readonly AnyTool[];

// What the tools of the task list do and show. One rule: a call that cannot be carried out changes nothing and says why.

function createTask(input: TaskCreateInput, store: TodoStore): ToolOutcome<TaskCreateOutput> {
  const changed = withTask(store.get(), input);
  if ('error' in changed) throw new ToolError(changed.error);
  store.set(changed.todos);
  const { id, content: subject, description = '' } = changed.item;
  return { model: `Task ${id} is on the list: ${subject}`, data: { task: { id, subject, description } } };
}

function getTask({ taskId }: TaskGetInput, store: TodoStore): ToolOutcome<TaskGetOutput> {
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

function updateTask(input: TaskUpdateInput, store: TodoStore): ToolOutcome<TaskUpdateOutput> {
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

function listTasks(store: TodoStore): ToolOutcome<TaskListOutput> {
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
  return `${TODO_MARKS[status as TodoItem['status']]} ${id}. ${subject}${who}${waits}`;
}
