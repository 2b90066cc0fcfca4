// What a model does with a placeholder: the tool gets the secret if it may have it, and says so if not.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAppState } from '../../src/session/config/config.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { bashTool } from '../../src/tools/bash.js';
import { editTool, readTool, writeTool } from '../../src/tools/files.js';
import { notebookEditTool } from '../../src/tools/notebook-edit.js';
import { temporaryFolder, testEngine } from '../support/engine.js';
import { secretSamples } from './secret-samples.js';

const TOKEN = secretSamples(8).find(({ kind }) => kind === 'github-token')?.secret ?? '';
const LINE = `GITHUB_TOKEN=${TOKEN}`;

type ToCall = (placeholder: string, file: string) => { readonly name: string; readonly input: object };

/** The model reads `.env` (or is told by the prompt), then calls something with the placeholder it got. */
async function act(toCall: ToCall, { typed = false, name = '.env', content = `A=1\n${LINE}\nB=2\n` } = {}) {
  const folder = await temporaryFolder();
  const file = path.join(folder, name);
  await writeFile(file, content);
  const second: ScriptedStep = ({ messages }) => {
    const [placeholder = ''] = /\{secret:github-token:[0-9a-f]{10}\}/.exec(JSON.stringify(messages)) ?? [];
    const { name: tool, input } = toCall(placeholder, file);
    return toolCall(tool, input);
  };
  const model = scriptedModel([toolCall('Read', { file_path: file }), second, text('done')]);
  const { engine } = await testEngine(model, {
    tools: [readTool, writeTool, editTool, notebookEditTool, bashTool],
    cwd: folder,
  });
  await collect(engine.submitMessage(typed ? `Use ${TOKEN}.` : 'go'));
  await engine.close();
  const shown = JSON.stringify(model.requests);
  expect(shown).not.toContain(TOKEN);
  const last = model.requests[2]?.messages.at(-1)?.content[0] as { content: string; is_error?: boolean };
  return { folder, after: await readFile(file, 'utf8'), said: last.content, isError: last.is_error ?? false };
}

describe('a file that holds the secret', () => {
  it('is edited around it, and in its line', async () => {
    const { after, said, isError } = await act((given, file) => ({
      name: 'Edit',
      input: { file_path: file, old_string: `GITHUB_TOKEN=${given}\nB=2`, new_string: `GH_TOKEN='${given}'\nB=3` },
    }));
    expect({ isError, said }).toMatchObject({ isError: false });
    expect(after).toBe(`A=1\nGH_TOKEN='${TOKEN}'\nB=3\n`);
  });

  it('is written anew with it', async () => {
    const { after } = await act((given, file) => ({
      name: 'Write',
      input: { file_path: file, content: `T=${given}\n` },
    }));
    expect(after).toBe(`T=${TOKEN}\n`);
  });

  it('may be a notebook', async () => {
    const cell = { id: 'c1', cell_type: 'code', source: LINE, metadata: {}, outputs: [], execution_count: null };
    const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const { after } = await act(
      (given, file) => ({
        name: 'NotebookEdit',
        input: { notebook_path: file, cell_id: 'c1', new_source: `token = "${given}"`, cell_type: 'code' },
      }),
      { name: 'a.ipynb', content: notebook },
    );
    expect(JSON.parse(after).cells[0].source).toContain(`token = "${TOKEN}"`);
  });

  it('loses it only if the model leaves it out, never to a placeholder that nobody knows', async () => {
    const { after, said, isError } = await act((given, file) => ({
      name: 'Write',
      input: { file_path: file, content: `T=${given.replace(/[0-9a-f]{10}\}$/, '0000000000}')}\n` },
    }));
    expect({ isError, said }).toEqual({
      isError: true,
      said: expect.stringContaining('Read again what holds the secret'),
    });
    expect(after).toBe(`A=1\n${LINE}\nB=2\n`);
  });
});

