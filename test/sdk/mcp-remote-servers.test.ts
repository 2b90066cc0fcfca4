// Servers by HTTP and instances of the published library in a session: signing in by its controls, scopes of files, lists of
// settings, and what reaches the transcript.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { McpCredentials, McpTokenStore } from '../../src/protocol/mcp.js';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { probeServer, startHttpMcp } from '../support/mcp-http-server.js';
import { serversOf } from '../support/mcp-server.js';
import { startOAuth } from '../support/oauth-server.js';
import { httpProxy } from '../support/proxy-server.js';

async function run(options: Options, steps: readonly unknown[] = [text('ok')]) {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const model = scriptedModel([...steps] as never);
  const session = query({
    prompt: 'go',
    options: { cwd, provider: model, ...options, env: { TURNWRIGHT_HOME: home, ...options.env } },
  });
  return { messages: await collect(session), home, model };
}

const results = (messages: readonly SDKMessage[]) => JSON.stringify(messages.filter(({ type }) => type === 'user'));
const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.message] : []));

describe('a server by HTTP in a session', () => {
  it.each(['http', 'sse'] as const)('of type %s offers its tools, and is called', async (type) => {
    const { url } = await startHttpMcp({ kind: type === 'sse' ? 'sse' : 'stateful' });
    const { messages } = await run({ mcpServers: { web: { type, url } }, allowedTools: ['mcp__web'] }, [
      toolCall('mcp__web__add', { a: 40, b: 2 }),
      text('ok'),
    ]);
    expect(serversOf(messages)).toEqual([{ name: 'web', status: 'connected' }]);
    expect(results(messages)).toContain('42');
  });

  it('is reached by TLS through the proxy, with the authorities of the user, and not without', async () => {
    const file = (name: string) => path.join(import.meta.dirname, '../fixtures/tls', name);
    const [cert, key] = [readFileSync(file('certificate.pem'), 'utf8'), readFileSync(file('key.pem'), 'utf8')];
    const { url: target } = await startHttpMcp({ tls: { cert, key } });
    const { port, asked } = await httpProxy({ target });
    const options: Options = {
      mcpServers: { web: { type: 'http', url: 'https://model.test/mcp' } },
      allowedTools: ['mcp__web'],
      proxy: `http://127.0.0.1:${port}`,
    };
    const steps = () => [toolCall('mcp__web__add', { a: 40, b: 2 }), text('ok')];
    const { messages } = await run({ ...options, caFile: file('certificate.pem') }, steps());
    expect(results(messages)).toContain('42');
    expect(new Set(asked)).toEqual(new Set(['CONNECT model.test:443']));
    const refused = await run(options, [text('ok')]);
    expect(serversOf(refused.messages)).toEqual([{ name: 'web', status: 'failed' }]);
    expect(notices(refused.messages).join()).toContain('certificate of model.test:443 is not accepted');
  });

  it('takes credentials of its headers into no transcript, though it says them back', async () => {
    const { url } = await startHttpMcp({
      intercept(incoming, outgoing, body) {
        if (!body.includes('tools/call')) return false;
        const { id } = JSON.parse(body) as { id: number };
        const result = { content: [{ type: 'text', text: `you sent ${incoming.headers.authorization}` }] };
        outgoing
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        return true;
      },
    });
    const headers = { Authorization: 'Bearer plain-secret-of-a-header' };
    const { messages, home, model } = await run(
      { mcpServers: { web: { type: 'http', url, headers } }, allowedTools: ['mcp__web'] },
      [toolCall('mcp__web__add', { a: 1, b: 2 }), text('ok')],
    );
    expect(results(messages)).toContain('you sent Bearer');
    const folder = path.join(home, 'projects');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const kept = files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8')).join();
    expect(kept).toContain('you sent');
    expect(kept + JSON.stringify(model.requests)).not.toContain('plain-secret-of-a-header');
  });
});

