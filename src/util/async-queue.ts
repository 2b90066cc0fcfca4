// A queue between one or more producers and one consumer.

export interface AsyncQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** No more values; what is queued is still delivered. */
  end(): void;
  /** The consumer gets this error after what is queued. */
  fail(error: unknown): void;
}

export function createAsyncQueue<T>(): AsyncQueue<T> {
  const values: T[] = [];
  let ended: { readonly error?: unknown } | null = null;
  let wake: () => void = () => undefined;
  const next = async (): Promise<IteratorResult<T, undefined>> => {
    for (;;) {
      if (values.length > 0) return { done: false, value: values.shift() as T };
      if (ended !== null) {
        if ('error' in ended) throw ended.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    push(value) {
      values.push(value);
      wake();
    },
    end() {
      ended ??= {};
      wake();
    },
    fail(error) {
      ended ??= { error };
      wake();
    },
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => {
        ended ??= {};
        return { done: true, value: undefined };
      },
    }),
  };
}
