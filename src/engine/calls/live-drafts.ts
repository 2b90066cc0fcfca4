// What running calls have to show before they end. Handed over one at a time: who shows waits until it was taken, so an
// agent is never far ahead of whoever reads.
import type { Draft } from '../state/index.js';

export interface LiveDrafts {
  /** Resolves when the draft was taken, or nobody takes any more. */
  show(draft: Draft): Promise<void>;
  /** Yields what is shown until `work` has settled. Contract: `work` never rejects. */
  until<T>(work: Promise<T>): AsyncGenerator<Draft, T>;
  /** Nobody listens from here on: nothing waits, and what is shown is dropped. */
  close(): void;
}

export function createLiveDrafts(): LiveDrafts {
  let waiting: { readonly draft: Draft; taken(): void }[] = [];
  let wake: () => void = () => undefined;
  let isClosed = false;

  return {
    show(draft) {
      if (isClosed) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push({ draft, taken: resolve });
        wake();
      });
    },
    async *until(work) {
      let isSettled = false;
      const settled = work.then(() => {
        isSettled = true;
      });
      while (!isSettled) {
        const next = waiting.shift();
        if (next !== undefined) {
          try {
            yield next.draft;
          } finally {
            next.taken();
          }
          continue;
        }
        const arrived = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([settled, arrived]);
      }
      return work;
    },
    close() {
      isClosed = true;
      for (const { taken } of waiting) taken();
      waiting = [];
    },
  };
}
