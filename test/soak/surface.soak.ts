// What the surface costs, of the built package: a session to its first message, many sessions that live at once, and a prompt
// over the wire beside one in process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type * as Package from '../../src/index.js';
import type { SDKUserMessage } from '../../src/protocol/messages.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../support/engine.js';
import { recordFigure } from '../support/figures.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = path.join(ROOT, 'dist/index.js');
const CLI = path.join(ROOT, 'dist/cli/main.js');
const WARM = 40;
const RUNS = 200;
const SESSIONS = 200;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function place() {
  const mock = await startMockProvider({ steps: () => text('ok'), keepRequests: 1 });
  onTestFinished(() => mock.close());
  const home = await temporaryFolder();
  const env = { ANTHROPIC_API_KEY: 'sk-test-0123456789', ANTHROPIC_BASE_URL: mock.url, TURNWRIGHT_HOME: home };
  return { mock, env, cwd: await temporaryFolder() };
}

/** Runs a program on the built package in a process of its own, with nothing beside it. */
async function run(program: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  let said = '';
  let failed = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    failed += String(chunk);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(failed);
  return said;
}

it('a warm query() has its first message within 3 ms', async () => {
  const { env, cwd } = await place();
  const program = `
    const { query } = await import(${JSON.stringify(ENTRY)});
    const times = [];
    for (let run = 0; run < ${WARM + RUNS}; run++) {
      const startedAt = performance.now();
      const session = query({ prompt: 'hi', options: { model: 'claude-haiku-4-5', settingSources: [] } });
      const { value } = await session.next();
      times.push(performance.now() - startedAt);
      if (value.subtype !== 'init') throw new Error(value.subtype);
      for await (const _ of session);
    }
    process.stdout.write(JSON.stringify(times));
    process.exit(0);
  `;
  const ms = median((JSON.parse(await run(program, cwd, env)) as number[]).slice(WARM));
  recordFigure('surface', 'query() to system/init, warm, median', ms.toFixed(2), 'ms');
  expect(ms).toBeLessThan(3);
});

it('200 sessions live in one process within 150 MB', async () => {
  const { env, cwd } = await place();
  const program = `
    const { query } = await import(${JSON.stringify(ENTRY)});
    const open = [];
    for (let at = 0; at < ${SESSIONS}; at++) {
      let end;
      const over = new Promise((resolve) => { end = resolve; });
      async function* prompts() {
        yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
        await over;
      }
      const session = query({ prompt: prompts(), options: { cwd: ${JSON.stringify(cwd)}, model: 'claude-haiku-4-5', settingSources: [] } });
      for (;;) { const { value } = await session.next(); if (value.type === 'result') { if (value.is_error) throw new Error(value.result); break; } }
      open.push([session, end]);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.stdout.write(String(process.memoryUsage().rss / 1048576));
    process.exit(0);
  `;
  const mb = Number(await run(program, cwd, env));
  recordFigure('surface', `${SESSIONS} sessions that live in one process, RSS`, mb.toFixed(0), 'MB');
  expect(mb).toBeLessThan(150);
});

it('a prompt over the wire takes at most 1.5 ms more to its request than one in process', async () => {
  const { query } = (await import(ENTRY)) as typeof Package;
  const { mock, env, cwd } = await place();
  const waiting: (SDKUserMessage | null)[] = [];
  let wake: () => void = () => undefined;
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = waiting.shift();
      if (next === null) return;
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const said = (content: string): SDKUserMessage => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  });
  const session = query({ prompt: prompts(), options: { env, cwd, model: 'claude-haiku-4-5', settingSources: [] } });
  let asked = 0;
  const inProcess = async (): Promise<number> => {
    asked += 1;
    const startedAt = performance.now();
    const reading = (async () => {
      for (;;) {
        const { value } = await session.next();
        if (value?.type === 'result') return;
      }
    })();
    waiting.push(said('hi'));
    wake();
    await mock.waitForRequests(asked);
    const took = performance.now() - startedAt;
    await reading;
    return took;
  };
  const flags = [
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
    '--model',
    'claude-haiku-4-5',
  ];
  const child = spawn(process.execPath, [CLI, ...flags, '--setting-sources='], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let results = 0;
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
    for (let end = out.indexOf('\n'); end !== -1; end = out.indexOf('\n')) {
      if (out.slice(0, end).startsWith('{"type":"result"')) {
        results += 1;
        child.emit('result');
      }
      out = out.slice(end + 1);
    }
  });
  const overWire = async (): Promise<number> => {
    asked += 1;
    const before = results;
    const startedAt = performance.now();
    child.stdin.write(`${JSON.stringify({ ...said('hi'), session_id: '' })}\n`);
    await mock.waitForRequests(asked);
    const took = performance.now() - startedAt;
    while (results === before) await once(child, 'result');
    return took;
  };
  const times = { own: [] as number[], wire: [] as number[] };
  for (let run = 0; run < WARM + RUNS; run++) {
    const [own, wire] = [await inProcess(), await overWire()];
    if (run < WARM) continue;
    times.own.push(own);
    times.wire.push(wire);
  }
  waiting.push(null);
  wake();
  child.stdin.end();
  await once(child, 'exit');
  // Two processes wait for each other, so beside other work most runs wait for the machine as well.
  const quiet = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 2] ?? Number.NaN;
  const [own, wire] = [quiet(times.own), quiet(times.wire)];
  recordFigure('surface', 'prompt to request, in process, the faster quarter', own.toFixed(2), 'ms');
  recordFigure('surface', 'prompt to request, over the wire, the faster quarter', wire.toFixed(2), 'ms');
  expect(wire - own).toBeLessThan(1.5);
});
