// A server made with the published library, over real pipes: handshake, list, calls, questions, changed tools.
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { openLastingServer } from '../../src/mcp/lasting-server.js';
import type { UserAnswer } from '../../src/tools/tool.js';

const FILE = fileURLToPath(new URL('../support/mcp-sdk-server.mjs', import.meta.url));
type Call = (params: object, options: { readonly signal: AbortSignal }) => Promise<{ readonly content: unknown }>;

async function open(answer: UserAnswer | null = null) {
  const { exec, clock, env } = createNodeHost();
  const asked: string[] = [];
  const notices: string[] = [];
  const server = openLastingServer(
    { name: 'published', command: process.execPath, args: [FILE], env: {} },
    {
      exec,
      clock,
      monotonic: () => clock.monotonic(),
      cwd: process.cwd(),
      env,
      sandbox: null,
      startTimeoutMs: 30_000,
      hide: async (text) => text,
      onNotice: ({ message }) => notices.push(message),
      asked: {
        roots: () => [process.cwd()],
        elicit:
          answer === null
            ? null
            : async ({ message }, _signal, name) => {
                asked.push(`${name}: ${message}`);
                return answer;
              },
      },
    },
  );
  onTestFinished(() => server.close());
  await server.started;
  const { connection, tools } = server.offer();
  const callTool = connection.client?.callTool as unknown as Call;
  const call = (name: string, args: object = {}) =>
    callTool({ name, arguments: args }, { signal: new AbortController().signal });
  return { server, connection, tools, call, asked, notices };
}

describe('a server of the published library', () => {
  it('lists its tools and answers, also with data', async () => {
    const { tools, call } = await open();
    expect(tools?.map(({ name }) => name)).toEqual(['add', 'ask', 'roots', 'grow']);
    expect(tools?.[0]?.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] });
    expect(await call('add', { a: 1, b: 2 })).toMatchObject({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { sum: 3 },
    });
    expect(await call('add', { a: 'one', b: 2 })).toMatchObject({ isError: true });
  });

  it('asks the user, and is told where the workspace is', async () => {
    const { call, asked } = await open({ action: 'accept', content: { which: 'this' } });
    expect(JSON.stringify(await call('ask'))).toContain('this');
    expect(asked).toEqual(['published: Which?']);
    expect(JSON.stringify(await call('roots'))).toContain('file://');
  });

  it('has one more tool after it said so', async () => {
    const { server, call, notices } = await open();
    await call('grow');
    await server.refresh(new AbortController().signal);
    expect(server.offer().tools?.map(({ name }) => name)).toContain('more');
    expect(notices).toEqual([expect.stringContaining('new: more')]);
  });

  it('ends with its input', async () => {
    const { server } = await open();
    const start = performance.now();
    await server.close();
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
