// What must not be lost outlives each way of making room: a summary, begun by the engine, by the user or by a refusal;
// the removal of old results; and the cuts that need no model.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { pinSources } from '../../src/session/tools/pin-sources.js';
import { type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { createFileStateCache } from '../../src/tools/file-state-cache.js';
import type { TodoItem } from '../../src/tools/tool.js';
import { textOf } from '../engine/long-histories.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { SEED } from '../support/figures.js';
import { createRandom, type Random } from '../support/soak/random.js';
import { isSummaryRequest } from '../support/summary-request.js';

const SESSIONS = 30;
const WINDOW = 24_000;
const WAYS = ['auto', 'manual', 'pruning', 'refusal', 'refusal, no summary'] as const;

it(`todos and instructions stand word for word in the request after each, in ${SESSIONS} sessions`, async () => {
  const seen = new Map<string, number>();
  for (let session = 0; session < SESSIONS; session++) {
    const random = createRandom(SEED * 7_919 + session);
    const way = WAYS[session % WAYS.length] ?? 'auto';
    for (const told of await grow(random, way)) seen.set(`${way}: ${told}`, (seen.get(`${way}: ${told}`) ?? 0) + 1);
  }
  // Each way was taken.
  for (const kind of ['auto: summary', 'manual: summary', 'pruning: cut', 'refusal: summary', 'refusal: cut'])
    expect(seen.get(kind), kind).toBeGreaterThan(0);
  expect(seen.get('refusal, no summary: cut')).toBeGreaterThan(0);
});

/** @returns how room was made, each time that the next request was looked at */
async function grow(random: Random, way: (typeof WAYS)[number]): Promise<readonly ('summary' | 'cut')[]> {
  const cwd = await temporaryFolder();
  const instructions = `Rules of this folder:\n\n- ${textOf(random.int(5, 300), 11)}\t\n`;
  await writeFile(path.join(cwd, 'AGENTS.md'), instructions);
  let todos: readonly TodoItem[] = [];
  const next = () => {
    todos = Array.from({ length: random.int(1, 12) }, (_, index) => ({
      id: String(index),
      content: textOf(random.int(3, 40), random.int(1, 1_000)),
      status: random.pick(['pending', 'in_progress', 'completed'] as const),
    }));
  };
  next();
  const counter = createTokenEstimator();
  const isLarge = way === 'pruning';
  let refusals = 0;
  let calls = 0;
  const model = scriptedModel((request): ScriptedAnswer => {
    const usage = { input_tokens: counter.request(request), output_tokens: 100 };
    if (isSummaryRequest(request))
      return way === 'refusal, no summary' ? text('No.') : { blocks: [text('<summary>Some of it.</summary>')], usage };
    if (way.startsWith('refusal') && request.messages.length > 8 && refusals < 3 && random.chance(0.6)) {
      refusals++;
      return { error: new ModelError('context_overflow', 'too long', { status: 400 }) };
    }
    refusals = 0;
    if (++calls % 14 === 0) return { blocks: [text('That is all.')], usage };
    const said = text(textOf(isLarge ? 20 : 900, calls));
    return { blocks: [said, toolCall('Probe', { value: String(calls) })], usage };
  });
  const { engine } = await testEngine(model, {
    cwd,
    commands: await getCommands(),
    tools: [
      probeTool({
        run: async () => {
          if (random.chance(0.5)) next();
          return textOf(isLarge ? 3_000 : random.int(10, 200), calls);
        },
      }),
    ],
    contextWindow: WINDOW,
    getAppState: () => ({ todos }),
  });

  const ways: ('summary' | 'cut')[] = [];
  let made: { readonly how: 'summary' | 'cut'; readonly at: number; readonly pin: string } | null = null;
  const look = () => {
    if (made === null) return;
    const request = model.requests.slice(made.at).find((sent) => !isSummaryRequest(sent));
    if (request === undefined) return;
    expect(holds(request, made.pin, instructions), `${way}, after a ${made.how}`).toBe(true);
    ways.push(made.how);
    made = null;
  };
  const prompts = ['One.', ...(way === 'manual' ? ['/compact'] : []), 'Two.', 'Three.'];
  for (const prompt of prompts) {
    for await (const message of engine.submitMessage(prompt)) {
      look();
      if (message.type !== 'system') continue;
      const isCut = message.subtype === 'notice' && message.code === 'history_shrunk';
      if (message.subtype !== 'compact_boundary' && !isCut) continue;
      made = { how: isCut ? 'cut' : 'summary', at: model.requests.length, pin: await todoPin(todos) };
    }
    look();
  }
  expect(model.violations).toEqual([]);
  return ways;
}

async function todoPin(todos: readonly TodoItem[]): Promise<string> {
  const [source] = pinSources(
    { getAppState: () => ({ todos }), readFileCache: createFileStateCache() },
    createNodeHost(),
    [],
    () => [],
  );
  return (await source?.read({ maxTokens: 1_000, estimator: createTokenEstimator() }))?.[0] ?? '';
}

/** A block of its own, and only once. */
function holds({ messages, system }: ModelRequest, pin: string, instructions: string): boolean {
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
  const isInstructed = system.some((block) => block.text.includes(instructions.trim()));
  return isInstructed && texts.filter((found) => found === pin).length === 1;
}
