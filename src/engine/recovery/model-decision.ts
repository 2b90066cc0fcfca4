// Which model the next request is for, where it was named by the user, and how a prompt ends where none can be named.
import type { LoopDeps, LoopState } from '../state/index.js';

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
 * The state with the model that was named since, where another was: what is sent, and what is known of its window and
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
