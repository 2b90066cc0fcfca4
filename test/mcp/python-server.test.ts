// A server in plain Python, over real pipes, in a session: answers, errors, progress, what Python writes that is no JSON,
// and one that works and hears nothing meanwhile.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { chaosResults } from '../support/chaos-servers.js';
import { testEngine } from '../support/engine.js';
import { findProcesses } from '../support/process-scan.js';

const FILE = fileURLToPath(new URL('../support/python-server.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
const call = (name: string, input: object = {}) => toolCall(`mcp__py__${name}`, input);

async function session(steps: readonly unknown[], timeout?: number) {
  const { engine, folder } = await testEngine(scriptedModel(steps as never), {
    mcpServers: [
      {
        ...{ name: 'py', command: 'python3', args: [FILE], env: {} },
        ...(timeout === undefined ? {} : { toolTimeoutMs: timeout }),
      },
    ],
    toolSearch: 'never',
    env: { PATH: process.env['PATH'] },
  });
  return { engine, folder, submit: () => collect(engine.submitMessage('go')) };
}

describe.runIf(hasPython)('a server in plain Python', () => {
  it('is listed and called, with errors, progress and letters of all kinds', async () => {
    const { engine, submit } = await session([
      call('add', { a: 40, b: 2 }),
      call('shout', { text: 'grüße' }),
      call('fail'),
      call('count', { to: 3 }),
      text('ok'),
    ]);
    const messages = await submit();
    expect(chaosResults(messages)).toEqual([
      expect.stringContaining('"42"'),
      expect.stringContaining('"GRÜSSE 🐍"'),
      expect.stringContaining('"ValueError: no such luck"'),
      expect.stringContaining('"counted to 3"'),
    ]);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'tool_progress', total: 3 }));
    const [status] = (await engine.controls()).mcpServerStatus();
    expect(status).toMatchObject({ status: 'connected', serverInfo: { name: 'python' } });
    expect(status?.tools?.map(({ name }) => name)).toEqual(['add', 'shout', 'mean', 'fail', 'count', 'sleep']);
    await engine.close();
    expect(findProcesses(FILE)).toEqual([]);
  });

  it('that answers with NaN, which is no JSON, fails that call at once and is told once', async () => {
    const { submit } = await session([call('mean'), call('mean'), call('add', { a: 1, b: 1 }), text('ok')]);
    const messages = await submit();
    const failed = expect.stringContaining('The MCP server py failed: its answer is not JSON');
    expect(chaosResults(messages)).toEqual([failed, failed, expect.stringContaining('2')]);
    expect(messages.filter((each) => 'code' in each && each.code === 'mcp_server_output')).toHaveLength(1);
  });

  it('that works for longer than a call may take is given up, and ends with the session', async () => {
    const { engine, submit } = await session([call('sleep', { seconds: 600 }), text('ok')], 200);
    const messages = await submit();
    expect(chaosResults(messages)).toEqual([expect.stringContaining('did not answer within 200 ms')]);
    expect(lastResult(messages)).toMatchObject({ subtype: 'success' });
    await engine.close();
    expect(findProcesses(FILE)).toEqual([]);
  });
});
