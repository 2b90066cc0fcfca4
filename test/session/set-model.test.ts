// Another model named while a prompt runs: which request it acts on, and what counts with it.
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import { collect } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { textOf } from '../engine/long-histories.js';
import { probeTool, testEngine } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

describe('setModel', () => {
  it('acts on the next request of a running prompt', async () => {
    const probe = probeTool();
    const model = scriptedModel([toolCall('Probe'), text('ok')]);
    const { engine } = await testEngine(model, { tools: [probe] });
    for await (const message of engine.submitMessage('go')) if (message.type === 'user') engine.setModel('other');
    expect(model.requests.map((request) => request.model)).toEqual(['scripted', 'other']);
  });

  it('acts as often as it is called, and without a name goes back to the own model of the session', async () => {
    const names = ['second', 'third', undefined, 'fourth'];
    const model = scriptedModel(() => {
      const name = model.requests.length - 1;
      if (name >= names.length) return text('ok');
      engine.setModel(names[name]);
      return toolCall('Probe', { value: String(name) });
    });
    const { engine } = await testEngine(model, { tools: [probeTool()] });
    engine.setModel('first');
    await collect(engine.submitMessage('go'));
    expect(model.requests.map((request) => request.model)).toEqual(['first', 'second', 'third', 'scripted', 'fourth']);
  });

  it('names the model whose window and output limit count from there on', async () => {
    const model = scriptedModel((request) => {
      if (isSummaryRequest(request)) return text('<summary>All of it.</summary>');
      if (request.model === 'small') return text('ok');
      engine.setModel('small');
      // Little for the first model, and more than the second takes well.
      return reply(text(textOf(18_000, 1)), toolCall('Probe'));
    });
    const { engine } = await testEngine(model, {
      tools: [probeTool()],
      readInstructionFiles: false,
      catalogueOverrides: {
        'scripted/scripted': { contextWindow: 1_000_000, maxOutputTokens: 64_000 },
        'scripted/small': { contextWindow: 24_000, maxOutputTokens: 2_000 },
      },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(model.requests.map((request) => [request.model, request.maxTokens])).toEqual([
      ['scripted', 32_000],
      ['small', 2_000],
      ['small', 2_000],
    ]);
    expect(messages.some((message) => message.type === 'system' && message.subtype === 'compact_boundary')).toBe(true);
  });

  it('acts on the request after a summary, if it is called while that is made', async () => {
    let turn = 0;
    const model = scriptedModel((request) => {
      if (isSummaryRequest(request)) {
        engine.setModel('other');
        return text('<summary>All of it.</summary>');
      }
      return request.model === 'other'
        ? text('ok')
        : reply(text(textOf(6_000, turn)), toolCall('Probe', { value: String(turn++) }));
    });
    const { engine } = await testEngine(model, { tools: [probeTool()], contextWindow: 20_000 });
    await collect(engine.submitMessage('go'));
    const at = model.requests.findIndex(isSummaryRequest);
    expect(model.requests.slice(at).map((request) => request.model)).toEqual(['scripted', 'other']);
  });

  it('takes the rest of a prompt that fell back, if it is called after that', async () => {
    const model = scriptedModel((request) => {
      if (request.model === 'scripted') return { error: new ModelError('quota', 'used up', { status: 429 }) };
      if (request.model === 'named') return text('ok');
      engine.setModel('named');
      return toolCall('Probe');
    });
    const { engine } = await testEngine(model, { tools: [probeTool()], fallbackModel: 'other' });
    await collect(engine.submitMessage('go'));
    const next = await collect(engine.submitMessage('and on'));
    expect(model.requests.map((request) => request.model)).toEqual(['scripted', 'other', 'named', 'named']);
    expect(next.some((message) => message.type === 'system' && message.subtype === 'model_changed')).toBe(false);
  });
});
