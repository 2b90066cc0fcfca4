// How long a reply may be: what is wanted, at most what the model can give, and what its window has room for beside
// the prompt. One rule: the output limit of a request never fails it, whichever model it goes to.
import type { ModelRequest } from '../../providers/contract/index.js';

export interface ReplyRoom {
  /** The longest reply the model can give, tokens; null if it is not known. */
  readonly most: number | null;
  /** What the model takes in one request, prompt and reply together, tokens. */
  readonly window: number;
  /** The prompt is estimated at no more than this, tokens. */
  readonly roughTokens: number;
  /** Estimate of the whole prompt, tokens. Asked for only where `roughTokens` may leave too little room. */
  readonly inputTokens: () => number;
  /** True: as long as the model can give, whatever the request says. */
  readonly isRaised: boolean;
}

/** Where the window leaves less, the request is sent all the same: the model's own count decides. Tokens. */
const SMALLEST_REPLY = 1_024;
/** The smallest thinking budget that models take, tokens. */
const SMALLEST_THINKING = 1_024;
/** What a reply needs beside its thinking, tokens. */
const BESIDE_THINKING = 8_000;
/** The estimate may be too low by this. Smaller than the margin of budgets: too little room costs a cut reply. */
const MARGIN = 1.1;

/**
 * The request with an output limit that its model takes.
 * Contract: pure; the same object if nothing has to change.
 */
export function limitReply(request: ModelRequest, room: ReplyRoom): ModelRequest {
  const { thinking } = request;
  const thought = thinking?.type === 'enabled' ? thinking.budgetTokens + BESIDE_THINKING : 0;
  const wanted = Math.max(room.isRaised && room.most !== null ? room.most : request.maxTokens, thought);
  const possible = Math.min(wanted, room.most ?? wanted);
  const left = (tokens: number): number => Math.max(SMALLEST_REPLY, Math.floor(room.window - tokens * MARGIN));
  if (left(room.roughTokens) >= possible) return withMaxTokens(request, possible);
  return withMaxTokens(request, Math.min(possible, left(room.inputTokens())));
}

/** The request with another output limit. A thinking budget must stay below it: it is lowered, or left out. */
export function withMaxTokens(request: ModelRequest, maxTokens: number): ModelRequest {
  const { thinking } = request;
  if (thinking?.type !== 'enabled' || thinking.budgetTokens < maxTokens)
    return maxTokens === request.maxTokens ? request : { ...request, maxTokens };
  const budgetTokens = maxTokens - SMALLEST_REPLY;
  return {
    ...request,
    maxTokens,
    thinking: budgetTokens < SMALLEST_THINKING ? undefined : { ...thinking, budgetTokens },
  };
}

/** What became of a thinking budget, for a notice; null if it is as it was asked for. */
export function thinkingReduction(asked: ModelRequest, sent: ModelRequest): string | null {
  if (asked.thinking?.type !== 'enabled' || asked.thinking === sent.thinking) return null;
  const now = sent.thinking?.type === 'enabled' ? `lowered to ${sent.thinking.budgetTokens}` : 'left out';
  return `The thinking budget of ${asked.thinking.budgetTokens} tokens was ${now}: ${sent.model} gives at most ${sent.maxTokens} tokens here.`;
}
