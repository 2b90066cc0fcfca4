// Images and documents of a whole conversation, as one request can hold them: what goes becomes text, is told once,
// and costs nothing more in the turns that follow.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistoryRepairer } from '../../src/engine/history/repair-history.js';
import { initialState } from '../../src/engine/query-loop.js';
import { createRequestBuilder } from '../../src/engine/request/build-request.js';
import type { MessageParam, ToolResultContent } from '../../src/protocol/content.js';
import { validateModelRequest } from '../../src/testing/wire/wire-validator.js';
import { imageOf, jpegBytes, pdfBytes, pdfOf, pngBytes } from '../support/media.js';

const user = (...content: unknown[]) => ({ role: 'user', content }) as MessageParam;
const assistant = (...content: unknown[]) => ({ role: 'assistant', content }) as MessageParam;
const call = (id: string) => ({ type: 'tool_use', id, name: 'Shot', input: {} });
const result = (id: string, ...content: unknown[]) => ({ type: 'tool_result', tool_use_id: id, content });

/** A session whose n-th call gives the n-th medium. */
function session(media: readonly ToolResultContent[]): MessageParam[] {
  return [
    user({ type: 'text', text: 'go' }),
    ...media.flatMap((one, index) => [assistant(call(`c${index}`)), user(result(`c${index}`, one))]),
  ];
}

const violations = (messages: readonly MessageParam[]) =>
  validateModelRequest({ model: 'm', system: [], tools: [], messages, maxTokens: 100 });
const imagesIn = (messages: readonly MessageParam[]) => JSON.stringify(messages).split('"type":"image"').length - 1;

/** What each request of a growing session reports. */
function grow(history: readonly MessageParam[]) {
  const builder = createRequestBuilder();
  builder.configure({ system: [], tools: [], maxTokens: 100 });
  const requests: { messages: readonly MessageParam[]; repairs: readonly { kind: string; detail: string }[] }[] = [];
  for (let length = 1; length <= history.length; length += 2) {
    const messages = history.slice(0, length);
    const { request, repairs } = builder.build(initialState({ messages, model: 'm', wantsValue: false }));
    requests.push({ messages: request.messages, repairs });
  }
  return requests;
}

describe('media of a conversation', () => {
  it('of more than 100 images: the oldest become text that names them, once told, with the same text in each request', () => {
    const requests = grow(session(Array.from({ length: 110 }, (_, n) => imageOf(pngBytes(10 + n, 10)))));
    const told = requests.map(({ repairs }) => repairs.length);
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(told[101]).toBe(20);
    expect(requests[101]?.repairs[0]).toEqual({
      kind: 'media_removed',
      detail: 'image 1 (image/png, 70 bytes): a request takes at most 100 images, and newer ones are kept',
    });
    const last = requests.at(-1)?.messages ?? [];
    expect(imagesIn(last)).toBe(90);
    expect(JSON.stringify(last[2])).toContain(
      '[An image (image/png, 70 bytes) was left out: a request takes at most 100',
    );
    expect(violations(last)).toEqual([]);
    // The same objects, so that what was serialised of them is found again.
    const before = requests.at(-2)?.messages ?? [];
    for (const [index, message] of before.slice(0, -1).entries()) expect(last[index]).toBe(message);
  });

  it('of more than 20 images with a large one at the end keeps that one', () => {
    const small = Array.from({ length: 25 }, (_, n) => imageOf(pngBytes(10 + n, 10)));
    const large = imageOf(pngBytes(3_000, 10));
    const { messages, repairs } = createHistoryRepairer().prepare(session([...small, large]));
    expect(JSON.stringify(messages.at(-1))).toContain('"type":"image"');
    expect(imagesIn(messages)).toBe(16);
    expect(repairs).toHaveLength(10);
    expect(violations(messages)).toEqual([]);
  });

  it('of too many pages keeps the newest documents', () => {
    const documents = [pdfOf(pdfBytes(60), 'old.pdf'), pdfOf(pdfBytes(60), 'new.pdf')];
    const { messages, repairs } = createHistoryRepairer().prepare(session(documents));
    expect(repairs).toEqual([
      { kind: 'media_removed', detail: expect.stringMatching(/^document 1 \(old\.pdf, .*at most 100 pages/) },
    ]);
    expect(JSON.stringify(messages)).toContain('new.pdf');
    expect(violations(messages)).toEqual([]);
  });

  it('of more data than a body holds keeps the newest', () => {
    const shots = Array.from({ length: 8 }, (_, n) => imageOf(pngBytes(10 + n, 10, 5_000_000)));
    const { messages } = createHistoryRepairer().prepare(session(shots));
    expect(imagesIn(messages)).toBeLessThan(5);
    expect(imagesIn(messages)).toBeGreaterThan(2);
    expect(JSON.stringify(messages).length).toBeLessThan(32 * 1_024 * 1_024);
  });

  it('that says another type than it has is sent with the type it has', () => {
    const { messages, repairs } = createHistoryRepairer().prepare(session([imageOf(jpegBytes(9, 9), 'image/png')]));
    expect(repairs).toEqual([
      { kind: 'media_corrected', detail: 'an image of type image/jpeg said that it is image/png' },
    ]);
    expect(JSON.stringify(messages)).toContain('"media_type":"image/jpeg"');
    expect(violations(messages)).toEqual([]);
  });

  it('in the result of a failed call becomes text', () => {
    const failed = { ...result('c0', imageOf(pngBytes())), is_error: true };
    const { messages, repairs } = createHistoryRepairer().prepare([
      user({ type: 'text', text: 'go' }),
      assistant(call('c0')),
      user(failed),
    ]);
    expect(repairs).toEqual([{ kind: 'media_removed', detail: expect.stringMatching(/failed call holds text only/) }]);
    expect(violations(messages)).toEqual([]);
  });
});

describe('any media', () => {
  const SHOTS = [
    imageOf(pngBytes(10, 10)),
    imageOf(pngBytes(2_500, 10)),
    imageOf(pngBytes(9_000, 10)),
    imageOf(jpegBytes(10, 10), 'image/png'),
    imageOf(pngBytes(10, 10).subarray(0, 40)),
    pdfOf(pdfBytes(30)),
    pdfOf(pdfBytes(120)),
    pdfOf(pdfBytes(1, { encrypted: true })),
  ];
  const mixes = fc.array(
    fc.oneof({ weight: 8, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(SHOTS.length - 1) }),
    { maxLength: 130 },
  );

  it('makes a request that is valid, the same whether the history grew or is new, and needs no second repair', () => {
    fc.assert(
      fc.property(mixes, fc.nat(130), (picks, seen) => {
        const history = session(picks.map((pick) => SHOTS[pick] ?? imageOf(pngBytes())));
        const repairer = createHistoryRepairer();
        for (let length = 1; length < history.length; length += 2 + (seen % 7) * 2)
          repairer.prepare(history.slice(0, length));
        const { messages } = repairer.prepare(history);
        expect(violations(messages)).toEqual([]);
        expect(createHistoryRepairer().prepare(history).messages).toEqual(messages);
        const again = createHistoryRepairer().prepare(messages);
        expect(again.repairs).toEqual([]);
        expect(again.messages).toEqual(messages);
      }),
      { seed: 42, numRuns: 150 },
    );
  });
});
