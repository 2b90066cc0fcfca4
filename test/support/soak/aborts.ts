// Aborts at random moments of a prompt with four calls at once. One rule: each call is told truly what became of it, no
// call starts afterwards, and the session goes on.
import { expect } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool } from '../engine.js';
import { bareEngine } from './bare-engine.js';
import { createRandom, type Random } from './random.js';

/** How a call takes the abort: it is done before, throws at once, ends well all the same, or does not notice. */
type Manner = 'quick' | 'slow' | 'throws' | 'finishes' | 'deaf';

interface CallRecord {
  startedAt: number | null;
  endedAt: number | null;
}

export interface AbortFigures {
  readonly aborted: number;
  readonly completed: number;
  /** From the abort to the result, milliseconds; with a call that does not notice, less the grace it is given. */
  readonly latencies: readonly number[];
}

/** What a call that does not notice the abort is given by the engine, milliseconds. */
const GRACE_MS = 2_500;
/** Quiet rounds of the event loop after which a prompt is taken to wait for the abort. */
const QUIET_BEATS = 50;
const MAX_BOUNDARY = 60;

/** A boundary may lie behind the end of its prompt: of so many times the runs that are wanted, enough must be aborted. */
const MAX_TRIES = 3;

/**
 * @param wanted prompts that are really aborted
 * @param deafShare part of the runs with a call that does not notice the abort: each waits for the whole grace
 */
export async function checkAborts(wanted: number, seed: number, deafShare: number): Promise<AbortFigures> {
  const figures = { aborted: 0, completed: 0, latencies: [] as number[] };
  for (let run = 0; figures.aborted < wanted; run++) {
    if (run === MAX_TRIES * wanted) throw new Error(`Of ${run} prompts only ${figures.aborted} were aborted.`);
    const random = createRandom(seed * 1_000_003 + run);
    const isDeaf = random.chance(deafShare);
    const outcome = await runOne(random, isDeaf).catch((cause: unknown) => {
      throw new Error(`Abort run ${run} of seed ${seed} failed: ${String(cause)}`, { cause });
    });
    if (outcome.latency === null) figures.completed++;
    else {
      figures.aborted++;
      figures.latencies.push(outcome.latency);
    }
  }
  return figures;
}

/** Counts events, and aborts at the chosen one, or once nothing moves any more. */
function createTrigger(boundary: number, abort: () => void) {
  let events = 0;
  let quiet = 0;
  let beat = 0;
  let firedAt: number | null = null;
  let timer: NodeJS.Immediate | null = null;
  const fire = () => {
    if (firedAt !== null) return;
    abort();
    firedAt = beat;
  };
  const tick = () => {
    beat++;
    if (++quiet >= QUIET_BEATS && firedAt === null) fire();
    timer = setImmediate(tick);
  };
  timer = setImmediate(tick);
  return {
    event() {
      quiet = 0;
      if (++events === boundary) fire();
    },
    /** Rounds of the event loop so far: what happened in different rounds has an order that everybody sees. */
    get beat() {
      return beat;
    },
    get firedAt() {
      return firedAt;
    },
    stop() {
      if (timer !== null) clearImmediate(timer);
    },
  };
}
type Trigger = ReturnType<typeof createTrigger>;

async function runOne(random: Random, isDeaf: boolean): Promise<{ latency: number | null }> {
  const records = new Map<string, CallRecord>();
  const late: string[] = [];
  let abortedAt = 0;
  const trigger = createTrigger(random.int(1, MAX_BOUNDARY), () => {
    engine.interrupt();
    abortedAt = performance.now();
  });
  const manners = new Map(['a', 'b', 'c', 'd'].map((id) => [id, mannerOf(random)]));
  if (isDeaf) manners.set(random.pick(['a', 'b', 'c', 'd']), 'deaf');
  const tools = ['ReadA', 'ReadB', 'WriteC', 'WriteD'].map((name, index) => {
    const id = 'abcd'[index] ?? '';
    return probe(name, id, manners.get(id) ?? 'quick', records, late, trigger, random);
  });
  const calls = shuffled(
    ['ReadA', 'ReadB', 'WriteC', 'WriteD'].map((name, index) => toolCall(name, {}, `toolu_${'abcd'[index]}`)),
    random,
  );
  let isFirstPrompt = true;
  const model = scriptedModel((_request, index) =>
    index === 0 && isFirstPrompt ? reply(text('Four at once.'), ...calls) : text('All done.'),
  );
  const startsEarly = random.chance(0.5);
  const permissions = { mode: 'bypassPermissions', allow: [], deny: [], ask: [], roots: ['/project'] } as const;
  const engine = bareEngine(model, {
    tools,
    host: createNodeHost(),
    includePartialMessages: true,
    ...(startsEarly ? { permissions } : {}),
    canUseTool: async () => {
      trigger.event();
      await rounds(random.int(0, 2));
      return { behavior: 'allow' };
    },
  });
  const messages: SDKMessage[] = [];
  let endedAt = 0;
  for await (const message of engine.submitMessage('go')) {
    messages.push(message);
    if (message.type === 'result') endedAt = performance.now();
    else trigger.event();
  }
  trigger.stop();
  expect(late).toEqual([]);
  const result = lastResult(messages);
  const isAborted = result.terminal_reason === 'aborted';
  if (!isAborted) expect(result.terminal_reason).toBe('completed');
  if (isAborted) expect(trigger.firedAt).not.toBeNull();
  checkAnswers(messages, records, trigger);

  // The session is whole: the next prompt is a valid request, and is answered.
  isFirstPrompt = false;
  const next: SDKMessage[] = [];
  for await (const message of engine.submitMessage('go on')) next.push(message);
  await engine.close();
  expect(model.violations).toEqual([]);
  expect(lastResult(next).terminal_reason).toBe('completed');
  const wasDeaf =
    isDeaf && [...records.values()].some((record) => record.startedAt !== null && record.endedAt === null);
  return { latency: isAborted ? endedAt - abortedAt - (wasDeaf ? GRACE_MS : 0) : null };
}

