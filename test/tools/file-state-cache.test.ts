import { describe, expect, it } from 'vitest';
import { createFileStateCache, type FileState } from '../../src/tools/file-state-cache.js';

const state: FileState = { hash: 'h', mtimeMs: 1, size: 1, range: null };

describe('the cache of files seen', () => {
  it('names files that were forgotten, after those that are known', () => {
    const cache = createFileStateCache();
    for (const path of ['/a', '/b', '/c']) cache.set(path, state);
    cache.forget?.();
    expect(cache.get('/b')).toBeUndefined();
    expect([...cache.entries()]).toEqual([]);
    expect(cache.recentPaths?.()).toEqual(['/c', '/b', '/a']);
    cache.set('/b', state);
    cache.set('/d', state);
    expect(cache.recentPaths?.()).toEqual(['/d', '/b', '/c', '/a']);
    cache.forget?.();
    expect(cache.recentPaths?.()).toEqual(['/d', '/b', '/c', '/a']);
  });

  it('names none once it was cleared', () => {
    const cache = createFileStateCache();
    cache.set('/a', state);
    cache.forget?.();
    cache.clear();
    expect(cache.recentPaths?.()).toEqual([]);
  });
});
