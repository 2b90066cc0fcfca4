// What the loop tells somebody who records what an agent does: each model request and each tool call, as they begin and end.
import type { AssistantMessage, ToolResultBlock, ToolUseBlock, Usage } from '../../protocol/content.js';
import type { ModelError } from '../../protocol/errors.js';
import type { ModelRequest } from '../../providers/contract/index.js';

/** How one attempt at a model request ended. */
export interface RequestEnd {
  readonly usage: Usage;
  /** Null where no whole reply came. */
  readonly reply: AssistantMessage | null;
  /** Null for a whole reply, and where nobody listens to it any more. */
  readonly error: ModelError | null;
}

/** What permissions say of a call. */
export interface CallDecision {
  readonly behavior: 'allow' | 'deny' | 'defer';
  /** Which kind of rule, mode or person said so, where that is known. */
  readonly reasonType?: string;
}

/** How a call ended. */
export interface CallEnd {
  readonly block: ToolResultBlock;
  /** Typed output, where there is some. */
  readonly data: unknown;
  /** `completed`, or what became of it. */
  readonly ending: string;
}

/** Contract: each method returns at once and never throws. */
export interface ActivityWatch {
  /** An attempt begins; the first is 1. What it gives is called once, however the attempt ends. */
  requestBegan(request: ModelRequest, attempt: number): (end: RequestEnd) => void;
  /** May be told again, while the call was not ended: it is the same. @param parent the call that makes this one; absent: the model does */
  callBegan(call: ToolUseBlock, parent?: string): void;
  callDecided(callId: string, decision: CallDecision): void;
  /** Follows each `callBegan`. */
  callEnded(callId: string, end: CallEnd): void;
}
