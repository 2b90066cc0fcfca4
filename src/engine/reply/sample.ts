// One model reply: sends the request, streams it, and owns every retry of it. What to do about a failure is decided here and
// nowhere else. A failed attempt's output is withdrawn and never reaches the history.
import { type AssistantMessage, EMPTY_USAGE, type ModelEvent } from '../../protocol/content.js';
import type { SDKAssistantMessageError } from '../../protocol/envelope.js';
import { ModelError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { LimitState, ModelRequest } from '../../providers/contract/index.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { only, type Parts, relay, tellEach } from '../../util/relay.js';
import { errorText } from '../../util/text.js';
import { createEarlyCalls, type EarlyCalls } from '../calls/index.js';
import type { Draft, LoopDeps } from '../state/index.js';
import { createReplyAssembler, type Reply } from './assemble-reply.js';

const GAVE_UP = 'The model provider gave the request up, though nobody ended it.';
const CUT_REPLY = 'The stream of the reply ended before the reply did.';

/** A whole reply, and the calls of it that started with their block. */
export interface Sample extends Reply {
  readonly started: EarlyCalls['started'];
}

export type Sampled =
  | { readonly kind: 'reply'; readonly reply: Sample }
  | { readonly kind: 'aborted'; readonly partial: AssistantMessage | null }
  | { readonly kind: 'failed'; readonly error: ModelError }
  /** What was planned no longer fits the budget that is shared with others. */
  | { readonly kind: 'unaffordable' };

/**
 * Yields stream events and retry announcements; returns the whole reply, or why there is none. `isWrapUp`: the request
 * is the last summary, for which money is kept. `isLeft`: another model is asked if this one goes on failing so, which
 * is better than to wait for as long as `retryHorizonMs` allows.
 */
export function sample(...given: Parameters<typeof sampleParts>): AsyncGenerator<Draft, Sampled> {
  return relay(sampleParts(...given));
}

/** The same in parts, for a loop that relays its own. */
export async function* sampleParts(
  request: ModelRequest,
  deps: LoopDeps,
  isWrapUp = false,
  isLeft: (error: ModelError) => boolean = () => false,
): Parts<Draft, Sampled> {
  let firstFailureAt: number | null = null;
  let overloads = 0;
  let isLimited = false;
  for (let attempt = 1; ; attempt++) {
    const reservation = deps.spending.reserve(request, isWrapUp);
    if (reservation === null) return { kind: 'unaffordable' };
    const assembler = createReplyAssembler();
    const heard = hearLimits(deps);
    const early = createEarlyCalls(deps, !isWrapUp);
    const startedAt = deps.host.clock.monotonic();
    deps.log('model_request', {
      model: request.model,
      messages: request.messages.length,
      maxTokens: request.maxTokens,
      attempt,
    });
    let error: ModelError | null = null;
    let firstEventMs: number | null = null;
    let finished: Reply | null = null;
    if (deps.includePartialMessages) yield only({ type: 'system', subtype: 'status', status: 'requesting' });
    const tellEnd = deps.activity?.requestBegan(request, attempt);
    try {
      const onFirst = () => {
        firstEventMs = deps.host.clock.monotonic() - startedAt;
        return firstEventMs;
      };
      yield () =>
        streamed(deps.provider.stream(request, heard.limits, deps.signal), { assembler, early, deps, onFirst });
      // Whatever a provider takes for an end: half a reply is none, and nothing of it runs.
      if (!assembler.isWhole) throw new ModelError('stream_cut', CUT_REPLY);
    } catch (thrown) {
      error = asModelError(thrown, deps.signal);
    } finally {
      // Also if the consumer stops listening: what was sent is paid for.
      const usage = assembler.usage ?? EMPTY_USAGE;
      reservation.settle(deps.spending.costUsd(request.model, usage));
      const durationMs = deps.host.clock.monotonic() - startedAt;
      deps.recordRequest({ model: request.model, usage, durationMs, firstEventMs });
      if (tellEnd !== undefined) {
        if (error === null && assembler.isWhole) finished = assembler.finish();
        tellEnd({ usage, reply: finished?.message ?? null, error });
      }
    }
    for (const draft of heard.news()) yield only(draft);
    if (error === null && isLimited) yield only({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } });
    if (error === null)
      return { kind: 'reply', reply: { ...(finished ?? assembler.finish()), started: early.started } };
    early.withdraw();
    const partial = assembler.partial();
    if (deps.signal.aborted) return { kind: 'aborted', partial };

    if (deps.includePartialMessages && assembler.messageId !== null) {
      const { messageId } = assembler;
      yield only({ type: 'system', subtype: 'stream_reset', message_id: messageId, reason: error.message });
    }
    const failedAt = deps.host.clock.monotonic();
    firstFailureAt ??= failedAt;
    const now = deps.host.clock.now();
    if (error.kind === 'rate_limit' || error.kind === 'quota') {
      isLimited = true;
      yield only(limitReached(error, now));
    }
    const isLast = !isLeft(error);
    const patience = isLast ? deps.limits : { ...deps.limits, retryHorizonMs: 0 };
    const failingMs = failedAt - firstFailureAt;
    const waits = isLast && deps.waitsUntilReset;
    overloads = error.kind === 'overloaded' ? overloads + 1 : 0;
    const isEnough = !isLast && overloads >= (deps.fallback?.overloads ?? Number.POSITIVE_INFINITY);
    const recovery = recoverFrom(error, attempt, patience, deps.host.ids.random(), failingMs, waits);
    if (isEnough || recovery.kind === 'give_up') return { kind: 'failed', error };
    yield only(retryMessage(error, attempt, deps.limits.maxRetries, recovery.delayMs));
    if (!(await wait(recovery.delayMs, deps))) return { kind: 'aborted', partial: null };
  }
}

