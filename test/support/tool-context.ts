// A real ToolContext for tests: the real host, a spool folder of its own, no abort unless the test brings one.
// Nothing is faked; a test overrides the fields it is about.
import { join } from 'node:path';
import { createFileStateCache } from '../../src/tools/file-state-cache.js';
import type { TodoItem, TodoStore, ToolContext } from '../../src/tools/tool.js';
import { lastingHost } from './lasting-host.js';
import { sharedFolder } from './shared-folder.js';

/** A list of todos in memory. */
function createTodoStore(): TodoStore {
  let todos: readonly TodoItem[] = [];
  return {
    get: () => todos,
    set: (next) => {
      todos = next;
    },
  };
}

/**
 * A context whose cwd and spool folder are new temporary folders.
 * Contract: pass `cwd` to work on a folder the test made; what is not overridden is real.
 */
export function createToolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  const folder = sharedFolder('tool');
  return {
    host: lastingHost(),
    cwd: folder,
    childEnv: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8' },
    signal: new AbortController().signal,
    toolUseId: 'toolu_test',
    readFileCache: createFileStateCache(),
    spoolDirectory: join(folder, 'spool'),
    toolTimeoutMs: 20_000,
    todos: createTodoStore(),
    elicit: null,
    isNonInteractiveSession: true,
    onProgress: () => undefined,
    ...overrides,
  };
}
