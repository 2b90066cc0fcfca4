import { expect, it } from 'vitest';
import { maxThinkingTokens, resolveThinking } from '../../../src/engine/request/build-request.js';
import type { ThinkingConfig } from '../../../src/protocol/options.js';
import type { ThinkingForm } from '../../../src/providers/contract/provider.js';

const ADAPTIVE = { type: 'adaptive' } as const;
const DISABLED = { type: 'disabled' } as const;
const budget = (budgetTokens: number) => ({ type: 'enabled', budgetTokens }) as const;

it.each<
  [asked: ThinkingConfig | undefined, form: ThinkingForm | null, variable: number | null, ThinkingConfig | undefined]
>([
  // What is said outright is taken as it is.
  [DISABLED, 'adaptive', 20_000, DISABLED],
  [budget(2_000), 'adaptive', 0, budget(2_000)],
  [budget(2_000), 'none', null, budget(2_000)],
  // Left to the model.
  [ADAPTIVE, 'adaptive', null, ADAPTIVE],
  [ADAPTIVE, 'budget', null, budget(10_000)],
  [ADAPTIVE, 'none', null, undefined],
  [ADAPTIVE, null, null, ADAPTIVE],
  [undefined, 'adaptive', null, ADAPTIVE],
  [undefined, 'budget', null, undefined],
  [undefined, 'none', null, undefined],
  [undefined, null, null, undefined],
  // The variable.
  [ADAPTIVE, 'adaptive', 0, DISABLED],
  [ADAPTIVE, null, 0, DISABLED],
  [undefined, 'adaptive', 0, undefined],
  [ADAPTIVE, 'adaptive', 5_000, ADAPTIVE],
  [ADAPTIVE, 'budget', 5_000, budget(5_000)],
  [undefined, 'budget', 5_000, budget(5_000)],
  [undefined, 'budget', 1, budget(1_024)],
  [undefined, 'none', 5_000, undefined],
  [undefined, null, 5_000, undefined],
])('%j for a model that takes %j, with %j in the variable, is %j', (asked, form, maxTokens, expected) => {
  expect(resolveThinking({ asked, form, maxTokens })).toEqual(expected);
});

it.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ MAX_THINKING_TOKENS: '4096' }, 4_096],
  [{ MAX_THINKING_TOKENS: ' 0 ' }, 0],
  [{ MAX_THINKING_TOKENS: '8000', TURNWRIGHT_MAX_THINKING_TOKENS: '2000' }, 2_000],
  [{ MAX_THINKING_TOKENS: '' }, null],
  [{ MAX_THINKING_TOKENS: '-1' }, null],
  [{ MAX_THINKING_TOKENS: 'many' }, null],
])('the variable of %j says %j', (env, expected) => {
  expect(maxThinkingTokens(env)).toBe(expected);
});
