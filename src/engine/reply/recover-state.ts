// What follows a request that failed for good, or a reply that only declines: another model, a shorter history, or the end; and
// the host's own choice of the model before each request. Two rules: what follows is another request, so none is sent twice as
// it was; what the host says is taken as it is, or the prompt ends.
import type { AssistantMessage } from '../../protocol/content.js';
import type { ModelError, ModelErrorKind, RefusedPart } from '../../protocol/errors.js';
import type { FallbackTrigger } from '../../protocol/model-options.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { type Draft, formatCount, type LoopDeps, type LoopState, totalTokens } from '../state/index.js';

/** Times a prompt that is too long is made shorter before it ends. */
const MAX_OVERFLOWS = 3;

/** The state of the next request; null if the prompt ends. */
export async function* recoverState(
  state: LoopState,
  request: ModelRequest,
  error: ModelError,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  if (error.refused !== null) {
    return yield* leaveOutRefused(state, request, error, deps);
  }
  if (isTooLong(error)) {
    const window = deps.contextWindow(request.model);
    const isLarger = (model: string) => deps.contextWindow(model) > window;
    const larger = yield* leaveModel(state, request.model, 'overflow', error.message, deps, isLarger);
    if (larger !== null) return larger;
    if (state.overflows >= MAX_OVERFLOWS) return null;
    return yield* deps.compactor.recoverFromOverflow({ ...state, overflows: state.overflows + 1 }, deps);
  }
  if (deps.fallback === null) return null;
  const trigger = triggerOf(error);
  return trigger === null ? null : yield* leaveModel(state, request.model, trigger, error.message, deps);
}

/** The refusal is withdrawn: the next model answers the same conversation. Null if there is none. */
export async function* leaveRefusal(
  state: LoopState,
  message: AssistantMessage,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  const reason = `${message.model} declined to answer.`;
  const other = yield* leaveModel(state, message.model, 'refusal', reason, deps);
  const refused = { type: 'system', original_model: message.model, request_id: message.request_id ?? null } as const;
  if (other === null) {
    yield { ...refused, subtype: 'model_refusal_no_fallback', content: `${reason} No other model is asked.` };
    return null;
  }
  yield {
    ...refused,
    subtype: 'model_refusal_fallback',
    trigger: 'refusal',
    direction: 'retry',
    fallback_model: other.model,
    content: `${reason} ${other.model} is asked in its place.`,
  };
  if (deps.includePartialMessages) yield { type: 'system', subtype: 'stream_reset', message_id: message.id, reason };
  return { ...other, tokensUsed: other.tokensUsed + totalTokens(message.usage) };
}

/** True if the request was longer than the model, or its API, takes. */
export function isTooLong(error: ModelError): boolean {
  return error.kind === 'context_overflow' || error.kind === 'request_too_large';
}

/** As `fallBack`. */
async function* leaveModel(...given: Parameters<typeof fallBack>): AsyncGenerator<Draft, LoopState | null> {
  if (given[4].fallback === null) return null;
  return yield* fallBack(...given);
}

// Which model is asked when one cannot answer: the next of an ordered chain, for the rest of the prompt. One rule: every
// switch is told, and so is every model of the chain that was passed over.

const TRIGGER_OF_KIND: Readonly<Record<ModelErrorKind, FallbackTrigger | null>> = {
  overloaded: 'overloaded',
  rate_limit: 'rate',
  quota: 'quota',
  authentication: 'auth',
  permission: 'auth',
  not_found: 'model_not_found',
  server: 'server',
  malformed: 'server',
  timeout: 'timeout',
  stream_idle: 'timeout',
  connection: 'connection',
  stream_cut: 'connection',
  context_overflow: 'overflow',
  request_too_large: 'overflow',
  // Would be refused again, or was not a failure.
  invalid_request: null,
  aborted: null,
};

/** Null for what no other model would mend. */
export function triggerOf(error: ModelError): FallbackTrigger | null {
  return TRIGGER_OF_KIND[error.kind];
}

/** True if the chain has a model left that this leads to. Says nothing of whether it can be asked. */
export function mayFallBack(state: LoopState, trigger: FallbackTrigger | null, { fallback }: LoopDeps): boolean {
  return fallback !== null && trigger !== null && fallback.on.has(trigger) && state.fallbacks < fallback.models.length;
}

/**
 * The state with the next model of the chain that can be asked; null if none is left.
 * @param from the model that did not answer
 * @param suits says no to models that would not help; absent: all would
 */
async function* fallBack(
  state: LoopState,
  from: string,
  trigger: FallbackTrigger,
  reason: string,
  deps: LoopDeps,
  suits: (model: string) => boolean = () => true,
): AsyncGenerator<Draft, LoopState | null> {
  const { fallback } = deps;
  if (fallback === null || !mayFallBack(state, trigger, deps)) return null;
  for (let at = state.fallbacks; at < fallback.models.length; at++) {
    const name = fallback.models[at] ?? '';
    const admitted = await fallback.admit(name);
    if (admitted.model === null) {
      yield skipped(name, admitted.reason);
      continue;
    }
    const { model } = admitted;
    if (model === from || model === fallback.primary || !suits(model)) continue;
    const declined =
      trigger === 'refusal' ? ((await fallback.confirmRefusal?.(from, model, deps.signal)) ?? null) : null;
    if (declined !== null) {
      yield skipped(name, declined);
      return null;
    }
    yield { type: 'system', subtype: 'model_changed', from, to: model, reason, trigger };
    return { ...state, model, fallbacks: at + 1, transition: 'model_fell_back' };
  }
  return null;
}