describe('signing in to a server, by the controls of a session', () => {
  it('begins, takes what comes back, connects, and forgets', async () => {
    const oauth = await startOAuth();
    const { url } = await startHttpMcp({
      intercept: (incoming, outgoing) => oauth.answersMetadata(incoming, outgoing) || !oauth.guard(incoming, outgoing),
    });
    const kept = new Map<string, McpCredentials>();
    const store: McpTokenStore = {
      read: async (server) => kept.get(server) ?? null,
      write: async (server, credentials) =>
        void (credentials === null ? kept.delete(server) : kept.set(server, credentials)),
    };
    const model = scriptedModel([text('one'), toolCall('mcp__web__add', { a: 40, b: 2 }), text('two')] as never);
    let more: (text: string | null) => void = () => undefined;
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      for (let next: string | null = 'go'; next !== null; ) {
        yield { type: 'user', message: { role: 'user', content: next }, parent_tool_use_id: null, session_id: '' };
        next = await new Promise((resolve) => {
          more = resolve;
        });
      }
    }
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const session = query({
      prompt: prompts(),
      options: {
        cwd,
        env: { TURNWRIGHT_HOME: home },
        provider: model,
        mcpServers: { web: { type: 'http', url }, prog: { command: 'true' } },
        mcpTokenStore: store,
        allowedTools: ['mcp__web'],
      },
    });
    const messages: SDKMessage[] = [];
    const status = async () => (await session.mcpServerStatus()).find(({ name }) => name === 'web')?.status;
    for await (const message of session) {
      messages.push(message);
      if (message.type !== 'result') continue;
      if (message.result === 'two') {
        await session.mcpClearAuth('web');
        expect([kept.size, await status()]).toEqual([0, 'needs-auth']);
        more(null);
        continue;
      }
      expect(await status()).toBe('needs-auth');
      await expect(session.mcpAuthenticate('prog')).rejects.toThrow(/Nobody signs in to the MCP server prog/);
      await expect(session.mcpAuthenticate('none')).rejects.toThrow(/There is no MCP server none/);
      await expect(session.mcpAuthenticate('web', 'no address')).rejects.toThrow(/takes a server and the address/);
      const { authUrl = '', requiresUserAction } = await session.mcpAuthenticate('web', 'https://host.example/back');
      expect(requiresUserAction).toBe(true);
      await expect(session.mcpSubmitOAuthCallbackUrl('web', 'https://host.example/back?code=1')).rejects.toThrow(
        /The MCP server web: that is no answer to this sign-in/,
      );
      await session.mcpSubmitOAuthCallbackUrl('web', await oauth.visit(authUrl));
      expect(await status()).toBe('connected');
      expect(await session.mcpAuthenticate('web')).toEqual({ requiresUserAction: false });
      more('go on');
    }
    expect(results(messages)).toContain('42');
    expect(JSON.stringify(messages)).not.toMatch(/access-|refresh-/);
  });
});

describe('an instance of the published library', () => {
  it('is a server, one session after the other, and not two at once', async () => {
    const instance = probeServer();
    const mcpServers = { probe: { type: 'sdk', name: 'probe', instance } as const };
    const steps = [toolCall('mcp__probe__add', { a: 40, b: 2 }), text('ok')];
    for (const _ of [1, 2]) {
      const { messages } = await run({ mcpServers, allowedTools: ['mcp__probe'] }, steps);
      expect(results(messages)).toContain('42');
      expect(instance.isConnected()).toBe(false);
    }
    const two = { a: mcpServers.probe, b: mcpServers.probe };
    const { messages } = await run({ mcpServers: two }, [text('ok')]);
    expect(
      serversOf(messages)
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['connected', 'failed']);
    expect(notices(messages).join()).toMatch(/connected already. Give each session, or client, an instance of its own/);
  });

  it('may ask the user, whatever tools the model has, and changes its tools', async () => {
    const instance = probeServer();
    const { messages } = await run(
      {
        tools: [],
        mcpServers: { probe: { type: 'sdk', name: 'probe', instance } },
        allowedTools: ['mcp__probe'],
        onElicitation: async () => ({ action: 'accept', content: { which: 'that one' } }),
      },
      [toolCall('mcp__probe__ask', {}), toolCall('mcp__probe__add', { a: 'x' }), text('ok')],
    );
    expect(results(messages)).toContain('that one');
    expect(results(messages)).toMatch(/"is_error":true/);
    expect(notices(messages).join()).not.toContain('has no effect');
  });
});

