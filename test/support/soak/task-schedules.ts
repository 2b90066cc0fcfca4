// Sessions with background tasks in which everything happens in any order: a model, its agents, a user and a host that
// start, read, write to, stop and interrupt, and tasks that end when they like. Rule: the same seed gives the same choices.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { query } from '../../../src/sdk/query.js';
import type { QueryEngine } from '../../../src/session/query-engine.js';
import { collect } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { agent, delegate } from '../agents.js';
import { inBackground } from '../background-tasks.js';
import { testEngine } from '../engine.js';
import { findProcesses } from '../process-scan.js';
import { createRandom, type Random } from './random.js';

const STEPS = 14;
/** Of one prompt; then the model answers. */
const MAX_TURNS = 6;
const SOON = 30;

export interface ScheduleFigures {
  schedules: number;
  tasks: number;
  /** Ends that the model was told by a note of the engine, by a tool that it called, and after a resume. */
  toldByNote: number;
  toldByTool: number;
  toldAfterResume: number;
  interrupts: number;
}

/** @throws if an end is told twice or never, a task survives, output is lost, or a request is not valid */
export async function checkSchedules(schedules: number, seed: number): Promise<ScheduleFigures> {
  const figures = { schedules, tasks: 0, toldByNote: 0, toldByTool: 0, toldAfterResume: 0, interrupts: 0 };
  for (let number = 0; number < schedules; number++) await runSchedule(createRandom(seed + number), figures);
  return figures;
}

interface Scene {
  readonly random: Random;
  readonly folder: string;
  readonly engine: QueryEngine;
  readonly model: ScriptedModel;
  readonly messages: SDKMessage[];
  /** Tasks that wait for a file of their number. */
  begun: number;
  readonly figures: ScheduleFigures;
}

async function runSchedule(random: Random, figures: ScheduleFigures): Promise<void> {
  const turns = { count: 0 };
  const model = scriptedModel((request) => answer(request, random, turns, scene));
  const { engine, folder, home } = await testEngine(model, {
    tools: await getTools(),
    agents: [agent('helper')],
    limits: { retryBaseMs: 0, retryMaxMs: 0, maxBackgroundTasks: 6 },
  });
  const scene: Scene = { random, folder, engine, model, messages: [], begun: 0, figures };
  for (let step = 0; step < STEPS; step++) {
    turns.count = 0;
    await takeStep(scene);
  }
  // The user says something last, so nothing that ended before is left to tell.
  turns.count = MAX_TURNS;
  const isLast = random.chance(0.5);
  const runBefore = new Set(engine.backgroundTasks().map(({ id }) => id));
  if (isLast) await listen(scene, engine.submitMessage('What is there?'), false);
  const running = new Set(engine.backgroundTasks().map(({ id }) => id));
  await engine.close();
  scene.messages.push(...engine.takeClosingMessages());
  expect(model.violations).toEqual([]);
  expect(findProcesses(folder)).toEqual([]);
  checkMessages(scene, isLast ? runBefore : null);
  await checkResumed(scene, home, running);
}

async function takeStep(scene: Scene): Promise<void> {
  const { random, engine } = scene;
  const kind = random.int(0, 6);
  if (kind <= 2) return listen(scene, engine.submitMessage('Go on.'), random.chance(0.2));
  if (kind === 3) return endOne(scene);
  if (kind === 4) return stopOne(scene);
  const isThere = await engine.taskEnded(AbortSignal.timeout(SOON), random.chance(0.3));
  if (isThere) await listen(scene, engine.submitTaskNews(), random.chance(0.2));
}

