// Calls that wait for decisions, over processes that are killed: batches of calls, every mix of those that run at once and
// those that wait, decisions in any order, in parts, twice. One rule: an allowed call runs once, a refused one never.
import { z } from 'zod';
import type { Host } from '../../../src/host/host.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { isResultMessage, type SDKMessage, type SDKResultMessage } from '../../../src/protocol/messages.js';
import type { DeferredDecision } from '../../../src/protocol/permissions.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../../src/sdk/tools/tool.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { createRandom, type Random } from './random.js';

export interface DeferralFigures {
  schedules: number;
  decisions: number;
  kills: number;
  /** Approved calls that a kill fell upon: begun or not, they are not begun again. */
  lost: number;
}

/** What a process leaves behind, and what its tools did. */
interface World {
  /** False once a process was killed. */
  readonly isWhole: boolean;
  readonly files: Record<string, string>;
  readonly runs: ReadonlyMap<string, number>;
}

type Answer = 'auto' | 'allow' | 'deny';

/** @throws with the seed if a schedule breaks the rule */
export async function checkDeferrals(schedules: number, seed: number): Promise<DeferralFigures> {
  const figures: DeferralFigures = { schedules: 0, decisions: 0, kills: 0, lost: 0 };
  for (let at = 0; at < schedules; at++) {
    await runSchedule(createRandom(seed * 1_000_003 + at), figures).catch((cause: unknown) => {
      throw new Error(`Schedule ${at} of seed ${seed} failed: ${String(cause)}`, { cause });
    });
    figures.schedules += 1;
  }
  return figures;
}

async function runSchedule(random: Random, figures: DeferralFigures): Promise<void> {
  const answers = new Map<string, Answer>();
  const size = random.int(1, 6);
  for (let at = 0; at < size; at++) answers.set(`toolu_${at}`, random.pick<Answer>(['auto', 'allow', 'allow', 'deny']));
  const calls = [...answers].map(([id, answer]) => toolCall(nameOf(answer), { id }, id));
  const ids = createMemoryHost().ids;
  const process = { next: 1 };
  const step = (world: World, options: Options, prompt: string, killAt: number | null) =>
    runProcess(world, ids, process.next++, options, prompt, killAt);

  let { world, result } = await step(
    { isWhole: true, files: {}, runs: new Map() },
    { provider: scriptedModel(({ messages }) => (messages.length === 1 ? reply(...calls) : text('done'))) },
    'go',
    null,
  );
  const sessionId = result?.session_id ?? '';
  const waiting = new Set([...answers].filter(([, answer]) => answer !== 'auto').map(([id]) => id));
  const lost = new Set<string>();
  expectWaiting(result, waiting);
  while (waiting.size > 0) {
    const chosen = [...waiting].filter(() => random.chance(0.5));
    const decided = shuffle(random, chosen).map((id) => decision(id, answers.get(id) ?? 'deny'));
    // Once more about one of them, and about one that nobody knows.
    if (decided[0] !== undefined && random.chance(0.3)) decided.push(decided[0]);
    if (random.chance(0.2)) decided.push(decision('toolu_unknown', 'allow'));
    figures.decisions += decided.length;
    const killAt = random.chance(0.25) ? random.int(0, 12) : null;
    const options = { resume: sessionId, decisions: decided, provider: scriptedModel(() => text('done')) };
    const next = await step(world, options, '', killAt);
    world = next.world;
    if (next.result === null) {
      figures.kills += 1;
      // Whatever the kill fell upon, the rest can still be decided.
      const left = await waitingAfter(world, ids, process.next++, sessionId);
      for (const id of chosen) {
        if (left.has(id)) continue;
        waiting.delete(id);
        if (answers.get(id) === 'allow' && (world.runs.get(id) ?? 0) === 0) lost.add(id);
      }
      continue;
    }
    for (const id of chosen) waiting.delete(id);
    expectWaiting(next.result, waiting);
  }
  // A session that went through all this goes on like any other; the model's checker sees the whole conversation.
  const last = await step(world, { resume: sessionId, provider: scriptedModel(() => text('well')) }, 'and now?', null);
  if (last.result?.subtype !== 'success') throw new Error(`The session did not go on: ${JSON.stringify(last.result)}`);
  figures.lost += lost.size;
  for (const [id, answer] of answers) {
    const runs = last.world.runs.get(id) ?? 0;
    const expected = answer === 'deny' || lost.has(id) ? 0 : 1;
    if (runs !== expected) throw new Error(`${id} (${answer}) ran ${runs} times, not ${expected}`);
  }
}

