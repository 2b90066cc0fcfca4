import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShrinkStep, shrinkHistory } from '../../../src/engine/compaction/ask-summary.js';
import { createHistoryRepairer } from '../../../src/engine/history/repair-history.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { MessageParam, UserBlock } from '../../../src/protocol/content.js';
import { validateModelRequest } from '../../../src/testing/wire/wire-validator.js';
import { type LongHistory, longHistories, PDF, PNG, textOf, typedTexts } from '../long-histories.js';

const RUNS = 300;
const STEPS: readonly ShrinkStep[] = [1, 2, 3];

const prepare = (messages: readonly MessageParam[]) => createHistoryRepairer().prepare(messages).messages;
const violations = (messages: readonly MessageParam[], thinking = false) =>
  validateModelRequest({
    model: 'm',
    system: [],
    tools: [],
    messages,
    maxTokens: 2_000,
    ...(thinking ? { thinking: { type: 'enabled', budgetTokens: 1_024 } } : {}),
  });
const user = (content: string | UserBlock[]): MessageParam => ({ role: 'user', content });
const reply = (text: string): MessageParam => ({ role: 'assistant', content: [{ type: 'text', text }] });
const round = (id: string, input: unknown, output: string, thinking?: string): MessageParam[] => [
  {
    role: 'assistant',
    content: [
      ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking, signature: 's' }]),
      { type: 'tool_use', id, name: 'Write', input },
    ],
  },
  user([{ type: 'tool_result', tool_use_id: id, content: output }]),
];
const rounds = (from: number, to: number, tokens: number): MessageParam[] =>
  Array.from({ length: to - from }, (_, at) => round(`c${from + at}`, { n: at }, textOf(tokens, at))).flat();
/** The messages after one step, which must have done something. */
function shrink(messages: readonly MessageParam[], step: ShrinkStep, target: number): readonly MessageParam[] {
  const shrunk = shrinkHistory(messages, step, target, createTokenEstimator());
  if (shrunk === null) throw new Error(`Step ${step} freed nothing.`);
  expect(violations(prepare(shrunk.messages))).toEqual([]);
  return shrunk.messages;
}

/** The ladder as the loop climbs it: the messages once they fit, and the steps it took. */
function climb({ window, messages, thinking }: LongHistory) {
  const estimator = createTokenEstimator();
  const fits = (list: readonly MessageParam[]) => estimator.messages(prepare(list)) <= window;
  let current = messages;
  for (const step of STEPS) {
    const shrunk = shrinkHistory(current, step, window, estimator);
    if (shrunk !== null) {
      expect(shrunk.description).not.toBe('');
      expect(estimator.messages(shrunk.messages)).toBeLessThan(estimator.messages(current));
      expect(violations(prepare(shrunk.messages), thinking)).toEqual([]);
      current = shrunk.messages;
    }
    if (fits(current)) return { current, fits: true };
  }
  return { current, fits: fits(current) };
}

describe('histories of 1 to 10 times the window', () => {
  it('fit after at most three steps, stay valid, and keep what the user typed last', () => {
    fc.assert(
      fc.property(longHistories, (history) => {
        expect(violations(prepare(history.messages), history.thinking)).toEqual([]);
        const { current, fits } = climb(history);
        expect(fits).toBe(true);
        const estimator = createTokenEstimator();
        const typed = typedTexts(current);
        if (estimator.text(history.prompt) < history.window * 0.9) expect(typed).toContain(history.prompt);
        else expect(typed.some((text) => text.startsWith(history.prompt.slice(0, 100)))).toBe(true);
      }),
      { seed: 42, numRuns: RUNS },
    );
  });

  it('are shrunk the same way every time, and not again once nothing is left to free', () => {
    fc.assert(
      fc.property(longHistories, fc.constantFrom(...STEPS), ({ messages, window }, step) => {
        const estimator = createTokenEstimator();
        let current = shrinkHistory(messages, step, window, estimator);
        expect(shrinkHistory(messages, step, window, createTokenEstimator())).toEqual(current);
        // It may take more than one call where a call changes what the last one looked at, but it ends.
        for (let call = 0; current !== null && call < 5; call++) {
          current = shrinkHistory(current.messages, step, window, estimator);
        }
        expect(current).toBeNull();
      }),
      { seed: 43, numRuns: RUNS / 2 },
    );
  });
});

