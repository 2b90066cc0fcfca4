// Random long histories as the loop leaves them: raw, before repair. Sizes are drawn so that a few blocks are huge.
import fc from 'fast-check';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import type { AssistantBlock, MessageParam, ToolResultContent, UserBlock } from '../../src/protocol/content.js';
import { ONE_PIXEL_PNG } from '../../src/testing/wire/wire-blocks.js';
import { pdfBytes } from '../support/media.js';

const WORDS = 'the loop reads const files = await run({ path: "src/a.ts", 12345 }); 测试 and\n  returns null '.split(
  ' ',
);

/** Text of about `tokens` tokens, different for each seed. */
export function textOf(tokens: number, seed: number): string {
  const words = [`t${seed}`];
  for (let at = 0; words.length < tokens / 1.7; at++) words.push(WORDS[(seed + at * 7) % WORDS.length] ?? '');
  return words.join(' ');
}

const PDF_DATA = pdfBytes(5, { extra: 300_000 }).toString('base64');

export const PNG: ToolResultContent = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG },
};
export const PDF: ToolResultContent = {
  type: 'document',
  title: 'spec.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: PDF_DATA },
};

/** Mostly small, sometimes a large part of the window. Shares of the window. */
const sizes = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 0.001, max: 0.05, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.05, max: 1.5, noNaN: true }) },
);

const steps = fc.record({
  kind: fc.constantFrom('tools', 'tools', 'tools', 'tools', 'reply', 'note'),
  size: sizes,
  inputSize: sizes,
  calls: fc.integer({ min: 1, max: 4 }),
  media: fc.constantFrom(null, null, null, null, PNG, PDF),
  isError: fc.boolean(),
  lost: fc.integer({ min: 0, max: 30 }),
  apart: fc.boolean(),
  thinks: fc.boolean(),
});
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

export interface LongHistory {
  readonly window: number;
  readonly messages: readonly MessageParam[];
  /** What the user typed last. */
  readonly prompt: string;
  readonly thinking: boolean;
}

/** Histories of 1 to 10 times their window. */
export const longHistories: fc.Arbitrary<LongHistory> = fc
  .record({
    window: fc.integer({ min: 2_000, max: 5_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    steps: fc.array(steps, { minLength: 3, maxLength: 14 }),
    promptSize: sizes,
    promptMedia: fc.constantFrom(null, null, PNG, PDF),
    endsWithPrompt: fc.boolean(),
    thinking: fc.boolean(),
  })
  .map(({ window, factor, steps: pattern, promptSize, promptMedia, endsWithPrompt, thinking }) => {
    const estimator = createTokenEstimator();
    const messages: MessageParam[] = [{ role: 'user', content: 'Fix the first bug.' }];
    let opensTurn = true;
    const push = (step: Step, number: number) => {
      const added = exchangeOf(step, number, window, thinking && (opensTurn || step.thinks));
      opensTurn = step.kind !== 'tools';
      messages.push(...added);
    };
    let number = 0;
    const grow = (limit: number) => {
      while (estimator.messages(messages) < limit) {
        const step = pattern[number % pattern.length];
        if (step === undefined) break;
        push(step, number++);
      }
    };
    grow(factor * window * (endsWithPrompt ? 1 : 0.3));
    if (!opensTurn) push({ ...(pattern[0] as Step), kind: 'reply' }, number++);
    if (messages.at(-1)?.role === 'assistant' || messages.length === 1) opensTurn = true;
    const prompt = textOf(promptSize * window, 9_999);
    const content: UserBlock[] = [{ type: 'text', text: prompt }, ...(promptMedia === null ? [] : [promptMedia])];
    messages.push({ role: 'user', content: promptMedia === null ? prompt : content });
    if (!endsWithPrompt) {
      const tools = pattern.map((step): Step => ({ ...step, kind: 'tools' }));
      for (let at = 0; at === 0 || estimator.messages(messages) < factor * window; at++) {
        push(tools[at % tools.length] as Step, number++);
      }
    }
    return { window, messages, prompt, thinking };
  });

/** One reply and what follows it. A small part of the results is lost, as after a crash. */
function exchangeOf(step: Step, number: number, window: number, thinks: boolean): MessageParam[] {
  const tokens = Math.ceil(step.size * window);
  const opening: AssistantBlock[] = thinks
    ? [{ type: 'thinking', thinking: textOf(Math.min(tokens, 300), number), signature: `signature${number}` }]
    : [];
  if (step.kind !== 'tools') {
    const text =
      step.kind === 'note'
        ? 'Your last reply was empty. Continue with the task, or say that it is done.'
        : `And ${number}?`;
    return [
      { role: 'assistant', content: [...opening, { type: 'text', text: textOf(tokens, number) }] },
      { role: 'user', content: [{ type: 'text', text }] },
    ];
  }
  const ids = Array.from({ length: step.calls }, (_, call) => `call_${number}_${call}`);
  const results = ids.map((id, call): UserBlock => {
    const text: ToolResultContent = { type: 'text', text: textOf(tokens, number + call) };
    const content = step.media === null || step.isError ? text.text : [text, step.media];
    return { type: 'tool_result', tool_use_id: id, content, ...(step.isError ? { is_error: true } : {}) };
  });
  const kept = step.lost === 0 ? results.slice(1) : results;
  return [
    {
      role: 'assistant',
      content: [
        ...opening,
        ...ids.map((id, call): AssistantBlock => {
          const content = textOf(Math.ceil(step.inputSize * window * 0.3), number + call);
          return { type: 'tool_use', id, name: 'Write', input: { file_path: `src/${number}.ts`, content } };
        }),
      ],
    },
    ...(step.apart
      ? kept.map((result): MessageParam => ({ role: 'user', content: [result] }))
      : kept.length === 0
        ? []
        : [{ role: 'user', content: kept } as MessageParam]),
  ];
}

/** Text of all text blocks of the user, in order. */
export function typedTexts(messages: readonly MessageParam[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    if (typeof content === 'string') return [content];
    return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  });
}
