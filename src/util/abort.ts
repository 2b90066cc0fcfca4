// Abort signals: one way to link controllers, one for many to share one, and one to race a promise with a signal.

/** An `AbortController` that is also aborted by `parent`. `release` unhooks it from the parent; call it when done. */
export function linkAbort(parent: AbortSignal): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController();
  if (parent.aborted) {
    controller.abort(parent.reason);
    return { controller, release: () => undefined };
  }
  const onAbort = () => controller.abort(parent.reason);
  parent.addEventListener('abort', onAbort, { once: true });
  return { controller, release: () => parent.removeEventListener('abort', onAbort) };
}

export interface SharedSignal {
  /** Runs `work` with a signal of its own, which is aborted with the shared one. */
  use<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts the work under way. Contract: no work is begun afterwards. */
  abort(): void;
}

/**
 * One signal for work that goes on side by side. It is one listener on `parent` however much work there is: if more
 * than ten listen to one signal, Node warns of a leak.
 */
export function shareSignal(parent: AbortSignal): SharedSignal {
  let link: ReturnType<typeof linkAbort> | null = null;
  let users = 0;
  return {
    async use(work) {
      link ??= linkAbort(parent);
      const { controller, release } = link;
      users += 1;
      try {
        // The listeners of one are as few as its own; a signal made of another takes 15 us.
        return await work(users === 1 ? controller.signal : AbortSignal.any([controller.signal]));
      } finally {
        users -= 1;
        if (users === 0) {
          release();
          link = null;
        }
      }
    },
    abort() {
      link?.controller.abort();
    },
  };
}

/** The value `raceAbort` gives if the signal won. */
export const ABORTED: unique symbol = Symbol('aborted');

/**
 * Settles with `work`, or with `ABORTED` as soon as the signal aborts.
 * Contract: never leaves an unhandled rejection; a losing `work` goes on by itself and its outcome is dropped.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof ABORTED> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(ABORTED);
    const release = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(release);
  });
}
