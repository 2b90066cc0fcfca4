// A session over one provider, as the conformance tables use it: any failure is sent again at once.
import { createNodeHost } from '../../../src/host/node-host.js';
import type { EngineLimits } from '../../../src/protocol/options.js';
import type { Provider } from '../../../src/providers/contract/provider.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import type { AnyTool } from '../../../src/tools/tool.js';
import { temporaryFolder } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';

const PATIENT = { requestTimeoutMs: 60_000, streamIdleMs: 60_000 };

export async function engineOver(
  provider: Provider,
  tools: readonly AnyTool[],
  limits: Partial<EngineLimits> = PATIENT,
): Promise<QueryEngine> {
  const home = await temporaryFolder();
  return new QueryEngine({
    ...plainConfig(),
    cwd: home,
    provider,
    tools,
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: home },
    limits: { retryBaseMs: 0, retryMaxMs: 0, maxRetries: 20, ...limits },
  });
}
