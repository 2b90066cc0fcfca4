// A stream whose source is found later. One rule: once it is found nothing stands between, as a layer costs something for
// each of many thousand deltas.
import type { ModelEvent } from '../protocol/model-events.js';

/** A stream whose source is found with its first value; after that nothing stands between. */
export function later(find: () => Promise<AsyncIterable<ModelEvent>>): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<ModelEvent> | null = null;
      const first = async (): Promise<IteratorResult<ModelEvent>> => {
        inner = (await find())[Symbol.asyncIterator]();
        return inner.next();
      };
      return {
        next: () => (inner === null ? first() : inner.next()),
        return: async () => {
          await inner?.return?.();
          return { value: undefined, done: true as const };
        },
      };
    },
  };
}
