// Trees of agents by chance: three levels, up to twenty tasks, some waited for and some not, some that crash or hang, while
// calls are moved, tasks stopped, prompts interrupted. Held against: what is stopped is gone within a second and never asks
// a model again; each result reaches the session's own agent once at the most, and once if it was told of the end; the
// shared budget is never exceeded; no more work at one time than the limit says.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNodeHost } from '../../../src/host/node-host.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { agentTool } from '../../../src/tools/agent.js';
import { getTools } from '../../../src/tools/builtin.js';
import { delegate } from '../agents.js';
import { probeTool } from '../engine.js';
import { plainConfig } from '../plain-config.js';
import { createRandom, type Random } from './random.js';

const MAX_TASKS = 20;
/** A figure of the long tests, which have a machine to themselves; elsewhere only that it comes to its end. */
const LONGEST_STOP_MS = process.env['TURNWRIGHT_SOAK'] === '1' ? 1_000 : 60_000;
const DEPTH = 3;
const MOST_AT_WORK = 3;
const PRICED = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 8_000, price: { input: 3, output: 15 } },
};

type Step =
  | { readonly kind: 'work' | 'hang' }
  | { readonly kind: 'spawn'; readonly children: readonly { readonly node: Node; readonly isBackground: boolean }[] };

interface Node {
  readonly id: number;
  readonly steps: readonly Step[];
  readonly end: 'report' | 'crash';
}

export interface TreeFigures {
  readonly trees: number;
  readonly tasks: number;
  /** Reports that came to the session's own agent. */
  readonly delivered: number;
  readonly stopped: number;
  readonly moved: number;
  readonly interrupted: number;
  /** Longest from the call of `stopTask` or `close` to its end, milliseconds. */
  readonly longestStopMs: number;
  /** The most of a budget that was spent, as a share. */
  readonly mostSpent: number;
}