/** Each yielded call has exactly one result, which says what the tool itself recorded. */
function checkAnswers(messages: readonly SDKMessage[], records: ReadonlyMap<string, CallRecord>, trigger: Trigger) {
  const asked: string[] = [];
  const answers = new Map<string, string[]>();
  for (const message of messages) {
    if (message.type !== 'assistant' && message.type !== 'user') continue;
    if (typeof message.message.content === 'string') continue;
    for (const block of message.message.content) {
      if (block.type === 'tool_use') asked.push(block.id);
      if (block.type === 'tool_result')
        answers.set(block.tool_use_id, [...(answers.get(block.tool_use_id) ?? []), String(block.content)]);
    }
  }
  expect([...answers.keys()].sort()).toEqual([...asked].sort());
  for (const [toolUseId, texts] of answers) {
    expect(texts).toHaveLength(1);
    const id = toolUseId.slice('toolu_'.length);
    const record = records.get(id);
    const told = outcomeOf(texts[0] ?? '', id);
    const abortedAt = trigger.firedAt ?? Number.POSITIVE_INFINITY;
    if (told === 'not started') expect({ id, startedAt: record?.startedAt ?? null }).toEqual({ id, startedAt: null });
    if (told === 'completed') expect(record?.endedAt ?? null).not.toBeNull();
    if (told === 'interrupted') {
      expect(record?.startedAt ?? null).not.toBeNull();
      // Done in a round of the event loop before the abort: then it must be told as done.
      expect({ id, doneBefore: record?.endedAt != null && record.endedAt < abortedAt }).toEqual({
        id,
        doneBefore: false,
      });
    }
  }
  // Nothing ran that was not asked for, but what began to read with a reply that was then withdrawn.
  for (const [id, record] of records) {
    if (record.startedAt !== null && !asked.includes(`toolu_${id}`)) expect(['a', 'b']).toContain(id);
  }
}

function outcomeOf(told: string, id: string): 'not started' | 'interrupted' | 'completed' {
  if (told === `done ${id}`) return 'completed';
  if (told === 'The prompt was interrupted before this call started. It had no effect.') return 'not started';
  if (told.startsWith('Interrupted after it started; its effects are unknown.')) return 'interrupted';
  throw new Error(`The result of ${id} says nothing known: ${told}`);
}

function mannerOf(random: Random): Manner {
  return random.pick<Manner>(['quick', 'quick', 'slow', 'slow', 'throws', 'finishes']);
}

function probe(
  name: string,
  id: string,
  manner: Manner,
  records: Map<string, CallRecord>,
  late: string[],
  trigger: Trigger,
  random: Random,
) {
  const reads = name.startsWith('Read');
  return probeTool({
    name,
    readOnly: reads,
    concurrencySafe: reads,
    run: async (_input, signal) => {
      if (trigger.firedAt !== null) late.push(name);
      const record: CallRecord = { startedAt: trigger.beat, endedAt: null };
      records.set(id, record);
      trigger.event();
      if (manner === 'slow') await rounds(random.int(1, 6));
      if (manner === 'throws' || manner === 'finishes') await aborted(signal);
      if (manner === 'deaf') await new Promise<never>(() => undefined);
      if (manner === 'throws') throw new Error('stopped half way');
      record.endedAt = trigger.beat;
      trigger.event();
      return `done ${id}`;
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, key: random.next() }));
  return order.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
