// What the thread of a script and the engine say to each other. Types only. One rule: what comes from a script crosses as
// text, never as a value.

export interface ScriptLimits {
  /** Of running code, without waits for calls, milliseconds. */
  readonly runMs: number;
  /** Of the script's values. */
  readonly memoryBytes: number;
  /** Of what it prints, and of its value, each. */
  readonly outputBytes: number;
}

/** What the thread is started with. */
export interface ScriptWork {
  readonly code: string;
  /** Names of the functions in `tools`. */
  readonly tools: readonly string[];
  readonly limits: ScriptLimits;
}

export type FromScript =
  /** The machine is there, and the script begins. */
  | { readonly type: 'begins' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly input: string }
  /** Nothing runs until a call is answered. `answered`: answers that were taken so far. */
  | { readonly type: 'waits'; readonly answered: number; readonly runMs: number }
  | ({ readonly type: 'end' } & ScriptEnd);

export interface ScriptEnd {
  /** What it printed, as far as it is kept. */
  readonly printed: string;
  /** Characters that it printed beyond. */
  readonly dropped: number;
  /** Its value as JSON; null if it gave none or failed. */
  readonly value: string | null;
  /** Why it did not come to its end. */
  readonly error: ScriptError | null;
  readonly runMs: number;
}

export interface ScriptError {
  /** `thrown`: by its code. The others are limits, and a promise that nothing can settle. */
  readonly kind: 'thrown' | 'syntax' | 'time' | 'memory' | 'output' | 'stuck' | 'crashed';
  readonly message: string;
}

/** An answer to a call: a value as JSON, or why there is none. */
export interface ScriptAnswer {
  readonly id: number;
  readonly ok: boolean;
  /** JSON, or what the error says. */
  readonly text: string;
  /** Name of the error. */
  readonly name?: string;
}
