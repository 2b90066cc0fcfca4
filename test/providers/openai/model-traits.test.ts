import { describe, expect, it } from 'vitest';
import {
  effortOf,
  isReasoningModel,
  leastEffort,
  takesOutputSchema,
} from '../../../src/providers/openai/request-parts.js';

describe('what OpenAI models take, by their names', () => {
  it.each<[string, boolean, boolean, string | null]>([
    ['gpt-5', true, true, 'minimal'],
    ['openai/gpt-5-mini', true, true, 'minimal'],
    ['gpt-5.2', true, true, 'none'],
    ['gpt-5.1-codex', true, true, 'low'],
    ['gpt-5-pro', true, true, null],
    ['gpt-6.1-sol', true, true, 'none'],
    ['o3', true, true, null],
    ['o4-mini', true, true, null],
    ['o1-mini', true, false, null],
    ['gpt-5-chat-latest', false, true, null],
    ['gpt-4.1', false, true, null],
    ['gpt-4o-mini', false, true, null],
    ['gpt-4o-2024-05-13', false, false, null],
    ['gpt-3.5-turbo', false, false, null],
    ['llama3.3', false, false, null],
  ])('%s', (model, reasons, holds, least) => {
    expect(isReasoningModel(model)).toBe(reasons);
    expect(takesOutputSchema(model)).toBe(holds);
    expect(leastEffort(model)).toBe(least);
  });

  it('the highest effort is the highest they know', () => {
    expect(['gpt-5', 'gpt-5.1-codex-max', 'gpt-5.4', 'o3'].map((model) => effortOf(model, 'max', undefined))).toEqual([
      'high',
      'xhigh',
      'xhigh',
      'high',
    ]);
  });
});
