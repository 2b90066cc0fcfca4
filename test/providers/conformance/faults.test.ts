// Every fault on every protocol: one failure of the right kind, one result, no cut call run, the session usable after.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { attempt, REQUEST } from '../../support/anthropic-replies.js';
import { probeTool } from '../../support/engine.js';
import { CONFORMERS } from './adapters.js';
import { engineOver } from './engine-over.js';
import { CHUNK_SIZE, faultsOf } from './faults.js';

/** Of the one limit that ends a fault; the other is for answers that come, however long the machine takes. */
const SHORT_MS = 60;
const LONG_MS = 60_000;

function retriesOf(messages: readonly SDKMessage[]) {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message.reason] : [],
  );
}

it('there are at least 120 of them', () => {
  expect(CONFORMERS.flatMap(faultsOf).length).toBeGreaterThanOrEqual(120);
});

describe.each(CONFORMERS)('$api', (adapter) => {
  it.each(faultsOf(adapter))('$name', async ({ answer, kind, isRetried, isSilent }) => {
    // The first request is one attempt by itself, the second the engine's; all others are answered.
    const { mock, provider } = await adapter.serve({
      chunkSize: CHUNK_SIZE,
      steps: (_, index) => (index < 2 ? answer : text('All is well.')),
    });
    const idleMs = isSilent === true && kind === 'stream_idle' ? SHORT_MS : LONG_MS;
    const limits = {
      requestTimeoutMs: isSilent === true && kind === 'timeout' ? SHORT_MS : LONG_MS,
      streamIdleMs: idleMs,
      contentIdleMs: idleMs,
    };
    const { error } = await attempt(provider, { request: REQUEST, limits });
    expect(error).toMatchObject({ kind, retryable: isRetried });

    const probe = probeTool({ readOnly: true, concurrencySafe: true });
    const engine = await engineOver(provider, [probe], limits);
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
