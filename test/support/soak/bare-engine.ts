// An engine for thousands of short sessions: nothing on disk, everything in memory. The caller closes it.
import type { Provider } from '../../../src/providers/contract/provider.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { plainConfig } from '../plain-config.js';

/** Everything is allowed unless `overrides` say otherwise; retries do not wait. */
export function bareEngine(provider: Provider, overrides: Partial<QueryEngineConfig> = {}): QueryEngine {
  return new QueryEngine({
    ...plainConfig(),
    cwd: '/project',
    provider,
    host: fakeHost(),
    persistSession: false,
    readInstructionFiles: false,
    customSystemPrompt: 'You are a test.',
    ...overrides,
  });
}
