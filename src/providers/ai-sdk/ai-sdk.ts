// Model objects of the AI SDK, of specification v2, v3 and v4, as a Provider. Nothing of that SDK is needed: the object is
// used by its shape. Keys, addresses and headers are its own.
import type { HostClock } from '../../host/host.js';
import type { ModelEvent } from '../../protocol/content.js';
import { ConfigError, ModelError, type ModelErrorKind } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { classifyEvent as classifyMessagesEvent } from '../anthropic/index.js';
import type { AttemptLimits, Provider } from '../contract/index.js';
import {
  cleanText,
  createWatchdog,
  type EventVerdict,
  readLimitState,
  silenceError,
  type Watchdog,
} from '../http/index.js';
import { classifyEvent, classifyResponse, createCallIds, createWireNames, requestIdOf } from '../openai/index.js';
import { callOptions, createPromptWriter, type PromptWriter } from './call-options.js';
import { type AiSdkLanguageModel, checkAiSdkModel, type Fields, namespaceOf } from './language-model.js';
import { createPartReader, type PartReader } from './read-parts.js';

const TOOL_NAME_LENGTH = 64;

/**
 * A provider that asks one model object, whatever model a request names.
 * Contract: `doStream` is called once a request; no retry of the SDK takes part. Its abort signal is aborted when the
 * attempt is over. Throws `ConfigError` if the object is no language model of a known version.
 */
export function createAiSdkProvider(model: AiSdkLanguageModel, clock: HostClock): Provider {
  checkAiSdkModel(model);
  const ids = createCallIds();
  const names = createWireNames(TOOL_NAME_LENGTH);
  let writing: Promise<PromptWriter> | null = null;
  const writer = () => {
    // Some objects say it at once, some later, some not at all.
    const supported = Promise.resolve('supportedUrls' in model ? model.supportedUrls : undefined);
    writing ??= supported.catch(() => undefined).then((urls) => createPromptWriter(model, names, urls));
    return writing;
  };

  return {
    id: namespaceOf(model),
    stream(request, limits, signal) {
      let reader: PartReader | null = null;
      let requestId: string | null = null;
      return new PartStream({
        async open(stop) {
          const prompts = await writer();
          for (const { content } of request.messages) {
            if (typeof content === 'string') continue;
            for (const block of content) if (block.type === 'tool_use') ids.note(block.id);
          }
          const options = callOptions(model, request, prompts, names, stop);
          const answer: unknown = await model.doStream(options as never);
          const { stream, response } = isRecord(answer) ? answer : {};
          const header = headerOf(response);
          requestId = requestIdOf(header, []);
          const state = limits.onLimitState === undefined ? null : readLimitState(header, clock);
          if (state !== null) limits.onLimitState?.(state);
          return sourceOf(stream);
        },
        decode(part, push) {
          if (reader === null) {
            reader = createPartReader(model, { ids, names }, push);
            reader.setRequestId(requestId);
          }
          return reader.read(part);
        },
        classify: (error) => classifyAiSdkError(error, model.provider, clock, reader !== null),
        limits,
        clock,
        signal,
      });
    },
  };
}

function headerOf(response: unknown): (name: string) => string | null {
  const headers = isRecord(response) && isRecord(response['headers']) ? response['headers'] : {};
  return (name) => {
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
    return typeof found?.[1] === 'string' ? found[1] : null;
  };
}

/** What a `ReadableStream` of any runtime gives. */
function sourceOf(stream: unknown): PartSource {
  if (typeof stream !== 'object' || stream === null || !('getReader' in stream)) {
    throw new ConfigError('The model object gave no stream.');
  }
  const reader = (stream as ReadableStream<unknown>).getReader();
  return {
    read: () => reader.read(),
    cancel() {
      reader.cancel().catch(() => undefined); // it failed already, which was told
    },
  };
}

// Errors of models of the AI SDK as ModelErrors, by what they say of themselves. Rule: what they would not send again is
// not sent again; how often the rest is, is the engine's business.

