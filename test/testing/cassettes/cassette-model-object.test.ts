// A model object that is reached over HTTP, recorded and replayed by the address it is made with.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReadableStream } from 'node:stream/web';
import { expect, it, onTestFinished } from 'vitest';
import type { AiSdkLanguageModel } from '../../../src/providers/ai-sdk/language-model.js';
import { query } from '../../../src/sdk/query.js';
import { recordCassette, replayCassette } from '../../../src/testing/cassettes/cassette.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { finish, textParts } from '../../support/ai-sdk-model.js';
import { plain, startSseServer } from '../../support/sse-server.js';

/** As a package of the AI SDK makes one: its prompt goes out as JSON, what comes back becomes parts. */
function modelAt(baseURL: string): AiSdkLanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'house.chat',
    modelId: 'house-1',
    async doStream({ prompt }: { readonly prompt: unknown }) {
      const response = await fetch(`${baseURL}/ask`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-house-secret-0123456789', 'content-type': 'application/json' },
        body: JSON.stringify({ prompt }),
      });
      if (!response.ok) throw Object.assign(new Error('refused'), { statusCode: response.status, isRetryable: false });
      const parts = [...textParts(await response.text()), finish('v3', 'stop')];
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  } as AiSdkLanguageModel;
}

it('is replayed without its server, and only for what was recorded', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnwright-cassette-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = path.join(folder, 'object.jsonl');
  const api = await startSseServer(plain(200, 'Hello from the house.', { 'content-type': 'text/plain' }));
  const run = async (url: string, prompt: string) => {
    const options = { model: modelAt(url), host: fakeHost(), persistSession: false, limits: { maxRetries: 0 } };
    return lastResult(await collect(query({ prompt, options })));
  };
  const recorder = await recordCassette(file, { upstream: api.url });
  expect(await run(recorder.url, 'Hello.')).toMatchObject({ result: 'Hello from the house.' });
  await recorder.close();
  await api.close();

  const cassette = await replayCassette(file);
  onTestFinished(() => cassette.close());
  expect(await run(cassette.url, 'Hello.')).toMatchObject({ result: 'Hello from the house.' });
  cassette.assertDone();
  expect((await run(cassette.url, 'Something else.')).is_error).toBe(true);
  expect(() => cassette.assertDone()).toThrow(/was not recorded/);
  expect(api.requests).toHaveLength(1);
});
