// Calls that start while their reply still streams: only those that read, may run beside others, and are allowed
// without a hook or anybody being asked. If the reply is withdrawn, so are they, and their results are never seen.

import type { ToolUseBlock } from '../../protocol/content.js';
import type { HookEvent } from '../../protocol/hooks.js';
import { calledName, startsEarly } from '../../tools/tool.js';
import { shareSignal } from '../../util/abort.js';
import type { ActivityWatch, LoopDeps } from '../state/index.js';
import { callDeps, MAX_CONCURRENT_CALLS } from './call-deps.js';
import { executeTool } from './execute-tool.js';
import type { ToolCallResult } from './tool-call-result.js';

export interface EarlyCalls {
  /** By tool_use id. Null if the call turned out to need an answer: it is put to the gate at its turn. Never rejects. */
  readonly started: ReadonlyMap<string, Promise<ToolCallResult | null>>;
  /** Starts the call if it may. Null is ignored. */
  consider(call: ToolUseBlock | null): void;
  /** Aborts what was started. */
  withdraw(): void;
}

/** Hooks that a call must not get ahead of. */
const TOOL_HOOKS: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
];

/** For one attempt of one request. `mayRun`: false if the reply is the last of its prompt, whose calls never run. */
export function createEarlyCalls(deps: LoopDeps, mayRun = true): EarlyCalls {
  const started = new Map<string, Promise<ToolCallResult | null>>();
  const attempt = shareSignal(deps.signal);
  // Once a call came that must wait for the end of the message, later ones wait too: they may depend on it.
  let isOpen = mayRun && !TOOL_HOOKS.some((event) => deps.hooks.has(event));

  const run = (call: ToolUseBlock): Promise<ToolCallResult | null> =>
    attempt.use(async (signal) => {
      const own = callDeps(deps, deps.currentTools(), signal, deps.decideWithoutAsking);
      const watched = deps.activity === undefined ? own : { ...own, activity: untilRefused(deps.activity) };
      const result = await executeTool(call, undefined, watched);
      return result.ending === 'refused' ? null : result;
    });

  return {
    started,
    consider(call) {
      if (call === null || !isOpen) return;
      // What comes after ten of them starts with its batch, as places become free.
      isOpen = startsEarly(deps.currentTools(), calledName(deps, call.name)) && started.size < MAX_CONCURRENT_CALLS;
      if (isOpen) started.set(call.id, run(call));
    },
    withdraw() {
      isOpen = false;
      attempt.abort();
      started.clear();
    },
  };
}

/** What is refused here is decided once more, as the same call. */
function untilRefused(activity: ActivityWatch): ActivityWatch {
  return {
    ...activity,
    callDecided(id, decision) {
      if (decision.behavior !== 'deny') activity.callDecided(id, decision);
    },
    callEnded(id, end) {
      if (end.ending !== 'refused') activity.callEnded(id, end);
    },
  };
}
