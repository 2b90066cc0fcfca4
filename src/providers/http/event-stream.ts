// One attempt of one request: POST, response head, server-sent events, values out. Shared by every HTTP provider.
// Rule: it ends in exactly one way, and then nothing of it is left: no timer, no listener, no socket in use.
import type { HostClock } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import type { AttemptLimits, LimitState } from '../contract/index.js';
import type { HttpExchange, HttpRequest, HttpTransport, ReadHeader, ResponseSink } from './http-exchange.js';
import { type EventSink, SseReader } from './sse-reader.js';
import { createWatchdog, silenceError, type Watchdog } from './watchdog.js';

/**
 * What an event meant for the stream: it brought content, it is a mere sign of life, it was the last one, or it says that
 * the reply failed, which a promise tells.
 */
export type EventVerdict = 'progress' | 'silence' | 'done' | Promise<ModelError>;

/** A response that is not a stream of events: a failure by status, or a 2xx with some other body. */
export interface PlainResponse {
  readonly status: number;
  readonly header: ReadHeader;
  /** The beginning of the body, at most 64 KB. */
  readonly text: string;
}

export interface EventStreamPlan<T> {
  /** Called once, when the first value is asked for. */
  readonly transport: () => Promise<HttpTransport>;
  /** Called once, just before it is sent. */
  readonly request: () => HttpRequest;
  readonly limits: AttemptLimits;
  readonly clock: Pick<HostClock, 'after' | 'monotonic' | 'now'>;
  readonly signal: AbortSignal;
  /** Translates one event. Throws `ModelError` if it is an error or breaks the protocol. */
  readonly decode: (data: string, event: string | undefined, push: (value: T) => void) => EventVerdict;
  readonly classify: (response: PlainResponse) => ModelError | Promise<ModelError>;
  /** Told of the response before the first event. */
  readonly onHead?: (header: ReadHeader) => void;
  /** Asked if the body is over and no event was the last one: true if that is a normal end of this API. */
  readonly atEnd?: (push: (value: T) => void) => boolean;
}

const MAX_EVENT_CHARS = 64 * 1024 * 1024;
const MAX_PLAIN_BYTES = 64 * 1024;
/** How long the body of a failure may take; its status alone says enough. */
const PLAIN_BODY_MS = 3_000;
/** Bytes read ahead of a slow consumer before the socket is paused. */
const MAX_READ_AHEAD_BYTES = 1024 * 1024;

/**
 * Starts when its first value is asked for; can be iterated once.
 * Contract: as `Provider.stream`. Values that arrived before a failure come out before it, except on abort.
 */
export function streamEvents<T>(plan: EventStreamPlan<T>): AsyncIterableIterator<T, undefined> {
  return new EventStream(plan);
}

class EventStream<T> implements AsyncIterableIterator<T, undefined>, ResponseSink, EventSink {
  readonly #plan: EventStreamPlan<T>;
  readonly #queue: PullQueue<T>;
  readonly #push: (value: T) => void;
  readonly #onAbort = () => this.#close('cancel', new ModelError('aborted', 'The request was aborted.'));
  #state: 'new' | 'open' | 'closed' = 'new';
  #exchange: HttpExchange | null = null;
  #watchdog: Watchdog | null = null;
  #reader: EventReader | PlainReader | null = null;
  #readAhead = 0;

  constructor(plan: EventStreamPlan<T>) {
    this.#plan = plan;
    this.#queue = new PullQueue<T>(() => this.#onDrained());
    this.#push = (value) => this.#queue.push(value);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#state === 'new') this.#open();
    return this.#queue.next();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#close('cancel', null);
    this.#queue.discard();
    return Promise.resolve({ value: undefined, done: true });
  }

