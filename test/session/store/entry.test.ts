import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createAppState, type SessionState } from '../../../src/session/config/config.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { projectFolder } from '../../../src/session/store/session-places.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool, type TestEngine, temporaryFolder, testEngine } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';

type Line = Record<string, unknown>;

async function linesOf(test: TestEngine): Promise<Line[]> {
  const folder = await projectFolder(createNodeHost(), test.home, test.folder);
  const name = (await readdir(folder)).find((file) => file.endsWith('.jsonl')) ?? '';
  const content = await readFile(path.join(folder, name), 'utf8');
  return content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('the lines of a transcript', () => {
  it('start over after a compaction behind a boundary, whose summary is marked', async () => {
    const model = scriptedModel([text('first answer'), text('<summary>We greeted.</summary>'), text('after')]);
    const test = await testEngine(model, { commands: await getCommands() });
    await collect(test.engine.submitMessage('hello there'));
    await collect(test.engine.submitMessage('/compact'));
    await collect(test.engine.submitMessage('go on'));
    const lines = await linesOf(test);
    const at = lines.findIndex((line) => line.type === 'system');
    const before = lines.slice(0, at).findLast((line) => line.uuid !== undefined);
    expect(lines[at]).toMatchObject({
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: before?.uuid,
      compactMetadata: { trigger: 'manual', preTokens: expect.any(Number) },
    });
    const after = lines.slice(at).filter((line) => line.uuid !== undefined);
    // One chain from the last line to the boundary.
    expect(after.slice(1).map((line) => line.parentUuid)).toEqual(after.slice(0, -1).map((line) => line.uuid));
    expect(after.map((line) => line.isCompactSummary ?? false)).toEqual(after.map((_, index) => index === 1));
    expect(new Set(lines.flatMap((line) => line.uuid ?? [])).size).toBe(
      lines.filter((line) => line.uuid !== undefined).length,
    );
  });

  it('end each prompt with what was typed and what a resumed session needs', async () => {
    const store = createAppState();
    const todos = [{ id: '1', content: 'x', status: 'pending' as const, activeForm: 'y' }];
    const probe = probeTool({
      run: async () => {
        store.setState({ todos });
        return 'ok';
      },
    });
    const test = await testEngine(scriptedModel([toolCall('Probe'), text('done'), text('more')]), {
      tools: [probe],
      getAppState: () => store.getState(),
      setAppState: (change) => store.setState(change(store.getState())),
    });
    await collect(test.engine.submitMessage(`first\n${'long '.repeat(100)}`));
    await collect(test.engine.submitMessage('not typed', { isMeta: true }));
    const lines = await linesOf(test);
    const prompts = lines.filter((line) => line.type === 'last-prompt');
    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.lastPrompt).toMatch(/^first long long/);
    expect(String(prompts[0]?.lastPrompt)).toHaveLength(200);
    const states = lines.filter((line) => line.type === 'turnwright-state');
    expect(states).toHaveLength(2);
    expect(lines.at(-1)).toBe(states[1]);
    const state = states[1]?.state as SessionState;
    expect(state).toMatchObject({ turns: 3, todos });
    expect(states[1]?.leafUuid).toBe(lines.findLast((line) => line.type === 'assistant')?.uuid);
    expect(Object.keys(states[1] ?? {})).toEqual(['type', 'timestamp', 'version', 'leafUuid', 'state', 'sessionId']);
    expect(Object.keys(state)).toEqual(['ledger', 'turns', 'compaction', 'todos', 'environment']);
  });

  it('bring usage, cost and turns back into another engine', async () => {
    const test = await testEngine(scriptedModel([text('one')]));
    await collect(test.engine.submitMessage('go'));
    const state = (await linesOf(test)).at(-1)?.state as SessionState;
    const other = await testEngine(scriptedModel([text('two')]), { resumedState: state });
    expect(other.engine.getUsage()).toEqual(test.engine.getUsage());
    expect(other.engine.getModelUsage()).toEqual(test.engine.getModelUsage());
    expect(other.engine.getTotalCost()).toBe(test.engine.getTotalCost());
    await collect(other.engine.submitMessage('go on'));
    expect(other.engine.getUsage().output_tokens).toBe(2 * test.engine.getUsage().output_tokens);
    expect((await linesOf(other)).at(-1)?.state).toMatchObject({ turns: 2 });
  });

  it('say after /clear that nothing of the conversation goes on', async () => {
    const test = await testEngine(scriptedModel([text('one')]), { commands: await getCommands() });
    await collect(test.engine.submitMessage('/clear'));
    await collect(test.engine.submitMessage('go'));
    await collect(test.engine.submitMessage('/clear'));
    const lines = await linesOf(test);
    expect(lines.map((line) => line.type)).toEqual([
      'user',
      'assistant',
      'last-prompt',
      'turnwright-state',
      'system',
      'turnwright-state',
    ]);
    const cleared = lines.at(-2);
    expect(cleared).toMatchObject({ subtype: 'conversation_rewound', parentUuid: null });
    expect(cleared?.rewind).toMatchObject({ targetUuid: null, fromUuid: lines[1]?.uuid });
    expect(lines.at(-1)?.leafUuid).toBe(cleared?.uuid);
  });
});

describe('a reply', () => {
  it('names the request it came from, in the stream and in the transcript', async () => {
    const server = await startMockProvider({ steps: [text('one')] });
    onTestFinished(() => server.close());
    const home = await temporaryFolder();
    const folder = await temporaryFolder();
    const engine = new QueryEngine({
      ...plainConfig(),
      cwd: folder,
      host: createNodeHost(),
      userSpecifiedModel: 'claude-test',
      env: { TURNWRIGHT_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-key' },
    });
    const messages = await collect(engine.submitMessage('go'));
    await engine.close();
    const shown = messages.find((message) => message.type === 'assistant');
    expect(shown?.request_id).toMatch(/^req_/);
    const lines = await linesOf({ engine, home, folder });
    expect(lines.find((line) => line.type === 'assistant')?.requestId).toBe(shown?.request_id);
  });
});
