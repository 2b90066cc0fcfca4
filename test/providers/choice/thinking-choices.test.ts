// What can be chosen of a model's thinking.
import { describe, expect, it } from 'vitest';
import type { ChatQuirks } from '../../../src/protocol/model-options.js';
import { CHAT_QUIRKS } from '../../../src/providers/choice/known-providers.js';
import { objectThinkingChoices, thinkingChoices } from '../../../src/providers/choice/thinking-choices.js';
import { fakeModel } from '../../support/ai-sdk-model.js';

const LOW_TO_HIGH = ['low', 'medium', 'high'];

describe('the levels of a model', () => {
  it.each<[string, readonly string[]]>([
    ['claude-opus-4-20250514', []],
    ['claude-3-7-sonnet-20250219', []],
    ['claude-sonnet-4-5-20250929', []],
    ['claude-opus-4-5-20251101', LOW_TO_HIGH],
    ['anthropic/claude-opus-4.6', [...LOW_TO_HIGH, 'max']],
    ['claude-opus-4-7', [...LOW_TO_HIGH, 'xhigh', 'max']],
    ['claude-sonnet-5', [...LOW_TO_HIGH, 'xhigh', 'max']],
    ['house-model', []],
  ])('of the Messages API: %s', (model, efforts) => {
    expect(thinkingChoices({ api: 'anthropic' }, model)).toMatchObject({ canBeOff: true, efforts });
  });

  it.each<[string, ChatQuirks, string, readonly string[], boolean]>([
    ['OpenRouter', CHAT_QUIRKS.openrouter, 'openai/gpt-5.4', [...LOW_TO_HIGH, 'xhigh'], true],
    ['Gemini', CHAT_QUIRKS.gemini, 'gemini-2.5-pro', LOW_TO_HIGH, false],
    ['a switch', CHAT_QUIRKS.deepseek, 'deepseek-v4-pro', [], true],
    ['nothing to say', CHAT_QUIRKS.mistral, 'magistral', [], false],
  ])('of Chat Completions, by what the server is told: %s', (_, quirks, model, efforts, canBeOff) => {
    expect(thinkingChoices({ api: 'openai-chat', quirks }, model)).toMatchObject({ canBeOff, efforts });
  });

  it('of model objects, by the words of their version', () => {
    const choices = (version: 'v3' | 'v4', provider: string) =>
      objectThinkingChoices(fakeModel(version, [], { provider }));
    expect(choices('v4', 'fake.chat')).toMatchObject({ canBeOff: true, efforts: [...LOW_TO_HIGH, 'xhigh'] });
    expect(choices('v3', 'fake.chat')).toMatchObject({ canBeOff: false, efforts: LOW_TO_HIGH });
    expect(choices('v3', 'google.generative-ai')).toMatchObject({ canBeOff: false, efforts: [] });
  });
});
