// `/compact`: one step of the loop, by itself.

import { ModelDecisionFailure } from '../../engine/recovery/index.js';
import { formatCount, type LoopState } from '../../engine/state/index.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { type AgentRun, type PromptEnding, plainEnding, type Session, showSteps } from '../core/index.js';
import { configureRequests } from './prepare-prompt.js';
import { loopDeps, rememberLateDecision, stateOf } from './run-loop.js';

/** @returns what to say of it, or how the prompt ends where it came to nothing */
export async function* compactNow(
  run: AgentRun,
  instructions: string | null,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding | string> {
  const { session, runtime } = run;
  const { history, memory } = session;
  if (history.params.length === 0) return 'There is nothing to compact yet.';
  // In a session that was resumed, this may be the first request.
  await configureRequests(session, runtime);
  const steps = runtime.compactor.compactNow(stateOf(run, false), instructions, loopDeps(run, signal));
  const state = yield* withDecision(showSteps(session, runtime, steps), memory);
  if (state instanceof ModelDecisionFailure) return plainEnding('turn_setup_failed', '', state.message);
  memory.compaction = state.compaction;
  if (signal.aborted) return plainEnding('aborted', '', null);
  if (state.transition !== 'history_compacted') return 'The conversation could not be compacted.';
  const { lastFreed } = state.compaction;
  if (lastFreed <= 0)
    return `The conversation was compacted. It was so short that with the summary it takes about ${formatCount(-lastFreed)} tokens more.`;
  return `The conversation was compacted: it takes about ${formatCount(lastFreed)} tokens less.`;
}

/** No model was named for the summary: the prompt ends with that. */
async function* withDecision(
  steps: AsyncGenerator<SDKMessage, LoopState>,
  memory: Session['memory'],
): AsyncGenerator<SDKMessage, LoopState | ModelDecisionFailure> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof ModelDecisionFailure)) throw error;
    rememberLateDecision(memory, error.failure);
    return error;
  }
}
