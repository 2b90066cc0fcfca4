// Every fault on every protocol: one failure of the right kind, one result, no cut call run, the session usable after.
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { Provider } from '../../../src/providers/provider.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { collect, lastResult } from '../../../src/testing/collect.js';
import { text } from '../../../src/testing/script-steps.js';
import type { AnyTool } from '../../../src/tools/tool.js';
import { attempt, REQUEST } from '../../support/anthropic-replies.js';
import { probeTool, temporaryFolder } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';
import { ADAPTERS, serve } from './adapters.js';
import { CHUNK_SIZE, faultsOf } from './faults.js';

/** Long enough for an answer that comes, short enough for forty that do not. */
const SHORT_MS = 60;
const LONG_MS = 20_000;

async function engineOver(provider: Provider, tool: AnyTool, limitMs: number): Promise<QueryEngine> {
  const home = await temporaryFolder();
  return new QueryEngine({
    ...plainConfig(),
    cwd: home,
    provider,
    tools: [tool],
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: home },
    limits: { retryBaseMs: 0, retryMaxMs: 0, maxRetries: 5, requestTimeoutMs: limitMs, streamIdleMs: limitMs },
  });
}

function retriesOf(messages: readonly SDKMessage[]) {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message.reason] : [],
  );
}

it('there are at least 120 of them', () => {
  expect(ADAPTERS.flatMap(faultsOf).length).toBeGreaterThanOrEqual(120);
});

describe.each(ADAPTERS)('$api', (adapter) => {
  it.each(faultsOf(adapter))('$name', async ({ answer, kind, isRetried, isSilent }) => {
    // The first request is one attempt by itself, the second the engine's; all others are answered.
    const { mock, provider } = await serve(adapter, {
      chunkSize: CHUNK_SIZE,
      steps: (_, index) => (index < 2 ? answer : text('All is well.')),
    });
    const limitMs = isSilent === true ? SHORT_MS : LONG_MS;

    const limits = { requestTimeoutMs: limitMs, streamIdleMs: limitMs };
    const { error } = await attempt(provider, { request: REQUEST, limits });
    expect(error).toMatchObject({ kind, retryable: isRetried });

    const probe = probeTool({ readOnly: true, concurrencySafe: true });
    const engine = await engineOver(provider, probe, limitMs);
    const messages = await collect(engine.submitMessage('Go.'));
    const result = lastResult(messages);
    if (isRetried) {
      expect(retriesOf(messages)[0]).toBe(kind);
      expect(result).toMatchObject({ subtype: 'success', result: 'All is well.' });
    } else if (kind !== 'context_overflow') {
      expect(retriesOf(messages)).toEqual([]);
      expect(result.is_error).toBe(true);
    }
    expect(probe.runs).toEqual([]);

    const after = await collect(engine.submitMessage('And now?'));
    expect(lastResult(after)).toMatchObject({ subtype: 'success', result: 'All is well.' });
    await engine.close();
    expect(mock.violations).toEqual([]);
  });
});
