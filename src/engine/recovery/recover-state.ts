// What follows a request that failed for good, or a reply that only declines: another model, a shorter history, or the
// end. One rule: what follows is another request, so none is sent twice as it was.
import type { AssistantMessage } from '../../protocol/content.js';
import type { ModelError } from '../../protocol/errors.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { type Draft, type LoopDeps, type LoopState, totalTokens } from '../state/index.js';
import type { fallBack } from './fallback.js';

/** Times a prompt that is too long is made shorter before it ends. */
const MAX_OVERFLOWS = 3;

/** The state of the next request; null where the prompt ends. */
export async function* recoverState(
  state: LoopState,
  request: ModelRequest,
  error: ModelError,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  if (error.refused !== null) {
    const { leaveOutRefused } = await import('./leave-out-refused.js');
    return yield* leaveOutRefused(state, request, error, deps);
  }
  if (isTooLong(error)) {
    const window = deps.contextWindow(request.model);
    const isLarger = (model: string) => deps.contextWindow(model) > window;
    const larger = yield* leaveModel(state, request.model, 'overflow', error.message, deps, isLarger);
    if (larger !== null) return larger;
    if (state.overflows >= MAX_OVERFLOWS) return null;
    return yield* deps.compactor.recoverFromOverflow({ ...state, overflows: state.overflows + 1 }, deps);
  }
  if (deps.fallback === null) return null;
  const { triggerOf } = await import('./fallback.js');
  const trigger = triggerOf(error);
  return trigger === null ? null : yield* leaveModel(state, request.model, trigger, error.message, deps);
}

/** The refusal is withdrawn: the next model answers the same conversation. Null if there is none. */
export async function* leaveRefusal(
  state: LoopState,
  message: AssistantMessage,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  const reason = `${message.model} declined to answer.`;
  const other = yield* leaveModel(state, message.model, 'refusal', reason, deps);
  const refused = { type: 'system', original_model: message.model, request_id: message.request_id ?? null } as const;
  if (other === null) {
    yield { ...refused, subtype: 'model_refusal_no_fallback', content: `${reason} No other model is asked.` };
    return null;
  }
  yield {
    ...refused,
    subtype: 'model_refusal_fallback',
    trigger: 'refusal',
    direction: 'retry',
    fallback_model: other.model,
    content: `${reason} ${other.model} is asked in its place.`,
  };
  if (deps.includePartialMessages) yield { type: 'system', subtype: 'stream_reset', message_id: message.id, reason };
  return { ...other, tokensUsed: other.tokensUsed + totalTokens(message.usage) };
}

/** True if the request was longer than the model, or its API, takes. */
export function isTooLong(error: ModelError): boolean {
  return error.kind === 'context_overflow' || error.kind === 'request_too_large';
}

/** As `fallBack`. */
async function* leaveModel(...given: Parameters<typeof fallBack>): AsyncGenerator<Draft, LoopState | null> {
  if (given[4].fallback === null) return null;
  const { fallBack } = await import('./fallback.js');
  return yield* fallBack(...given);
}
