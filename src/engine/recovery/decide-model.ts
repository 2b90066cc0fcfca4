// The host names the model of each request: asked before every one, and nothing else decides. One rule: what it says is
// taken as it is, or the prompt ends; there is no other model.
import type { Draft, LoopDeps, LoopState } from '../state/index.js';

/** The state with the model of its next request. @throws ModelDecisionFailure */
export async function* decideModel(
  state: LoopState,
  what: 'turn' | 'compact',
  { decideModel: decide, namedModel: named }: LoopDeps,
): AsyncGenerator<Draft, LoopState> {
  if (decide === null) return followModel(state, named);
  const { model, parameters, ignored } = await decide(what, state.model);
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

// Which model the next request is for, if the user named it, and how a prompt ends if none can be named.

/** No model was named, or none that can be used. Thrown through the loop, which ends the prompt with `failure`. */
export class ModelDecisionFailure extends Error {
  readonly failure: Error;

  constructor(failure: Error) {
    super(failure.message, { cause: failure });
    this.name = 'ModelDecisionFailure';
    this.failure = failure;
  }
}

/**
 * The state with the model that was named since, if another was: what is sent, and what is known of its window and
 * its limits, must be of one model. A model that answers in place of the named one stays until another is named.
 */
export function followModel(state: LoopState, namedModel: LoopDeps['namedModel']): LoopState {
  const named = namedModel();
  return named === null || named === state.named ? state : { ...state, model: named, named };
}

/** What the model of the next request takes, tokens. */
export function windowOf({ model, parameters }: LoopState, contextWindow: (model: string) => number): number {
  return parameters?.contextWindow ?? contextWindow(model);
}
