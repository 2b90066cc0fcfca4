// What a log of a run hears: `--debug-file`, and the options `debug` and `debugFile`. `describe-run.ts` writes it.
import type { SDKMessage } from '../../protocol/messages.js';

/** Contract: no method throws. */
export interface DebugLog {
  message(message: SDKMessage): void;
  /** The only place that shows a stack. */
  error(error: unknown): void;
  note(kind: string, details: Readonly<Record<string, unknown>>): void;
}

/** The log of a run that nobody looks at. */
export const NO_DEBUG_LOG: DebugLog = {
  message: () => undefined,
  error: () => undefined,
  note: () => undefined,
};
