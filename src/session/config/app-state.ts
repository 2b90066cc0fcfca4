// Application state that tools and prompts share through a session: a small store, and what the engine keeps in it.
import type { TodoItem } from '../../tools/tool.js';

/** Open for the host's own keys. */
export interface AppState {
  readonly todos: readonly TodoItem[];
  readonly [key: string]: unknown;
}

export interface AppStateStore {
  getState(): AppState;
  /** Replaces the given keys, keeps the others. */
  setState(state: Partial<AppState> | ((previous: AppState) => Partial<AppState>)): void;
  /** Called after each change, with the state as it is then. The returned function ends it. */
  subscribe(listener: (state: AppState) => void): () => void;
}

/** A new store. */
export function createAppState(initial: Partial<AppState> = {}): AppStateStore {
  let state: AppState = { todos: [], ...initial };
  const listeners = new Set<(state: AppState) => void>();
  return {
    getState: () => state,
    setState(change) {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) };
      for (const listener of [...listeners]) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
