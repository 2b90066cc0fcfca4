// Conversations larger than the window: histories that the model refuses by their size, and sessions that grow past it.
import fc from 'fast-check';
import { expect } from 'vitest';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../../../src/protocol/system-messages.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { syntheticAssistant } from '../../../src/session/core/session.js';
import type { Message } from '../../../src/session/messages/history.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { type LongHistory, longHistories, textOf, typedTexts } from '../../engine/long-histories.js';
import { probeTool } from '../engine.js';
import { isSummaryRequest } from '../summary-request.js';
import { bareEngine } from './bare-engine.js';
import { createRandom, type Random } from './random.js';

const MAX_ATTEMPTS = 3;
/** Times the window that a history is at most, by the model's own count. */
const MAX_FACTOR = 10;
/** A prompt of at most this share of the window must survive word for word; of a larger one, its beginning. */
const WHOLE_PROMPT = 0.2;
const KEPT_BEGINNING = 20;

export interface OverflowFigures {
  readonly histories: number;
  /** Histories that the model refused at first. */
  refused: number;
  /** Requests after the first refusal until one was accepted, at most. */
  attempts: number;
}

const overflows = fc.record({
  history: longHistories,
  // The engine is told the true window, or nothing; and its estimate is off by this factor.
  knowsWindow: fc.boolean(),
  isAutomatic: fc.boolean(),
  bias: fc.double({ min: 0.75, max: 1.35, noNaN: true }),
  givesSummary: fc.boolean(),
});

export async function checkOverflows(histories: number, seed: number): Promise<OverflowFigures> {
  const figures = { histories, refused: 0, attempts: 0 };
  await fc.assert(
    fc.asyncProperty(overflows, async ({ history, knowsWindow, isAutomatic, bias, givesSummary }) => {
      const counter = createTokenEstimator();
      // Media of the last prompt come on top of what was drawn, and the model counts by itself.
      fc.pre(counter.messages(history.messages) * bias <= MAX_FACTOR * history.window);
      let refusals = 0;
      let attempts = 0;
      const accepted: ModelRequest[] = [];
      const model = scriptedModel((request): ScriptedAnswer => {
        const isSummary = isSummaryRequest(request);
        if (refusals > 0 && !isSummary) attempts++;
        if (counter.request(request) * bias > history.window) {
          if (!isSummary) refusals++;
          return { error: new ModelError('context_overflow', 'The prompt is too long.', { status: 400 }) };
        }
        if (isSummary) return text(givesSummary ? '<summary>The bug was fixed.</summary>' : 'No.');
        accepted.push(request);
        return text('done');
      });
      const { before, prompt } = parted(history);
      const engine = bareEngine(model, {
        initialMessages: before,
        autoCompact: isAutomatic,
        ...(knowsWindow ? { contextWindow: history.window } : {}),
      });
      const result = lastResult(await collect(engine.submitMessage(prompt)));
      await engine.close();
      expect(model.violations).toEqual([]);
      expect({ ending: result.terminal_reason, told: result.is_error ? result.result : '' }).toEqual({
        ending: 'completed',
        told: '',
      });
      expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
      const sent = typedTexts(accepted.at(-1)?.messages ?? []);
      const isSmall = counter.text(prompt) <= history.window * WHOLE_PROMPT;
      expect(
        sent.some((typed) => (isSmall ? typed === prompt : typed.startsWith(prompt.slice(0, KEPT_BEGINNING)))),
      ).toBe(true);
      if (refusals > 0) figures.refused++;
      figures.attempts = Math.max(figures.attempts, attempts);
    }),
    { seed, numRuns: histories },
  );
  return figures;
}

/** What came before, as a session keeps it, and the prompt that is submitted now. */
function parted({ messages, prompt }: LongHistory): { before: Message[]; prompt: string } {
  return { before: messages.map(toMessage), prompt: `Now: ${prompt}` };
}

function toMessage(param: MessageParam, index: number): Message {
  const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return param.role === 'user'
    ? { uuid, type: 'user', message: param }
    : { uuid, type: 'assistant', message: syntheticAssistant(uuid, param.content) };
}

export interface CompactionFigures {
  readonly sessions: number;
  /** Replies of the model, summaries left out. */
  turns: number;
  compactions: number;
  /** Compactions that came sooner after another than they may. */
  tooSoon: number;
  /** Compactions that freed less than 30 % of the window, or left more than 70 % of it taken. */
  inVain: number;
  /** Those that no notice followed at once, or more than one; and those that freed enough and were told as in vain. */
  wronglyTold: number;
  /** Notices that no compaction called for, in one stretch between two compactions. */
  repeated: number;
  /** Turns between two compactions, at least. */
  shortest: number;
}

const MIN_TURNS = 5;
const MIN_FREED = 0.3;
const MAX_LEFT = 0.7;

