// The hooks of a session that has none.
import type { LoopHooks } from '../engine/loop-state.js';
import { EMPTY_HOOK_RESULT } from '../hooks/hook-result.js';

export const NO_HOOKS: LoopHooks = { has: () => false, run: async () => EMPTY_HOOK_RESULT };