/** Errors by their names, those of the AI SDK; `NAME` is written `AI_NAME`. */
const KIND_BY_NAME: ReadonlyMap<string, ModelErrorKind> = new Map([
  ['AI_LoadAPIKeyError', 'authentication'],
  ['AI_LoadSettingError', 'invalid_request'],
  ['AI_NoSuchModelError', 'not_found'],
  ['AI_InvalidPromptError', 'invalid_request'],
  ['AI_InvalidArgumentError', 'invalid_request'],
  ['AI_UnsupportedFunctionalityError', 'invalid_request'],
  ['AI_JSONParseError', 'malformed'],
  ['AI_TypeValidationError', 'malformed'],
  ['AI_InvalidResponseDataError', 'malformed'],
  ['AI_EmptyResponseBodyError', 'malformed'],
  ['AI_NoContentGeneratedError', 'malformed'],
  // Of the platform: a limit of time that the object has of its own.
  ['TimeoutError', 'timeout'],
]);

/** @param provider as the model names it @param hasBegun true if parts of the reply came */
function classifyAiSdkError(
  error: unknown,
  provider: string,
  clock: Pick<HostClock, 'now'>,
  hasBegun: boolean,
): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof ConfigError) return new ModelError('invalid_request', error.message, { cause: error });
  const context = {
    secrets: [],
    keyAdvice: `Check the key of the provider "${provider}" in the code that makes its model.`,
  };
  if (!isRecord(error))
    return classifyEvent(typeof error === 'string' ? error : JSON.stringify(error ?? null), context);
  const { statusCode: status, isRetryable } = error;
  if (typeof status === 'number') {
    const headers = lowerCase(error['responseHeaders']);
    const response = { status, header: (name: string) => headers.get(name.toLowerCase()) ?? null, text: bodyOf(error) };
    return withTheirWord(classifyResponse(response, clock, context), isRetryable, error);
  }
  const kind = KIND_BY_NAME.get(String(error['name']));
  const text = `The model of ${provider} failed: ${cleanText(errorText(error), [])}.`;
  if (kind !== undefined) return new ModelError(kind, text, { cause: error });
  if (isRetryable === true || isNetwork(error)) {
    return new ModelError(hasBegun ? 'stream_cut' : 'connection', text, { cause: error });
  }
  if (isRetryable === false || error instanceof TypeError)
    return new ModelError('invalid_request', text, { cause: error });
  if (error instanceof Error) return new ModelError('server', text, { cause: error });
  // An event of the server as it came: in the words of one family of APIs or the other.
  const told = classifyEvent(JSON.stringify(error), context);
  return told.kind === 'server' ? classifyMessagesEvent(JSON.stringify({ error }), []) : told;
}

/** A failure that they call final is final. That they would try again is no reason to. */
function withTheirWord(error: ModelError, isRetryable: unknown, cause: unknown): ModelError {
  if (isRetryable !== false || !error.retryable) return error;
  const { status, requestId, retryAfterMs, refused } = error;
  return new ModelError(error.kind, error.message, {
    status,
    requestId,
    retryAfterMs,
    refused,
    retryable: false,
    cause,
  });
}

function bodyOf(error: Fields): string {
  const { responseBody, data, message } = error;
  if (typeof responseBody === 'string' && responseBody !== '') return responseBody;
  return data === undefined ? String(message ?? '') : (JSON.stringify(data) ?? '');
}

function lowerCase(headers: unknown): ReadonlyMap<string, string> {
  const entries = isRecord(headers) ? Object.entries(headers) : [];
  return new Map(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : [])));
}

/** `fetch failed`, or a code of the system, in the error or in what it wraps. */
function isNetwork(error: Fields): boolean {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 4; depth++, at = at['cause']) {
    if (/^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(String(at['code'] ?? ''))) return true;
    if (/fetch failed|network|socket hang up|terminated/i.test(String(at['message'] ?? ''))) return true;
  }
  return false;
}

// One attempt at a model of the AI SDK: asked once, its parts read one by one, events out. Rule: it ends in exactly one
// way, within the limits or at an abort, whatever the model does; and then the model is told to stop.

/** A stream of parts as far as it is read: that of `ReadableStream`. */
export interface PartSource {
  read(): PromiseLike<{ readonly done?: boolean; readonly value?: unknown }>;
  /** Contract: never throws. */
  cancel(): void;
}