/** @throws Error that names the tree */
export async function checkAgentTrees(count: number, seed: number): Promise<TreeFigures> {
  const all: TreeFigures[] = [];
  for (let at = 0; at < count; at++) {
    try {
      all.push(await checkTree(createRandom(seed * 100_003 + at)));
    } catch (error) {
      throw new Error(`Tree ${at} of the seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
  const sum = (key: keyof TreeFigures) => all.reduce((total, each) => total + each[key], 0);
  const most = (key: keyof TreeFigures) => Math.max(0, ...all.map((each) => each[key]));
  return {
    trees: all.length,
    tasks: sum('tasks'),
    delivered: sum('delivered'),
    stopped: sum('stopped'),
    moved: sum('moved'),
    interrupted: sum('interrupted'),
    longestStopMs: most('longestStopMs'),
    mostSpent: most('mostSpent'),
  };
}

function plant(random: Random): { readonly root: Node; readonly nodes: ReadonlyMap<number, Node> } {
  const nodes = new Map<number, Node>();
  let next = 1;
  const grow = (depth: number): Node => {
    const id = depth === 0 ? 0 : next++;
    const steps: Step[] = [];
    for (let at = random.int(1, 3); at > 0; at--) {
      if (depth < DEPTH && next < MAX_TASKS && random.chance(depth === 0 ? 0.9 : 0.4)) {
        const children = Array.from({ length: random.int(1, 3) }, () => ({
          node: grow(depth + 1),
          isBackground: random.chance(0.5),
        }));
        steps.push({ kind: 'spawn', children });
      } else steps.push({ kind: depth > 0 && random.chance(0.08) ? 'hang' : 'work' });
    }
    const node: Node = { id, steps, end: depth > 0 && random.chance(0.1) ? 'crash' : 'report' };
    nodes.set(id, node);
    return node;
  };
  return { root: grow(0), nodes };
}

const reportOf = (id: number) => `report-${id}.`;

function answer({
  node,
  at,
  isLast,
}: {
  readonly node: Node;
  readonly at: number;
  readonly isLast: boolean;
}): ScriptedAnswer {
  const step = isLast ? undefined : node.steps[at];
  if (step === undefined) {
    if (node.end === 'crash' && !isLast) return new ModelError('invalid_request', 'The model fails here.') as never;
    return text(node.id === 0 ? 'end' : reportOf(node.id));
  }
  if (step.kind !== 'spawn') return toolCall(step.kind === 'hang' ? 'Hang' : 'Probe', { value: `${node.id}-${at}` });
  const calls = step.children.map(({ node: child, isBackground }) =>
    delegate(null, `node:${child.id};`, isBackground ? { run_in_background: true } : {}, `toolu_${child.id}`),
  );
  return reply(...calls);
}

async function checkTree(random: Random): Promise<TreeFigures> {
  const { nodes } = plant(random);
  const home = await mkdtemp(path.join(tmpdir(), 'turnwright-trees-'));
  let alive = 0;
  let most = 0;
  let isOver = false;
  let late = 0;
  const settle = async () => {
    for (let at = random.int(0, 3); at > 0; at--) await new Promise((resolve) => setImmediate(resolve));
  };
  const track = async (work: () => Promise<string>): Promise<string> => {
    alive += 1;
    most = Math.max(most, alive);
    try {
      return await work();
    } finally {
      alive -= 1;
    }
  };
  const probe = probeTool({
    run: () =>
      track(async () => {
        await settle();
        return 'ok';
      }),
  });
  const hang = probeTool({
    name: 'Hang',
    run: (_, signal) =>
      track(
        () =>
          new Promise((resolve) => {
            if (signal.aborted) resolve('stopped');
            else signal.addEventListener('abort', () => resolve('stopped'));
          }),
      ),
  });
  const model = scriptedModel(async (request) => {
    if (isOver) late += 1;
    await settle();
    const node = nodes.get(nodeOf(request)) as Node;
    const at = request.messages.filter(({ role }) => role === 'assistant').length;
    // A last summary, if money is short, calls nothing.
    const given = answer({ node, at, isLast: request.toolChoice === 'none' });
    if (given instanceof Error) throw given;
    return given;
  });
  const limitUsd = random.chance(0.3) ? 0.3 + random.next() : 50;
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: home,
    provider: model,
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: home },
    tools: [...(await getTools()).filter((tool) => tool !== agentTool), agentTool, probe, hang],
    agents: [],
    maxAgentDepth: DEPTH,
    limits: { maxConcurrentAgents: MOST_AT_WORK, retryBaseMs: 0, retryMaxMs: 0, maxRetries: 0 },
    maxBudgetUsd: limitUsd,
    catalogueOverrides: PRICED,
    persistSession: false,
  });
  const figures = { stopped: 0, moved: 0, interrupted: 0, longestStopMs: 0 };
  const timed = async (work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    figures.longestStopMs = Math.max(figures.longestStopMs, performance.now() - began);
  };
  const messages: SDKMessage[] = [];
  const meddle = async (): Promise<void> => {
    if (random.chance(0.04) && engine.moveToBackground()) figures.moved += 1;
    if (random.chance(0.03)) {
      const running = engine.backgroundTasks();
      if (running.length === 0) return;
      figures.stopped += 1;
      // Not waited for while its messages are: its end comes with them.
      void timed(() => engine.stopTask(random.pick(running).id)).catch(() => undefined);
    }
    if (random.chance(0.004)) {
      figures.interrupted += 1;
      engine.interrupt();
    }
  };
  /** A hanging agent that a call waits for would hold the prompt for ever. */
  const free = (): void => {
    if (alive > 0 && random.chance(0.2)) engine.moveToBackground();
  };
  const read = async (prompt: AsyncGenerator<SDKMessage, void>): Promise<void> => {
    let isReading = true;
    const watch = (async () => {
      while (isReading) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        free();
      }
    })();
    for await (const message of prompt) {
      messages.push(message);
      await meddle();
    }
    isReading = false;
    await watch;
  };
  try {
    await read(engine.submitMessage('node:0;'));
    for (let at = 0; at < 40; at++) {
      for (const { id, runsMs } of engine.backgroundTasks()) {
        if (runsMs > 150) {
          figures.stopped += 1;
          await timed(() => engine.stopTask(id));
        }
      }
      const until = AbortSignal.timeout(60);
      if (await engine.taskEnded(until)) await read(engine.submitTaskNews());
      else if (engine.backgroundTasks().length === 0) break;
    }
    await timed(() => engine.close());
    isOver = true;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (alive !== 0) throw new Error(`${alive} tools are alive after the session was closed`);
    if (late !== 0) throw new Error(`${late} requests came after the session was closed`);
    if (engine.backgroundTasks().length > 0) throw new Error('tasks run after the session was closed');
    if (figures.longestStopMs > LONGEST_STOP_MS) throw new Error(`a stop took ${Math.round(figures.longestStopMs)} ms`);
    const spent = engine.getTotalCost();
    if (spent > limitUsd + 1e-9) throw new Error(`$${spent} of $${limitUsd} were spent`);
    if (most > MOST_AT_WORK + 1) throw new Error(`${most} worked at the same time`);
    const heard = JSON.stringify(engine.getMessages().map(({ message }) => message.content));
    const counts = [...nodes.keys()].map((id) => heard.split(reportOf(id)).length - 1);
    const twice = counts.findIndex((times) => times > 1);
    if (twice >= 0) throw new Error(`the report of ${[...nodes.keys()][twice]} was delivered ${counts[twice]} times`);
    checkEnds(messages);
    return {
      ...figures,
      trees: 1,
      tasks: messages.filter((m) => m.type === 'system' && m.subtype === 'task_started').length,
      delivered: counts.filter((times) => times === 1).length,
      mostSpent: spent / limitUsd,
    };
  } finally {
    await engine.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Each task that started and was seen to its end has one. */
function checkEnds(messages: readonly SDKMessage[]): void {
  const ends = new Map<string, number>();
  for (const message of messages) {
    if (message.type !== 'system' || message.subtype !== 'task_notification') continue;
    ends.set(message.task_id, (ends.get(message.task_id) ?? 0) + 1);
  }
  const twice = [...ends].find(([, times]) => times > 1);
  if (twice !== undefined) throw new Error(`the end of ${twice[0]} was told ${twice[1]} times`);
}

function nodeOf({ messages }: ModelRequest): number {
  const [, id = '0'] = /node:(\d+);/.exec(JSON.stringify(messages[0]?.content)) ?? [];
  return Number(id);
}
