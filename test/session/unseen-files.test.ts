// No file is overwritten that the model has not seen: in a session, after it was resumed, and after it was set back.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

interface Ran {
  readonly id: string;
  /** Of each call: '' if it did what it was asked for, else what the model reads. */
  readonly refusals: readonly string[];
}

async function place() {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const at = (name: string) => path.join(cwd, name);
  const run = async (calls: readonly ScriptedStep[], more: Options = {}): Promise<Ran> => {
    const model = scriptedModel([...calls, text('done')]);
    const env = { TURNWRIGHT_HOME: home };
    const options: Options = { provider: model, cwd, env, permissionMode: 'acceptEdits', ...more };
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: 'go', options })) messages.push(message);
    model.assertDone();
    return { id: lastResult(messages).session_id, refusals: refusalsOf(messages) };
  };
  return { cwd, at, run, content: (name: string) => readFile(at(name), 'utf8') };
}

function refusalsOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [block.is_error === true ? String(block.content) : ''] : [],
    );
  });
}

const write = (file_path: string, content: string) => toolCall('Write', { file_path, content });
const edit = (file_path: string, old_string: string, new_string: string) =>
  toolCall('Edit', { file_path, old_string, new_string });
const read = (file_path: string) => toolCall('Read', { file_path });
const NOT_READ = expect.stringContaining('you have not read it in this session, so nothing was written');
const CHANGED = expect.stringContaining('has changed since you last read or wrote it');

it('is refused in words that say what to do, until the file was read', async () => {
  const { at, run, content } = await place();
  await writeFile(at('a.txt'), 'theirs');
  const { refusals } = await run([
    write('a.txt', 'mine'),
    edit('a.txt', 'theirs', 'mine'),
    read('a.txt'),
    edit('a.txt', 'theirs', 'ours'),
    write('a.txt', 'mine'),
    write('new.txt', 'one'),
    write('new.txt', 'two'),
  ]);
  expect(refusals).toEqual([NOT_READ, NOT_READ, '', '', '', '', '']);
  expect(await content('a.txt')).toBe('mine');
});

it('is not refused in a resumed session of what the model saw or wrote before, unless it changed', async () => {
  const { at, run, content } = await place();
  for (const name of ['seen', 'changed', 'failed', 'unseen']) await writeFile(at(name), 'theirs');
  const first = await run([
    read('seen'),
    read('changed'),
    edit('failed', 'not there', 'x'),
    write('written', 'by the model'),
    toolCall('Read', { file_path: at('seen'), offset: 1, limit: 1 }),
  ]);
  await writeFile(at('changed'), 'by somebody else');
  const { refusals } = await run(
    [
      edit('seen', 'theirs', 'ours'),
      edit('written', 'by', 'from'),
      write('changed', 'mine'),
      write('failed', 'mine'),
      write('unseen', 'mine'),
    ],
    { resume: first.id },
  );
  expect(refusals).toEqual(['', '', CHANGED, NOT_READ, NOT_READ]);
  expect(await content('seen')).toBe('ours');
  expect(await content('changed')).toBe('by somebody else');
  const again = await run([write('seen', 'mine'), write('unseen', 'mine')], { resume: first.id });
  expect(again.refusals).toEqual(['', NOT_READ]);
});

it('is refused in another session, and to a subagent that did not read the file itself', async () => {
  const { at, run, content } = await place();
  await writeFile(at('a.txt'), 'theirs');
  await run([read('a.txt')]);
  expect((await run([write('a.txt', 'mine')])).refusals).toEqual([NOT_READ]);
  const agents = { writer: { description: 'Writes.', prompt: 'You write.' } };
  const call = toolCall('Agent', { description: 'Writes.', prompt: 'Write.', subagent_type: 'writer' });
  const { refusals } = await run([read('a.txt'), call, write('a.txt', 'mine'), text('wrote')], { agents });
  expect(refusals).toContainEqual(NOT_READ);
  expect(await content('a.txt')).toBe('theirs');
});
