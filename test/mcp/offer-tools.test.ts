import { describe, expect, it } from 'vitest';
import type { HostClock } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { listServer, offerTools } from '../../src/mcp/offer-tools.js';
import { mcpToolName } from '../../src/mcp/tool-names.js';
import type { MCPServerConnection, McpClient, McpListedTool } from '../../src/protocol/mcp.js';

const { clock } = createNodeHost();
const listed = (name: string, more: Partial<McpListedTool> = {}): McpListedTool => ({
  name,
  inputSchema: { type: 'object', properties: {} },
  ...more,
});

/** A connected server whose list has these pages. */
function server(name: string, ...pages: readonly (readonly McpListedTool[])[]): MCPServerConnection {
  const client: McpClient = {
    async listTools({ cursor = '0' } = {}) {
      const page = Number(cursor);
      const isLast = page + 1 >= pages.length;
      return { tools: pages[page] ?? [], ...(isLast ? {} : { nextCursor: String(page + 1) }) };
    },
    callTool: async () => ({ content: [] }),
  };
  return { name, type: 'connected', client };
}

async function open(connections: readonly MCPServerConnection[], taken: readonly string[] = []) {
  const { signal } = new AbortController();
  const listings = await Promise.all(connections.map((connection) => listServer(connection, clock, signal)));
  return { ...offerTools(listings, taken, () => ({})), statuses: listings.map(({ status }) => status) };
}

const namesOf = async (...connections: MCPServerConnection[]) =>
  (await open(connections)).tools.map(({ name }) => name);
const messages = ({ notices }: Awaited<ReturnType<typeof open>>) => notices.map(({ message }) => message);

