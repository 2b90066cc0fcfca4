import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseTail,
  compactedMessages,
  parseSummary,
  summaryMessages,
} from '../../../src/engine/compaction/ask-summary.js';
import { createHistoryRepairer } from '../../../src/engine/history/repair-history.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { validateModelRequest } from '../../../src/testing/wire/wire-validator.js';
import { longHistories, textOf, typedTexts } from '../long-histories.js';

const RUNS = 150;
const SUMMARY = 'Goal: fix the bug.\nNext step: run the tests.';

const prepare = (messages: readonly MessageParam[]) => createHistoryRepairer().prepare(messages).messages;
const violations = (messages: readonly MessageParam[], thinking = false) =>
  validateModelRequest({
    model: 'm',
    system: [],
    tools: [],
    messages: prepare(messages),
    maxTokens: 2_000,
    ...(thinking ? { thinking: { type: 'enabled', budgetTokens: 1_024 } } : {}),
  });
const user = (text: string): MessageParam => ({ role: 'user', content: text });
const reply = (text: string): MessageParam => ({ role: 'assistant', content: [{ type: 'text', text }] });

describe('the request for a summary', () => {
  it('is valid, holds no media, and leaves short messages the same objects', () => {
    fc.assert(
      fc.property(longHistories, ({ messages, thinking }) => {
        const asked = summaryMessages(messages, null);
        expect(violations(asked, thinking)).toEqual([]);
        expect(JSON.stringify(asked)).not.toContain('"base64"');
        expect(asked).toHaveLength(messages.length + 1);
        for (const [index, message] of messages.entries()) {
          if (typeof message.content === 'string') expect(asked[index]).toBe(message);
        }
      }),
      { seed: 42, numRuns: RUNS },
    );
  });

  it('cuts long tool texts and keeps both ends of them', () => {
    const output = `HEAD ${'x'.repeat(100_000)} TAIL`;
    const asked = summaryMessages(
      [
        user('go'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'cat a' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: output }] },
      ],
      null,
    );
    const sent = JSON.stringify(asked[2]);
    expect(sent.length).toBeLessThan(6_000);
    expect(sent).toMatch(/HEAD x+.*characters were removed.*x+ TAIL/);
  });

  it('carries the instructions of the caller, if there are any', () => {
    expect(typedTexts(summaryMessages([user('go')], ' Keep the SQL. ')).at(-1)).toMatch(/Keep the SQL\.$/);
    expect(typedTexts(summaryMessages([user('go')], '  '))).toEqual(typedTexts(summaryMessages([user('go')], null)));
  });
});

describe('reading the summary', () => {
  it.each([
    ['between its marks', `Let me think.\n<summary>\n${SUMMARY}\n</summary>\nDone.`, SUMMARY],
    ['with marks quoted inside', '<summary>a </summary> b</summary>', 'a </summary> b'],
    ['cut off before the end mark', `<summary>${SUMMARY}`, SUMMARY],
    ['without marks', ` ${SUMMARY.repeat(3)} `, SUMMARY.repeat(3)],
    ['too short without marks', 'I cannot do that.', null],
    ['empty', '<summary> \n </summary>', null],
    ['an end mark only', '</summary>', null],
    ['nothing', '', null],
  ])('%s', (_name, text, expected) => {
    expect(parseSummary(text)).toBe(expected);
  });
});

describe('the tail', () => {
  const estimator = createTokenEstimator();

  it('is what the user typed last and everything after it, if that fits', () => {
    const messages = [user('old'), reply('done'), user('new'), reply('a'), user('b')];
    expect(chooseTail(messages, 1_000, estimator)).toEqual(messages.slice(4));
    const note = user('Your last reply was empty. Continue with the task, or say that it is done.');
    expect(chooseTail([...messages.slice(0, 4), note], 1_000, estimator)).toEqual([messages[2], messages[3], note]);
  });

  it('leaves out an earlier summary', () => {
    const [summary] = compactedMessages({ summary: SUMMARY, pins: [], tail: [] }) as [MessageParam];
    expect(chooseTail([summary, user('new'), reply('a')], 1_000, estimator)).toEqual([user('new'), reply('a')]);
    expect(chooseTail([summary, reply('a')], 1_000, estimator)).toEqual([reply('a')]);
    expect(chooseTail([summary], 1_000, estimator)).toEqual([]);
  });

  it('takes what was typed out of the tool results it was merged with', () => {
    const call: MessageParam = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] };
    const typed = { type: 'text', text: 'Stop. Do this.' } as const;
    const mixed: MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }, typed],
    };
    expect(chooseTail([call, mixed, reply('ok')], 1_000, estimator)).toEqual([
      { role: 'user', content: [typed] },
      reply('ok'),
    ]);
  });

  it('is empty for nothing, and cuts a prompt that is itself too large', () => {
    expect(chooseTail([], 1_000, estimator)).toEqual([]);
    const [cut] = chooseTail([user(`BEGIN ${textOf(9_000, 1)}`)], 1_000, estimator);
    expect(estimator.message(cut as MessageParam)).toBeLessThanOrEqual(1_000);
    expect(typedTexts([cut as MessageParam])[0]).toMatch(/^BEGIN .*/);
  });
});

describe('after a compaction of any history', () => {
  it('the request is valid and small, and holds summary, pins and the last prompt word for word', () => {
    fc.assert(
      fc.property(longHistories, fc.double({ min: 0.2, max: 0.6, noNaN: true }), (history, share) => {
        const { messages, window, prompt, thinking } = history;
        const estimator = createTokenEstimator();
        const keepTokens = Math.floor(window * share);
        const tail = chooseTail(messages, keepTokens, estimator);
        expect(estimator.messages(prepare(tail))).toBeLessThanOrEqual(keepTokens);
        const pins = ['# Rules\n\n- Never push.  \n', 'Todo: [ ] one'];
        const after = compactedMessages({ summary: SUMMARY, pins, tail });
        expect(violations(after, thinking)).toEqual([]);
        const typed = typedTexts(prepare(after));
        expect(typed[0]).toContain(SUMMARY);
        expect(typed.slice(1, 3)).toEqual(pins);
        if (estimator.text(prompt) < keepTokens * 0.9) expect(typed).toContain(prompt);
        else expect(typed.some((text) => text.startsWith(prompt.slice(0, 50)))).toBe(true);
      }),
      { seed: 44, numRuns: RUNS },
    );
  });
});
