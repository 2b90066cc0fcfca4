// Tools of servers that requests leave out until the model has searched for them: what is sent, what a call of one does,
// and what is left of it after a compaction, a resume, in a fork and in a subagent.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/permissions/rule.js';
import type { MCPServerConnection, McpListedTool } from '../../src/protocol/mcp.js';
import type { ModelRequest } from '../../src/providers/contract/index.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { agentTool } from '../../src/tools/agent.js';
import { ADAPTERS, serve } from '../providers/conformance/adapters.js';
import { agent, delegate, modelOfAgents, resultOf } from '../support/agents.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { patientClock, scriptedServer } from '../support/mcp-server.js';
import { SERVERS } from '../support/tool-catalogue.js';

/** A server of the host's own. `calls` are those that reached it. */
function connection(name: string, tools: readonly McpListedTool[], calls: string[] = []): MCPServerConnection {
  return {
    name,
    type: 'connected',
    client: {
      listTools: async () => ({ tools }),
      callTool: async (params: { readonly name: string }) => {
        calls.push(params.name);
        return { content: [{ type: 'text', text: `did ${params.name}` }] };
      },
    },
  };
}

const all = (calls: string[] = []) => Object.entries(SERVERS).map(([name, tools]) => connection(name, tools, calls));
const namesOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);
const search = (query: string, id?: string) => toolCall('ToolSearch', { query }, id);
const SEND = 'mcp__gmail__send_email';
const REFUND = 'mcp__stripe__refund_charge';

