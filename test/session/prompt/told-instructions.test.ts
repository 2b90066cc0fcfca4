// Instruction files that change while a session lasts: the system prompt stays, and the next message tells what counts now.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { collect } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { textOf } from '../../engine/long-histories.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';
import { isSummaryRequest } from '../../support/summary-request.js';

const systemOf = (request: ModelRequest | undefined) => request?.system.map((block) => block.text).join('\n') ?? '';
const lastMessage = (request: ModelRequest | undefined) => JSON.stringify(request?.messages.at(-1));

async function session(appendOnly: boolean) {
  const cwd = await temporaryFolder();
  const model = scriptedModel((request) => text(isSummaryRequest(request) ? '<summary>x</summary>' : 'ok'), {
    appendOnly,
  });
  const { engine } = await testEngine(model, { cwd, commands: await getCommands() });
  const write = (name: string, content: string) => writeFile(path.join(cwd, name), content);
  const say = async (prompt: string) => {
    await collect(engine.submitMessage(prompt));
    return model.requests.at(-1);
  };
  return { cwd, model, write, say };
}

it('each change is told once, whole, and the system prompt stays as it was', async () => {
  const { cwd, model, write, say } = await session(true);
  await write('AGENTS.md', 'Write tests.');
  const first = await say('one');
  await write('AGENTS.md', 'Write tests, and run them.');
  await write('CLAUDE.md', 'Be brief.');
  const second = await say('two');
  const third = await say('three');
  await rm(path.join(cwd, 'AGENTS.md'));
  const fourth = await say('four');
  await write('AGENTS.md', 'Write tests.');
  const fifth = await say('five');

  expect(systemOf(first)).toContain('Write tests.');
  for (const request of model.requests) expect(systemOf(request)).toBe(systemOf(first));
  expect(lastMessage(first)).not.toContain('instructions');
  expect(lastMessage(second)).toMatch(/instructions-changed source=.*AGENTS\.md.*Write tests, and run them\./);
  expect(lastMessage(second)).toMatch(/instructions-changed source=.*CLAUDE\.md.*Be brief\./);
  expect(lastMessage(third)).not.toContain('instructions-changed');
  expect(lastMessage(fourth)).toContain('AGENTS.md is gone');
  expect(lastMessage(fourth)).not.toContain('CLAUDE.md');
  // As it was at first, but not as it was told last.
  expect(lastMessage(fifth)).toMatch(/instructions-changed source=.*Write tests\./);
  model.assertDone();
});

it('is in the system prompt once nothing tells it any more, and after /clear', async () => {
  const { write, say } = await session(false);
  await write('AGENTS.md', 'Old words.');
  await say('one');
  await write('AGENTS.md', 'New words.');
  await say('two');
  await say('three');
  await say('/compact');
  const compacted = await say('four');
  expect(systemOf(compacted)).toContain('New words.');
  expect(systemOf(compacted)).not.toContain('Old words.');
  await write('AGENTS.md', 'Newest words.');
  expect(systemOf(await say('five'))).toContain('New words.');
  await say('/clear');
  const cleared = await say('six');
  expect(systemOf(cleared)).toContain('Newest words.');
  expect(JSON.stringify(cleared?.messages)).not.toContain('words');
});

it('is in the system prompt of the same prompt, if a compaction takes along what told it', async () => {
  const cwd = await temporaryFolder();
  let turn = 0;
  const model = scriptedModel((request) => {
    if (isSummaryRequest(request)) return text('<summary>x</summary>');
    turn++;
    if (turn < 3 || turn > 14) return text('ok');
    return reply(text(textOf(1_000, turn)), toolCall('Probe', { value: String(turn) }));
  });
  const tools = [probeTool({ run: async () => `ran ${turn}` })];
  const { engine } = await testEngine(model, { cwd, tools, contextWindow: 20_000 });
  for (const words of ['Old words.', 'New words.']) {
    await writeFile(path.join(cwd, 'AGENTS.md'), words);
    await collect(engine.submitMessage('Read the instructions.'));
  }
  await collect(engine.submitMessage('Go.'));
  const at = model.requests.findIndex(isSummaryRequest);
  const [before, after] = [model.requests[at - 1], model.requests[at + 1]];
  expect(systemOf(before)).toContain('Old words.');
  expect(JSON.stringify(before?.messages)).toContain('New words.');
  expect(systemOf(after)).toContain('New words.');
  expect(JSON.stringify(after)).not.toContain('Old words.');
});
