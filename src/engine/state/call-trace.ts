// What a conversation remembers of its last calls, for `detect-loop.ts`, which is loaded with the first of them.
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';

export interface CallTrace {
  /** One key a call, oldest first; equal keys mean the same tool, input and result. */
  readonly keys: readonly string[];
  /** How often the model was told. */
  readonly nudges: number;
}

export const NO_CALLS: CallTrace = { keys: [], nudges: 0 };

/** One call of a round, as the search for circles sees it. */
export interface TracedCall {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock;
  /** How long it ran, milliseconds. */
  readonly durationMs: number;
  /** The tool says that asking again is what it is for. */
  readonly polls: boolean;
}
