// Secrets that are spelled over several events of a stream.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/index.js';
import { recordCassette, replayCassette } from '../../../src/testing/cassettes/cassette.js';
import { scrubDeltas, scrubPieces } from '../../../src/testing/cassettes/cassette-file.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockApi } from '../../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';

const KEY = `sk-ant-api03-${'Ab3dEf7h'.repeat(12)}-AA`;
const clean = (whole: string) => whole.replaceAll(KEY, '[redacted: key]').replaceAll('swordfish', '[redacted: word]');

describe('the pieces of a text', () => {
  it('together are the clean text, and as many as before', () => {
    const parts = fc.array(fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom(KEY, 'swordfish', 'sword', 'fish')));
    fc.assert(
      fc.property(parts, fc.array(fc.nat(40), { maxLength: 30 }), (words, sizes) => {
        let left = words.join('');
        const pieces = [
          ...sizes.map((size) => {
            const piece = left.slice(0, size);
            left = left.slice(size);
            return piece;
          }),
          left,
        ];
        const after = scrubPieces(pieces, clean);
        expect(after).toHaveLength(pieces.length);
        expect(after.join('')).toBe(clean(words.join('')));
        if (clean(words.join('')) === words.join('')) expect(after).toBe(pieces);
      }),
      { seed: 42, numRuns: 500 },
    );
  });

  it('share what takes the place of a secret', () => {
    expect(scrubPieces(['It is sw', 'ordf', 'ish.'], clean)).toEqual(['It is [red', 'acted: ', 'word].']);
  });
});

describe('a stream of events', () => {
  it('stays the same string if there is no secret, whatever it is', () => {
    for (const body of ['', 'swordfish', '<html>', 'data: [DONE]\n\n', 'data: {"text":"sword"}\n\ndata: broken\n\n']) {
      expect(scrubDeltas(body, clean)).toBe(body);
    }
  });

  it('keeps texts of different blocks apart, and lines that are no events as they are', () => {
    const delta = (index: number, said: string) =>
      `event: content_block_delta\r\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${said}"}}\r\n\r\n`;
    const apart = `: ping\n${delta(0, 'sword')}${delta(1, 'fish')}`;
    expect(scrubDeltas(apart, clean)).toBe(apart);
    const scrubbed = scrubDeltas(`${delta(0, 'sword')}${delta(1, 'x')}${delta(0, 'fish')}`, clean);
    expect(scrubbed).not.toContain('sword');
    expect(scrubbed).not.toContain('fish');
    expect(scrubbed.match(/\r\n\r\n/g)).toHaveLength(3);
  });
});

describe('a cassette of a model that says a secret in many deltas', () => {
  it.each(['anthropic', 'openai-chat', 'openai-responses'] as const)(
    'holds none of it, and plays back: %s',
    async (api: MockApi) => {
      const steps = [
        reply(
          thinking(`The key is ${KEY}, I think.`, 'signed'),
          text(`I read ${KEY}.`),
          toolCall('TodoWrite', { todos: [{ id: '1', content: `use ${KEY}`, status: 'pending' }] }),
        ),
        text(`The key ${KEY} is written.`),
      ];
      const mock = await startMockProvider({ api, steps, chunkSize: 7 });
      onTestFinished(() => mock.close());
      const made = await mkdtemp(path.join(tmpdir(), 'cassette-'));
      onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
      const file = path.join(made, 'session.jsonl');
      const run = async (url: string) => {
        const options = {
          host: fakeHost(),
          model: 'mine/model-x',
          providers: { mine: { api, baseUrl: url, apiKey: 'test-key-of-mine' } },
          persistSession: false,
          permissionMode: 'acceptEdits' as const,
        };
        const messages = await collect(query({ prompt: 'Read the key.', options }));
        return {
          // Only the recorded session has something to tell of secrets.
          types: messages.map(({ type }) => type).filter((type) => type !== 'system'),
          result: lastResult(messages).result,
          said: JSON.stringify(messages),
        };
      };
      const recorder = await recordCassette(file, { upstream: mock.url });
      const recorded = await run(recorder.url);
      await recorder.close();
      mock.assertClean();
      expect(recorded.said).toContain(`use ${KEY}`);

      const written = await readFile(file, 'utf8');
      expect(written).not.toContain(KEY);
      expect(written).not.toContain('Ab3dEf7');
      const player = await replayCassette(file);
      onTestFinished(() => player.close());
      const replayed = await run(player.url);
      player.assertDone();
      expect(replayed.types).toEqual(recorded.types);
      expect(replayed.result).toMatch(/^The key \{secret:[a-z-]+:id\} is written\.$/);
      expect(replayed.said).toMatch(/use \{secret:[a-z-]+:id\}/);
    },
  );
});
