// A long generator in two: one that decides, and one that passes messages on. V8 makes whatever is called often fast by
// compiling all of it: for a reply of many thousand deltas, that took more CPU than the deltas when each long generator
// passed them on itself.

/** Messages that are passed on one by one. Called in the step in which the first of them is asked for. */
export type Part<T> = () => AsyncGenerator<T, unknown, unknown> | Iterable<T>;

/** A generator that decides: it yields parts, and gets what each of them returned. */
export type Parts<T, R> = AsyncGenerator<Part<T>, R, unknown>;

/**
 * The messages of all parts.
 * Contract: as if the generator that decides yielded the messages of each part itself, by `yield*`: what a part returns or
 * throws, and an early end, reach it where it stands. Requests that come side by side are answered one after the other.
 */
export function relay<T, R>(parts: Parts<T, R>): AsyncGenerator<T, R, unknown> {
  return new Relay(parts);
}

type Step<T, R> = IteratorResult<T, R>;

/** No generator itself: `yield*` of one makes three promises for each message and waits for them in turn; this makes one. */
class Relay<T, R> implements AsyncGenerator<T, R, unknown> {
  readonly #parts: Parts<T, R>;
  #state: 'new' | 'open' | 'closed' = 'new';
  /** What is passed on now: of one of them, or of none between two parts. */
  #part: AsyncGenerator<T, unknown, unknown> | null = null;
  #list: Iterator<T, unknown, unknown> | null = null;
  /** Requests that are not answered, and what the last of them comes to. */
  #pending = 0;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts<T, R>) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next(value?: unknown): Promise<Step<T, R>> {
    if (this.#pending > 0) return this.#behind(() => this.#next(value));
    this.#pending = 1;
    const step = this.#next(value);
    this.#latest = step;
    return step;
  }

  return(value: R | PromiseLike<R>): Promise<Step<T, R>> {
    return this.#behind(async () => this.#return(await value));
  }

  throw(error: unknown): Promise<Step<T, R>> {
    return this.#behind(() => this.#throw(error));
  }

  #behind(request: () => Promise<Step<T, R>>): Promise<Step<T, R>> {
    this.#pending += 1;
    const step = this.#latest.then(request, request);
    this.#latest = step;
    return step;
  }

  #next(value: unknown): Promise<Step<T, R>> {
    if (this.#part !== null) return this.#part.next(value).then(this.#passOn, this.#tellFailure);
    if (this.#list !== null) {
      const list = this.#list;
      return this.#fromList(() => list.next(value));
    }
    if (this.#state === 'closed') return this.#answer({ value: undefined as R, done: true });
    this.#state = 'open';
    return this.#decide(this.#parts.next());
  }

  #return(value: R): Promise<Step<T, R>> {
    if (this.#part !== null)
      return this.#part
        .return(value)
        .then((step) => (step.done ? this.#close(step.value as R) : this.#passOn(step)), this.#tellFailure);
    if (this.#list !== null) {
      const list = this.#list;
      return this.#fromList(() => list.return?.(value) ?? { value, done: true }, true);
    }
    return this.#close(value);
  }

  #throw(error: unknown): Promise<Step<T, R>> {
    if (this.#part !== null) return this.#part.throw(error).then(this.#passOn, this.#tellFailure);
    if (this.#list !== null) {
      const list = this.#list;
      return this.#fromList(() => {
        if (list.throw !== undefined) return list.throw(error);
        list.return?.();
        throw error;
      });
    }
    this.#state = 'closed';
    this.#pending -= 1;
    return Promise.reject(error);
  }

  #answer(step: Step<T, R>): Promise<Step<T, R>> {
    this.#pending -= 1;
    return Promise.resolve(step);
  }

  readonly #passOn = (step: Step<T, unknown>): Step<T, R> | Promise<Step<T, R>> => {
    if (step.done) return this.#decide(this.#parts.next(step.value));
    this.#pending -= 1;
    return step;
  };

  readonly #tellFailure = (error: unknown): Promise<Step<T, R>> => this.#decide(this.#parts.throw(error));

  /** @param ends the part is over because the reader leaves */
  #fromList(take: () => Step<T, unknown>, ends = false): Promise<Step<T, R>> {
    let step: Step<T, unknown>;
    try {
      step = take();
    } catch (error) {
      return this.#tellFailure(error);
    }
    if (!step.done) return this.#answer(step);
    return ends ? this.#close(step.value as R) : this.#decide(this.#parts.next(step.value));
  }

  /** Goes on to the next message, through the parts that have none. */
  async #decide(going: Promise<IteratorResult<Part<T>, R>>): Promise<Step<T, R>> {
    this.#part = null;
    this.#list = null;
    try {
      let decided = await going;
      while (!decided.done) {
        let answer: unknown;
        let failure: { readonly error: unknown } | null = null;
        try {
          const first = await this.#begin(decided.value());
          if (!first.done) return first;
          answer = first.value;
        } catch (error) {
          failure = { error };
        }
        this.#part = null;
        this.#list = null;
        decided = await (failure === null ? this.#parts.next(answer) : this.#parts.throw(failure.error));
      }
      this.#state = 'closed';
      return decided;
    } catch (error) {
      this.#state = 'closed';
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }

  #begin(part: AsyncGenerator<T, unknown, unknown> | Iterable<T>): Promise<Step<T, unknown>> | Step<T, unknown> {
    if (Symbol.asyncIterator in part) {
      this.#part = part;
      return part.next();
    }
    this.#list = part[Symbol.iterator]();
    return this.#list.next(undefined);
  }

  async #close(value: R): Promise<Step<T, R>> {
    const wasOpen = this.#state === 'open';
    this.#part = null;
    this.#list = null;
    this.#state = 'closed';
    try {
      if (wasOpen) await this.#parts.return(undefined as never);
    } finally {
      this.#pending -= 1;
    }
    return { value, done: true };
  }
}