/** Something happens at some of the messages. */
async function listen(scene: Scene, prompt: AsyncGenerator<SDKMessage>, isInterrupted: boolean): Promise<void> {
  const { random, engine, figures } = scene;
  const at = isInterrupted ? random.int(2, 12) : -1;
  const beside: Promise<void>[] = [];
  let seen = 0;
  for await (const message of prompt) {
    scene.messages.push(message);
    seen += 1;
    if (seen === at) {
      figures.interrupts += 1;
      engine.interrupt();
    }
    const chance = random.int(0, 9);
    if (chance === 0) endOne(scene);
    if (chance === 1) beside.push(stopOne(scene));
    if (chance === 2 && message.type === 'assistant')
      engine.queueMessage('By the way.', { priority: random.pick(['next', 'later']) });
  }
  await Promise.all(beside);
  for (let queued = engine.takeQueuedMessage(); queued !== null; queued = engine.takeQueuedMessage());
}

function endOne({ random, folder, begun }: Scene): void {
  if (begun > 0) writeFileSync(path.join(folder, `end-${random.int(1, begun)}`), '');
}

async function stopOne({ random, engine }: Scene): Promise<void> {
  const running = engine.backgroundTasks();
  // It may have ended by the time it is stopped, which is no failure.
  if (running.length > 0) await engine.stopTask(random.pick(running).id);
}

/** What the model does next. */
function answer(request: ModelRequest, random: Random, turns: { count: number }, scene: Scene): ScriptedAnswer {
  const isHelper = (request.system[0]?.text ?? '').startsWith('helper');
  turns.count += 1;
  if (turns.count > MAX_TURNS || random.chance(0.15)) return text('done');
  const calls = Array.from({ length: random.int(1, 2) }, () => call(request, random, isHelper, scene));
  return reply(...calls);
}

function call(request: ModelRequest, random: Random, isHelper: boolean, scene: Scene) {
  const ids = [...new Set(JSON.stringify(request.messages).match(/\bb[0-9a-f]{8}\b/g) ?? ['b00000000'])];
  const task_id = random.pick(ids);
  switch (random.int(0, isHelper ? 6 : 7)) {
    case 0:
      return toolCall('TaskOutput', { task_id, block: false });
    case 1:
      return toolCall('TaskOutput', { task_id, timeout: random.int(0, SOON) });
    case 2:
      return toolCall('TaskOutput', { task_id, output: 'a word\n' });
    case 3:
      return toolCall('TaskStop', { task_id });
    case 7:
      return delegate('helper', 'Help.');
    default:
      return inBackground(command(random, scene));
  }
}

/** Prints its number with each line, so that its file can be checked. */
function command(random: Random, scene: Scene): string {
  scene.begun += 1;
  const number = scene.begun;
  const lines = random.int(0, 300);
  const begin = `: ${scene.folder}; for ((i = 1; i <= ${lines}; i++)); do echo "${number}:${lines}:$i"; done`;
  switch (random.int(0, 3)) {
    case 0:
      return `${begin}; exit ${random.int(0, 3)}`;
    case 1:
      return `${begin}; read -r line; echo "${number}:${lines}:got $line"`;
    case 2:
      return `${begin}; (setsid sleep 600 &); until [ -e end-${number} ]; do sleep 0.01; done`;
    default:
      return `${begin}; until [ -e end-${number} ]; do sleep 0.01; done; echo "${number}:${lines}:end"`;
  }
}