export interface PartStreamPlan {
  /** Asks the model. The signal is aborted when the attempt is over, however it ended. */
  readonly open: (signal: AbortSignal) => Promise<PartSource>;
  /** Translates one part. Throws what the part says went wrong. */
  readonly decode: (part: unknown, push: (event: ModelEvent) => void) => EventVerdict;
  /** What a thrown value means. */
  readonly classify: (error: unknown) => ModelError;
  readonly limits: AttemptLimits;
  readonly clock: Pick<HostClock, 'after' | 'monotonic'>;
  readonly signal: AbortSignal;
}

/** Parts read before timers and aborts get their turn: a model may give parts for ever without once waiting. */
const READS_IN_A_ROW = 256;

type Result = IteratorResult<ModelEvent, undefined>;

/**
 * Starts when its first event is asked for; can be iterated once.
 * Contract: as `Provider.stream`.
 */
export class PartStream implements AsyncIterableIterator<ModelEvent, undefined> {
  readonly #plan: PartStreamPlan;
  readonly #stop = new AbortController();
  readonly #push = (event: ModelEvent) => void this.#events.push(event);
  readonly #onAbort = () => this.#fail(new ModelError('aborted', 'The request was aborted.'), true);
  #events: ModelEvent[] = [];
  #at = 0;
  #source: PartSource | null = null;
  #watchdog: Watchdog | null = null;
  #error: ModelError | null = null;
  #state: 'new' | 'open' | 'done' = 'new';
  #reads = 0;
  /** Rejects the step that is waited for. */
  #interrupt: ((error: ModelError) => void) | null = null;

  constructor(plan: PartStreamPlan) {
    this.#plan = plan;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    if (this.#state === 'new') this.#start();
    this.#watchdog?.proceed();
    for (;;) {
      const event = this.#events[this.#at];
      if (event !== undefined) {
        this.#at++;
        this.#watchdog?.hold();
        return { value: event, done: false };
      }
      this.#events = [];
      this.#at = 0;
      if (this.#error !== null) {
        const error = this.#error;
        this.#error = null;
        throw error;
      }
      if (this.#state === 'done') return { value: undefined, done: true };
      await this.#step().catch((error: unknown) => this.#fail(this.#plan.classify(error), false));
    }
  }

  async return(): Promise<Result> {
    this.#finish();
    this.#events = [];
    this.#error = null;
    return { value: undefined, done: true };
  }

  #start(): void {
    this.#state = 'open';
    const { signal, limits, clock } = this.#plan;
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#watchdog = createWatchdog(clock, limits, (silence) => this.#fail(silenceError(silence, limits), false));
  }

  /** Reads until there is something to tell. */
  async #step(): Promise<void> {
    this.#source ??= await this.#within(this.#open());
    if (++this.#reads % READS_IN_A_ROW === 0) await this.#within(new Promise<void>((resolve) => setImmediate(resolve)));
    if (this.#isOver()) return;
    const { done, value } = await this.#within(this.#source.read());
    if (this.#isOver()) return;
    if (done === true) throw new ModelError('stream_cut', 'The reply ended in the middle.');
    this.#watchdog?.hear();
    const verdict = this.#plan.decode(value, this.#push);
    if (verdict === 'silence') return;
    this.#watchdog?.progress();
    if (verdict === 'done') this.#finish();
  }

  /** Also said while a step waits, so no fact that holds through it. */
  #isOver(): boolean {
    return this.#state === 'done';
  }

  async #open(): Promise<PartSource> {
    const source = await this.#plan.open(this.#stop.signal);
    // What comes too late is not left open.
    if (this.#state === 'done') source.cancel();
    return source;
  }

  /** No race with a promise that lives on: each would be kept by it. */
  #within<T>(waited: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = reject;
      waited.then(resolve, reject);
    });
  }

  /** @param isAbort what was not told yet is dropped */
  #fail(error: ModelError, isAbort: boolean): void {
    if (this.#state === 'done') return;
    if (isAbort) {
      this.#events = [];
      this.#at = 0;
    }
    this.#error = error;
    this.#finish();
    this.#interrupt?.(error);
  }

  #finish(): void {
    this.#state = 'done';
    this.#watchdog?.stop();
    this.#plan.signal.removeEventListener('abort', this.#onAbort);
    this.#source?.cancel();
    this.#stop.abort();
  }
}
