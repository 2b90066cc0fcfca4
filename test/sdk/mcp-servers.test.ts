// Servers in this process, given to `query()`, and clients given to a `QueryEngine`.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, type SDKMessage } from '../../src/protocol/index.js';
import type { McpClient, McpServerConfig } from '../../src/protocol/mcp.js';
import { createSdkMcpServer } from '../../src/sdk/mcp-server.js';
import type { Options } from '../../src/sdk/options.js';
import { query } from '../../src/sdk/query.js';
import { tool } from '../../src/sdk/tool.js';
import { collect, lastResult } from '../../src/testing/collect.js';
import { text, toolCall } from '../../src/testing/script-steps.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.js';
import { temporaryFolder, testEngine } from '../support/engine.js';

const said = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** A server with a tool that reads, one that writes, and one that fails. */
function notes() {
  const kept: string[] = [];
  const server = createSdkMcpServer({
    name: 'notes',
    tools: [
      tool('list', 'Lists the notes.', {}, async () => said(kept.join(', ')), { annotations: { readOnlyHint: true } }),
      tool('add', 'Adds a note.', { note: z.string().min(2), times: z.number().default(1) }, async (args) => {
        for (let n = 0; n < (args.times ?? 0); n++) kept.push(args.note);
        return said(`${kept.length} notes`);
      }),
      tool('fail', 'Fails.', {}, async () => {
        throw new Error('no paper');
      }),
    ],
  });
  return { kept, mcpServers: { notes: server } };
}

async function run(model: ScriptedModel, more: Options): Promise<SDKMessage[]> {
  const options = { provider: model, cwd: await temporaryFolder(), persistSession: false, ...more };
  return collect(query({ prompt: 'go', options }));
}

const lastRead = (model: ScriptedModel) => JSON.stringify(model.requests.at(-1)?.messages.at(-1)?.content);
const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message] : []));

describe('mcpServers of query()', () => {
  it('offers the tools of a server under its key, with the schema of their arguments', async () => {
    const model = scriptedModel([text('ok')]);
    const { notes: server } = notes().mcpServers;
    const messages = await run(model, { mcpServers: { 'my notes': server }, tools: [] });
    expect(messages[0]).toMatchObject({
      tools: ['mcp__my_notes__list', 'mcp__my_notes__add', 'mcp__my_notes__fail'],
      mcp_servers: [{ name: 'my notes', status: 'connected' }],
    });
    const add = model.requests[0]?.tools.find((offered) => offered.name === 'mcp__my_notes__add');
    expect(add).toMatchObject({
      description: 'Adds a note.',
      input_schema: { properties: { note: { type: 'string' }, times: {} }, required: ['note'] },
    });
  });

  it('calls them directly, with parsed arguments', async () => {
    const { kept, mcpServers } = notes();
    const model = scriptedModel([
      toolCall('mcp__notes__add', { note: 'milk' }),
      toolCall('mcp__notes__list'),
      text('ok'),
    ]);
    const messages = await run(model, { mcpServers, allowedTools: ['mcp__notes'] });
    expect(kept).toEqual(['milk']);
    expect(lastRead(model)).toContain('"text":"milk"');
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: { content: [{ type: 'text', text: '1 notes' }] } }),
    );
    expect(notices(messages)).toEqual([]);
  });

  it('tells the model of arguments that are not valid, and of a tool that throws', async () => {
    const { kept, mcpServers } = notes();
    const model = scriptedModel([
      toolCall('mcp__notes__add', { note: 'x' }),
      toolCall('mcp__notes__add', { note: 7 }),
      toolCall('mcp__notes__fail'),
      text('ok'),
    ]);
    await run(model, { mcpServers, allowedTools: ['mcp__notes'] });
    expect(kept).toEqual([]);
    const read = model.requests.slice(1).map((request) => JSON.stringify(request.messages.at(-1)));
    for (const result of read) expect(result).toContain('"is_error":true');
    expect(read[2]).toContain('fail failed: no paper');
  });

  it('approves by rules for a tool or a server; a hint that it only reads approves nothing', async () => {
    const denials = async (allowedTools: string[], name: string, input = {}) => {
      const model = scriptedModel([toolCall(name, input), text('ok')]);
      const messages = await run(model, { mcpServers: notes().mcpServers, allowedTools });
      return lastResult(messages).permission_denials.map((denial) => denial.tool_name);
    };
    expect(await denials([], 'mcp__notes__list')).toEqual(['mcp__notes__list']);
    expect(await denials(['mcp__notes__list'], 'mcp__notes__list')).toEqual([]);
    expect(await denials(['mcp__notes__list'], 'mcp__notes__add', { note: 'ab' })).toEqual(['mcp__notes__add']);
    expect(await denials(['mcp__notes'], 'mcp__notes__add', { note: 'ab' })).toEqual([]);
  });

  it('does not offer what is denied, and denies it where it is called all the same', async () => {
    const { kept, mcpServers } = notes();
    const model = scriptedModel([toolCall('mcp__notes__add', { note: 'ab' }), text('ok')]);
    const messages = await run(model, {
      mcpServers,
      disallowedTools: ['mcp__notes__add'],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(messages[0]).toMatchObject({ tools: expect.not.arrayContaining(['mcp__notes__add']) });
    expect(kept).toEqual([]);
    const none = await run(scriptedModel([text('ok')]), { mcpServers, disallowedTools: ['mcp__notes'], tools: [] });
    expect(none[0]).toMatchObject({ tools: [] });
  });

  it('says which names of MCP tools name nothing', async () => {
    const messages = await run(scriptedModel([text('ok')]), {
      mcpServers: notes().mcpServers,
      allowedTools: ['mcp__notes__list', 'mcp__notes', 'mcp__notes__ad', 'mcp__other'],
    });
    expect(notices(messages).map((notice) => notice.message)).toEqual([
      expect.stringContaining('mcp__notes__ad,'),
      expect.stringContaining('mcp__other,'),
    ]);
  });

  it.each<[string, McpServerConfig, RegExp]>([
    ['stdio', { command: 'server' }, /servers of type stdio cannot be used yet/],
    ['http', { type: 'http', url: 'http://localhost' }, /servers of type http cannot be used yet/],
    ['sse', { type: 'sse', url: 'http://localhost' }, /servers of type sse/],
    ['an McpServer', { type: 'sdk', name: 'x', instance: { connect: () => undefined } as never }, /not made by/],
    ['nothing', { type: 'sdk', name: 'x', instance: undefined as never }, /not made by/],
  ])('refuses %s before anything is asked', async (_what, config, why) => {
    const model = scriptedModel([]);
    const running = run(model, { mcpServers: { x: config } });
    await expect(running).rejects.toThrow(why);
    await expect(running).rejects.toBeInstanceOf(ConfigError);
    expect(model.calls).toBe(0);
  });
});

