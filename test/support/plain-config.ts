// The part of an engine's configuration that tests share.

import { createAppState, type QueryEngineConfig } from '../../src/session/config/config.js';
import { createFileStateCache } from '../../src/tools/file-state-cache.js';

/** No tools, everything is allowed, retries do not wait. A new state and cache each time. */
export function plainConfig(): Omit<QueryEngineConfig, 'cwd'> {
  const store = createAppState();
  return {
    tools: [],
    commands: [],
    mcpClients: [],
    agents: [],
    canUseTool: async () => ({ behavior: 'allow' }),
    getAppState: () => store.getState(),
    setAppState: (change) => store.setState(change(store.getState())),
    readFileCache: createFileStateCache(),
    limits: { retryBaseMs: 0, retryMaxMs: 0 },
  };
}
