// One attempt at a model of the AI SDK: asked once, its parts read one by one, events out. Rule: it ends in exactly one
// way, within the limits or at an abort, whatever the model does; and then the model is told to stop.
import type { HostClock } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { AttemptLimits } from '../contract/index.js';
import { createWatchdog, type EventVerdict, silenceError, type Watchdog } from '../http/index.js';

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
