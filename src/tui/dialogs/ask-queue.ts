// Questions to the person: one dialog at a time, in the order in which they were asked. How many wait is told by the one that
// is shown.

export interface AskQueue {
  /** Runs `ask` when it is its turn. Rejects as it does. */
  inTurn<T>(ask: () => Promise<T>): Promise<T>;
  /** Questions behind the one that is asked now. */
  waiting(): number;
  /** Called when another one waits. @returns what ends it */
  onChange(listener: () => void): () => void;
}

export function createAskQueue(): AskQueue {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    inTurn(ask) {
      open += 1;
      tell();
      const mine = last.then(ask).finally(() => {
        open -= 1;
        tell();
      });
      last = mine.catch(() => undefined);
      return mine;
    },
    waiting: () => Math.max(0, open - 1),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
