// systemPrompt.snapshot: whether the system prompt of a conversation stays as it was recorded, or is made anew.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { query } from '../../src/sdk/query.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { controlled } from '../support/controlled.js';
import { temporaryFolder } from '../support/engine.js';

const systemOf = (model: ReturnType<typeof scriptedModel>) => JSON.stringify(model.requests.at(-1)?.system);

it('true: what was recorded is sent again, also after a resume with another text', async () => {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const env = { TURNWRIGHT_HOME: home };
  const model = scriptedModel(() => text('ok'));
  const run = async (prompt: string, snapshot: boolean | undefined, resume?: string) => {
    const systemPrompt = { type: 'custom', prompt, ...(snapshot === undefined ? {} : { snapshot }) } as const;
    const options = { provider: model, cwd, env, systemPrompt, ...(resume === undefined ? {} : { resume }) };
    let id = '';
    for await (const { session_id } of query({ prompt: 'Hello.', options })) id = session_id ?? id;
    return id;
  };
  const id = await run('You are a bee.', true);
  expect(systemOf(model)).toContain('a bee');
  const first = systemOf(model);
  await run('You are a wasp.', true, id);
  expect(systemOf(model)).toBe(first);
  await run('You are a wasp.', undefined, id);
  expect(systemOf(model)).toContain('a wasp');
  await run('You are a fly.', false, id);
  expect(systemOf(model)).toContain('a fly');
});

it('false: instruction files count as they are with each prompt, in the system prompt itself', async () => {
  const cwd = await temporaryFolder();
  const file = path.join(cwd, 'AGENTS.md');
  await writeFile(file, 'Say one.');
  const model = scriptedModel(() => text('ok'));
  const { ask } = await controlled(model, {
    cwd,
    systemPrompt: { type: 'preset', preset: 'turnwright', snapshot: false },
  });
  await ask('Hello.');
  await writeFile(file, 'Say two.');
  await ask('Again.');
  expect(systemOf(model)).toContain('Say two.');
  expect(systemOf(model)).not.toContain('Say one.');
});

it('true: they stay as they were recorded, and the model is told of the change', async () => {
  const cwd = await temporaryFolder();
  const file = path.join(cwd, 'AGENTS.md');
  await writeFile(file, 'Say one.');
  const model = scriptedModel(() => text('ok'));
  const { ask } = await controlled(model, {
    cwd,
    systemPrompt: { type: 'preset', preset: 'turnwright', snapshot: true },
  });
  await ask('Hello.');
  await writeFile(file, 'Say two.');
  await ask('Again.');
  expect(systemOf(model)).toContain('Say one.');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Say two.');
});

it('anything else is refused', async () => {
  const { session } = await controlled(scriptedModel([]), {
    systemPrompt: { type: 'custom', prompt: 'x', snapshot: 'yes' as never },
  });
  await expect(session.initializationResult()).rejects.toThrow('systemPrompt');
});
