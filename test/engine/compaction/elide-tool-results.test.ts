import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elideOldToolResults } from '../../../src/engine/compaction/fit-history.js';
import { createHistoryRepairer } from '../../../src/engine/history/repair-history.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { validateModelRequest } from '../../../src/testing/wire/wire-validator.js';
import { longHistories, PNG, textOf } from '../long-histories.js';

const RUNS = 150;
const LARGE = textOf(2_000, 1);

function round(id: string, name: string, input: unknown, content: unknown, isError = false): MessageParam[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }],
    } as MessageParam,
  ];
}

const contentOf = (message: MessageParam | undefined): unknown =>
  (message?.content as readonly { content?: unknown }[] | undefined)?.[0]?.content;

describe('eliding old tool results', () => {
  const messages: MessageParam[] = [
    { role: 'user', content: 'go' },
    ...round('a', 'Read', { file_path: 'src/a.ts' }, LARGE),
    ...round('b', 'Bash', { command: 'npm test\n\n--all', timeout: 5 }, LARGE, true),
    ...round('c', 'Screenshot', {}, [{ type: 'text', text: LARGE }, PNG]),
    ...round('d', 'Grep', { pattern: 'x' }, 'short'),
    ...round('e', 'Read', { file_path: 'src/e.ts' }, LARGE),
  ];
  const options = { keepTokens: 3_000, minTokens: 100, estimator: createTokenEstimator() };

  it('names the tool, what it was about, and the size', () => {
    const { messages: after, elided, freedTokens } = elideOldToolResults(messages, options);
    expect(elided).toBe(3);
    // Each sum is rounded up by itself.
    const expected = options.estimator.messages(messages) - options.estimator.messages(after);
    expect(Math.abs(freedTokens - expected)).toBeLessThanOrEqual(1);
    const size = LARGE.length.toLocaleString('en-US');
    expect(contentOf(after[2])).toBe(
      `[Output of Read src/a.ts was removed to save space (${size} characters). Read it again if needed.]`,
    );
    expect(contentOf(after[4])).toBe(
      `[Output of Bash npm test --all was removed to save space (${size} characters). Call it again only if doing so twice is safe.]`,
    );
    expect(contentOf(after[6])).toContain(
      `Screenshot was removed to save space (${size} characters, 1 image or document)`,
    );
    expect(after[4]?.content[0]).toMatchObject({ is_error: true, tool_use_id: 'b' });
  });

  it('leaves new, small and other messages the same objects', () => {
    const { messages: after } = elideOldToolResults(messages, options);
    const changed = after.flatMap((message, index) => (message === messages[index] ? [] : [index]));
    expect(changed).toEqual([2, 4, 6]);
  });

  it('keeps the newest result even if it alone is over the limit, unless nothing is to be kept', () => {
    expect(contentOf(elideOldToolResults(messages, { ...options, keepTokens: 1 }).messages.at(-1))).toBe(LARGE);
    expect(contentOf(elideOldToolResults(messages, { ...options, keepTokens: 0 }).messages.at(-1))).toContain(
      'removed',
    );
  });

  it('returns the same array if there is nothing to do', () => {
    const result = elideOldToolResults(messages, { ...options, keepTokens: 1_000_000 });
    expect(result).toEqual({ messages, freedTokens: 0, elided: 0 });
    expect(result.messages).toBe(messages);
  });

  it('never makes a result longer, nor removes it twice', () => {
    const all = { ...options, keepTokens: 0, minTokens: 0 };
    const once = elideOldToolResults(messages, all);
    expect(contentOf(once.messages[8])).toBe('short');
    expect(once.elided).toBe(4);
    expect(elideOldToolResults(once.messages, all).messages).toBe(once.messages);
  });

  it('survives results without a call, and damaged blocks', () => {
    const odd = [
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'z', content: LARGE }, null, 7] },
      { role: 'assistant', content: null },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'y', name: 'Read', input: null }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'y' }] },
    ] as unknown as MessageParam[];
    const { messages: after, elided } = elideOldToolResults(odd, { ...options, keepTokens: 0 });
    expect(elided).toBe(1);
    expect(contentOf(after[0])).toContain('Output of a tool was removed');
  });
});

describe('in any history', () => {
  it('eliding is idempotent, keeps what it does not touch, frees what it says, and leaves the history valid', () => {
    fc.assert(
      fc.property(longHistories, fc.nat(9_000), fc.constantFrom(0, 100), ({ messages }, keepTokens, minTokens) => {
        const estimator = createTokenEstimator();
        const options = { keepTokens, minTokens, estimator };
        const once = elideOldToolResults(messages, options);
        expect(elideOldToolResults(once.messages, options).messages).toBe(once.messages);
        expect(elideOldToolResults(messages, options).messages).toEqual(once.messages);
        const freed = estimator.messages(messages) - estimator.messages(once.messages);
        expect(Math.abs(freed - once.freedTokens)).toBeLessThanOrEqual(once.elided + 1);
        expect(once.messages.filter((message, index) => message !== messages[index]).length).toBeLessThanOrEqual(
          once.elided,
        );
        const { messages: prepared } = createHistoryRepairer().prepare(once.messages);
        expect(validateModelRequest({ model: 'm', system: [], tools: [], messages: prepared, maxTokens: 9 })).toEqual(
          [],
        );
      }),
      { seed: 42, numRuns: RUNS },
    );
  });
});