describe('another place', () => {
  const elsewhere: ToCall = (given, file) => ({ name: 'Write', input: { file_path: `${file}.copy`, content: given } });

  it('does not get what was only read', async () => {
    const { said, isError, folder } = await act(elsewhere);
    expect({ isError, said }).toEqual({
      isError: true,
      said: expect.stringContaining('put only into files that already hold it'),
    });
    await expect(readFile(path.join(folder, '.env.copy'))).rejects.toThrow('ENOENT');
  });

  it('gets what the user typed', async () => {
    const { isError, folder } = await act(elsewhere, { typed: true });
    expect(isError).toBe(false);
    expect(await readFile(path.join(folder, '.env.copy'), 'utf8')).toBe(TOKEN);
  });

  it('is a command outside the sandbox: it reads the secret itself, or has it from the user', async () => {
    const command: ToCall = (given) => ({
      name: 'Bash',
      input: { command: `printf '%s' '${given}' | wc -c; echo ${given}` },
    });
    const { said, isError } = await act(command);
    expect({ isError, said }).toEqual({
      isError: true,
      said: expect.stringContaining('only if the command runs in the sandbox'),
    });
    const typed = await act(command, { typed: true });
    // The command had it; the model reads the placeholder.
    expect(typed.said).toMatch(new RegExp(`^${TOKEN.length}\\n\\{secret:github-token:[0-9a-f]{10}\\}$`));
  });
});

it('a session that is resumed has the same placeholder, and the file is edited with it', async () => {
  const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
  const file = path.join(folder, '.env');
  await writeFile(file, `${LINE}\n`);
  const overrides = { tools: [readTool, editTool], cwd: folder, env: { TURNWRIGHT_HOME: home } };
  const first = scriptedModel([toolCall('Read', { file_path: file }), text('read')]);
  const { engine } = await testEngine(first, overrides);
  await collect(engine.submitMessage('go'));
  const initialMessages = [...engine.getMessages()];
  await engine.close();
  const second = scriptedModel([
    ({ messages }) => {
      const [given = ''] = /\{secret:github-token:[0-9a-f]{10}\}/.exec(JSON.stringify(messages)) ?? [];
      return toolCall('Edit', { file_path: file, old_string: given, new_string: `${given} # mine` });
    },
    text('done'),
  ]);
  const resumed = await testEngine(second, { ...overrides, initialMessages, ...createAppState() });
  await collect(resumed.engine.submitMessage('and now the comment'));
  await resumed.engine.close();
  expect(await readFile(file, 'utf8')).toBe(`${LINE} # mine\n`);
  // What was sent before is sent again to the letter.
  expect(JSON.stringify(second.requests[0]?.messages)).toContain(
    JSON.stringify(first.requests[1]?.messages).slice(1, -2),
  );
});

it.each([
  ['changed', 'MARK here', 500],
  ['found twice', 'B=2', 119],
  ['not found', 'MARK   here', 160],
  ['near it', 'MARK   here', 1_000],
])('a long line that an answer of Edit cuts in a secret (%s) ends before it', async (_, old, length) => {
  const before = `B=2 MARK here ${'x '.repeat(600)}`.slice(0, length - 12);
  const { said } = await act(
    (_given, file) => ({ name: 'Edit', input: { file_path: file, old_string: old, new_string: 'MARK there' } }),
    { content: `${before} ${TOKEN} end\nB=2\n` },
  );
  expect(said).not.toContain(TOKEN.slice(0, 8));
});

it('a file that goes along with a prompt, and is cut in a secret, ends before it', async () => {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'long.txt'), `${'x '.repeat(49_990)}${TOKEN} end`);
  const model = scriptedModel([text('done')]);
  const { engine } = await testEngine(model, { cwd: folder });
  await collect(engine.submitMessage('look at @long.txt'));
  const sent = JSON.stringify(model.requests);
  expect(sent).toContain('The file is longer');
  expect(sent).not.toContain(TOKEN.slice(0, 8));
});
