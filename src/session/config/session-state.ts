// What a session goes on with after it was resumed: types only.
import type { ChangingFacts } from '../../context/environment.js';
import type { SystemPromptSection } from '../../context/system-prompt.js';
import type { CompactionState } from '../../engine/state/index.js';
import type { SDKGoalSnapshot } from '../../protocol/goals.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { ContentSource } from '../../protocol/untrusted-content.js';
import type { TodoItem } from '../../tools/tool.js';
import type { LedgerState } from '../spending/index.js';

/** What a resumed session goes on with. Contract: nothing in it grants a permission. */
export interface SessionState {
  readonly ledger: LedgerState;
  /** Model replies so far in the session. */
  readonly turns: number;
  readonly compaction: CompactionState;
  readonly todos: readonly TodoItem[];
  /** The compaction that the conversation begins with. Read back from its own line; not part of this one. */
  readonly boundary?: SDKCompactBoundaryMessage['compact_metadata'];
  /** What the system prompt says of what may change. Absent: it is taken anew. */
  readonly environment?: ChangingFacts;
  /** The system prompt as it was recorded. */
  readonly systemPrompt?: readonly SystemPromptSection[];
  /** What the session works towards. */
  readonly goal?: SDKGoalSnapshot;
  /** Where texts came from that nobody vouches for. Absent: nobody kept that. */
  readonly untrusted?: readonly ContentSource[];
  /** Calls that wait for a decision. Read back from lines of their own; not part of this one. */
  readonly deferred?: readonly WaitingCall[];
}

export interface WaitingCall {
  readonly toolUseId: string;
  readonly reason: string;
  /** As the line says it. */
  readonly timestamp: unknown;
  /** The same; undefined where it was to wait for ever. */
  readonly expiresAt: unknown;
}