interface Streaming {
  readonly assembler: ReturnType<typeof createReplyAssembler>;
  readonly early: EarlyCalls;
  readonly deps: LoopDeps;
  /** The first event is there. @returns milliseconds since the request began */
  onFirst(): number;
}

/** What a stream tells, on its way into the reply. Each of many thousand deltas passes here, so it is short. */
function streamed(
  events: AsyncIterable<ModelEvent>,
  { assembler, early, deps, onFirst }: Streaming,
): AsyncGenerator<Draft, void> {
  const thinking = countThinking();
  const source = events[Symbol.asyncIterator]();
  let firstMs: number | null = null;
  return tellEach<IteratorResult<ModelEvent>, Draft, void>({
    ask() {
      if (firstMs !== null && deps.signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
      return source.next();
    },
    tell(step, further) {
      if (step.done) return { value: undefined, done: true };
      const event = step.value;
      firstMs ??= onFirst();
      if (!assembler.push(event)) return null;
      if (event.type === 'content_block_stop') early.consider(assembler.closedCall(event.index));
      if (!deps.includePartialMessages) return null;
      const thought = thinking(event);
      if (thought !== null) further.push(thought);
      const value: Draft =
        event.type === 'message_start'
          ? { type: 'stream_event', event, ttft_ms: Math.round(firstMs) }
          : { type: 'stream_event', event };
      return { value, done: false };
    },
    leave: () => source.return?.(),
  });
}

/** A provider throws `ModelError` only; anything else is a fault of the provider, told as such and not retried. */
function asModelError(thrown: unknown, { aborted }: AbortSignal): ModelError {
  if (thrown instanceof ModelError) {
    if (thrown.kind !== 'aborted' || aborted) return thrown;
    return new ModelError('timeout', `${GAVE_UP} ${thrown.message}`, { cause: thrown });
  }
  return new ModelError('invalid_request', `The model provider failed: ${errorText(thrown)}`, { cause: thrown });
}

/** The limits of one attempt, and what its response says of those of the account. */
function hearLimits(deps: LoopDeps) {
  const events: Draft[] = [];
  const onLimitState = (state: LimitState) => {
    const news = deps.limitWatch.see(state, deps.host.clock.now());
    if (news !== null) events.push({ type: 'rate_limit_event', rate_limit_info: news });
  };
  // No copy of all limits: that takes 18 us.
  const { requestTimeoutMs, streamIdleMs, contentIdleMs } = deps.limits;
  return { limits: { requestTimeoutMs, streamIdleMs, contentIdleMs, onLimitState }, news: () => events };
}

/** False if the wait was aborted. */
async function wait(delayMs: number, deps: LoopDeps): Promise<boolean> {
  if (delayMs <= 0) return !deps.signal.aborted;
  let cancel: () => void = () => undefined;
  const waited = new Promise<void>((resolve) => {
    cancel = deps.host.clock.after(delayMs, resolve);
  });
  const ended = await raceAbort(waited, deps.signal);
  cancel();
  return ended !== ABORTED;
}

// How much a model has thought by now, for who watches a reply being written.

/** Told once so many tokens are new, and at the end of a block. */
const TOLD_EVERY = 100;
const CHARACTERS_PER_TOKEN = 4;

/** For one attempt of one request. Takes each event of it, and gives what is to be told, mostly null. */
function countThinking(): (event: ModelEvent) => Draft | null {
  let characters = 0;
  let told = 0;
  return (event) => {
    const isThought = event.type === 'content_block_delta' && event.delta.type === 'thinking_delta';
    if (isThought) characters += event.delta.thinking.length;
    else if (event.type !== 'content_block_stop') return null;
    const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const delta = tokens - told;
    if (delta === 0 || (isThought && delta < TOLD_EVERY)) return null;
    told = tokens;
    return { type: 'system', subtype: 'thinking_tokens', estimated_tokens: tokens, estimated_tokens_delta: delta };
  };
}

type Recovery = { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'give_up' };

/** Beyond the number of retries, only time limits them; then they must not come without a pause. */
const SHORTEST_PATIENT_DELAY_MS = 1_000;
/** A reset further away is not waited for: no timer holds it. Twenty days. */
const LONGEST_RESET_MS = 20 * 86_400_000;
const RESET_SPREAD_MS = 5_000;

/**
 * Decides what follows a failed attempt. Pure.
 * @param attempt attempts made so far in this request, at least 1
 * @param random a number in [0, 1), for jitter
 * @param failingMs time since the first attempt of this request failed
 * @param waitsUntilReset a limit whose reset the server names is waited for, however long that is
 */
export function recoverFrom(
  error: ModelError,
  attempt: number,
  limits: EngineLimits,
  random: number,
  failingMs: number,
  waitsUntilReset = false,
): Recovery {
  const resetMs = waitsUntilReset ? resetOf(error) : null;
  if (resetMs !== null && attempt <= Math.max(1, limits.maxRetries)) {
    // Not all who wait come back in the same moment.
    return { kind: 'retry', delayMs: Math.ceil(resetMs + random * RESET_SPREAD_MS) };
  }
  const leftMs = limits.retryHorizonMs - failingMs;
  const delayMs = retryDelayMs(error, attempt, limits, random, leftMs);
  if (delayMs === null) return { kind: 'give_up' };
  if (attempt <= limits.maxRetries) return { kind: 'retry', delayMs };
  const patientDelayMs = Math.max(delayMs, SHORTEST_PATIENT_DELAY_MS);
  return patientDelayMs <= leftMs ? { kind: 'retry', delayMs: patientDelayMs } : { kind: 'give_up' };
}

/** When a limit is over that was reached, milliseconds; null for other failures, or if the server did not say. */
function resetOf({ kind, retryAfterMs }: ModelError): number | null {
  if ((kind !== 'rate_limit' && kind !== 'quota') || retryAfterMs === null) return null;
  return retryAfterMs <= LONGEST_RESET_MS ? retryAfterMs : null;
}

/** The name the published SDKs have for a failure. */
export function assistantErrorOf(error: ModelError): SDKAssistantMessageError {
  switch (error.kind) {
    case 'authentication':
    case 'permission':
      return 'authentication_failed';
    case 'quota':
      return 'billing_error';
    case 'rate_limit':
      return 'rate_limit';
    case 'overloaded':
      return 'overloaded';
    case 'not_found':
      return 'model_not_found';
    case 'invalid_request':
    case 'context_overflow':
    case 'request_too_large':
      return 'invalid_request';
    case 'connection':
    case 'timeout':
    case 'stream_cut':
    case 'stream_idle':
    case 'malformed':
    case 'server':
      return 'server_error';
    case 'aborted':
      return 'unknown';
    default:
      return error.kind satisfies never;
  }
}

/** What is told of a limit that was reached. */
function limitReached({ retryAfterMs, limitType }: ModelError, now: number): Draft {
  const resetsAt = retryAfterMs === null ? null : Math.ceil((now + retryAfterMs) / 1_000);
  return {
    type: 'rate_limit_event',
    rate_limit_info: {
      status: 'rejected',
      ...(resetsAt === null ? {} : { resetsAt }),
      ...(limitType === null ? {} : { rateLimitType: limitType }),
    },
  };
}

/** What is told of an attempt that failed before the next one is made. */
function retryMessage(error: ModelError, attempt: number, maxRetries: number, delayMs: number): Draft {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: error.status,
    error: assistantErrorOf(error),
    reason: error.kind,
    message: error.message,
  };
}

