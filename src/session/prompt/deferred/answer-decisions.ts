// A prompt that consists of decisions: decided calls run, and once none waits the model goes on with their results.
import type { SDKMessage } from '../../../protocol/messages.js';
import type { DeferredDecision } from '../../../protocol/permissions.js';
import { type AgentRun, type PromptEnding, plainEnding, publish, showSteps } from '../../core/index.js';
import { loopDeps, runLoop } from '../run-loop.js';
import { runDecisions } from './run-decisions.js';
import { openCalls } from './waiting-calls.js';

const NO_DECISIONS = 'Decisions must be a list of { toolUseID, behavior }.';

/** @param texts what goes to the model with the results */
export async function* answerDecisions(
  run: AgentRun,
  decisions: readonly DeferredDecision[],
  texts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session, runtime } = run;
  const { memory, history } = session;
  if (!Array.isArray(decisions)) return plainEnding('turn_setup_failed', '', NO_DECISIONS);
  const round = yield* showSteps(session, runtime, runDecisions(run, decisions, loopDeps(run, signal)));
  if (signal.aborted) return plainEnding('aborted', '', null);
  const ended = round?.ended ?? null;
  if (ended !== null && ended !== 'tool_deferred') return plainEnding(ended, '', null);
  if (openCalls(memory.deferred, history.params).length > 0) return plainEnding('tool_deferred', '', null);
  if (round === null) return plainEnding('turn_setup_failed', '', 'No call of this session waits for a decision.');
  if (texts.length > 0) {
    const content = texts.map((text) => ({ type: 'text', text }) as const);
    yield* publish(session, runtime, { type: 'user', message: { role: 'user', content }, isSynthetic: true });
  }
  return yield* runLoop(run, signal);
}
