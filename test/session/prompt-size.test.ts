// What a request holds before anybody said a word: system prompt and all tools of today.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { createAskUserQuestion } from '../../src/tools/ask-user-question.js';
import { getTools } from '../../src/tools/builtin.js';
import { exitPlanModeTool } from '../../src/tools/plan-mode.js';
import { createSkillTool } from '../../src/tools/skill.js';
import { testEngine } from '../support/engine.js';

const MOST_TOKENS = 8_000;
const FILE = path.join(import.meta.dirname, '..', 'fixtures', 'tokens', 'o200k.json');

/** The estimate, calibrated by a count of the vocabulary that the fixtures were counted with. */
function calibrated() {
  const { texts } = JSON.parse(readFileSync(FILE, 'utf8')) as {
    texts: { name: string; tokens: number; text: string }[];
  };
  const mixed = texts.find(({ name }) => name === 'mixed');
  const estimator = createTokenEstimator();
  const messages = [{ role: 'user' as const, content: mixed?.text ?? '' }];
  estimator.calibrate({ model: 'm', system: [], tools: [], maxTokens: 1, messages }, mixed?.tokens ?? 0);
  return estimator;
}

it('system prompt and tools take less than 8,000 tokens', async () => {
  const skill = { name: 'review', description: 'Reviews a change.', allowedTools: [], isForModel: true };
  const skills = createSkillTool({
    skills: [skill],
    load: async () => ({ text: '', folder: '', allowedTools: [], hooks: null }),
  });
  const tools = [...(await getTools()), createAskUserQuestion(), exitPlanModeTool, skills];
  const model = scriptedModel([text('ok')]);
  const { engine } = await testEngine(model, { tools });
  await collect(engine.submitMessage('go'));
  const [request] = model.requests;
  if (request === undefined) throw new Error('No request was sent.');
  expect(request.tools).toHaveLength(18);
  const tokens = calibrated().frame(request);
  expect(tokens).toBeLessThan(MOST_TOKENS);
  // It measures what it says it does: the same without tools is far less, and not nothing.
  const bare = calibrated().frame({ ...request, tools: [] });
  expect(bare).toBeGreaterThan(1_000);
  expect(tokens - bare).toBeGreaterThan(3_000);
});

it('code mode takes less than 800 tokens more, and in place of the tools it saves some', async () => {
  const tools = await getTools();
  const frameOf = async (codeMode: boolean | { readonly only: boolean }) => {
    const model = scriptedModel([text('ok')]);
    const { engine } = await testEngine(model, { tools, codeMode });
    await collect(engine.submitMessage('go'));
    const [request] = model.requests;
    if (request === undefined) throw new Error('No request was sent.');
    return calibrated().frame(request);
  };
  const [without, beside, only] = [await frameOf(false), await frameOf(true), await frameOf({ only: true })];
  expect(beside - without).toBeGreaterThan(200);
  expect(beside - without).toBeLessThan(800);
  expect(beside).toBeLessThan(MOST_TOKENS);
  expect(only).toBeLessThan(without);
});
