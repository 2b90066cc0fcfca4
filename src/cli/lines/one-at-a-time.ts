// Questions to a person come one at a time, whoever asks.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs what it is given one after the other. A piece that fails is its caller's matter; the next runs all the same. */
export function oneAtATime(): InTurn {
  let previous: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = previous.then(work);
    previous = mine.catch(() => undefined);
    return mine;
  };
}