  #open(): void {
    this.#state = 'open';
    const { signal, limits, clock } = this.#plan;
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#watchdog = createWatchdog(clock, limits, (silence) => this.#close('cancel', silenceError(silence, limits)));
    this.#plan.transport().then(
      (transport) => this.#send(transport),
      (error) => this.#close('cancel', new ModelError('connection', errorText(error), { cause: error })),
    );
  }

  #send(transport: HttpTransport): void {
    if (this.#state === 'closed') return;
    try {
      this.#exchange = transport.send(this.#plan.request(), this);
    } catch (error) {
      const text = `The request could not be written: ${errorText(error)}`;
      this.#close(
        'cancel',
        error instanceof ModelError ? error : new ModelError('invalid_request', text, { cause: error }),
      );
    }
  }

  head(status: number, header: ReadHeader): void {
    const type = header('content-type') ?? '';
    const isStream = status >= 200 && status < 300 && !/json|html/i.test(type);
    if (isStream) {
      this.#plan.onHead?.(header);
      this.#tellLimits(header);
    }
    this.#reader = isStream
      ? new EventReader(status, header, this)
      : new PlainReader(status, header, this.#plan.clock, (response) => this.#refuse(response));
  }

  #tellLimits(header: ReadHeader): void {
    const { limits, clock } = this.#plan;
    if (limits.onLimitState === undefined) return;
    const state = readLimitState(header, clock);
    if (state !== null) limits.onLimitState(state);
  }

  data(chunk: Uint8Array): void {
    if (this.#state === 'closed') return;
    this.#watchdog?.hear();
    try {
      this.#reader?.feed(chunk);
    } catch (error) {
      this.#close('cancel', asModelError(error));
    }
    if (this.#queue.isEmpty) {
      this.#readAhead = 0;
      return;
    }
    this.#readAhead += chunk.length;
    if (this.#readAhead > MAX_READ_AHEAD_BYTES) {
      this.#exchange?.pause();
      this.#watchdog?.hold();
    }
  }

  end(): void {
    const reader = this.#reader;
    if (reader instanceof PlainReader) {
      reader.finish();
      return;
    }
    try {
      reader?.finish();
    } catch (error) {
      this.#close('none', asModelError(error));
    }
    const plain = reader?.plainResponse() ?? null;
    if (plain !== null) this.#refuse(plain);
    else this.#endWithoutLastEvent();
  }

  #endWithoutLastEvent(): void {
    if (this.#state === 'closed') return;
    try {
      const isNormal = this.#plan.atEnd?.(this.#push) ?? false;
      const error = new ModelError('stream_cut', 'The reply ended before its last event arrived.');
      this.#close('none', isNormal ? null : error);
    } catch (error) {
      this.#close('none', asModelError(error));
    }
  }

  fail(describe: () => ModelError | Promise<ModelError>): void {
    // The status of a failure is worth more than how its body broke off.
    if (this.#reader instanceof PlainReader) this.#reader.finish();
    else this.#close('none', describe());
  }

  event(data: string, event: string | undefined): void {
    if (this.#state === 'closed') return;
    const verdict = this.#plan.decode(data, event, this.#push);
    if (verdict === 'progress') this.#watchdog?.progress();
    else if (verdict === 'done') this.#close('release', null);
    else if (verdict !== 'silence') this.#close('cancel', verdict);
  }

  #refuse(response: PlainResponse): void {
    if (this.#state !== 'closed') this.#close('release', this.#plan.classify(response));
  }

  #onDrained(): void {
    if (this.#readAhead > MAX_READ_AHEAD_BYTES && this.#state === 'open') {
      this.#watchdog?.proceed();
      this.#exchange?.resume();
    }
    this.#readAhead = 0;
  }

  /** The one way out. Contract: only the first call has an effect; the connection does not wait for what failed. */
  #close(connection: 'release' | 'cancel' | 'none', error: ModelError | Promise<ModelError> | null): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#watchdog?.stop();
    this.#plan.signal.removeEventListener('abort', this.#onAbort);
    if (this.#reader instanceof PlainReader) this.#reader.stop();
    this.#reader = null;
    if (connection === 'release') this.#exchange?.release();
    if (connection === 'cancel') this.#exchange?.cancel();
    this.#exchange = null;
    if (error === null) this.#queue.end();
    else if (error instanceof ModelError) this.#fail(error);
    else
      error.then(
        (found) => this.#fail(found),
        (failure) => this.#fail(asModelError(failure)),
      );
  }

  #fail(error: ModelError): void {
    this.#queue.fail(error, error.kind === 'aborted');
  }
}

/** Bytes to events. Also keeps the beginning of a body without any event, to tell what came instead. */
class EventReader implements EventSink {
  readonly #status: number;
  readonly #header: ReadHeader;
  readonly #decodeUtf8 = createUtf8Decoder();
  readonly #reader: SseReader;
  readonly #sink: EventSink;
  #beginning: string | null = '';
  #endsInReturn = false;