describe('which servers there may be', () => {
  const settingsFor = (url: string): [string, NonNullable<Options['managedSettings']>, Record<string, string>][] => [
    ['denied by name', { deniedMcpServers: [{ serverName: 'web' }] }, { web: 'disabled', prog: 'failed' }],
    [
      'denied by address',
      { deniedMcpServers: [{ serverUrl: 'http://127.0.0.1:*' }] },
      { web: 'disabled', prog: 'failed' },
    ],
    [
      'denied by command',
      { deniedMcpServers: [{ serverCommand: ['true', 'x'] }] },
      { web: 'connected', prog: 'disabled' },
    ],
    ['allowed by address', { allowedMcpServers: [{ serverUrl: url }] }, { web: 'connected', prog: 'disabled' }],
    ['allowed: none', { allowedMcpServers: [] }, { web: 'disabled', prog: 'disabled' }],
    [
      'denied and allowed',
      { allowedMcpServers: [{ serverName: 'web' }], deniedMcpServers: [{ serverName: 'web' }] },
      { web: 'disabled', prog: 'disabled' },
    ],
  ];

  it('is said by settings, and holds for options too', async () => {
    const { url } = await startHttpMcp();
    for (const [what, managedSettings, wanted] of settingsFor(url)) {
      const mcpServers: Options['mcpServers'] = { web: { type: 'http', url }, prog: { command: 'true', args: ['x'] } };
      const { messages } = await run({ mcpServers, managedSettings });
      expect([what, Object.fromEntries(serversOf(messages).map(({ name, status }) => [name, status]))]).toEqual([
        what,
        wanted,
      ]);
    }
  });

  it('follows the scopes of files: yours of the project, the project, yours', async () => {
    const { url } = await startHttpMcp();
    const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(path.join(folder, '.git'));
    const server = (name: string) => ({ type: 'http', url, headers: { 'x-from': name } });
    writeFileSync(
      path.join(folder, '.mcp.json'),
      JSON.stringify({ mcpServers: { a: server('project'), b: server('project') } }),
    );
    const own = {
      mcpServers: { a: server('user'), b: server('user'), c: server('user') },
      projects: {
        [folder]: { mcpServers: { a: server('local') } },
        '/elsewhere': { mcpServers: { d: server('other') } },
      },
    };
    writeFileSync(path.join(home, 'mcp.json'), JSON.stringify(own));
    const look = async (options: Options) => {
      const model = scriptedModel([text('ok')] as never);
      const messages = await collect(
        query({ prompt: 'go', options: { cwd: folder, env: { TURNWRIGHT_HOME: home }, provider: model, ...options } }),
      );
      return Object.fromEntries(serversOf(messages).map(({ name, status }) => [name, status]));
    };
    expect(await look({})).toEqual({ a: 'connected', b: 'disabled', c: 'connected' });
    expect(await look({ settingSources: ['project', 'user'] })).toEqual({
      a: 'connected',
      b: 'connected',
      c: 'connected',
    });
    expect(await look({ settingSources: ['user'] })).toEqual({ a: 'connected', b: 'connected', c: 'connected' });
    expect(await look({ settingSources: [] })).toEqual({});
    expect(await look({ strictMcpConfig: true })).toEqual({});
  });
});
