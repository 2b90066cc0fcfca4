// How a prompt ended, as data. What its result says of it is in `result.ts`.
import type { Outcome, StructuredState } from '../../engine/state/index.js';
import { ModelError } from '../../protocol/errors.js';
import type { TerminalReason } from '../../protocol/messages.js';

/** How a prompt ended, whether or not the loop ran. */
export interface PromptEnding {
  readonly reason: TerminalReason;
  readonly turns: number;
  readonly text: string;
  readonly stopReason: string | null;
  readonly error: string | null;
  /** The request that failed for good, if that ended the prompt. */
  readonly failure?: ModelError;
  /** If a value was wanted: what became of it. */
  readonly structured: StructuredState | null;
}

export function endingOf(outcome: Outcome): PromptEnding {
  return {
    reason: outcome.reason,
    turns: outcome.state.turns,
    text: outcome.text,
    stopReason: outcome.stopReason,
    error: outcome.error?.message ?? (outcome.reason === 'budget_exhausted' ? outcome.state.shortage : null),
    structured: outcome.state.structured,
    ...(outcome.error instanceof ModelError ? { failure: outcome.error } : {}),
  };
}

/** An ending without a reply of the model. */
export function plainEnding(reason: PromptEnding['reason'], text: string, error: string | null): PromptEnding {
  return { reason, turns: 0, text, stopReason: null, error, structured: null };
}
