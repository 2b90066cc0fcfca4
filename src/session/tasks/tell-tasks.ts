// What an agent is told of its background tasks: that some ended, and after a resume that earlier ones are gone. Only
// what the engine knows for sure goes into such a text; what a task printed is for TaskOutput.

import { earlierTaskNote, STARTED_TASK, taskEndedNote, taskIdOfNote } from '../../engine/engine-notes.js';
import type { Draft } from '../../engine/loop-state.js';
import { isRecord } from '../../engine/map-schema.js';
import type { MessageParam } from '../../protocol/content.js';
import { describeTask, reasonOf } from '../../tools/tasks/use-task.js';
import type { Runtime } from '../assemble.js';
import { hideFound } from '../hear-message.js';
import type { AgentRun } from '../session.js';
import type { TaskRegistry } from './task-registry.js';

export interface TaskNews {
  readonly texts: readonly string[];
  /** To be called once the agent has them. */
  told(): void;
}

/** Ends that the agent was not told of. */
export function taskNews(registry: TaskRegistry, agentId: string | null): TaskNews {
  const ended = registry.untold(agentId);
  return {
    texts: ended.map((task) => taskEndedNote(task, [`${describeTask(task)}.`, ...reasonOf(task)].join(' '))),
    told: () => registry.setTold(ended.map(({ id }) => id)),
  };
}

/** As a message between two turns. */
export async function deliverTaskNews(
  { agentId, session, runtime }: AgentRun,
  registry: TaskRegistry,
): Promise<readonly Draft[]> {
  const { texts, told } = taskNews(registry, agentId);
  const content = (await hideFound(texts, runtime)).join('\n');
  told();
  return [{ type: 'delivered', message: { role: 'user', content }, uuid: session.host.ids.uuid(), isMeta: true }];
}

/** Tasks of a conversation that was resumed: what it says runs, and does not any more. */
export async function earlierTasks(
  conversation: readonly MessageParam[],
  { tasks }: Pick<Runtime, 'tasks'>,
): Promise<readonly string[]> {
  const open = new Set<string>();
  for (const { content } of conversation) {
    for (const text of textsOf(content)) {
      const started = STARTED_TASK.exec(text)?.[1];
      if (started !== undefined) open.add(started);
      for (const id of taskIdsOf(text)) open.delete(id);
    }
  }
  if (open.size === 0) return [];
  const registry = await tasks.open();
  const running = new Set(registry.running.map(({ id }) => id));
  return [...open].filter((id) => !running.has(id)).map(earlierTaskNote);
}

/** Tasks whose end a text tells. */
function taskIdsOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => taskIdOfNote(line) ?? []);
}

/** A transcript may hold anything in the place of a block. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (!isRecord(block)) return [];
    if (block['type'] === 'text') return typeof block['text'] === 'string' ? [block['text']] : [];
    return block['type'] === 'tool_result' ? textsOf(block['content']) : [];
  });
}
