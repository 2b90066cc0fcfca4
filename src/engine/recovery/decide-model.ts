// The host names the model of each request: asked before every one, and nothing else decides. One rule: what it says is
// taken as it is, or the prompt ends; there is no other model.
import type { Draft, LoopDeps, LoopState } from '../state/index.js';
import { followModel } from './model-decision.js';

/** The state with the model of its next request. @throws ModelDecisionFailure */
export async function* decideModel(
  state: LoopState,
  what: 'turn' | 'compact',
  { decideModel: decide, namedModel: named }: LoopDeps,
): AsyncGenerator<Draft, LoopState> {
  if (decide === null) return followModel(state, named);
  const { model, parameters, ignored } = await decide(what);
  if (ignored.length > 0) yield unknownParameters(ignored);
  if (model !== state.model && what === 'turn') {
    const reason = 'resolveModel named it.';
    yield { type: 'system', subtype: 'model_changed', from: state.model, to: model, reason, trigger: 'resolve_model' };
  }
  return { ...state, model, parameters };
}

function unknownParameters(names: readonly string[]): Draft {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'option_without_effect',
    level: 'warning',
    message: `resolveModel gave parameters that have no effect: ${names.join(', ')}. Known ones: contextWindow, reasoningEffort.`,
  };
}
