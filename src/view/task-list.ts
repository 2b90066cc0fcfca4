// The session's list as calls of TaskCreate and TaskUpdate leave it, for faces that show it. Whatever a model sent: it is
// read as far as it fits.
import { isRecord } from '../util/json.js';

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
