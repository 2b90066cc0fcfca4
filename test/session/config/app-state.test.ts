import { describe, expect, it } from 'vitest';
import { createAppState } from '../../../src/session/config/index.js';

describe('a store of application state', () => {
  it('tells each change to who listens, until they stop', () => {
    const store = createAppState({ own: 1 });
    const heard: unknown[] = [];
    const stop = store.subscribe(({ own }) => heard.push(own));
    store.setState({ own: 2 });
    store.setState(({ own }) => ({ own: Number(own) + 1 }));
    stop();
    stop();
    store.setState({ own: 9 });
    expect(heard).toEqual([2, 3]);
    expect(store.getState()).toEqual({ todos: [], own: 9 });
  });

  it('lets a listener stop itself or add another, which hears the next change first', () => {
    const store = createAppState();
    const heard: string[] = [];
    const stop = store.subscribe(() => {
      heard.push('first');
      stop();
      store.subscribe(() => heard.push('added'));
    });
    store.subscribe(() => heard.push('second'));
    store.setState({ own: 1 });
    expect(heard).toEqual(['first', 'second']);
    store.setState({ own: 2 });
    expect(heard).toEqual(['first', 'second', 'second', 'added']);
  });
});
