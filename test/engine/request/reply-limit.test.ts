import { describe, expect, it } from 'vitest';
import {
  limitReply,
  type ReplyRoom,
  thinkingReduction,
  withMaxTokens,
} from '../../../src/engine/request/build-request.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';

const request = (maxTokens = 32_000, budgetTokens?: number): ModelRequest => ({
  model: 'm',
  system: [],
  tools: [],
  messages: [],
  maxTokens,
  ...(budgetTokens === undefined ? {} : { thinking: { type: 'enabled', budgetTokens } }),
});
const room = ({
  inputTokens = 1_000,
  ...changes
}: Partial<Omit<ReplyRoom, 'inputTokens'>> & { inputTokens?: number } = {}): ReplyRoom => ({
  most: 64_000,
  window: 200_000,
  roughTokens: inputTokens * 4,
  inputTokens: () => inputTokens,
  isRaised: false,
  ...changes,
});

describe('the output limit of a request', () => {
  it.each([
    ['what is wanted, where the model can give it', room(), 32_000],
    ['that of the model, where it is less', room({ most: 4_096 }), 4_096],
    ['what is wanted, where nothing is known of the model', room({ most: null }), 32_000],
    ['the whole of what the model can give, once a reply was cut', room({ isRaised: true }), 64_000],
    ['what is wanted, once a reply of an unknown model was cut', room({ most: null, isRaised: true }), 32_000],
    ['what the window leaves beside the prompt', room({ window: 8_000, inputTokens: 2_000 }), 5_800],
    ['enough for a few words, however full the window', room({ window: 8_000, inputTokens: 9_000 }), 1_024],
  ])('is %s', (_name, given, expected) => {
    expect(limitReply(request(), given).maxTokens).toBe(expected);
  });

  it('is found without measuring the prompt if there is room by any measure', () => {
    let measured = 0;
    const inputTokens = () => ++measured;
    expect(limitReply(request(), { ...room(), roughTokens: 100_000, inputTokens }).maxTokens).toBe(32_000);
    expect(measured).toBe(0);
    limitReply(request(), { ...room(), roughTokens: 170_000, inputTokens });
    expect(measured).toBe(1);
  });

  it('is the same request if nothing has to change', () => {
    const plain = request();
    expect(limitReply(plain, room())).toBe(plain);
    expect(withMaxTokens(plain, 32_000)).toBe(plain);
  });
});

describe('a thinking budget', () => {
  it('leaves room for the reply beside it', () => {
    const sent = limitReply(request(32_000, 31_999), room());
    expect(sent).toMatchObject({ maxTokens: 39_999, thinking: { budgetTokens: 31_999 } });
  });

  it.each([
    [4_096, 3_072],
    [2_048, 1_024],
    [2_047, undefined],
  ])('is lowered for a model that gives %i tokens, or left out', (most, budgetTokens) => {
    const asked = request(32_000, 10_000);
    const sent = limitReply(asked, room({ most }));
    expect(sent.maxTokens).toBe(most);
    expect(sent.thinking).toEqual(budgetTokens === undefined ? undefined : { type: 'enabled', budgetTokens });
    expect(thinkingReduction(asked, sent)).toMatch(
      budgetTokens === undefined ? /left out/ : `lowered to ${budgetTokens}`,
    );
  });

  it('that is sent as it was asked for is not told of', () => {
    const asked = request(32_000, 2_000);
    expect(thinkingReduction(asked, limitReply(asked, room()))).toBeNull();
    expect(thinkingReduction(request(), limitReply(request(), room({ most: 1_024 })))).toBeNull();
  });
});
