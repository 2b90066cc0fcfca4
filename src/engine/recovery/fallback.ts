// Which model is asked when one cannot answer: the next of an ordered chain, for the rest of the prompt. One rule: every
// switch is told, and so is every model of the chain that was passed over.
import type { ModelError, ModelErrorKind } from '../../protocol/errors.js';
import type { FallbackTrigger } from '../../protocol/fallback.js';
import type { Draft, LoopDeps, LoopState } from '../state/index.js';

const TRIGGER_OF_KIND: Readonly<Record<ModelErrorKind, FallbackTrigger | null>> = {
  overloaded: 'overloaded',
  rate_limit: 'rate',
  quota: 'quota',
  authentication: 'auth',
  permission: 'auth',
  not_found: 'model_not_found',
  server: 'server',
  malformed: 'server',
  timeout: 'timeout',
  stream_idle: 'timeout',
  connection: 'connection',
  stream_cut: 'connection',
  context_overflow: 'overflow',
  request_too_large: 'overflow',
  // Would be refused again, or was not a failure.
  invalid_request: null,
  aborted: null,
};

/** Null for what no other model would mend. */
export function triggerOf(error: ModelError): FallbackTrigger | null {
  return TRIGGER_OF_KIND[error.kind];
}

/** True where the chain has a model left that this leads to. Says nothing of whether it can be asked. */
export function mayFallBack(state: LoopState, trigger: FallbackTrigger | null, { fallback }: LoopDeps): boolean {
  return fallback !== null && trigger !== null && fallback.on.has(trigger) && state.fallbacks < fallback.models.length;
}

/**
 * The state with the next model of the chain that can be asked; null if none is left.
 * @param from the model that did not answer
 * @param suits says no to models that would not help; absent: all would
 */
export async function* fallBack(
  state: LoopState,
  from: string,
  trigger: FallbackTrigger,
  reason: string,
  deps: LoopDeps,
  suits: (model: string) => boolean = () => true,
): AsyncGenerator<Draft, LoopState | null> {
  const { fallback } = deps;
  if (fallback === null || !mayFallBack(state, trigger, deps)) return null;
  for (let at = state.fallbacks; at < fallback.models.length; at++) {
    const name = fallback.models[at] ?? '';
    const admitted = await fallback.admit(name);
    if (admitted.model === null) {
      yield skipped(name, admitted.reason);
      continue;
    }
    const { model } = admitted;
    if (model === from || model === fallback.primary || !suits(model)) continue;
    yield { type: 'system', subtype: 'model_changed', from, to: model, reason, trigger };
    return { ...state, model, fallbacks: at + 1, transition: 'model_fell_back' };
  }
  return null;
}

function skipped(name: string, reason: string): Draft {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'fallback_skipped',
    level: 'warning',
    message: `The fallback model ${name} was not asked: ${reason}`,
  };
}
