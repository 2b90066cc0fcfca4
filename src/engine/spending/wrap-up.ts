// The last summary of a prompt: what a model is told when no more than one reply is left. One rule: where a value was
// asked for, the last reply can still be the value.
import {
  addNote,
  type LoopDeps,
  type LoopState,
  WRAP_UP,
  WRAP_UP_WITH_TOOL,
  WRAP_UP_WITH_VALUE,
  type WrapUpReason,
  wantsValueByTool,
} from '../state/index.js';

/** The state of the last request, and what is told of it. */
export function wrapUp(state: LoopState, reason: WrapUpReason, deps: LoopDeps): ReturnType<typeof addNote> {
  const text = wantsValueByTool(state, deps)
    ? WRAP_UP_WITH_TOOL
    : deps.asksForValueAsText(state)
      ? WRAP_UP_WITH_VALUE
      : WRAP_UP;
  return addNote({ ...state, wrapUp: reason }, text, 'budget_wrap_up');
}
