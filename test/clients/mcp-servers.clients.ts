// Published MCP servers, unmodified, in sessions of ours: each is connected and answers, and what the one for tests of
// clients can do is used.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script-steps.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder, testEngine } from '../support/engine.js';

const BIN = join(process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '', 'node_modules', '.bin');

async function session(
  server: string,
  steps: readonly unknown[],
  args: (folder: string) => readonly string[] = () => [],
  config: Partial<QueryEngineConfig> = {},
) {
  const folder = await temporaryFolder();
  const model = scriptedModel(steps as never);
  const program = { name: 's', command: join(BIN, `mcp-server-${server}`), args: args(folder), env: {} };
  const { engine } = await testEngine(model, { cwd: folder, mcpServers: [program], toolSearch: 'never', ...config });
  onTestFinished(() => engine.close());
  return { engine, model, folder, submit: (prompt = 'go') => collect(engine.submitMessage(prompt)) };
}

const call = (name: string, input: object = {}) => toolCall(`mcp__s__${name}`, input);
const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.flatMap((block) =>
          block.type === 'tool_result' ? [JSON.stringify(block.content)] : [],
        )
      : [],
  );

describe('the published server', () => {
  it('filesystem says which folders it may use', { timeout: 60_000 }, async () => {
    const place = (folder: string) => {
      mkdirSync(join(folder, 'data'));
      writeFileSync(join(folder, 'data', 'a.txt'), 'anything');
      return [join(folder, 'data')];
    };
    const { submit } = await session('filesystem', [call('list_allowed_directories'), text('ok')], place);
    expect(results(await submit())).toEqual([expect.stringMatching(/directories/i)]);
  });

  it('memory keeps what it is told', { timeout: 60_000 }, async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
    const { submit } = await session('memory', [call('create_entities', { entities }), call('read_graph'), text('ok')]);
    expect(results(await submit())[1]).toContain('Ada');
  });

  it('sequential-thinking takes a thought', { timeout: 60_000 }, async () => {
    const thought = { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const { submit } = await session('sequential-thinking', [call('sequentialthinking', thought), text('ok')]);
    expect(results(await submit())[0]).toContain('thoughtNumber');
  });

  it('everything: tools, progress, resources, prompts, sampling, instructions', { timeout: 120_000 }, async () => {
    const { submit, engine, model } = await session(
      'everything',
      [
        call('echo', { message: 'hello' }),
        call('get-tiny-image'),
        call('get-structured-content', { location: 'Chicago' }),
        call('trigger-long-running-operation', { duration: 1, steps: 4 }),
        call('trigger-sampling-request', { prompt: 'Say so.', maxTokens: 50 }),
        text('so it is'),
        toolCall('ListMcpResources', { server_name: 's' }),
        text('ok'),
        text('ok'),
      ],
      () => ['stdio'],
      { mcpSampling: 'allow', handleElicitation: async () => ({ action: 'decline' }) },
    );
    const messages = await submit();
    const shown = results(messages);
    expect(shown[0]).toContain('hello');
    expect(shown[1]).toContain('image/png');
    expect(shown[2]).toContain('temperature');
    expect(shown[3]).toMatch(/completed/i);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'tool_progress', total: 4 }));
    expect(shown[4]).toContain('so it is');
    expect(shown[5]).toContain('demo://resource');
    expect(JSON.stringify(model.requests[0]?.system)).toContain('<server-instructions server=');
    const commands = engine.supportedCommands().map(({ name }) => name);
    expect(commands).toContain('mcp__s__simple-prompt');
    await submit('/mcp__s__simple-prompt');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('<mcp-prompt server=');
    const controls = await engine.controls();
    expect(controls.mcpServerStatus()[0]).toMatchObject({ status: 'connected', capabilities: { prompts: {} } });
  });
});
