// A stream whose source is found later. One rule: once it is found nothing stands between but one call, as a layer costs
// something for each of many thousand deltas.
import type { ModelEvent } from '../../protocol/model-events.js';

/** A stream whose source is found with its first value. */
export function later(find: () => Promise<AsyncIterable<ModelEvent>>): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => new LaterEvents(find) };
}

/** A class, so that every stream runs the same code: it is run for each delta. */
class LaterEvents implements AsyncIterator<ModelEvent> {
  readonly #find: () => Promise<AsyncIterable<ModelEvent>>;
  #inner: AsyncIterator<ModelEvent> | null = null;

  constructor(find: () => Promise<AsyncIterable<ModelEvent>>) {
    this.#find = find;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    return this.#inner === null ? this.#first() : this.#inner.next();
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    await this.#inner?.return?.();
    return { value: undefined, done: true };
  }

  async #first(): Promise<IteratorResult<ModelEvent>> {
    this.#inner = (await this.#find())[Symbol.asyncIterator]();
    return this.#inner.next();
  }
}
