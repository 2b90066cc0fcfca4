// The tools that exist, called through a session: each takes the input fields of spec 004, and its `tool_use_result`
// has the output fields of its type.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { temporaryFolder } from '../support/engine.js';
import { codeCell, notebookText } from '../support/notebooks.js';
import { missingFields, namesOf } from './spec-names.js';

/** Runs the calls one after the other in one session; what each gave its caller. */
async function outputs(...calls: readonly (readonly [name: string, input: object])[]): Promise<unknown[]> {
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'one\ntwo\n');
  const model = scriptedModel([...calls.map(([name, input]) => toolCall(name, input)), text('ok')]);
  const options = {
    cwd,
    provider: model,
    env: { TURNWRIGHT_HOME: await temporaryFolder() },
    permissionMode: 'bypassPermissions' as const,
    allowDangerouslySkipPermissions: true,
  };
  const messages = await collect(query({ prompt: 'go', options }));
  model.assertDone();
  return messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
}

describe('built-in tools', () => {
  it('take every input field of the specification', async () => {
    const schemaNames = {
      Agent: 'AgentInput',
      Bash: 'BashInput',
      Read: 'FileReadInput',
      Edit: 'FileEditInput',
      Write: 'FileWriteInput',
      NotebookEdit: 'NotebookEditInput',
      Glob: 'GlobInput',
      Grep: 'GrepInput',
      TodoWrite: 'TodoWriteInput',
      TaskOutput: 'TaskOutputInput',
      TaskStop: 'TaskStopInput',
      WebFetch: 'WebFetchInput',
      EnterWorktree: 'EnterWorktreeInput',
      ExitWorktree: 'ExitWorktreeInput',
    } as const;
    // Of the published packages alone.
    const tools = (await getTools()).filter(({ name }) => name !== 'SendMessage');
    expect(tools.map((tool) => tool.name).sort()).toEqual(Object.keys(schemaNames).sort());
    for (const tool of tools) {
      const fields = Object.keys((tool.acceptedInput ?? tool.inputSchema).properties as object);
      const wanted = namesOf(schemaNames[tool.name as keyof typeof schemaNames]);
      // The published packages give these more fields than the specification; all of them are accepted.
      if (['Agent', 'TaskOutput', 'TaskStop', 'WebFetch'].includes(tool.name))
        expect(fields).toEqual(expect.arrayContaining([...wanted]));
      else expect(fields.sort(), tool.name).toEqual([...wanted].sort());
    }
  });

  it('TaskOutput writes to a task and TaskStop ends it, and says why not', async () => {
    let task = '';
    const call = (name: string, input: object) => () => toolCall(name, { task_id: task, ...input });
    const model = scriptedModel([
      toolCall('Bash', { command: 'cat', run_in_background: true }),
      call('TaskOutput', { output: 'hello\n' }),
      call('TaskStop', { reason: 'enough' }),
      call('TaskStop', {}),
      text('ok'),
    ]);
    const found: unknown[] = [];
    const session = query({
      prompt: 'go',
      options: {
        cwd: await temporaryFolder(),
        provider: model,
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      },
    });
    for await (const message of session) {
      if (message.type === 'system' && message.subtype === 'task_started') task = message.task_id;
      if (message.type === 'user') found.push(message.tool_use_result);
    }
    model.assertDone();
    const [, written, ...stopped] = found;
    expect(written).toEqual({ task_id: task, status: 'running' });
    expect(stopped).toMatchObject([
      { success: true, task_id: task },
      { success: false, task_id: task, error: expect.stringContaining('had ended before') },
    ]);
    expect(missingFields('TaskStopOutput', stopped)).toEqual([]);
  });

  it('Agent gives result and agent, and an error if there is one', async () => {
    const call = { prompt: 'Say hello.', agent: 'general-purpose', timeout_ms: 60_000 };
    // The model answers in order: the call, the agent's own answer, then the next call.
    const cwd = await temporaryFolder();
    const provider = scriptedModel([
      toolCall('Agent', call),
      text('hello'),
      toolCall('Agent', { ...call, agent: 'nobody' }),
      toolCall('Agent', call),
      { error: new ModelError('authentication', 'no key', { status: 401 }) },
      text('ok'),
    ]);
    const env = { TURNWRIGHT_HOME: await temporaryFolder() };
    const messages = await collect(query({ prompt: 'go', options: { cwd, provider, env } }));
    provider.assertDone();
    const found = messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
    expect(found).toEqual([
      { result: 'hello', agent: 'general-purpose' },
      undefined,
      { result: '', agent: 'general-purpose', error: 'no key' },
    ]);
    expect(missingFields('AgentOutput', found)).toEqual([]);
  });

  it('Bash gives stdout, stderr and exitCode', async () => {
    const found = await outputs(['Bash', { command: 'echo out; echo err >&2; exit 3' }]);
    expect(found).toEqual([expect.objectContaining({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 })]);
  });

  it('Read gives the text of a file, and says so if it did not change', async () => {
    const found = await outputs(['Read', { file_path: 'a.txt' }], ['Read', { file_path: 'a.txt' }]);
    expect(found).toMatchObject([
      { type: 'text', text: expect.stringContaining('two'), totalLines: 2 },
      { type: 'file_unchanged' },
    ]);
    expect(missingFields('FileReadOutput', found)).toEqual([
      'source',
      'source.type',
      'source.media_type',
      'source.data',
      'cells',
      'pages',
      'totalPages',
      'parts',
    ]);
  });

  it('Read gives the cells of a notebook, and NotebookEdit changes them', async () => {
    const cells = [codeCell('a', 'x = 1', { count: 3 })];
    const [read, edited, refused] = await outputs(
      ['Write', { file_path: 'n.ipynb', content: notebookText(cells) }],
      ['Read', { file_path: 'n.ipynb' }],
      [
        'NotebookEdit',
        { notebook_path: 'n.ipynb', cell_id: 'a', cell_type: 'code', new_source: 'x = 2', edit_mode: 'replace' },
      ],
      ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'b', new_source: 'x = 2' }],
    ).then((found) => found.slice(1));
    const shown = [{ cell_number: 0, cell_type: 'code', source: 'x = 1', outputs: ['3\n'] }];
    expect(read).toEqual({ type: 'notebook', file_path: expect.stringMatching(/n\.ipynb$/), cells: shown });
    expect(edited).toEqual({ success: true, notebook_path: expect.stringMatching(/n\.ipynb$/) });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining('no cell "b"') });
    expect(missingFields('NotebookEditOutput', [edited, refused])).toEqual([]);
  });

  it('Edit, Write, Glob, Grep and TodoWrite give what their types say', async () => {
    const [, edit, write, glob, grep, todo] = await outputs(
      ['Read', { file_path: 'a.txt' }],
      ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }],
      ['Write', { file_path: 'b.txt', content: 'né' }],
      ['Glob', { pattern: '*.txt' }],
      ['Grep', { pattern: 'two', output_mode: 'content' }],
      ['TodoWrite', { todos: [{ content: 'one', status: 'pending' }] }],
    );
    expect(edit).toMatchObject({ success: true, file_path: expect.any(String), diff: expect.stringContaining('+1') });
    expect(write).toMatchObject({ success: true, file_path: expect.any(String), bytesWritten: 3 });
    expect(glob).toMatchObject({ totalMatches: 2, files: [expect.any(String), expect.any(String)] });
    expect(grep).toMatchObject({ matchCount: 1, results: expect.stringContaining('two') });
    expect(todo).toMatchObject({ success: true, todos: [{ id: expect.any(String), content: 'one' }] });
  });
});