/** Sessions of random growth, in some of which one turn alone is larger than the threshold, or system prompt and tools are. */
export async function checkCompactions(sessions: number, seed: number): Promise<CompactionFigures> {
  const figures = {
    sessions,
    turns: 0,
    compactions: 0,
    tooSoon: 0,
    inVain: 0,
    wronglyTold: 0,
    repeated: 0,
    shortest: Number.POSITIVE_INFINITY,
  };
  for (let session = 0; session < sessions; session++) {
    const random = createRandom(seed * 15_485_863 + session);
    await growSession(random, figures).catch((cause: unknown) => {
      throw new Error(`Session ${session} of seed ${seed} failed: ${String(cause)}`, { cause });
    });
  }
  return figures;
}

async function growSession(random: Random, figures: CompactionFigures): Promise<void> {
  const window = random.int(12_000, 40_000);
  const refuses = random.chance(0.3);
  const bias = 0.8 + random.next() * 0.5;
  const usual = random.next() * 0.15;
  const frame = random.chance(0.5) ? random.next() * 0.9 : 0;
  const counter = createTokenEstimator();
  // Tokens of what the next call gives back. Text in the reply itself cannot be pruned, so that compactions are needed.
  const sizeOf = () => Math.ceil(window * (random.chance(0.08) ? random.next() * 1.6 : random.next() * usual));
  let inPrompt = 0;
  const model = scriptedModel((request, call): ScriptedAnswer => {
    const size = Math.ceil(counter.request(request) * bias);
    if (refuses && size > window) return { error: new ModelError('context_overflow', 'too long', { status: 400 }) };
    const usage = { input_tokens: size, output_tokens: 100 };
    if (isSummaryRequest(request)) {
      const isPoor = random.chance(0.15);
      // Of some the model makes as long a summary as it may.
      const length = random.chance(0.2) ? Math.floor(window * 0.25) : random.int(20, 600);
      return { blocks: [text(isPoor ? 'No.' : `<summary>${textOf(length, call)}</summary>`)], usage };
    }
    const said = text(textOf(Math.ceil(sizeOf() / 4), call));
    if (--inPrompt <= 0) return { blocks: [said], usage };
    return { blocks: [said, toolCall('Probe', { value: String(call) }, `toolu_${call}`)], usage };
  });
  let outputs = 0;
  const engine = bareEngine(model, {
    tools: [probeTool({ run: async () => textOf(sizeOf(), outputs++) })],
    contextWindow: window,
    customSystemPrompt: textOf(Math.ceil(window * frame), 77),
  });
  const messages: SDKMessage[] = [];
  for (let prompt = random.int(2, 5); prompt > 0; prompt--) {
    inPrompt = random.int(3, 20);
    messages.push(...(await collect(engine.submitMessage(textOf(Math.ceil(sizeOf() / 3), 1_000 + prompt)))));
  }
  await engine.close();
  expect(model.violations).toEqual([]);
  countCompactions(messages, window, figures);
}

function countCompactions(messages: readonly SDKMessage[], window: number, figures: CompactionFigures): void {
  let turn = 0;
  let last: number | null = null;
  for (const [index, message] of messages.entries()) {
    if (message.type === 'assistant') turn++;
    if (message.type !== 'system' || message.subtype !== 'compact_boundary') continue;
    figures.compactions++;
    if (last !== null) {
      figures.shortest = Math.min(figures.shortest, turn - last);
      if (turn - last < MIN_TURNS) figures.tooSoon++;
    }
    last = turn;
    countNotices(messages.slice(index + 1), message.compact_metadata, window, figures);
  }
  figures.turns += turn;
}

/** @param after all that follows the compaction */
function countNotices(
  after: readonly SDKMessage[],
  { pre_tokens: before, post_tokens: left = before }: SDKCompactBoundaryMessage['compact_metadata'],
  window: number,
  figures: CompactionFigures,
): void {
  const next = after.findIndex((message) => message.type === 'system' && message.subtype === 'compact_boundary');
  const notices = after
    .slice(0, next < 0 ? undefined : next)
    .flatMap((message) =>
      message.type === 'system' && message.subtype === 'notice' && message.code === 'compaction_blocked'
        ? [message]
        : [],
    );
  // The status that ends the compaction stands between.
  const told = notices.find((notice) => after.indexOf(notice) < 2);
  const freed = before - left;
  const isSmall = freed < MIN_FREED * window;
  const isFull = (told?.data?.used_tokens ?? 0) > MAX_LEFT * window;
  if (isSmall || isFull) figures.inVain++;
  if ((told !== undefined) !== (isSmall || isFull)) figures.wronglyTold++;
  // A summary that could not be had, or made nothing shorter, says so itself.
  const isOfAttempt = /could not be summarised|stays as it is/;
  const others = notices.filter((notice) => notice !== told && !isOfAttempt.test(notice.message));
  if (others.length > (told === undefined ? 1 : 0)) figures.repeated++;
}
