// The place of a session's background tasks: most sessions have none, so what keeps them is loaded with the first.
import path from 'node:path';
import type { MessageDraft } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { TaskRegistry } from './task-registry.js';

export interface SessionTasks {
  /** Null before the first was asked for. */
  readonly registry: TaskRegistry | null;
  open(): Promise<TaskRegistry>;
  /** None is alive when this resolves, and none begins. May be called again. */
  close(): Promise<void>;
}

export interface SessionTasksPlace {
  readonly host: Host;
  readonly limits: Pick<EngineLimits, 'maxBackgroundTasks'>;
  /** Null where the session keeps no files. */
  readonly spoolDirectory: string | null;
  readonly tell: (draft: MessageDraft) => void;
}

export function createSessionTasks({ host, limits, spoolDirectory, tell }: SessionTasksPlace): SessionTasks {
  let opening: Promise<TaskRegistry> | null = null;
  let registry: TaskRegistry | null = null;
  const load = async (): Promise<TaskRegistry> => {
    const { createTaskRegistry } = await import('./task-registry.js');
    registry = createTaskRegistry({
      clock: host.clock,
      ids: host.ids,
      maxRunning: limits.maxBackgroundTasks,
      tell,
      earlierOutput: (id) => fileOf(id, spoolDirectory, host),
    });
    return registry;
  };
  return {
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
  if (folder === null || !/^b[0-9a-f]{8}$/.test(id)) return null;
  const file = path.join(folder, `task-${id}.txt`);
  try {
    return (await fs.stat(file)).kind === 'file' ? file : null;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}