function skipped(name: string, reason: string): Draft {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'fallback_skipped',
    level: 'warning',
    message: `The fallback model ${name} was not asked: ${reason}`,
  };
}

// What follows when the API names the part of a request that it refuses: the same request without that part. One rule:
// each step takes something away, so it cannot go round for long, and each is told.

/** Requests in a row that may be refused for one of their parts. */
const MAX_REFUSALS = 5;

/**
 * The state from which the next request goes without what was refused; null if that is not known, or would change
 * nothing. Media and thinking are told by `history_repaired` with that request.
 */
async function* leaveOutRefused(
  state: LoopState,
  request: ModelRequest,
  error: ModelError,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  const { refused } = error;
  if (refused === null || state.refusals >= MAX_REFUSALS) return null;
  const isLess =
    refused.kind === 'max_tokens' ? lowerLimit(refused.limit, request, deps) : deps.leaveOut(request, refused);
  if (!isLess) return null;
  deps.log('refused_part_left_out', { part: refused.kind, error });
  const told = noticeOf(refused, request, error);
  if (told !== null) yield told;
  return { ...state, refusals: state.refusals + 1, transition: 'refused_part_left_out' };
}

/** Told once: a value is asked for through a tool from here on. */
export function schemaNotice(why: string): Draft {
  return notice(
    'output_schema_refused',
    `The answer is asked for through a tool, not as text that the model's API holds to the schema: ${why}`,
  );
}

function notice(code: NoticeCode, message: string): Draft {
  return { type: 'system', subtype: 'notice', code, level: 'info', message };
}

function lowerLimit(limit: number, request: ModelRequest, deps: LoopDeps): boolean {
  if (limit < 1 || limit >= request.maxTokens) return false;
  deps.learnOutputLimit(request.model, limit);
  return true;
}

function noticeOf(refused: RefusedPart, request: ModelRequest, error: ModelError): Draft | null {
  switch (refused.kind) {
    case 'output_schema':
      return schemaNotice(error.message);
    case 'max_tokens':
      return notice(
        'output_limit_lowered',
        `Replies of ${request.model} are limited to ${formatCount(refused.limit)} tokens from here on: its API takes no more.`,
      );
    case 'thinking_mode': {
      const now = request.thinking?.type === 'enabled' ? 'adaptive, without a budget' : 'left out';
      return notice('thinking_reduced', `Thinking of ${request.model} is ${now} from here on: ${error.message}`);
    }
    case 'effort':
      return notice('option_without_effect', `effort has no effect on ${request.model}: ${error.message}`);
    case 'media':
    case 'thinking':
      return null;
    default:
      return refused satisfies never;
  }
}

/** The state with the model of its next request. @throws ModelDecisionFailure */
export async function* decideModel(
  state: LoopState,
  what: 'turn' | 'compact',
  { decideModel: decide, namedModel: named }: LoopDeps,
): AsyncGenerator<Draft, LoopState> {
  if (decide === null) return followModel(state, named);
  const { model, parameters, ignored } = await decide(what, state.model);
  if (ignored.length > 0) yield unknownParameters(ignored);
  if (model !== state.model && what === 'turn') {
    const reason = 'resolveModel named it.';
    yield { type: 'system', subtype: 'model_changed', from: state.model, to: model, reason, trigger: 'resolve_model' };
  }
  return { ...state, model, parameters };
}

function unknownParameters(names: readonly string[]): Draft {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'option_without_effect',
    level: 'warning',
    message: `resolveModel gave parameters that have no effect: ${names.join(', ')}. Known ones: contextWindow, reasoningEffort.`,
  };
}

// Which model the next request is for, if the user named it, and how a prompt ends if none can be named.

/** No model was named, or none that can be used. Thrown through the loop, which ends the prompt with `failure`. */
export class ModelDecisionFailure extends Error {
  readonly failure: Error;

  constructor(failure: Error) {
    super(failure.message, { cause: failure });
    this.name = 'ModelDecisionFailure';
    this.failure = failure;
  }
}

/**
 * The state with the model that was named since, if another was: what is sent, and what is known of its window and
 * its limits, must be of one model. A model that answers in place of the named one stays until another is named.
 */
export function followModel(state: LoopState, namedModel: LoopDeps['namedModel']): LoopState {
  const named = namedModel();
  return named === null || named === state.named ? state : { ...state, model: named, named };
}

/** What the model of the next request takes, tokens. */
export function windowOf({ model, parameters }: LoopState, contextWindow: (model: string) => number): number {
  return parameters?.contextWindow ?? contextWindow(model);
}
