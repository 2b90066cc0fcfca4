// Half-open connections: a server that is gone and closed nothing, as a stopped process, or behind a network that swallows.
// Each prompt comes to its end, and the session goes on with the server once it is there again.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { type McpServerDefinition, readDefinition } from '../../../src/mcp/server-definition.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { chaosResults } from '../../support/chaos-servers.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';
import { vanishingWay } from '../../support/faulty-ways.js';
import { startHttpMcp } from '../../support/mcp-http-server.js';
import { scriptedServer, serversOf } from '../../support/mcp-server.js';
import { findProcesses } from '../../support/process-scan.js';

interface Vanishing {
  readonly definition: McpServerDefinition;
  readonly call: ReturnType<typeof toolCall>;
  readonly answer: RegExp;
  vanish(): void;
  comeBack(): void;
  /** What of it is open or alive. */
  left(): number;
}

async function program(): Promise<Vanishing> {
  const { definition, alive } = scriptedServer(await temporaryFolder());
  return {
    definition,
    call: toolCall('mcp__s__echo', { text: 'hello' }),
    answer: /hello/,
    vanish: () => {
      for (const pid of alive()) process.kill(pid, 'SIGSTOP');
    },
    // It stays as it is: whoever wants an answer has to start another.
    comeBack: () => undefined,
    left: () => alive().length,
  };
}

const byHttp = (kind: 'stateful' | 'sse') => async (): Promise<Vanishing> => {
  const { url: straight } = await startHttpMcp({ kind });
  const { url, open, ...way } = await vanishingWay(straight);
  const definition = readDefinition('s', { type: kind === 'sse' ? 'sse' : 'http', url });
  if (typeof definition === 'string') throw new Error(definition);
  const call = toolCall('mcp__s__add', { a: 40, b: 2 });
  return { definition, call, answer: /42/, ...way, left: () => open.size };
};

const WAYS: Readonly<Record<string, () => Promise<Vanishing>>> = {
  stdio: program,
  http: byHttp('stateful'),
  sse: byHttp('sse'),
};

/** A clock whose waits of some lengths are over after the given time, as long as they stand here. Milliseconds. */
function hostWithWaits(waits: ReadonlyMap<number, number>) {
  const host = createNodeHost();
  const { clock } = host;
  const after: typeof clock.after = (ms, work) => clock.after(waits.get(ms) ?? ms, work);
  return { ...host, clock: Object.assign(Object.create(clock) as typeof clock, { after }) };
}

const [START_MS, CALL_MS, ASKED_MS] = [30_000, 120_000, 10_000];

async function sessionWith(server: Vanishing, steps: readonly unknown[], waits = new Map<number, number>()) {
  const { engine } = await testEngine(scriptedModel(steps as never), {
    host: hostWithWaits(waits),
    mcpServers: [server.definition],
    toolSearch: 'never',
    limits: { mcpStartTimeoutMs: START_MS, mcpToolTimeoutMs: CALL_MS },
  });
  return { engine, submit: (prompt = 'go') => collect(engine.submitMessage(prompt)) };
}

describe.each(Object.keys(WAYS))('a server over %s that vanishes', (kind) => {
  const open = WAYS[kind] as () => Promise<Vanishing>;

  it('holds a call for its limit, and is used again once it is there', async () => {
    const server = await open();
    const steps = [server.call, text('one'), server.call, text('two'), server.call, text('three')];
    const waits = new Map();
    const { engine, submit } = await sessionWith(server, steps, waits);
    expect(chaosResults(await submit())).toEqual([expect.stringMatching(server.answer)]);
    server.vanish();
    waits.set(CALL_MS, 100);
    const held = await submit();
    expect(chaosResults(held)).toEqual([expect.stringContaining('did not answer within 120000 ms')]);
    expect(lastResult(held)).toMatchObject({ subtype: 'success', result: 'two' });
    server.comeBack();
    waits.delete(CALL_MS);
    waits.set(ASKED_MS, 50);
    const healed = await submit();
    expect(chaosResults(healed)).toEqual([expect.stringMatching(server.answer)]);
    await engine.close();
    await expect.poll(server.left).toBe(0);
  });

  it('ends at once with the prompt that is aborted, and with the session', async () => {
    const server = await open();
    const { engine, submit } = await sessionWith(server, [server.call, text('one'), server.call]);
    await submit();
    server.vanish();
    for await (const message of engine.submitMessage('go')) {
      if (message.type === 'assistant') engine.interrupt();
    }
    const start = performance.now();
    await engine.close();
    // Far below the time of the call that is under way.
    expect(performance.now() - start).toBeLessThan(60_000);
    await expect.poll(server.left).toBe(0);
  });
});

it('a resource that is not read in the time of its server ends as a call does', async () => {
  const folder = await temporaryFolder();
  const file = fileURLToPath(new URL('../../support/capable-server.mjs', import.meta.url));
  const log = path.join(folder, 'messages.log');
  const definition = { name: 'c', command: process.execPath, args: [file, log], env: {}, toolTimeoutMs: 4_321 };
  const read = toolCall('ReadMcpResource', { server_name: 'c', uri: 'note://one' });
  const waits = new Map<number, number>();
  const steps = [text('one'), read, text('two')];
  const { engine, submit } = await sessionWith({ definition } as never, steps, waits);
  await submit();
  for (const pid of findProcesses(log)) process.kill(pid, 'SIGSTOP');
  waits.set(4_321, 50);
  expect(chaosResults(await submit())).toEqual([expect.stringContaining('did not answer within 4321 ms')]);
  await engine.close();
  expect(findProcesses(log)).toEqual([]);
});

describe.each(['http', 'sse'])('a server over %s that is gone from the start', (kind) => {
  it('has failed in time, and is used once it is there', async () => {
    const server = await (WAYS[kind] as () => Promise<Vanishing>)();
    server.vanish();
    const waits = new Map([[START_MS, 50]]);
    const { engine, submit } = await sessionWith(server, [text('one'), server.call, text('two')], waits);
    expect(serversOf(await submit())).toEqual([{ name: 's', status: 'failed' }]);
    server.comeBack();
    waits.clear();
    const { reconnectMcpServer } = await engine.controls();
    await reconnectMcpServer('s');
    expect(chaosResults(await submit())).toEqual([expect.stringMatching(server.answer)]);
    await engine.close();
  });
});
