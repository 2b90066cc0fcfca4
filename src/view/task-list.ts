// The session's list of work, for faces that show it: as calls of TaskCreate and TaskUpdate leave it, and as lines of one that
// TodoWrite sends. Whatever a model sent is read as far as it fits.
import { isRecord } from '../util/json.js';
import { oneLine } from './escape-text.js';

export interface ListedTask {
  readonly id?: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string;
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const;

/**
 * @param output `tool_use_result` of a call that did not fail
 * @returns the same list if the call changed nothing
 */
export function afterTaskCall(
  list: readonly ListedTask[],
  tool: string,
  input: unknown,
  output: unknown,
): readonly ListedTask[] {
  if (!isRecord(input) || !isRecord(output)) return list;
  const { activeForm, subject, taskId, status: wanted } = input;
  const called = typeof activeForm === 'string' ? { activeForm } : {};
  if (tool === 'TaskCreate') {
    const id = isRecord(output['task']) ? output['task']['id'] : undefined;
    if (typeof id !== 'string' || typeof subject !== 'string') return list;
    return [...list, { id, content: subject, status: 'pending', ...called }];
  }
  if (tool !== 'TaskUpdate' || output['success'] !== true) return list;
  if (wanted === 'deleted') return list.filter(({ id }) => id !== taskId);
  const status = STATUSES.find((known) => known === wanted);
  const changes = {
    ...(typeof subject === 'string' ? { content: subject } : {}),
    ...(status === undefined ? {} : { status }),
    ...called,
  };
  return list.map((task) => (task.id === taskId ? { ...task, ...changes } : task));
}

interface TodoLine {
  /** With its mark: `[x] Write the test`. */
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cut';
}

export const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;
/** A longer list is cut, and told. */
const MAX_ITEMS = 40;

/** The lines below the call, at most so many columns wide; none for any other tool, or for an input that holds no list. */
export function todoLines(tool: string, input: unknown, columns: number): TodoLine[] {
  const todos = (input as { readonly todos?: unknown } | null)?.todos;
  if (tool !== 'TodoWrite' || !Array.isArray(todos)) return [];
  const more = todos.length - MAX_ITEMS;
  const lines = todos.slice(0, MAX_ITEMS).map((item: unknown) => lineOf(item, columns));
  return more > 0 ? [...lines, { text: `  … and ${more} more`, status: 'cut' }] : lines;
}

/** Whatever a model sent: it is shown before anybody checked it. */
function lineOf(item: unknown, columns: number): TodoLine {
  const { content, status: given, activeForm } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const status = typeof given === 'string' && Object.hasOwn(MARKS, given) ? (given as keyof typeof MARKS) : 'pending';
  const said = status === 'in_progress' && typeof activeForm === 'string' && activeForm !== '' ? activeForm : content;
  const text = `${MARKS[status]} ${oneLine(typeof said === 'string' ? said : '?', Math.max(8, columns - 4))}`;
  return { text, status };
}
