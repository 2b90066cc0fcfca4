// A resumed session knows the size of what it resumes before its first request: system prompt and tools are part of it.
import { expect, it } from 'vitest';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { syntheticAssistant } from '../../src/session/core/session.js';
import type { Message } from '../../src/session/messages/history.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { textOf } from '../engine/long-histories.js';
import { testEngine } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

const WINDOW = 20_000;
const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Tokens of messages: below the threshold of 8,000 by themselves. */
function conversation(tokens: number): Message[] {
  return Array.from({ length: 10 }, (_, index): Message => {
    const said = textOf(tokens / 10, index);
    return index % 2 === 0
      ? { uuid: uuid(index), type: 'user', message: { role: 'user', content: said } }
      : {
          uuid: uuid(index),
          type: 'assistant',
          message: syntheticAssistant(uuid(index), [{ type: 'text', text: said }]),
        };
  });
}

it.each([
  ['is compacted before its first request where system prompt and messages together are too long', 4_000, true],
  ['is not where they are not', 200, false],
])('%s', async (_title, frame, isCompacted) => {
  const model = scriptedModel((request) => text(isSummaryRequest(request) ? '<summary>All of it.</summary>' : 'ok'));
  const initialMessages = conversation(6_000);
  const estimator = createTokenEstimator();
  const params = initialMessages.map(({ message }) => message);
  expect(estimator.messages(params as Parameters<typeof estimator.messages>[0])).toBeLessThan(8_000);
  const { engine } = await testEngine(model, {
    initialMessages,
    resumedFrom: uuid(9),
    customSystemPrompt: textOf(frame, 3),
    readInstructionFiles: false,
    contextWindow: WINDOW,
  });
  await collect(engine.submitMessage('and now?'));
  expect(model.requests.map(isSummaryRequest)).toEqual(isCompacted ? [true, false] : [false]);
});
