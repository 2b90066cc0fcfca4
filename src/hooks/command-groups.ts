// Commands of settings as hooks that are run beside those given as code.
import type { HookEvent } from '../protocol/hooks.js';
import { linkAbort, type SharedSignal, shareSignal } from '../util/abort.js';
import { type CommandHook, type CommandPlace, runCommandHook } from './command-hook.js';
import type { DeclaredHook, DeclaredHooks, HookAnswer, HookGroup } from './declared-hook.js';
import { compileMatcher } from './matcher.js';

export interface OpenedCommands {
  readonly declared: DeclaredHooks;
  /** Ends what still runs. Contract: afterwards nothing that a command started is alive. May be called twice. */
  close(): Promise<void>;
}

/**
 * @param hooks in the order their answers are merged
 * @throws ConfigError for a matcher that cannot be used
 */
export function openCommands(hooks: readonly CommandHook[], place: CommandPlace): OpenedCommands {
  const ending = new AbortController();
  const aside = shareSignal(ending.signal);
  const running = new Map<Promise<unknown>, AbortController>();
  const declared = new Map<HookEvent, HookGroup[]>();
  for (const hook of hooks) {
    const { once } = hook;
    const call: DeclaredHook['call'] = (input, _toolUseId, signal, onPrinted) => {
      if (once !== undefined) once.isSpent = true;
      const { controller, release } = linkAbort(signal);
      let onAsync: (timeoutMs: number | null) => void = () => undefined;
      const goesOn = new Promise<HookAnswer>((resolve) => {
        onAsync = (timeoutMs) => {
          release(); // the prompt that it heard of may end before it
          resolve({ output: undefined, later: { answer: run, timeoutMs, stop: () => controller.abort() } });
        };
      });
      const mayGoOn = hook.event !== 'SessionEnd' && !hook.isAsync;
      const signals = { signal: controller.signal, ...(mayGoOn ? { onAsync } : {}) };
      const run = runCommandHook(hook, input, place, signals, onPrinted).finally(() => {
        release();
        running.delete(run);
      });
      running.set(run, controller);
      return Promise.race([run, goesOn]);
    };
    const groups = declared.get(hook.event) ?? [];
    declared.set(hook.event, groups);
    groups.push({
      applies: compileMatcher(hook.event, hook.matcher, `hooks.${hook.label}`),
      hooks: [declaredHook(hook, call, aside)],
    });
  }
  return {
    declared,
    async close() {
      ending.abort();
      // Nobody waits for a Notification either, so one may still run.
      for (const controller of running.values()) controller.abort();
      await Promise.all(running.keys());
    },
  };
}

function declaredHook(hook: CommandHook, call: DeclaredHook['call'], aside: SharedSignal): DeclaredHook {
  const { label, timeoutMs, onFailure, statusMessage, isAsync, asyncTimeoutMs, once } = hook;
  return {
    label,
    timeoutMs,
    onFailure,
    statusMessage,
    call,
    endsItself: true,
    same: JSON.stringify([hook.action ?? hook.command, hook.projectFolder, isAsync]),
    ...(isAsync ? { aside } : {}),
    ...(once === undefined ? {} : { isSpent: () => once.isSpent }),
    ...(asyncTimeoutMs === undefined ? {} : { asideTimeoutMs: asyncTimeoutMs }),
  };
}