function nameOf(answer: Answer): string {
  return answer === 'auto' ? 'mcp__probe__auto' : 'mcp__probe__ask';
}

function decision(toolUseID: string, answer: Answer): DeferredDecision {
  return answer === 'allow'
    ? { toolUseID, behavior: 'allow', decidedInput: { id: toolUseID } }
    : { toolUseID, behavior: 'deny', message: 'no' };
}

/** One process from its start to its result, or to where it is killed: after so many messages, with all it has written. */
async function runProcess(
  world: World,
  ids: Host['ids'],
  pid: number,
  options: Options,
  prompt: string,
  killAt: number | null,
): Promise<{ world: World; result: SDKResultMessage | null }> {
  const runs = new Map(world.runs);
  const memory = createMemoryHost({
    files: world.files,
    process: { pid, started: String(pid) },
    alive: new Set([pid]),
  });
  const count = async ({ id }: { id: string }) => {
    runs.set(id, (runs.get(id) ?? 0) + 1);
    return { content: [{ type: 'text' as const, text: `ran ${id}` }] };
  };
  const tools = [tool('auto', 'Runs.', { id: z.string() }, count), tool('ask', 'Runs.', { id: z.string() }, count)];
  const session = query({
    prompt,
    options: {
      ...options,
      host: { ...memory, ids },
      cwd: '/project',
      env: { TURNWRIGHT_HOME: '/home/user/.turnwright' },
      tools: [],
      mcpServers: { probe: createSdkMcpServer({ name: 'probe', tools }) },
      allowedTools: ['mcp__probe__auto'],
      deferPermissions: true,
      readInstructionFiles: false,
    } as Options,
  });
  let result: SDKResultMessage | null = null;
  let seen = 0;
  for await (const message of session as AsyncIterable<SDKMessage>) {
    if (killAt !== null && seen++ === killAt) {
      const left = { isWhole: false, files: memory.files(), runs: new Map(runs) };
      session.close();
      return { world: left, result: null };
    }
    if (isResultMessage(message)) result = message;
    // Nothing is told to have been cut off if nobody was killed.
    if (world.isWhole && message.type === 'system' && message.subtype === 'notice') {
      if (message.code === 'session_resumed_with_open_calls') throw new Error(message.message);
    }
  }
  return { world: { isWhole: world.isWhole, files: memory.files(), runs }, result };
}

/** What still waits, told by a session that is asked about a call nobody knows. */
async function waitingAfter(world: World, ids: Host['ids'], pid: number, resume: string): Promise<Set<string>> {
  const asked = [decision('toolu_unknown', 'allow')];
  const { result } = await runProcess(
    world,
    ids,
    pid,
    { resume, decisions: asked, provider: scriptedModel([]) },
    '',
    null,
  );
  return new Set(idsOf(result));
}

function expectWaiting(result: SDKResultMessage | null, waiting: ReadonlySet<string>): void {
  const told = idsOf(result);
  const isSame = told.length === waiting.size && told.every((id) => waiting.has(id));
  const reason = waiting.size === 0 ? 'completed' : 'tool_deferred';
  if (!isSame || result?.terminal_reason !== reason)
    throw new Error(`${told} wait, not ${[...waiting]}: ${result?.terminal_reason} ${JSON.stringify(result)}`);
}

function idsOf(result: SDKResultMessage | null): string[] {
  return result?.subtype === 'success' ? (result.deferred_tool_uses ?? []).map(({ id }) => id) : [];
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(random.int(0, left.length - 1), 1));
  return order;
}
