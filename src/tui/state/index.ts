// What the terminal knows of the session, out of its messages.

export { begun, initialState, reduceMessage, stopping, withoutQueued, withQueued } from './reduce.js';
export type { OpenCall, State, Task, Todo } from './state.js';
export { createStore, type Store } from './store.js';
