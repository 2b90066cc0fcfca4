// What TaskCreate and TaskUpdate make of a list of todos. Pure: also for whoever reads their calls again from a transcript.
// One rule: an id is given once, and names the same item for as long as it is there.
import type { TaskCreateInput, TaskUpdateInput } from '../../protocol/tool-io.js';
import type { TodoItem } from '../tool.js';

/** A longer list is no plan any more. */
const MAX_TASKS = 1_000;

export type Changed =
  | { readonly todos: readonly TodoItem[]; readonly item: TodoItem; readonly fields: readonly string[] }
  /** Nothing was changed. */
  | { readonly error: string };

/** Contract: never throws, whatever stands in the input's fields is of their types. */
export function withTask(todos: readonly TodoItem[], input: TaskCreateInput): Changed {
  if (todos.length >= MAX_TASKS)
    return { error: `The list has ${MAX_TASKS} tasks, and takes no more. Delete what is done.` };
  const highest = todos.reduce((most, { id }) => Math.max(most, /^\d{1,9}$/.test(id) ? Number(id) : 0), 0);
  const { subject, description, activeForm, metadata } = input;
  const item: TodoItem = {
    id: String(highest + 1),
    content: subject,
    status: 'pending',
    description,
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(metadata === undefined ? {} : { metadata: merged({}, metadata) }),
  };
  return { todos: [...todos, item], item, fields: [] };
}

export function withUpdate(todos: readonly TodoItem[], input: TaskUpdateInput): Changed {
  const before = todos.find(({ id }) => id === input.taskId);
  if (before === undefined) return { error: noSuchTask(input.taskId, todos) };
  const { addBlocks = [], addBlockedBy = [] } = input;
  for (const other of [...addBlocks, ...addBlockedBy]) {
    if (other === before.id) return { error: 'A task cannot wait for itself.' };
    if (!todos.some(({ id }) => id === other)) return { error: noSuchTask(other, todos) };
  }
  if (input.status === 'deleted') return { todos: withoutTask(todos, before.id), item: before, fields: ['deleted'] };
  const { subject, description, activeForm, status, owner, metadata } = input;
  const item: TodoItem = {
    ...before,
    ...(subject === undefined ? {} : { content: subject }),
    ...(description === undefined ? {} : { description }),
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(status === undefined ? {} : { status }),
    ...(owner === undefined ? {} : { owner }),
    ...(metadata === undefined ? {} : { metadata: merged(before.metadata ?? {}, metadata) }),
    ...(addBlockedBy.length === 0 ? {} : { blockedBy: union(before.blockedBy, addBlockedBy) }),
  };
  const next = todos.map((todo) => {
    if (todo.id === item.id) return item;
    return addBlocks.includes(todo.id) ? { ...todo, blockedBy: union(todo.blockedBy, [item.id]) } : todo;
  });
  if (isCircle(next)) return { error: 'Then tasks would wait for each other in a circle.' };
  const fields = Object.keys(input).filter((field) => field !== 'taskId');
  return { todos: next, item, fields };
}

export function noSuchTask(id: string, todos: readonly TodoItem[]): string {
  const known = todos.length === 0 ? 'The list is empty.' : 'TaskList shows those that there are.';
  return `There is no task ${JSON.stringify(id.slice(0, 60))}, so nothing was changed. ${known}`;
}

function withoutTask(todos: readonly TodoItem[], gone: string): readonly TodoItem[] {
  return todos.flatMap((todo) => {
    if (todo.id === gone) return [];
    const { blockedBy, ...rest } = todo;
    return blockedBy === undefined ? [todo] : [{ ...rest, blockedBy: blockedBy.filter((id) => id !== gone) }];
  });
}

function union(before: readonly string[] = [], more: readonly string[]): readonly string[] {
  return [...new Set([...before, ...more])];
}

function merged(before: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(more);
  const taken = new Set(entries.map(([key]) => key));
  const kept = Object.entries(before).filter(([key]) => !taken.has(key));
  return Object.fromEntries([...kept, ...entries.filter(([, value]) => value !== null)]);
}

/** Takes away what waits for nothing, until nothing is left, or only what waits for each other. */
function isCircle(todos: readonly TodoItem[]): boolean {
  let left = todos;
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const waiting = left.filter(({ blockedBy = [] }) => blockedBy.some((id) => ids.has(id)));
    if (waiting.length === 0) return false;
    if (waiting.length === left.length) return true;
    left = waiting;
  }
}
