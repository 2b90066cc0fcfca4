// The terminal as a person has it before them: puts its rooms together, and runs one session. `cli/` loads it where both
// ends are a terminal that can do it; else the line mode does the same with lines.
import type { SDKUserMessage } from '../protocol/messages.js';
import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { DebugLog } from '../sdk/debug-log.js';
import { openFace, type TerminalIo } from './open-face.js';

/** What the command line asks for. */
export interface TerminalArgs {
  readonly options: QueryOptions;
  readonly verbose: boolean;
}

export type { TerminalIo };
export interface TerminalEnd { readonly code: number; readonly sessionId: string | null }
