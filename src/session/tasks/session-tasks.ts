// The place of a session's background tasks: most sessions have none, so what keeps them is loaded with the first.
import path from 'node:path';
import type { LoopHooks, MessageDraft } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { EngineLimits } from '../../protocol/options.js';
import { shorten } from '../../util/text.js';
import type { AgentRoster, createAgentRoster, PastAgent } from './agent-roster.js';
import type { createTaskRegistry, TaskRegistry } from './task-registry.js';

export interface SessionTasks {
  /** Null before the first was asked for. */
  readonly registry: TaskRegistry | null;
  /** The agents of the session; null before the first. */
  readonly roster: AgentRoster<PastAgent> | null;
  openRoster(): Promise<AgentRoster<PastAgent>>;
  /** A message of an agent that nobody waits for. */
  show(message: SDKMessage): void;
  open(): Promise<TaskRegistry>;
  /**
   * `move` is called when a person wants the call to go on in the background. Returns a function that ends the
   * listening.
   */
  listen(toolUseId: string, move: () => void): () => void;
  /** Moves a call, or all that run. False if there is none. */
  moveToBackground(toolUseId?: string): boolean;
  /** None is alive when this resolves, and none begins. May be called again. */
  close(): Promise<void>;
}

export interface SessionTasksPlace {
  readonly host: Host;
  readonly limits: Pick<EngineLimits, 'maxBackgroundTasks' | 'maxConcurrentAgents'>;
  /** Null if the session keeps no files. */
  readonly spoolDirectory: string | null;
  readonly tell: (draft: MessageDraft) => void;
  readonly show: (message: SDKMessage) => void;
  readonly hooks: Pick<LoopHooks, 'has' | 'run'>;
  /** Loads what keeps tasks and agents. */
  door(): Promise<{
    readonly createTaskRegistry: typeof createTaskRegistry;
    readonly createAgentRoster: typeof createAgentRoster;
  }>;
}

export function createSessionTasks({
  host,
  limits,
  spoolDirectory,
  tell,
  show,
  hooks,
  door,
}: SessionTasksPlace): SessionTasks {
  let opening: Promise<TaskRegistry> | null = null;
  let registry: TaskRegistry | null = null;
  const load = async (): Promise<TaskRegistry> => {
    const { createTaskRegistry } = await door();
    registry = createTaskRegistry({
      clock: host.clock,
      ids: host.ids,
      maxRunning: limits.maxBackgroundTasks,
      tell,
      hooks,
      earlierOutput: (id) => fileOf(id, spoolDirectory, host),
    });
    return registry;
  };
  let openingRoster: Promise<AgentRoster<PastAgent>> | null = null;
  let roster: AgentRoster<PastAgent> | null = null;
  const loadRoster = async (): Promise<AgentRoster<PastAgent>> => {
    const { createAgentRoster } = await door();
    roster = createAgentRoster(limits.maxConcurrentAgents);
    return roster;
  };
  const inForeground = new Map<() => void, string>();
  return {
    get roster() {
      return roster;
    },
    openRoster() {
      openingRoster ??= loadRoster();
      return openingRoster;
    },
    show,
    listen(toolUseId, move) {
      inForeground.set(move, toolUseId);
      return () => void inForeground.delete(move);
    },
    moveToBackground(toolUseId) {
      const moves = [...inForeground].filter(([, id]) => toolUseId === undefined || id === toolUseId);
      for (const [move] of moves) move();
      return moves.length > 0;
    },
    get registry() {
      return registry;
    },
    open() {
      opening ??= load();
      return opening;
    },
    close: async () => (await opening)?.close(),
  };
}

/** What a task printed in an earlier run of the session. The id is a word of the model. */
async function fileOf(id: string, folder: string | null, { fs }: Pick<Host, 'fs'>): Promise<string | null> {
  if (folder === null || !/^(?:b[0-9a-f]{8}|a[0-9a-f]{16})$/.test(id)) return null;
  const file = path.join(folder, `task-${id}.txt`);
  try {
    return (await fs.stat(file)).kind === 'file' ? file : null;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

// Stops a background task for people. One rule: a session that was not put together has none, and is not put together
// for that.

/** The task's agent is told. @throws ToolError if there is no such task */
export async function stopTask(runtime: { readonly tasks: SessionTasks } | null, id: string): Promise<void> {
  if (runtime === null) throw new ToolError(`There is no task ${shorten(id, 60)} here: the session has not begun.`);
  await (await runtime.tasks.open()).stop(id, '');
}
