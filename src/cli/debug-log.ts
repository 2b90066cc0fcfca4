// What `--debug-file` hears of a run. `open-debug-log.ts` writes it down.
import type { SDKMessage } from '../protocol/messages.js';

/** Contract: no method throws. */
export interface DebugLog {
  message(message: SDKMessage): void;
  /** The only place that shows a stack. */
  error(error: unknown): void;
  note(kind: string, details: Readonly<Record<string, unknown>>): void;
}

/** The log of a run without `--debug-file`. */
export const NO_DEBUG_LOG: DebugLog = {
  message: () => undefined,
  error: () => undefined,
  note: () => undefined,
};
