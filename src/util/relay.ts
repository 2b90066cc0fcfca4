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
 * throws, and an early end, reach it where it stands.
 */
export async function* relay<T, R>(parts: Parts<T, R>): AsyncGenerator<T, R, unknown> {
  try {
    let step = await parts.next();
    while (!step.done) {
      let answer: unknown;
      let failure: { readonly error: unknown } | null = null;
      try {
        const part = step.value();
        // As `yield*` would, without its three promises for each message of a list.
        if (Array.isArray(part)) for (const message of part as readonly T[]) yield message;
        else answer = yield* part;
      } catch (error) {
        failure = { error };
      }
      step = failure === null ? await parts.next(answer) : await parts.throw(failure.error);
    }
    return step.value;
  } finally {
    await parts.return(undefined as never);
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