describe('mcpClients of a QueryEngine', () => {
  const client = (more: Partial<McpClient> = {}): McpClient => ({
    listTools: async () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
    callTool: async () => said('seen'),
    ...more,
  });
  const connected = (more: Partial<McpClient> = {}) =>
    ({ name: 's', type: 'connected', client: client(more) }) as const;

  it('are listed once a session', async () => {
    let listed = 0;
    const listTools: McpClient['listTools'] = async () => {
      listed += 1;
      return { tools: [{ name: 'look', inputSchema: { type: 'object' } }] };
    };
    const model = scriptedModel([toolCall('mcp__s__look'), text('one'), text('two')]);
    const { engine } = await testEngine(model, { mcpClients: [connected({ listTools })] });
    for (const prompt of ['go', 'again']) await collect(engine.submitMessage(prompt));
    expect(listed).toBe(1);
    model.assertDone();
  });

  it('that fail are told in the first prompt and in every init, and the session goes on', async () => {
    const listTools = async () => Promise.reject(new Error('unreachable'));
    const { engine } = await testEngine(
      scriptedModel(() => text('ok')),
      { mcpClients: [connected({ listTools })] },
    );
    const first = await collect(engine.submitMessage('go'));
    expect(first[0]).toMatchObject({ tools: [], mcp_servers: [{ name: 's', status: 'failed' }] });
    expect(notices(first)).toMatchObject([
      { code: 'mcp_server_failed', message: expect.stringContaining('unreachable') },
    ]);
    const second = await collect(engine.submitMessage('again'));
    expect(second[0]).toMatchObject({ mcp_servers: [{ name: 's', status: 'failed' }] });
    expect(notices(second)).toEqual([]);
  });

  it('that do not answer do not hold up an abort: while they list, and while they run', async () => {
    const silent = () => new Promise<never>(() => undefined);
    const listing = await testEngine(scriptedModel([]), {
      mcpClients: [
        connected({
          listTools: () => {
            listing.engine.interrupt();
            return silent();
          },
        }),
      ],
    });
    const result = lastResult(await collect(listing.engine.submitMessage('go')));
    expect(result).toMatchObject({ terminal_reason: 'aborted', result: 'Aborted' });
    const running = await testEngine(scriptedModel([toolCall('mcp__s__look')]), {
      mcpClients: [
        connected({
          callTool: () => {
            running.engine.interrupt();
            return silent();
          },
        }),
      ],
    });
    expect(lastResult(await collect(running.engine.submitMessage('go'))).terminal_reason).toBe('aborted');
    expect(JSON.stringify(running.engine.getMessages())).toContain('effects are unknown');
  });
});