describe('the tools of MCP servers', () => {
  it('are listed page by page, under the names of server and tool', async () => {
    const opened = await open([server('math', [listed('add'), listed('sub')], [listed('mul')]), server('web', [])]);
    expect(opened.tools.map((tool) => tool.name)).toEqual(['mcp__math__add', 'mcp__math__sub', 'mcp__math__mul']);
    expect(opened.statuses).toEqual([
      { name: 'math', status: 'connected' },
      { name: 'web', status: 'connected' },
    ]);
    expect(opened.notices).toEqual([]);
  });

  it('have names that model APIs take; a server’s part cannot be read as another server’s', async () => {
    expect(mcpToolName('my server!', 'do.it')).toBe('mcp__my_server-__do_it');
    expect(mcpToolName('a__b', 'c__d')).toBe('mcp__a_b__c__d');
    const opened = await open([server('s', [listed('x'.repeat(150)), listed('ok')])]);
    expect(opened.tools.map((tool) => tool.name)).toEqual(['mcp__s__ok']);
    expect(messages(opened)).toEqual([expect.stringMatching(/name is too long/)]);
  });

  it('of one name are offered once, and the other is told', async () => {
    const opened = await open([server('a b', [listed('c')]), server('a_b', [listed('c')])]);
    expect(opened.tools).toHaveLength(1);
    expect(messages(opened)).toEqual([expect.stringMatching(/there is a tool mcp__a_b__c already/)]);
    expect((await open([server('a', [listed('b')])], ['mcp__a__b'])).tools).toEqual([]);
  });

  it('say what the server says of them; its hint decides on scheduling', async () => {
    const { tools } = await open([
      server('s', [
        listed('look', {
          description: 'Looks.',
          annotations: { readOnlyHint: true, title: 'Look at it' },
          inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        }),
        listed('change', { annotations: { readOnlyHint: 'yes' as never } }),
      ]),
    ]);
    expect(tools[0]).toMatchObject({
      description: 'Looks.',
      readOnly: true,
      concurrencySafe: true,
      inputSchema: { required: ['a'] },
    });
    expect(tools[0]?.title({} as never)).toBe('s: Look at it');
    expect(tools[1]).toMatchObject({ readOnly: false, concurrencySafe: false });
    expect(tools[1]?.description).toContain('change');
    expect(tools[1]?.subject({} as never, '/')).toEqual({ kind: 'external' });
  });

  it('that no model API would take are left out, each with its reason', async () => {
    const opened = await open([
      server('s', [
        listed('array', { inputSchema: { type: 'array' } }),
        listed('missing', { inputSchema: undefined as never }),
        listed('odd', { inputSchema: { type: 'object', properties: { 'a b': {} } } }),
        listed('list', { inputSchema: { type: 'object', properties: [] } }),
        null as never,
        listed('good'),
      ]),
    ]);
    expect(opened.tools.map((tool) => tool.name)).toEqual(['mcp__s__good']);
    expect(opened.notices).toHaveLength(5);
    expect(new Set(opened.notices.map((notice) => notice.code))).toEqual(new Set(['mcp_tool_left_out']));
  });

  it('with choices at the top of their schema say them in words', async () => {
    const schema = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    const { tools } = await open([server('s', [listed('choose', { description: 'Chooses.', inputSchema: schema })])]);
    expect(tools[0]?.inputSchema).toEqual({ type: 'object', properties: {} });
    expect(tools[0]?.description).toMatch(/^Chooses\.\n\n.*"anyOf":\[\{"required":\["a"\]\}/);
  });
});

describe('a server that cannot be used', () => {
  const failing = (listTools: McpClient['listTools']): MCPServerConnection => ({
    name: 'bad',
    type: 'connected',
    client: { listTools, callTool: async () => ({ content: [] }) },
  });

  it.each([
    ['fails', failing(async () => Promise.reject(new Error('gone'))), 'gone'],
    [
      'throws at once',
      failing(() => {
        throw new Error('boom');
      }),
      'boom',
    ],
    ['answers nonsense', failing(async () => ({ tools: 'none' }) as never), 'no list of tools'],
    ['never ends its list', failing(async () => ({ tools: [], nextCursor: 'again' })), 'more than 100 pages'],
    ['has no client', { name: 'bad', type: 'connected' }, 'no client'],
  ] as const)('since it %s is told, and the others are offered', async (_why, bad, told) => {
    const opened = await open([bad, server('good', [listed('x')])]);
    expect(opened.tools.map((tool) => tool.name)).toEqual(['mcp__good__x']);
    expect(opened.statuses).toEqual([
      { name: 'bad', status: 'failed', error: expect.stringContaining(told) },
      { name: 'good', status: 'connected' },
    ]);
    expect(opened.notices).toEqual([{ code: 'mcp_server_failed', message: expect.stringContaining(told) }]);
  });

  it('since it does not answer in time is told to stop', async () => {
    let given: AbortSignal | undefined;
    const silent = failing((_params, options) => {
      given = options?.signal;
      return new Promise(() => undefined);
    });
    let fire: () => void = () => undefined;
    const watched: Pick<HostClock, 'after'> = {
      after: (ms, callback) => {
        expect(ms).toBe(30_000);
        fire = callback;
        return () => undefined;
      },
    };
    const listing = listServer(silent, watched, new AbortController().signal);
    fire();
    expect((await listing).problem).toMatch(/within 30 s/);
    expect(given?.aborted).toBe(true);
  });

  it('since the session ends is not waited for', async () => {
    const ended = new AbortController();
    const listing = listServer(
      failing(() => new Promise(() => undefined)),
      clock,
      ended.signal,
    );
    ended.abort();
    expect((await listing).problem).toMatch(/session was closed/);
  });

  it('is listed with what its connection says; one that was switched off is no news', async () => {
    const opened = await open([
      { name: 'a', type: 'failed', error: 'no route' },
      { name: 'b', type: 'needs-auth' },
      { name: 'c', type: 'disabled' },
    ]);
    expect(opened.statuses).toEqual([
      { name: 'a', status: 'failed', error: 'no route' },
      { name: 'b', status: 'needs-auth' },
      { name: 'c', status: 'disabled' },
    ]);
    expect(messages(opened)).toEqual([expect.stringMatching(/a .*no route/), expect.stringMatching(/b .*needs-auth/)]);
  });
});

describe('names of the tools', () => {
  it('stay apart for servers whose names differ', async () => {
    expect(await namesOf(server('one', [listed('x')]), server('two', [listed('x')]))).toEqual([
      'mcp__one__x',
      'mcp__two__x',
    ]);
  });
});
