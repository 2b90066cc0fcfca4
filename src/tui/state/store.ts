// The one store of the terminal: reducers make the next state, whoever draws is told.

export interface Store<T> {
  getState(): T;
  /** Contract: listeners are told only of a state that is another object. */
  setState(change: (previous: T) => T): void;
  /** Called after each change. The returned function ends it. */
  subscribe(listener: (state: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let state = initial;
  const listeners = new Set<(state: T) => void>();
  return {
    getState: () => state,
    setState(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
