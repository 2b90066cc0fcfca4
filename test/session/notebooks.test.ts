// Notebooks in a session: what rules, modes and checkpoints say of files holds for cells as well.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { createFileStateCache } from '../../src/tools/file-state-cache.js';
import { readTool } from '../../src/tools/files.js';
import { notebookEditTool } from '../../src/tools/notebook-edit.js';
import { type Call, freshFolder, rewindSession, snapshot } from '../support/checkpoints.js';
import { codeCell, notebookText } from '../support/notebooks.js';

const BEFORE = notebookText([codeCell('a', 'x = 1', { count: 3 })]);
const READ: Call = ['Read', { file_path: 'n.ipynb' }];
const edit = (new_source: string): Call => ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'a', new_source }];

/** What became of the notebook. */
async function editedUnder(options: Partial<Options>, notebook = 'n.ipynb'): Promise<'changed' | 'denied'> {
  const cwd = freshFolder();
  writeFileSync(path.join(cwd, notebook), BEFORE);
  const provider = scriptedModel([
    toolCall('Read', { file_path: notebook }),
    toolCall('NotebookEdit', { notebook_path: notebook, cell_id: 'a', new_source: 'x = 2' }),
    text('ok'),
  ]);
  const env = { TURNWRIGHT_HOME: freshFolder() };
  const messages = await collect(query({ prompt: 'go', options: { cwd, provider, env, ...options } }));
  const isDenied = messages.some(
    (message) =>
      message.type === 'system' && message.subtype === 'permission_denied' && message.tool_name === 'NotebookEdit',
  );
  const isChanged = readFileSync(path.join(cwd, notebook), 'utf8') !== BEFORE;
  expect(isChanged).toBe(!isDenied);
  return isChanged ? 'changed' : 'denied';
}

describe('a change of a notebook', () => {
  it('is a change of a file to modes and rules', async () => {
    expect(await editedUnder({})).toBe('denied');
    expect(await editedUnder({ permissionMode: 'acceptEdits' })).toBe('changed');
    expect(await editedUnder({ permissionMode: 'plan' })).toBe('denied');
    expect(await editedUnder({ allowedTools: ['NotebookEdit'] })).toBe('changed');
    expect(await editedUnder({ allowedTools: ['Edit(/n.ipynb)'] })).toBe('changed');
    expect(await editedUnder({ permissionMode: 'acceptEdits', disallowedTools: ['Edit(*.ipynb)'] })).toBe('denied');
    // A protected file stays so, whatever tool asks.
    expect(await editedUnder({ permissionMode: 'acceptEdits' }, '.bashrc')).toBe('denied');
  });

  it('is set back with its prompt', async () => {
    const session = rewindSession({ config: { tools: [readTool, notebookEditTool] } });
    const { folder, engine } = session;
    writeFileSync(path.join(folder, 'n.ipynb'), BEFORE);
    const before = snapshot(folder);
    await session.prompt('p1', READ, edit('x = 2'));
    const between = snapshot(folder);
    await session.prompt('p2', READ, edit('x = 3'));
    expect(await engine.rewindFiles('p2')).toMatchObject({ canRewind: true, conflicts: [] });
    expect(snapshot(folder)).toEqual(between);
    const later = await session.restart({ readFileCache: createFileStateCache() });
    expect(await later.engine.rewindFiles('p1')).toMatchObject({ canRewind: true, conflicts: [] });
    expect(snapshot(folder)).toEqual(before);
    // The model has seen a version that is no more.
    const messages = await later.prompt('p3', edit('x = 4'));
    expect(JSON.stringify(messages)).toContain('has changed since');
    expect(snapshot(folder)).toEqual(before);
  });
});