// How long to wait before a failed request is sent again. Pure; who retries, and how often, is the engine's business.

/** A server that asks for a longer wait than this is not waited for, unless the caller has more patience. */
const MAX_RETRY_AFTER_MS = 60_000;

const JITTER = 0.25;

/**
 * The wait before the next attempt, milliseconds, or null if there should be none.
 * Doubles with each attempt, spread by 25 % either way, never above `retryMaxMs`; a wait the server asked for counts
 * instead of it.
 * @param attempt attempts made so far, at least 1
 * @param random a number in [0, 1)
 * @param patienceMs the longest wait that a server may ask for
 */
export function retryDelayMs(
  error: ModelError,
  attempt: number,
  limits: { readonly retryBaseMs: number; readonly retryMaxMs: number },
  random: number,
  patienceMs: number = MAX_RETRY_AFTER_MS,
): number | null {
  if (!error.retryable) return null;
  const asked = error.retryAfterMs;
  if (asked !== null && asked > Math.max(patienceMs, MAX_RETRY_AFTER_MS)) return null;
  if (asked !== null && asked > 0) return Math.ceil(asked);
  // The spread lies around a lower middle at the top, so the limit holds and waits still differ there.
  const middle = Math.min(limits.retryBaseMs * 2 ** (attempt - 1), limits.retryMaxMs / (1 + JITTER));
  return Math.round(middle * (1 - JITTER + 2 * JITTER * random));
}