describe('tools of 25 servers', () => {
  it('cost at most 3,000 tokens of each request', async () => {
    const model = scriptedModel([text('ok'), text('ok')]);
    const many = await testEngine(model, { mcpClients: all() });
    await collect(many.engine.submitMessage('go'));
    const plain = await testEngine(model, {});
    await collect(plain.engine.submitMessage('go'));
    const [deferred, without] = model.requests;
    const tokens = (request: ModelRequest | undefined) =>
      request === undefined
        ? Number.NaN
        : createTokenEstimator().frame(request) - (request.tools.length === 0 ? 0 : 345);
    expect(namesOf(deferred)).toEqual([...(namesOf(without) ?? []), 'ToolSearch'].sort());
    expect(tokens(deferred) - tokens(without)).toBeLessThanOrEqual(3_000);
    const listed = deferred?.tools.find(({ name }) => name === 'ToolSearch')?.description ?? '';
    for (const server of Object.keys(SERVERS)) expect(listed).toContain(`${server}: `);
    expect(listed).toContain('send_email');
  });

  it('are found, defined from the next request on behind all others, and called', async () => {
    const calls: string[] = [];
    const model = scriptedModel([
      reply(text('Looking.'), search('send an email')),
      toolCall(SEND, {}),
      search('select:refund_charge'),
      toolCall(REFUND, { id: 'ch_1' }),
      text('Done.'),
    ]);
    const { engine } = await testEngine(model, { mcpClients: all(calls) });
    const messages = await collect(engine.submitMessage('Mail the customer, then give the money back.'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(calls).toEqual(['send_email', 'refund_charge']);
    const lists = model.requests.map(namesOf);
    expect(lists[1]?.slice(0, lists[0]?.length)).toEqual(lists[0]);
    expect(lists[1]).toContain(SEND);
    expect(lists[2]).toEqual(lists[1]);
    expect(lists[3]).toEqual([...(lists[1] ?? []), REFUND]);
    expect(lists[4]).toEqual(lists[3]);
    // The very same definitions, so that nothing is written anew.
    expect(model.requests[4]?.tools[0]).toBe(model.requests[0]?.tools[0]);
    model.assertDone();
  });

  it('are told by their definition if the model guesses their input wrong, and run if it guesses right', async () => {
    const calls: string[] = [];
    const model = scriptedModel([
      toolCall(SEND, { id: 7 }, 'toolu_wrong'),
      toolCall(SEND, { id: 'x' }, 'toolu_right'),
      toolCall('mcp__gmail__snd', {}, 'toolu_none'),
      text('Done.'),
    ]);
    const { engine } = await testEngine(model, { mcpClients: all(calls) });
    const messages = await collect(engine.submitMessage('go'));
    const wrong = resultOf(messages, 'toolu_wrong');
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toContain('The input of mcp__gmail__send_email is not valid, so nothing ran');
    expect(wrong.text).toContain('It was not loaded when you called it; from now on it is. What it does: Send a email');
    expect(wrong.text).toContain('"fields":{"type":"array"');
    expect(namesOf(model.requests[1])).toContain(SEND);
    expect(calls).toEqual(['send_email']);
    const none = resultOf(messages, 'toolu_none');
    expect(none.text).toMatch(
      /There is no tool mcp__gmail__snd\. Available: .*, and 499 more that ToolSearch finds\.$/,
    );
    expect(none.text.length).toBeLessThan(500);
  });

  it('are all in each request if nothing is to be deferred, or ToolSearch is denied', async () => {
    const deny = [parseRule('ToolSearch')];
    const ways: readonly Partial<QueryEngineConfig>[] = [
      { toolSearch: 'never' },
      { toolSearch: 100 },
      { env: { ENABLE_TOOL_SEARCH: 'false' } },
      { permissions: { mode: 'default', roots: ['/nowhere'], deny, ask: [], allow: [] } },
    ];
    for (const way of ways) {
      const model = scriptedModel([text('ok')]);
      const { engine } = await testEngine(model, { mcpClients: all(), contextWindow: 200_000, ...way });
      await collect(engine.submitMessage('go'));
      expect(model.requests[0]?.tools.length).toBeGreaterThanOrEqual(500);
      expect(namesOf(model.requests[0])).not.toContain('ToolSearch');
    }
  });

  it('are deferred by the share of the window that they take, or always', async () => {
    const few = [connection('gmail', SERVERS['gmail'] ?? [])];
    const isDeferred = async (more: object) => {
      const model = scriptedModel([text('ok')]);
      const { engine } = await testEngine(model, { mcpClients: few, ...more });
      await collect(engine.submitMessage('go'));
      return namesOf(model.requests[0])?.includes('ToolSearch') === true;
    };
    expect(await isDeferred({})).toBe(false);
    expect(await isDeferred({ contextWindow: 20_000 })).toBe(true);
    expect(await isDeferred({ contextWindow: 20_000, toolSearch: 60 })).toBe(false);
    expect(await isDeferred({ toolSearch: 0 })).toBe(true);
    expect(await isDeferred({ toolSearch: 'always' })).toBe(true);
    expect(await isDeferred({ env: { ENABLE_TOOL_SEARCH: 'auto:0' } })).toBe(true);
    expect(await isDeferred({ env: { ENABLE_TOOL_SEARCH: 'true' } })).toBe(true);
    expect(await isDeferred({ env: { ENABLE_TOOL_SEARCH: 'true' }, toolSearch: 'never' })).toBe(false);
  });

  it('are not deferred if their server says that they are always needed', async () => {
    const tools = (SERVERS['gmail'] ?? []).map((tool) =>
      tool.name === 'send_email' ? { ...tool, _meta: { 'anthropic/alwaysLoad': true } } : tool,
    );
    const hinted = tools.map((tool) =>
      tool.name === 'list_label' ? { ...tool, _meta: { 'anthropic/searchHint': 'pigeonholes' } } : tool,
    );
    const model = scriptedModel([search('pigeonholes'), text('ok')]);
    const { engine } = await testEngine(model, { mcpClients: [connection('gmail', hinted)], toolSearch: 'always' });
    await collect(engine.submitMessage('go'));
    expect(namesOf(model.requests[0])).toEqual(expect.arrayContaining([SEND, 'ToolSearch']));
    expect(namesOf(model.requests[0])).not.toContain('mcp__gmail__list_label');
    expect(namesOf(model.requests[1])).toContain('mcp__gmail__list_label');
  });

  it('refuses a mode that there is not', async () => {
    const problem = async (more: Partial<QueryEngineConfig>) => {
      const { engine } = await testEngine(scriptedModel([]), { mcpClients: all(), ...more });
      return JSON.stringify(lastResult(await collect(engine.submitMessage('go'))));
    };
    expect(await problem({ toolSearch: 'sometimes' as never })).toContain(
      'toolSearch is \\"sometimes\\". It is auto, always or never, or a percentage of the context window.',
    );
    expect(await problem({ toolSearch: 101 })).toContain('toolSearch is 101.');
    expect(await problem({ env: { ENABLE_TOOL_SEARCH: 'maybe' } })).toContain(
      'ENABLE_TOOL_SEARCH is \\"maybe\\". It is true, false, auto, or auto:N',
    );
  });
});

describe.each(ADAPTERS)('over $title', (adapter) => {
  it('tools are found and called, and scripts call those that are not loaded', async () => {
    const calls: string[] = [];
    const code = `const [tool] = await searchTools('refund a charge'); return await tools[tool.name]({ id: 'ch_1' })`;
    const steps = [
      search('send an email'),
      toolCall(SEND, { id: 'x' }),
      toolCall('RunScript', { code }, 'toolu_script'),
      text('Done.'),
    ];
    const { mock, provider } = await serve(adapter, { steps });
    const { engine } = await testEngine(provider as never, {
      userSpecifiedModel: 'test-model',
      mcpClients: all(calls),
      codeMode: true,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(calls).toEqual(['send_email', 'refund_charge']);
    const told = mock.requests.map(({ body }) => JSON.stringify((body as { tools: unknown }).tools));
    expect(told.map((tools) => tools.includes(SEND))).toEqual([false, true, true, true]);
    expect(told.map((tools) => tools.includes(REFUND))).toEqual([false, false, false, false]);
    mock.assertClean();
  });
});

describe('what was loaded', () => {
  it('stays in its order if a server changes its tools, but for what is gone', async () => {
    const folder = await temporaryFolder();
    const write = (...names: readonly string[]) =>
      writeFileSync(
        path.join(folder, 'tools.json'),
        JSON.stringify(names.map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } }))),
      );
    write('zebra', 'apple', 'plum');
    const server = scriptedServer(folder, { tools: 'tools.json' });
    const change = () => {
      write('zebra', 'plum', 'fig');
      return toolCall('mcp__s__plum', { text: 'changed' });
    };
    const model = scriptedModel([search('select:zebra,apple,plum'), change, text('1'), text('2'), text('3')]);
    const host = createNodeHost({ clock: patientClock() });
    const { engine } = await testEngine(model, { mcpServers: [server.definition], toolSearch: 'always', host });
    await collect(engine.submitMessage('go'));
    expect(namesOf(model.requests[2])).toEqual(['ToolSearch', 'mcp__s__zebra', 'mcp__s__apple', 'mcp__s__plum']);
    await collect(engine.submitMessage('go'));
    expect(namesOf(model.requests[3])).toEqual(['ToolSearch', 'mcp__s__zebra', 'mcp__s__plum']);
    expect(model.requests[3]?.tools[0]?.description).toContain('s: fig, plum, zebra');
    await collect(engine.submitMessage('go'));
    expect(model.requests[4]?.tools).toEqual(model.requests[3]?.tools);
  });

  it('is told by a look at the context window, and so is what was not', async () => {
    const model = scriptedModel([search('select:refund_charge'), text('ok')]);
    const { engine } = await testEngine(model, { mcpClients: all() });
    await collect(engine.submitMessage('go'));
    const { mcpTools } = await (await engine.controls()).getContextUsage();
    expect(mcpTools).toHaveLength(500);
    expect(mcpTools.filter(({ isLoaded }) => isLoaded)).toEqual([
      { name: REFUND, serverName: 'stripe', tokens: expect.any(Number), isLoaded: true },
    ]);
    expect(mcpTools.every(({ tokens }) => tokens > 0)).toBe(true);
  });

  it('stays after a compaction, in its order', async () => {
    const model = scriptedModel([
      search('select:refund_charge,send_email'),
      text('Found.'),
      text('<summary>The user wants a refund.</summary>'),
      text('ok'),
    ]);
    const { engine } = await testEngine(model, { mcpClients: all(), commands: await getCommands() });
    await collect(engine.submitMessage('go'));
    await collect(engine.submitMessage('/compact'));
    await collect(engine.submitMessage('on'));
    const last = model.requests.at(-1);
    expect(namesOf(last)?.slice(-2)).toEqual([REFUND, SEND]);
    expect(JSON.stringify(last?.messages[0])).toContain('Tools that were loaded with ToolSearch and can be called:');
  });

  it('is there again after a resume, before and after a compaction', async () => {
    const [home, cwd, host] = [await temporaryFolder(), await temporaryFolder(), createNodeHost()];
    const sessionId = host.ids.uuid();
    const common = { mcpClients: all(), commands: await getCommands(), cwd, host, sessionId };
    const run = async (isNew: boolean, steps: readonly ScriptedStep[], prompt: string) => {
      const model = scriptedModel(steps);
      const folder = await projectFolder(host, home, cwd);
      const earlier = isNew ? null : await resumeSession(host, placeIn(folder, sessionId));
      const { engine } = await testEngine(model, {
        ...common,
        env: { TURNWRIGHT_HOME: home },
        ...(earlier === null ? {} : { initialMessages: earlier.messages, resumedFrom: earlier.lastUuid }),
      });
      await collect(engine.submitMessage(prompt));
      await engine.close();
      model.assertDone();
      return namesOf(model.requests[0])?.slice(-2);
    };
    await run(true, [search('select:refund_charge,send_email'), text('Found.')], 'go');
    expect(await run(false, [text('ok')], 'again')).toEqual([REFUND, SEND]);
    await run(false, [text('<summary>Refunds.</summary>')], '/compact');
    expect(await run(false, [text('ok')], 'after')).toEqual([REFUND, SEND]);
  });

  it('is of each agent by itself', async () => {
    const model = modelOfAgents({
      main: [search('select:refund_charge'), delegate('mailer', 'Mail it.', {}, 'toolu_main'), text('Done.')],
      mailer: [search('send an email'), toolCall(SEND, {}), text('Sent.')],
    });
    const calls: string[] = [];
    const { engine } = await testEngine(model, {
      mcpClients: all(calls),
      tools: [agentTool, probeTool()],
      agents: [agent('mailer', {})],
    });
    await collect(engine.submitMessage('go'));
    const { main = [], mailer = [] } = model.asked;
    expect(namesOf(mailer[0])).toContain('ToolSearch');
    expect(namesOf(mailer[0])).not.toContain(REFUND);
    expect(namesOf(mailer[1])).toContain(SEND);
    expect(namesOf(main.at(-1))).toContain(REFUND);
    expect(namesOf(main.at(-1))).not.toContain(SEND);
    expect(calls).toEqual(['send_email']);
  });
});