  constructor(status: number, header: ReadHeader, sink: EventSink) {
    this.#status = status;
    this.#header = header;
    this.#sink = sink;
    this.#reader = new SseReader(this, MAX_EVENT_CHARS, oversizeError);
  }

  event(data: string, event: string | undefined): void {
    this.#beginning = null;
    this.#sink.event(data, event);
  }

  feed(chunk: Uint8Array): void {
    const text = this.#decodeUtf8(chunk);
    if (this.#beginning !== null && this.#beginning.length < MAX_PLAIN_BYTES) {
      this.#beginning += text.slice(0, MAX_PLAIN_BYTES - this.#beginning.length);
    }
    if (text !== '') this.#endsInReturn = text.endsWith('\r');
    this.#reader.feed(text);
  }

  /** The body is over. A carriage return at its end was kept back as the first half of a line end; it is a whole one. */
  finish(): void {
    if (this.#endsInReturn) this.#reader.feed('\n');
  }

  /** The whole body as plain text if it was no stream of events at all; null if it was one, however short. */
  plainResponse(): PlainResponse | null {
    const text = this.#beginning;
    if (text === null || /^\s*(?:event|data|id|retry)?:/.test(text)) return null;
    const isDeclared = /event-stream/i.test(this.#header('content-type') ?? '');
    if (isDeclared && !/^\s*(?:[{[<]|$)/.test(text)) return null;
    return { status: this.#status, header: this.#header, text };
  }
}

/** Collects the beginning of a body that is no stream, for a limited time. */
class PlainReader {
  readonly #status: number;
  readonly #header: ReadHeader;
  readonly #decodeUtf8 = createUtf8Decoder();
  readonly #onResponse: (response: PlainResponse) => void;
  readonly #cancelTimer: () => void;
  #text = '';

  constructor(
    status: number,
    header: ReadHeader,
    clock: Pick<HostClock, 'after'>,
    onResponse: (response: PlainResponse) => void,
  ) {
    this.#status = status;
    this.#header = header;
    this.#onResponse = onResponse;
    this.#cancelTimer = clock.after(PLAIN_BODY_MS, () => this.finish());
  }

  feed(chunk: Uint8Array): void {
    this.#text += this.#decodeUtf8(chunk);
    if (this.#text.length > MAX_PLAIN_BYTES) this.finish();
  }

  finish(): void {
    this.stop();
    const text = this.#text.slice(0, MAX_PLAIN_BYTES);
    this.#onResponse({ status: this.#status, header: this.#header, text });
  }

  stop(): void {
    this.#cancelTimer();
  }
}

function oversizeError(): ModelError {
  return new ModelError('malformed', `One event of the reply is larger than ${MAX_EVENT_CHARS} characters.`);
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError('malformed', `The reply could not be read: ${errorText(error)}`, { cause: error });
}

// What the head of a successful response says of how much may still be asked. Rule: of several limits the one that is
// used up most; what a server does not say is not guessed.

/** The headers that tell of one limit. */
interface LimitHeaders {
  readonly type: string;
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const HEADERS: readonly LimitHeaders[] = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((type) => ({
    type,
    limit: `anthropic-ratelimit-${type}-limit`,
    remaining: `anthropic-ratelimit-${type}-remaining`,
    reset: `anthropic-ratelimit-${type}-reset`,
  })),
  ...['requests', 'tokens'].map((type) => ({
    type,
    limit: `x-ratelimit-limit-${type}`,
    remaining: `x-ratelimit-remaining-${type}`,
    reset: `x-ratelimit-reset-${type}`,
  })),
];
const UNIFIED = 'anthropic-ratelimit-unified';
const LONGEST_NAME = 60;

/** Null if the server says nothing of limits. */
export function readLimitState(header: ReadHeader, clock: Pick<HostClock, 'now'>): LimitState | null {
  const status = header(`${UNIFIED}-status`);
  if (status !== null) {
    const type = header(`${UNIFIED}-representative-claim`)?.slice(0, LONGEST_NAME) || 'account';
    const resetMs = durationMs(header(`${UNIFIED}-reset`), clock);
    return { type, used: null, resetMs, isWarned: status === 'allowed_warning' };
  }
  let most: LimitState | null = null;
  for (const { type, limit, remaining, reset } of HEADERS) {
    const all = header(limit);
    const used = all === null ? null : usedPart(all, header(remaining));
    if (used === null || (most?.used ?? -1) >= used) continue;
    most = { type, used, resetMs: durationMs(header(reset), clock), isWarned: false };
  }
  return most;
}

function usedPart(limit: string, remaining: string | null): number | null {
  if (remaining === null) return null;
  const [all, left] = [Number(limit), Number(remaining)];
  if (!(all > 0) || !(left >= 0)) return null;
  return Math.max(0, 1 - left / all);
}

// Times in headers and texts of model servers, as milliseconds from now.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Numbers larger than this are points in time, milliseconds since 1970. */
const FIRST_DATE_MS = 1_000_000_000_000;

/** `1s`, `6m0s`, `120ms`, plain seconds, or a point in time: a date, or seconds or milliseconds since 1970. */
export function durationMs(text: string | null, clock: Pick<HostClock, 'now'>): number | null {
  if (text === null || text.trim() === '') return null;
  const plain = Number(text);
  if (Number.isFinite(plain)) {
    if (plain >= FIRST_DATE_MS) return Math.max(0, plain - clock.now());
    if (plain * 1_000 >= FIRST_DATE_MS) return Math.max(0, plain * 1_000 - clock.now());
    return plain < 0 ? null : plain * 1_000;
  }
  if (/^\s*(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/.test(text)) return sumOfUnits(text);
  const date = /\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(date) ? Math.max(0, date - clock.now()) : null;
}

/** Of a text such as `6m0s`, rounded up. */
export function sumOfUnits(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Math.ceil(sum);
}

// Values pushed by a socket, pulled by a `for await`. One resolved promise for each value and nothing else.

type Waiter<T> = { resolve(result: IteratorResult<T, undefined>): void; reject(error: Error): void };

/** Contract: values come out in order; an error comes out after the values pushed before it, unless they are dropped. */
export class PullQueue<T> {
  #values: T[] = [];
  #head = 0;
  #waiters: Waiter<T>[] = [];
  #error: Error | null = null;
  #ended = false;
  readonly #onEmpty: () => void;

  /** @param onEmpty called when the last waiting value was pulled */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get isEmpty(): boolean {
    return this.#head === this.#values.length;
  }

  push(value: T): void {
    if (this.#ended) return;
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#values.push(value);
    else waiter.resolve({ value, done: false });
  }

  /** No more values. */
  end(): void {
    this.#ended = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ value: undefined, done: true });
  }

  /** @param drop forget what was not pulled yet, so the error is next */
  fail(error: Error, drop: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    if (drop) this.#clear();
    const [first, ...others] = this.#waiters.splice(0);
    if (first === undefined) this.#error = error;
    else first.reject(error);
    for (const waiter of others) waiter.resolve({ value: undefined, done: true });
  }

  /** Forgets what was not pulled, an error included. */
  discard(): void {
    this.#clear();
    this.#error = null;
    this.end();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#values.length) {
      const value = this.#values[this.#head++] as T;
      if (this.#head === this.#values.length) {
        this.#clear();
        this.#onEmpty();
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#error !== null) {
      const error = this.#error;
      this.#error = null;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #clear(): void {
    this.#values.length = 0;
    this.#head = 0;
  }
}

// Bytes to text, though a chunk may end inside a character.

/**
 * A decoder for one stream. A byte order mark at its start is dropped, invalid bytes become U+FFFD.
 * Contract: the texts of all chunks joined are the text of all bytes joined, apart from an unfinished last character.
 */

export function createUtf8Decoder(): (chunk: Uint8Array) => string {
  // Whole characters only reach the decoder: its own streaming mode is several times slower on small chunks.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest: Uint8Array | null = null;
  let atStart = true;

  return (chunk) => {
    let bytes = chunk;
    if (rest !== null) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      rest = null;
    }
    const whole = wholeLength(bytes);
    if (whole < bytes.length) {
      rest = bytes.slice(whole);
      bytes = bytes.subarray(0, whole);
    }
    if (bytes.length === 0) return '';
    const text = decoder.decode(bytes);
    if (!atStart) return text;
    atStart = false;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  };
}

/** How many bytes stand before an unfinished character at the end. */
function wholeLength(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? length - back : length;
    }
  }
  return length;
}
