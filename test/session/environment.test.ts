// The system prompt stays the same while a session lasts, so that a prompt cache can hold it: what changed is told in
// the user's next message.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { textOf } from '../engine/long-histories.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

async function repository() {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, '.git'));
  const checkout = (branch: string) => writeFile(path.join(cwd, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`);
  await checkout('main');
  const real = createNodeHost();
  const clock = { ...real.clock, days: 0 };
  const host = { ...real, clock: { ...real.clock, now: () => real.clock.now() + clock.days * DAY_MS } };
  return { cwd, checkout, host, passDay: () => clock.days++ };
}

const systemOf = (request: ModelRequest | undefined) => request?.system.map((block) => block.text).join('\n') ?? '';
const lastMessage = (request: ModelRequest | undefined) => JSON.stringify(request?.messages.at(-1));

describe('the environment in the system prompt', () => {
  it('is taken once, and what changed is told once, where it was first sent', async () => {
    const { cwd, checkout, host, passDay } = await repository();
    const model = scriptedModel(() => text('ok'), { appendOnly: true });
    const { engine } = await testEngine(model, { cwd, host });
    await collect(engine.submitMessage('one'));
    await checkout('feature');
    passDay();
    await collect(engine.submitMessage('two'));
    await collect(engine.submitMessage('three'));
    await checkout('main');
    await collect(engine.submitMessage('four'));
    const [first, second, third, fourth] = model.requests;
    expect(systemOf(first)).toContain('on branch main');
    for (const request of model.requests) expect(systemOf(request)).toBe(systemOf(first));
    expect(lastMessage(first)).not.toContain('environment');
    expect(lastMessage(second)).toMatch(/environment-changed.*Date: .*on branch feature/);
    expect(lastMessage(third)).not.toContain('environment');
    expect(lastMessage(fourth)).toMatch(/environment-changed.*on branch main/);
    expect(lastMessage(fourth)).not.toContain('Date: ');
    model.assertDone();
  });

  it('is told again if a summary took the place of the message that told it, and taken anew after /clear', async () => {
    const { cwd, checkout, host } = await repository();
    const model = scriptedModel((request) => text(isSummaryRequest(request) ? '<summary>x</summary>' : 'ok'));
    const { engine } = await testEngine(model, { cwd, host, commands: await getCommands() });
    await collect(engine.submitMessage('one'));
    await checkout('feature');
    for (const prompt of ['two', 'three', '/compact', 'four', '/clear', 'five'])
      await collect(engine.submitMessage(prompt));
    const told = model.requests.map(
      (request) => JSON.stringify(request.messages).split('<environment-changed>').length - 1,
    );
    expect(told).toEqual([0, 1, 1, 1, expect.any(Number), 0]);
    expect(told[4]).toBeGreaterThan(0);
    expect(systemOf(model.requests[4])).toContain('on branch main');
    expect(systemOf(model.requests[5])).toContain('on branch feature');
  });

  it('is kept for a session that is resumed', async () => {
    const { cwd, checkout, host } = await repository();
    const sessionId = host.ids.uuid();
    const first = scriptedModel(() => text('ok'));
    const { engine, home } = await testEngine(first, { cwd, host, sessionId });
    await collect(engine.submitMessage('one'));
    await engine.close();
    await checkout('feature');
    const folder = await projectFolder(host, home, cwd);
    const resumed = await resumeSession(host, placeIn(folder, sessionId));
    const second = scriptedModel(() => text('ok'));
    const again = await testEngine(second, {
      cwd,
      host,
      sessionId,
      env: { TURNWRIGHT_HOME: home },
      initialMessages: resumed.messages,
      resumedFrom: resumed.lastUuid,
      resumedState: resumed.state,
    });
    await collect(again.engine.submitMessage('two'));
    expect(systemOf(second.requests[0])).toBe(systemOf(first.requests[0]));
    expect(lastMessage(second.requests[0])).toContain('on branch feature');
  });

  it('is not told of beside a system prompt of the caller', async () => {
    const { cwd, checkout, host } = await repository();
    const model = scriptedModel(() => text('ok'));
    const { engine } = await testEngine(model, { cwd, host, customSystemPrompt: 'Be brief.' });
    await collect(engine.submitMessage('one'));
    await checkout('feature');
    expect(lastResult(await collect(engine.submitMessage('two'))).subtype).toBe('success');
    expect(lastMessage(model.requests[1])).not.toContain('environment');
  });
});

describe('what changed in the environment', () => {
  it('is in the system prompt of the same prompt, if a compaction takes along the message that told it', async () => {
    const { cwd, checkout, host } = await repository();
    let turn = 0;
    const model = scriptedModel((request) => {
      if (isSummaryRequest(request)) return text('<summary>x</summary>');
      turn++;
      if (turn < 3 || turn > 14) return text('ok');
      return reply(text(textOf(1_000, turn)), toolCall('Probe', { value: String(turn) }));
    });
    const tools = [probeTool({ run: async () => `ran ${turn}` })];
    const { engine } = await testEngine(model, { cwd, host, tools, contextWindow: 20_000 });
    await collect(engine.submitMessage('one'));
    await checkout('feature');
    await collect(engine.submitMessage('two'));
    await collect(engine.submitMessage('three'));
    const at = model.requests.findIndex(isSummaryRequest);
    const [before, after] = [model.requests[at - 1], model.requests[at + 1]];
    expect(systemOf(before)).toContain('on branch main');
    expect(JSON.stringify(before?.messages)).toContain('on branch feature');
    expect(systemOf(after)).toContain('on branch feature');
    expect(JSON.stringify(after)).not.toContain('on branch main');
    // Nothing is told twice.
    await collect(engine.submitMessage('four'));
    expect(lastMessage(model.requests.at(-1))).not.toContain('environment-changed');
  });
});