/** A step of what is told: a message, or the end with what comes of it. Null: nothing is told of it. */
export type Told<T, R> = IteratorResult<T, R> | null;

/** Where the messages of a part come from, and what becomes of them. */
export interface Telling<S, T, R> {
  /** Called once all before it is told. */
  ask(): Promise<S>;
  /** What a step becomes. What is pushed to `further` is told behind it. */
  tell(step: S, further: T[]): Told<T, R>;
  /** Called once if the reader leaves, or one of these throws; not if what was asked for fails. */
  leave?(): Promise<unknown> | undefined;
}

/**
 * A part that is as fast as a relay, for what each of many thousand deltas passes.
 * Contract: as a generator that asks, tells and yields in a loop, for a reader who asks one after the other.
 */
export function tellEach<S, T, R>(telling: Telling<S, T, R>): AsyncGenerator<T, R, unknown> {
  return new ToldEach(telling);
}

class ToldEach<S, T, R> implements AsyncGenerator<T, R, unknown> {
  readonly #telling: Telling<S, T, R>;
  readonly #further: T[] = [];
  #isOver = false;

  constructor(telling: Telling<S, T, R>) {
    this.#telling = telling;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next(): Promise<IteratorResult<T, R>> {
    if (this.#isOver) return Promise.resolve({ value: undefined as R, done: true });
    if (this.#further.length > 0) return Promise.resolve({ value: this.#further.shift() as T, done: false });
    return this.#ask(this.#take);
  }

  async return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    await this.#leave();
    return { value: await value, done: true };
  }

  async throw(error: unknown): Promise<never> {
    await this.#leave()?.catch(() => undefined); // what went wrong first is told
    throw error;
  }

  #ask<Answer>(take: (step: S) => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return this.#telling.ask().then(take, this.#fail);
    } catch (error) {
      return this.throw(error);
    }
  }

  readonly #takeOne = (step: S): Told<T, R> | Promise<never> => {
    try {
      const told = this.#telling.tell(step, this.#further);
      if (told?.done === true) this.#isOver = true;
      return told;
    } catch (error) {
      return this.throw(error);
    }
  };

  readonly #take = (step: S): IteratorResult<T, R> | Promise<IteratorResult<T, R>> =>
    this.#takeOne(step) ?? this.#goOn();

  /** Whoever failed to answer is not asked to leave: it may not answer that either. */
  readonly #fail = (error: unknown): never => {
    this.#isOver = true;
    throw error;
  };

  /** A loop: promises that wait for one another, for each step of which nothing is told, would be kept till the end. */
  async #goOn(): Promise<IteratorResult<T, R>> {
    for (;;) {
      const told = await this.#ask(this.#takeOne);
      if (told !== null) return told;
    }
  }

  #leave(): Promise<unknown> | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    return this.#telling.leave?.();
  }
}

/** Yields a part, and returns what that returned: `const reply = yield* passOn(() => sample(request))`. */
export function* passOn<T, R>(source: () => AsyncGenerator<T, R, unknown>): Generator<Part<T>, R, unknown> {
  return (yield source) as R;
}

/** A part of one message. */
export function only<T>(message: T): Part<T> {
  return () => [message];
}
