// While somebody outside is asked: the host's status says so, and Notification hooks hear of it.
import type { LoopHooks } from '../../engine/state/index.js';
import type { CanUseTool } from '../../protocol/permissions.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { logTo, type QueryEngineConfig, type SessionStatus } from '../config/index.js';

/** Contract: a failing callback of the host changes nothing here. */
export function tellStatus(
  config: Pick<QueryEngineConfig, 'setSDKStatus' | 'log' | 'verbose'>,
  status: SessionStatus,
): void {
  try {
    // Untyped, it may be async.
    const told: unknown = config.setSDKStatus?.(status);
    if (told instanceof Promise) told.catch((error: unknown) => logTo(config, 'set_status_failed', { error }));
  } catch (error) {
    logTo(config, 'set_status_failed', { error });
  }
}

/** What is waited for, for people. */
export interface Wait {
  readonly type: 'permission_prompt' | 'elicitation_dialog';
  readonly title: string;
  readonly message: string;
}

/** Runs `work`, which waits for an answer. Contract: settles as `work` does; `signal` only ends the waiting. */
export type WaitFor = <T>(wait: Wait, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * @param tell hears of the session's status, and of what is waited for when a wait begins; never throws
 */
export function createWaitFor(tell: (status: SessionStatus, wait?: Wait) => void, hooks: LoopHooks): WaitFor {
  // Calls that only read are asked about at the same time.
  let waiting = 0;
  return async (wait, signal, work) => {
    const { type, title, message } = wait;
    waiting += 1;
    if (waiting === 1) tell('awaiting_input', wait);
    // Not waited for: who is told must not hold up who answers.
    if (hooks.has('Notification')) void hooks.run('Notification', { message, title, notification_type: type });
    const running = work();
    const first = await raceAbort(
      running.catch(() => undefined),
      signal,
    );
    waiting -= 1;
    // After an abort the session's status is told by its result, which an answer that comes late must not undo.
    if (waiting === 0 && first !== ABORTED) tell('running');
    return running;
  };
}

/** The host's callback, with each question told. */
export function announced(canUseTool: CanUseTool, waitFor: WaitFor): CanUseTool {
  return (toolName, input, options) => {
    const wait = {
      type: 'permission_prompt',
      title: 'Permission needed',
      message: `${toolName} waits for permission: ${options.title ?? toolName}`,
    } as const;
    return waitFor(wait, options.signal, async () => canUseTool(toolName, input, options));
  };
}
