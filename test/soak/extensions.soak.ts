// What many extensions cost a session: 200 skills, 50 agents and 50 commands of the user's, beside none.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { query } from '../../src/sdk/query.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { recordFigure } from '../support/figures.js';

const [SKILLS, AGENTS, COMMANDS] = [200, 50, 50];
const INIT_MS = 15;
const TOKENS = 2_500;
const ROUNDS = 21;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

async function homeWith(skills: number, agents: number, commands: number): Promise<string> {
  const home = await temporaryFolder();
  const said = (kind: string, at: number) =>
    `Does the work of ${kind} ${at}: looks at what changed, says what is wrong with it, and mends what can be mended by itself. Use it when somebody asks for that.`;
  const put = async (file: string, content: string) => {
    await mkdir(path.dirname(path.join(home, '.claude', file)), { recursive: true });
    await writeFile(path.join(home, '.claude', file), content);
  };
  for (let at = 0; at < skills; at++)
    await put(
      `skills/skill-${at}/SKILL.md`,
      `---\nname: skill-${at}\ndescription: ${JSON.stringify(said('skill', at))}\n---\n${'Do this. '.repeat(200)}`,
    );
  for (let at = 0; at < agents; at++)
    await put(
      `agents/agent-${at}.md`,
      `---\nname: agent-${at}\ndescription: ${JSON.stringify(said('agent', at))}\n---\n${'You do it. '.repeat(100)}`,
    );
  for (let at = 0; at < commands; at++)
    await put(
      `commands/command-${at}.md`,
      `---\ndescription: ${JSON.stringify(said('command', at))}\n---\n${'Do it with $1. '.repeat(50)}`,
    );
  return home;
}

/** Milliseconds to `system/init`, and tokens of what the first request says beside its conversation. */
async function start(
  home: string,
  cwd: string,
): Promise<{ readonly ms: number; readonly cpu: number; readonly tokens: number }> {
  const own = createNodeHost({ env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: path.join(home, 'own') } });
  const host = { ...own, platform: { ...own.platform, homedir: home, cwd } };
  const model = scriptedModel([text('ok')]);
  const began = performance.now();
  const before = process.cpuUsage();
  let [ms, cpu] = [0, 0];
  for await (const message of query({ prompt: 'go', options: { host, cwd, provider: model, persistSession: false } }))
    if (message.type === 'system' && message.subtype === 'init') {
      ms = performance.now() - began;
      const { user, system } = process.cpuUsage(before);
      cpu = (user + system) / 1000;
    }
  const [{ system, tools } = { system: [], tools: [] }] = model.requests;
  return { ms, cpu, tokens: createTokenEstimator().text(JSON.stringify([system, tools])) };
}

it('adds little to the start and to the prompt', async () => {
  const cwd = await temporaryFolder();
  const [bare, full] = [await homeWith(0, 0, 0), await homeWith(SKILLS, AGENTS, COMMANDS)];
  const times: { bare: number[]; full: number[] } = { bare: [], full: [] };
  const work: number[] = [];
  let tokens = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [without, with_] = [await start(bare, cwd), await start(full, cwd)];
    // The first of each loads what the others have.
    if (round > 0) times.bare.push(without.ms);
    if (round > 0) times.full.push(with_.ms);
    if (round > 0) work.push(with_.cpu - without.cpu);
    tokens = with_.tokens - without.tokens;
  }
  const added = median(times.full) - median(times.bare);
  const what = `${SKILLS} skills, ${AGENTS} agents, ${COMMANDS} commands`;
  recordFigure('extensions', `${what}: added to init`, Math.round(added * 10) / 10, `ms (bar ${INIT_MS})`);
  recordFigure('extensions', `${what}: added to the prompt`, tokens, `tokens (bar ${TOKENS})`);
  recordFigure('extensions', `${what}: work of it`, Math.round(median(work) * 10) / 10, 'ms of CPU');
  expect(tokens).toBeLessThanOrEqual(TOKENS);
  expect(added).toBeLessThanOrEqual(INIT_MS);
}, 120_000);
