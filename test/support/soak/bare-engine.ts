// An engine for thousands of short sessions: nothing on disk, everything in memory. The caller closes it.
import type { Provider } from '../../../src/providers/provider.js';
import { createAppState } from '../../../src/session/app-state.js';
import type { QueryEngineConfig } from '../../../src/session/config.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { createFileStateCache } from '../../../src/tools/file-state-cache.js';

/** Everything is allowed unless `overrides` say otherwise; retries do not wait. */
export function bareEngine(provider: Provider, overrides: Partial<QueryEngineConfig> = {}): QueryEngine {
  const store = createAppState();
  return new QueryEngine({
    cwd: '/work',
    tools: [],
    commands: [],
    mcpClients: [],
    agents: [],
    canUseTool: async () => ({ behavior: 'allow' }),
    getAppState: () => store.getState(),
    setAppState: (change) => store.setState(change(store.getState())),
    readFileCache: createFileStateCache(),
    provider,
    host: fakeHost(),
    persistSession: false,
    readInstructionFiles: false,
    customSystemPrompt: 'You are a test.',
    limits: { retryBaseMs: 0, retryMaxMs: 0 },
    ...overrides,
  });
}
