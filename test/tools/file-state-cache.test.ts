import { describe, expect, it } from 'vitest';
import { createFileStateCache, type FileState, NOTHING_SHOWN } from '../../src/tools/file-state-cache.js';

const state: FileState = { hash: 'h', mtimeMs: 1, size: 1, range: null };

describe('the cache of files seen', () => {
  it('keeps what was forgotten as seen, with nothing shown, and names the newest first', () => {
    const cache = createFileStateCache();
    for (const path of ['/a', '/b', '/c']) cache.set(path, state);
    cache.set('/d', { hash: null, seenAtMs: 5 });
    cache.forget?.();
    expect(cache.get('/b')).toEqual({ ...state, range: NOTHING_SHOWN });
    expect(cache.get('/d')).toEqual({ hash: null, seenAtMs: 5 });
    expect(cache.recentPaths?.()).toEqual(['/d', '/c', '/b', '/a']);
    cache.set('/b', state);
    expect(cache.recentPaths?.()).toEqual(['/b', '/d', '/c', '/a']);
  });

  it('names none once it was cleared', () => {
    const cache = createFileStateCache();
    cache.set('/a', state);
    cache.forget?.();
    cache.clear();
    expect(cache.recentPaths?.()).toEqual([]);
  });
});