describe('step 1', () => {
  it('removes old tool output and shortens old tool inputs, which stay objects', () => {
    const content = 'x'.repeat(9_999);
    const messages = [
      user('go'),
      ...round('a', { file_path: 'a.ts', content, edits: [{ text: content }], n: 1 }, textOf(900, 1)),
      ...round('b', { content }, 'ok'),
      ...round('c', { content }, textOf(900, 2)),
    ];
    const after = shrink(messages, 1, 1_000);
    expect(after[1]?.content[0]).toMatchObject({
      input: { file_path: 'a.ts', content: expect.stringMatching(/^x{200}\n\[\.\.\. 9,799 char/), n: 1 },
    });
    expect(JSON.stringify(after[1]).length).toBeLessThan(1_000);
    expect(JSON.stringify(after[2])).toContain('Output of Write a.ts was removed');
    for (const index of [0, 3, 4, 5, 6]) expect(after[index]).toBe(messages[index]);
    expect(shrinkHistory(after, 1, 1_000, createTokenEstimator())).toBeNull();
  });

  it('never touches signed thinking', () => {
    const thinking = textOf(3_000, 3);
    const messages = [user('go'), ...round('a', { content: 'x'.repeat(9_999) }, 'ok', thinking), ...rounds(0, 3, 500)];
    const first = shrink(messages, 1, 500)[1] as MessageParam;
    expect(first).not.toBe(messages[1]);
    expect(first.content[0]).toBe((messages[1] as MessageParam).content[0]);
  });
});

describe('step 2', () => {
  it('names the media it removes, and keeps that of the last user message', () => {
    const messages = [
      user([{ type: 'text', text: 'see' }, PNG]),
      reply('ok'),
      user([{ type: 'text', text: 'and' }, PDF]),
    ];
    const after = shrink(messages, 2, 1_000);
    expect(typedTexts(after)[1]).toMatch(/^\[An image \(image\/png, \d+ bytes\) was removed/);
    expect(after[2]).toBe(messages[2]);
  });

  it('removes the last one too if it is the only one left', () => {
    const messages = [user('see'), reply('ok'), user([{ type: 'text', text: 'and' }, PDF])];
    const after = shrink(messages, 2, 1_000);
    expect(typedTexts(after).at(-1)).toMatch(/^\[A document \(spec.pdf, application\/pdf, 300\.\d KB\) was removed/);
    expect(typedTexts(after)).toContain('and');
    expect(shrinkHistory(after, 2, 1_000, createTokenEstimator())).toBeNull();
  });

  it('reaches media inside tool results', () => {
    const messages = [
      user('go'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
      user([{ type: 'tool_result', tool_use_id: 'a', content: [PNG] }]),
    ] as MessageParam[];
    expect(JSON.stringify(shrink(messages, 2, 1_000))).not.toContain('base64');
  });
});

describe('step 3', () => {
  it('drops the oldest exchanges whole, says how many messages, and keeps the rest as they are', () => {
    const messages = [user('one'), reply(textOf(500, 1)), user('two'), reply(textOf(500, 2)), user('three')];
    const after = shrink(messages, 3, 700);
    expect(typedTexts(after)[0]).toMatch(/^\[3 earlier messages were removed here/);
    expect(after.at(-2)).toBe(messages[3]);
    expect(after.at(-1)).toBe(messages[4]);
  });

  it('adds up what was dropped before', () => {
    const messages = [user('one'), ...rounds(0, 10, 150), user('two'), reply('x'), user('three')];
    const first = shrink(messages, 3, 1_500);
    const second = shrink(first, 3, 500);
    const dropped = typedTexts(second).map((text) => /^\[(\d+) earlier/.exec(text)?.[1]);
    expect(dropped.filter((found) => found !== undefined)).toEqual([String(messages.length - (second.length - 1))]);
  });

  it('keeps the prompt of a long run of tools, however old it is', () => {
    const messages = [user('old'), reply('done'), user('Refactor everything.'), ...rounds(0, 30, 150)];
    const after = shrink(messages, 3, 1_500);
    expect(after).toContain(messages[2]);
    expect(after.at(-1)).toBe(messages.at(-1));
  });

  it('keeps the thinking that a running turn began with', () => {
    const [call, result] = round('first', {}, textOf(300, 1), 'I think') as [MessageParam, MessageParam];
    const messages = [user('old'), reply(textOf(900, 2)), user('go'), call, result, ...rounds(0, 30, 150)];
    const after = shrink(messages, 3, 1_500);
    expect(after).toContain(call);
    expect(violations(prepare(after), true)).toEqual([]);
  });

  it('cuts the newest output in the middle if it alone is too large, not what was typed', () => {
    const messages = [user('Read it.'), ...rounds(0, 1, 20_000)];
    const after = shrink(messages, 3, 2_000);
    expect(after[0]).toBe(messages[0]);
    expect(JSON.stringify(after[2])).toMatch(/characters were removed here to save space/);
    expect(createTokenEstimator().messages(after)).toBeGreaterThan(1_800);
  });

  it('cuts what was typed only if it alone is too large', () => {
    const typed = `BEGIN ${textOf(9_000, 1)} END`;
    const after = shrink([user('old'), reply('ok'), user(typed)], 3, 2_000);
    const kept = typedTexts(after).at(-1) ?? '';
    expect(kept.startsWith('BEGIN ')).toBe(true);
    expect(kept.endsWith(' END')).toBe(true);
    expect(kept).toMatch(/characters were removed/);
  });

  it('takes texts of the engine for what they are: not typed by the user', () => {
    const empty = 'Your last reply was empty. Continue with the task, or say that it is done.';
    const messages = [user('The task.'), ...rounds(0, 20, 200), reply('hm'), user([{ type: 'text', text: empty }])];
    expect(typedTexts(shrink(messages, 3, 1_000))).toContain('The task.');
  });

  it('keeps what was typed among tool results, and the summary of a compaction', () => {
    const summary = 'The earlier part of this conversation was compacted to save space. Facts.';
    const [call, result] = round('m', {}, textOf(400, 4)) as [MessageParam, MessageParam];
    const mixed = user([...(result.content as UserBlock[]), { type: 'text', text: 'Stop, do this instead.' }]);
    const after = shrink([user(summary), user('first'), call, mixed, ...rounds(0, 20, 200)], 3, 1_200);
    expect(typedTexts(after)).toEqual(expect.arrayContaining([summary, 'first', 'Stop, do this instead.']));
  });

  it('returns null if everything fits already', () => {
    expect(shrinkHistory([user('one'), reply('two')], 3, 9_000, createTokenEstimator())).toBeNull();
    expect(shrinkHistory([], 3, 10, createTokenEstimator())).toBeNull();
  });

  it('does its best for a target nobody can meet', () => {
    const shrunk = shrinkHistory([user(textOf(50, 1)), ...rounds(0, 9, 300)], 3, 5, createTokenEstimator());
    expect(typedTexts(shrunk?.messages ?? []).at(-1)).toBe(textOf(50, 1));
  });

  it('cuts no character in half', () => {
    const after = shrink(
      [user('go'), ...round('a', { content: '😀'.repeat(3_000) }, '😀'.repeat(5_001)), ...rounds(0, 2, 9)],
      3,
      900,
    );
    expect(createHistoryRepairer().prepare(after).repairs).toEqual([]);
  });
});
