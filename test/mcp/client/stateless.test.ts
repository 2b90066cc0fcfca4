// Servers of the published library that speak the version without a handshake, and no other: over real pipes and loopback,
// used like any other server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type McpServerDefinition, readDefinition } from '../../../src/mcp/server-definition.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { chaosResults } from '../../support/chaos-servers.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';
import { makeServer } from '../../support/stateless-server.mjs';

const PROGRAM = fileURLToPath(new URL('../../support/stateless-server.mjs', import.meta.url));

const overStdio = (): McpServerDefinition => ({ name: 's', command: process.execPath, args: [PROGRAM], env: {} });

/** Requests that came, by their method. */
async function overHttp(
  seen: { readonly method: string; readonly header: unknown; readonly region?: unknown }[] = [],
): Promise<McpServerDefinition> {
  const state = {};
  const handler = createMcpHandler(() => makeServer(state, () => handler.notify.toolsChanged()), { legacy: 'reject' });
  const http = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = 'GET', headers } = incoming;
    if (body.length > 0)
      seen.push({
        method: JSON.parse(String(body)).method,
        header: headers['mcp-method'],
        region: headers['mcp-param-region'],
      });
    const request = new Request(`http://${headers.host}/`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      ...(body.length === 0 ? {} : { body }),
    });
    const response = await handler.fetch(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) return void outgoing.end();
    outgoing.flushHeaders();
    const stream = Readable.fromWeb(response.body as never);
    outgoing.on('close', () => stream.destroy());
    stream.on('error', () => outgoing.destroy());
    stream.pipe(outgoing);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  const definition = readDefinition('s', {
    type: 'http',
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
  });
  if (typeof definition === 'string') throw new Error(definition);
  return definition;
}

async function session(definition: McpServerDefinition, steps: readonly unknown[]) {
  const asked: string[] = [];
  const model = scriptedModel(steps as never);
  const { engine } = await testEngine(model, {
    cwd: await temporaryFolder(),
    mcpServers: [definition],
    toolSearch: 'never',
    handleElicitation: async ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: { which: 'that one' } };
    },
  });
  onTestFinished(() => engine.close());
  return { engine, model, asked, submit: (prompt = 'go') => collect(engine.submitMessage(prompt)) };
}

const call = (name: string, input: object = {}) => toolCall(`mcp__s__${name}`, input);
const TRANSPORTS: Readonly<Record<string, () => McpServerDefinition | Promise<McpServerDefinition>>> = {
  stdio: overStdio,
  http: overHttp,
};

describe.each(Object.keys(TRANSPORTS))('a server without a handshake, over %s', (transport) => {
  const open = async (steps: readonly unknown[]) => session(await (TRANSPORTS[transport] as typeof overHttp)(), steps);

  it('lists and answers, asks back, and says how far it is', async () => {
    const { submit, engine, model, asked } = await open([
      call('add', { a: 1, b: 2 }),
      call('ask'),
      call('steps'),
      call('loop'),
      toolCall('ReadMcpResource', { server_name: 's', uri: 'note://one' }),
      text('ok'),
      text('planned'),
    ]);
    const messages: SDKMessage[] = await submit();
    const shown = chaosResults(messages);
    expect(shown[0]).toContain('3');
    expect(shown[1]).toContain('that one');
    expect(shown[1]).toContain('file://');
    expect(asked).toEqual(['Which?']);
    expect(shown[2]).toContain('stepped');
    expect(messages).toContainEqual(expect.objectContaining({ type: 'tool_progress', progress: 1, total: 2 }));
    expect(shown[3]).toContain('it asked back more than 10 times');
    expect(shown[4]).toContain('A note.');
    expect(JSON.stringify(model.requests[0]?.system)).toContain('Add before you ask.');
    const [status] = (await engine.controls()).mcpServerStatus();
    expect(status).toMatchObject({ status: 'connected', serverInfo: { name: 'modern', version: '1.2.3' } });
    await submit('/mcp__s__plan Monday');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Plan Monday.');
  });

  it('says that its tools are others', async () => {
    const { submit, model } = await open([call('grow'), ...Array.from({ length: 400 }, () => text('ok'))]);
    await submit();
    const names = () => model.requests.at(-1)?.tools.map(({ name }) => name);
    while (names()?.includes('mcp__s__more') !== true)
      expect(lastResult(await submit('again'))).toMatchObject({ result: 'ok' });
  });
});

it('arguments that a tool wants as headers go along as headers, however they are written', async () => {
  const seen: { method: string; header: unknown; region?: unknown }[] = [];
  const regions = ['eu-west', 'Köln', ' a b ', '=?base64?x?='];
  const calls = regions.map((region) => call('route', { region, text: 'x' }));
  const { submit } = await session(await overHttp(seen), [...calls, text('ok')]);
  // The server holds each header against the call.
  expect(chaosResults(await submit())).toEqual(regions.map((region) => expect.stringContaining(`routed to ${region}`)));
  const sent = seen.filter(({ method }) => method === 'tools/call').map(({ region }) => region);
  expect(sent).toEqual(['eu-west', '=?base64?S8O2bG4=?=', '=?base64?IGEgYiA=?=', '=?base64?PT9iYXNlNjQ/eD89?=']);
});

it('each request says what it is by headers, and nothing of a session is sent', async () => {
  const seen: { method: string; header: unknown }[] = [];
  const { submit, engine } = await session(await overHttp(seen), [call('add', { a: 1, b: 2 }), text('ok')]);
  await submit();
  await engine.close();
  const methods = seen.filter(({ method }) => method !== undefined).map(({ method }) => method);
  expect(methods.slice(0, 2)).toEqual(['initialize', 'server/discover']);
  expect(methods).toContain('tools/call');
  expect(methods).not.toContain('notifications/initialized');
  for (const { method, header } of seen)
    if (/\//.test(method) && !method.startsWith('notifications/')) expect(header).toBe(method);
});
