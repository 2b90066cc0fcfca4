// What an agent is told of its background tasks: that some ended, and after a resume that earlier ones are gone. Only
// what the engine knows for sure goes into such a text; what a task printed is for TaskOutput.
import {
  agentEndedNote,
  type Draft,
  earlierTaskNote,
  RUNNING_TASKS_HEADER,
  STARTED_TASK,
  TASKS_LEFT_HEADER,
  taskEndedNote,
  taskIdOfNote,
} from '../../engine/state/index.js';
import type { MessageParam } from '../../protocol/content.js';
import { describeTask, reasonOf } from '../../tools/background-task/index.js';
import { linkAbort } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import type { AgentRun, FeatureParts, Runtime, Session, SessionRuntime } from '../core/index.js';
import type { TaskRegistry } from '../tasks/index.js';
import { taskPins } from '../tools/index.js';
import { hideFound } from './hear-message.js';

export const parts: FeatureParts = {
  async tellBeside({ session: { memory, history }, runtime }) {
    const put = memory.areTasksTold === true ? [] : await putTasksRight(history.params, runtime);
    const { registry } = runtime.tasks;
    if (registry === null) return { texts: put };
    const { texts, told } = taskNews(registry, null);
    return { texts: [...put, ...texts], told };
  },
  async betweenTurns({ run }) {
    const { registry } = run.runtime.tasks;
    return registry === null ? [] : deliverTaskNews(run, registry);
  },
};

interface TaskNews {
  readonly texts: readonly string[];
  /** To be called once the agent has them. */
  told(): void;
}

/** Ends that the agent was not told of. */
function taskNews(registry: TaskRegistry, agentId: string | null): TaskNews {
  const ended = registry.untold(agentId);
  return {
    texts: ended.map((task) => {
      const how = [`${describeTask(task)}.`, ...reasonOf(task)].join(' ');
      return task.kind === 'agent' ? agentEndedNote(task, how) : taskEndedNote(task, how);
    }),
    told: () => registry.setTold(ended.map(({ id }) => id)),
  };
}

/** As a message between two turns. */
async function deliverTaskNews(
  { agentId, session, runtime }: AgentRun,
  registry: TaskRegistry,
): Promise<readonly Draft[]> {
  const { texts, told } = taskNews(registry, agentId);
  const content = (await hideFound(texts, runtime)).join('\n');
  told();
  return [{ type: 'delivered', message: { role: 'user', content }, uuid: session.host.ids.uuid(), isMeta: true }];
}

/**
 * What a conversation that was resumed, set back or cleared has wrong of the tasks: texts that put it right. Ends that it
 * does not know any more are news again.
 */
async function putTasksRight(
  conversation: readonly MessageParam[],
  { tasks }: Pick<Runtime, 'tasks'>,
): Promise<readonly string[]> {
  const open = tasksThatRunIn(conversation);
  if (open.size > 0) await tasks.open();
  const { registry } = tasks;
  if (registry === null) return [];
  const running = registry.runningOf(null);
  const isRunning = new Set(running.map(({ id }) => id));
  registry.setUntold([...open].filter((id) => !isRunning.has(id)));
  const gone: string[] = [];
  for (const id of open)
    if (!registry.knows(id)) gone.push(earlierTaskNote(id, (await registry.earlierOutput(id)) !== null));
  return [...gone, ...taskPins(running.filter(({ id }) => !open.has(id)))];
}

/** Tasks of which a conversation says that they run, and not that they ended. */
function tasksThatRunIn(conversation: readonly MessageParam[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { content } of conversation) {
    for (const text of textsOf(content)) {
      for (const id of startedIn(text)) open.add(id);
      for (const id of taskIdsOf(text)) open.delete(id);
    }
  }
  return open;
}

/** A call that began one, an agent that left some, a compaction that took them along. */
function startedIn(text: string): readonly string[] {
  const started = STARTED_TASK.exec(text)?.[1];
  if (started !== undefined) return [started];
  const pinned = text.indexOf(RUNNING_TASKS_HEADER);
  const left = text.lastIndexOf(TASKS_LEFT_HEADER);
  return [
    ...(pinned === -1 ? [] : [...text.slice(pinned).matchAll(/^(b[0-9a-f]{8}|a[0-9a-f]{16}): /gm)]),
    ...(left === -1 ? [] : [...text.slice(left).matchAll(/[ ,](b[0-9a-f]{8}|a[0-9a-f]{16}) \(/g)]),
  ].map(([, id = '']) => id);
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

// Between two prompts: whether the model is talked to because a background task ended. One rule: the engine says nothing
// by itself if the user has to decide first, and not without end.

/** Prompts that the engine gives itself without a word of the user. */
const MAX_PROMPTS_OF_OWN = 50;

/**
 * Waits for the end of a task. False if none runs, if the last prompt failed or left calls that wait, if the
 * engine has talked to the model by itself too often, and when `until` aborts.
 * @param isLast the user says nothing more: waits at most `limits.backgroundWaitMs`
 */
export async function taskEnded(
  { memory, host }: Session,
  { tasks, limits }: Pick<SessionRuntime, 'tasks' | 'limits'>,
  until: AbortSignal,
  isLast: boolean,
): Promise<boolean> {
  if (tasks.registry === null || memory.endedWell !== true) return false;
  if ((memory.promptsOfOwn ?? 0) >= MAX_PROMPTS_OF_OWN) return false;
  // Agents are worked with to their end, as those are that a call waits for.
  if (!isLast || tasks.registry.running.some(({ kind }) => kind === 'agent')) return tasks.registry.nextEnd(until);
  const { controller, release } = linkAbort(until);
  const cancel = host.clock.after(limits.backgroundWaitMs, () => controller.abort());
  try {
    return await tasks.registry.nextEnd(controller.signal);
  } finally {
    cancel();
    release();
  }
}
