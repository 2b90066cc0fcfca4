// What a conversation remembers of its last calls, for `detect-loop.ts`, which is loaded with the first of them.

export interface CallTrace {
  /** One key a call, oldest first; equal keys mean the same tool, input and result. */
  readonly keys: readonly string[];
  /** How often the model was told. */
  readonly nudges: number;
}

export const NO_CALLS: CallTrace = { keys: [], nudges: 0 };
