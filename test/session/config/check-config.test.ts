// Values that cannot be meant, refused before anything is sent.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/protocol/errors.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';

describe('an option that cannot be meant', () => {
  it.each<[string, object, RegExp]>([
    ['a negative budget of it', { thinking: { type: 'enabled', budgetTokens: -5 } }, /budgetTokens is -5/],
    ['one below what models take', { thinking: { type: 'enabled', budgetTokens: 100 } }, /budgetTokens is 100/],
    ['an unknown type of it', { thinking: { type: 'on' } }, /disabled, adaptive or enabled/],
    ['null for it', { thinking: null }, /`thinking` must be an object, not null/],
    ['an unknown effort', { effort: 'huge' }, /effort is "huge"\. It is low, .* or max/],
    ['turns that are no number', { maxTurns: Number.NaN }, /`maxTurns` must be a number, not NaN/],
    ['a budget of tokens without a total', { taskBudget: {} }, /taskBudget\.total is undefined/],
    ['an unknown limit', { limits: { retries: 3 } }, /no limits\.retries\. Limits: maxRetries/],
    ['a model that is a number', { fallbackModel: 5 }, /`fallbackModel` must be a text, not a number/],
    ['a format without a schema', { outputFormat: { type: 'json_schema' } }, /outputFormat\.schema is undefined/],
    ['an empty format', { outputFormat: {} }, /`outputFormat` must be a schema/],
    ['a format that is null', { outputFormat: null }, /`outputFormat` must be an object, not null/],
    ['a schema that is null', { outputFormat: { type: 'json_schema', schema: null } }, /schema is null/],
    ['a schema that is true', { outputFormat: { type: 'json_schema', schema: true } }, /schema is true/],
    [
      'a schema that cannot be used',
      { outputFormat: { type: 'json_schema', schema: { type: 'object', properties: { a: { pattern: '(' } } } } },
      /not a regular expression/,
    ],
  ])('%s', async (_name, options, why) => {
    const model = scriptedModel([]);
    const cwd = await temporaryFolder();
    const asked = query({
      prompt: 'go',
      options: { provider: model, cwd, persistSession: false, ...options } as Options,
    });
    const error = await collect(asked).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(why);
    expect(model.calls).toBe(0);
  });

  it.each<[string, object, RegExp]>([
    ['turns', { maxTurns: Number.NaN }, /maxTurns is NaN/],
    ['thinking', { thinkingConfig: { type: 'enabled', budgetTokens: 5 } }, /thinking\.budgetTokens/],
    ['a window', { contextWindow: 0 }, /contextWindow is 0/],
    ['compaction', { autoCompact: 'no' }, /autoCompact is "no"/],
    ['keeping', { persistSession: 'no' }, /persistSession is "no"/],
    ['redaction', { redactSecrets: 0 }, /redactSecrets is 0/],
    ['a budget', { budget: 5 }, /budget is 5/],
    ['a prefetch', { prefetch: [] }, /prefetch is/],
    ['summaries', { toolUseSummaries: { model: 3 } }, /toolUseSummaries\.model is 3/],
  ])('ends the first prompt of an engine: %s', async (_name, overrides, why) => {
    const { engine } = await testEngine(scriptedModel([]), overrides as Partial<QueryEngineConfig>);
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(why)],
    });
  });

  it('is none that can', async () => {
    const { engine } = await testEngine(scriptedModel([text('ok')]), {
      thinkingConfig: { type: 'adaptive' },
      effort: 'max',
      maxTurns: 1,
      toolUseSummaries: {},
      autoCompact: false,
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('success');
  });
});
