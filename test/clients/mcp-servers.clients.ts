// Published MCP servers, unmodified, in sessions of ours: each is connected and answers, and what the one for tests of
// clients can do is used.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
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

  it('everything: each tool, with progress, roots, questions, pages, sampling, tasks and its log', {
    timeout: 180_000,
  }, async () => {
    const calls: readonly (readonly [string, object, RegExp])[] = [
      ['echo', { message: 'hello' }, /hello/],
      ['get-annotated-message', { messageType: 'error', includeImage: true }, /image\/png/],
      ['get-env', {}, /PATH/],
      ['get-resource-links', { count: 2 }, /demo:\/\/resource\/dynamic/],
      ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }, /demo:\/\/resource\/dynamic\/text\/1/],
      ['get-structured-content', { location: 'Chicago' }, /temperature/],
      ['get-sum', { a: 2, b: 40 }, /42/],
      ['get-tiny-image', {}, /image\/png/],
      ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }, /a\.gz/],
      ['toggle-simulated-logging', {}, /logging/i],
      ['toggle-subscriber-updates', {}, /update/i],
      ['trigger-long-running-operation', { duration: 1, steps: 4 }, /completed/i],
      ['get-roots-list', {}, /file:\/\//],
      ['trigger-elicitation-request', {}, /decline/i],
      ['trigger-url-elicitation', { url: 'https://example.com/page', message: 'Open it.' }, /accept|open|url/i],
      ['simulate-research-query', { topic: 'stones' }, /stones/],
      ['trigger-sampling-request', { prompt: 'Say so.', maxTokens: 50 }, /so it is/],
    ];
    const steps = calls.map(([name, input]) => call(name, input));
    const asked: string[] = [];
    const { submit, model, engine } = await session(
      'everything',
      [...steps, text('so it is'), text('ok')],
      () => ['stdio'],
      {
        mcpSampling: 'allow',
        handleElicitation: async ({ message, mode }) => {
          asked.push(`${mode ?? 'form'}: ${message}`);
          return mode === 'url' ? { action: 'accept' } : { action: 'decline' };
        },
      },
    );
    const messages = await submit();
    const shown = results(messages);
    for (const [at, [name, , what]] of calls.entries())
      expect([name, shown[at]]).toEqual([name, expect.stringMatching(what)]);
    expect(asked).toEqual([expect.stringMatching(/^form: /), expect.stringMatching(/^url: Open it/)]);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'tool_progress', total: 4 }));
    expect(JSON.stringify(model.requests[0]?.system)).toContain('<server-instructions server=');
    const [status] = (await engine.controls()).mcpServerStatus();
    // Nothing of it is left out of this test.
    expect(status?.tools?.map(({ name }) => name).sort()).toEqual(calls.map(([name]) => name).sort());
    expect(Object.keys(status?.capabilities ?? {}).sort()).toEqual([
      'completions',
      'logging',
      'prompts',
      'resources',
      'tasks',
      'tools',
    ]);
  });

  it('everything: its prompts, what it proposes for their arguments, and its resources', {
    timeout: 180_000,
  }, async () => {
    const text1 = 'demo://resource/dynamic/text/1';
    const { submit, engine, model } = await session(
      'everything',
      [
        toolCall('ListMcpResources', { server_name: 's' }),
        toolCall('ReadMcpResource', { server_name: 's', uri: text1 }),
        toolCall('ReadMcpResource', { server_name: 's', uri: 'demo://resource/dynamic/blob/1' }),
        call('toggle-subscriber-updates'),
        ...Array.from({ length: 200 }, () => text('ok')),
      ],
      () => ['stdio'],
    );
    const shown = results(await submit(`see @s:${text1}`));
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(`The resource ${text1} of the MCP server s`);
    expect(shown[0]).toContain('demo://resource/dynamic/text/{resourceId}');
    expect(shown[1]).toContain('Resource 1');
    expect(shown[2]).toMatch(/blob|base64|bytes/i);
    const commands = engine.supportedCommands().map(({ name }) => name);
    const prompts = ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'];
    expect(commands).toEqual(expect.arrayContaining(prompts.map((name) => `mcp__s__${name}`)));
    const typed = ['', 'Berlin', 'Engineering Alice', 'Text 1'];
    for (const [at, name] of prompts.entries()) {
      await submit(`/mcp__s__${name} ${typed[at]}`);
      expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('<mcp-prompt server=');
    }
    const { completeMcpArgument } = await engine.controls();
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect(await completeMcpArgument('s', { ref, argument: { name: 'department', value: 'E' } })).toEqual({
      values: ['Engineering'],
    });
    expect(
      await completeMcpArgument('s', {
        ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
        argument: { name: 'resourceId', value: '1' },
      }),
    ).toEqual({ values: ['1'] });
    // It says that what was read is another now, every few seconds.
    const isTold = () => JSON.stringify(model.requests.at(-1)?.messages).includes('has changed');
    for (; !isTold(); await delay(100)) await submit('and now?');
  });

  it('of Playwright lists its tools, and says what it lacks if there is no browser', {
    timeout: 120_000,
  }, async () => {
    const folder = await temporaryFolder();
    const args = ['--headless', '--isolated', '--no-sandbox', '--executable-path', '/usr/bin/chromium'];
    const program = { name: 's', command: join(BIN, 'playwright-mcp'), args, env: {} };
    const page = 'data:text/html,<title>Stones</title><h1>A stone</h1>';
    const model = scriptedModel([call('browser_navigate', { url: page }), call('browser_close'), text('ok')]);
    const { engine } = await testEngine(model, { cwd: folder, mcpServers: [program], toolSearch: 'never' });
    const [shown] = results(await collect(engine.submitMessage('go')));
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('mcp__s__browser_click');
    expect(shown).toMatch(existsSync('/usr/bin/chromium') ? /Stones/ : /chromium|browser/i);
    await engine.close();
  });
});

describe('a published client of our tools', () => {
  it('is the command line of the inspector', { timeout: 120_000 }, async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'a.txt'), 'anything');
    const entry = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const inspect = (...words: string[]) =>
      execFileSync(join(BIN, 'mcp-inspector'), ['--cli', process.execPath, entry, 'mcp', 'serve', ...words], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, TURNWRIGHT_HOME: join(folder, 'home') },
      });
    const { tools } = JSON.parse(inspect('--method', 'tools/list'));
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Read', 'Bash', 'Grep']));
    const read = ['--method', 'tools/call', '--tool-name', 'Read', '--tool-arg', `file_path=${join(folder, 'a.txt')}`];
    expect(JSON.parse(inspect(...read))).toMatchObject({ content: [{ text: expect.stringContaining('anything') }] });
  });
});
