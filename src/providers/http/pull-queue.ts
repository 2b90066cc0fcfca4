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
