// The hooks of a session that has none.
import { EMPTY_HOOK_RESULT } from '../../hooks/hook-result.js';
import type { SessionHooks } from './session-hooks.js';

export const NO_HOOKS: SessionHooks = {
  has: () => false,
  run: async () => EMPTY_HOOK_RESULT,
  forAgent: () => NO_HOOKS,
  mayTellLater: () => false,
  close: async () => undefined,
};