const NOTE = /^\[Background task (b[0-9a-f]{8}) .*(?:ended|was stopped) after/;
const BY_TOOL = /^Task (b[0-9a-f]{8}) \(the job\) (?:ended|was stopped) after|^Task (b[0-9a-f]{8}) had ended before/;

/** What one conversation was told of ends, in its order. */
function endsTold(messages: ModelRequest['messages']): { readonly id: string; readonly isNote: boolean }[] {
  return messages.flatMap(({ content }) => {
    if (typeof content === 'string') return content.split('\n').flatMap(endIn);
    return content.flatMap((block) => {
      if (block.type === 'text') return block.text.split('\n').flatMap(endIn);
      return block.type === 'tool_result' && typeof block.content === 'string' ? endIn(block.content) : [];
    });
  });
}

function endIn(said: string) {
  const note = NOTE.exec(said)?.[1];
  if (note !== undefined) return [{ id: note, isNote: true }];
  const tool = BY_TOOL.exec(said);
  const id = tool?.[1] ?? tool?.[2];
  return id === undefined ? [] : [{ id, isNote: false }];
}

/** @param mayBeUntold tasks that still ran when the user said something last; null if that was not the end */
function checkMessages({ messages, engine, model, figures }: Scene, mayBeUntold: ReadonlySet<string> | null) {
  const started: string[] = [];
  const ended = new Map<string, { readonly status: string; readonly file: string }>();
  for (const message of messages) {
    if (message.type !== 'system') continue;
    if (message.subtype === 'task_started' && message.is_backgrounded === true) started.push(message.task_id);
    if (message.subtype !== 'task_notification' || !/^b[0-9a-f]{8}$/.test(message.task_id)) continue;
    expect(ended.has(message.task_id)).toBe(false);
    ended.set(message.task_id, { status: message.status, file: message.output_file });
  }
  expect([...ended.keys()].sort()).toEqual([...started].sort());
  figures.tasks += started.length;
  for (const { status, file } of ended.values()) checkFile(file, status);

  // An agent's conversation is its longest request.
  const main = engine.getMessages().map(({ type, message }) => ({ role: type, content: message.content }));
  const helpers = model.requests.filter(({ system }) => (system[0]?.text ?? '').startsWith('helper'));
  const conversations = [main as unknown as ModelRequest['messages'], ...longest(helpers)].map(endsTold);
  const known = new Set<string>();
  const noted = new Set<string>();
  for (const told of conversations) {
    const here = new Set<string>();
    for (const { id, isNote } of told) {
      // A tool may be asked about an end that is known; the engine tells it to nobody twice.
      if (isNote) expect(here.has(id) || noted.has(id), `${id} was told twice`).toBe(false);
      if (isNote) noted.add(id);
      here.add(id);
      known.add(id);
    }
  }
  figures.toldByNote += noted.size;
  figures.toldByTool += known.size - noted.size;
  if (mayBeUntold === null) return;
  for (const id of started) expect(known.has(id) || mayBeUntold.has(id), `${id} was never told`).toBe(true);
}

/** The last request of each agent: one that another does not go on with. */
function longest(requests: readonly ModelRequest[]): ModelRequest['messages'][] {
  // The ids of calls in an agent's first reply are its own.
  const last = new Map(requests.map(({ messages }) => [JSON.stringify(messages[1] ?? null), messages] as const));
  return [...last.values()];
}

/** All lines in their order, up to where it was stopped. */
function checkFile(file: string, status: string): void {
  expect(existsSync(file)).toBe(true);
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const counted = lines.map((line) => line.split(':')).filter(([, , last = '']) => /^\d+$/.test(last));
  counted.forEach(([, , last], at) => void expect(last).toBe(String(at + 1)));
  if (status !== 'stopped' && counted.length > 0) expect(counted.length).toBe(Number(counted[0]?.[1]));
}

/** The session goes on, and knows which of its tasks are gone. */
async function checkResumed({ messages, folder, figures }: Scene, home: string, running: ReadonlySet<string>) {
  const sessionId = messages.find((message) => message.type === 'result')?.session_id;
  if (sessionId === undefined) return;
  const model = scriptedModel([text('resumed')]);
  const options = { provider: model, cwd: folder, env: { TURNWRIGHT_HOME: home }, resume: sessionId } as const;
  await collect(query({ prompt: 'And?', options }));
  model.assertDone();
  const said = JSON.stringify(model.requests[0]?.messages.at(-1));
  const gone = [...said.matchAll(/\[Background task (b[0-9a-f]{8}) ended with the earlier run/g)].map(([, id]) => id);
  expect(new Set(gone).size).toBe(gone.length);
  figures.toldAfterResume += gone.length;
  const whole = JSON.stringify(model.requests[0]?.messages.slice(0, -1));
  for (const id of running)
    if (whole.includes(`as task ${id}.`) || whole.includes(`${id} (the job)`)) expect(gone, id).toContain(id);
}
