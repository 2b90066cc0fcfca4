import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMcpTool } from '../../src/mcp/offer-tools.js';
import { readToolResult } from '../../src/mcp/result-content.js';
import type { McpClient } from '../../src/protocol/mcp.js';
import { ONE_PIXEL_PNG } from '../../src/testing/wire/wire-blocks.js';
import type { ToolContext, ToolOutcome } from '../../src/tools/tool.js';
import { createToolContext } from '../support/tool-context.js';

type CallTool = (...args: never[]) => Promise<unknown>;

function toolOver(callTool: CallTool, toolTimeoutMs?: number) {
  const client: McpClient = { listTools: async () => ({ tools: [] }), callTool: callTool as McpClient['callTool'] };
  const made = createMcpTool({
    name: 'mcp__s__t',
    server: 's',
    client,
    listed: { name: 't', inputSchema: { type: 'object' } },
    inputSchema: { type: 'object' },
    note: '',
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
  });
  return { run: made.run as unknown as (input: unknown, context: ToolContext) => Promise<ToolOutcome<unknown>> };
}

const text = (value: string) => ({ type: 'text' as const, text: value });
const ran = (answer: unknown, context = createToolContext()) => toolOver(async () => answer).run({}, context);

describe('a call of an MCP tool', () => {
  it('hands over name, arguments, signal and time limit, as either published client wants them', async () => {
    const seen: unknown[][] = [];
    const answer = { content: [text('ok')] };
    const second = async (params: unknown, options: unknown) => {
      seen.push([params, options]);
      return answer;
    };
    const third = async (params: unknown, schema = 'default', options: unknown = undefined) => {
      seen.push([params, schema, options]);
      return answer;
    };
    const options = {
      signal: expect.any(AbortSignal),
      timeout: 20_000,
      resetTimeoutOnProgress: true,
      onprogress: expect.any(Function),
    };
    await toolOver(second as CallTool).run({ a: 1 }, createToolContext());
    await toolOver(third as CallTool).run({ a: 1 }, createToolContext());
    const params = { name: 't', arguments: { a: 1 } };
    expect(seen).toEqual([
      [params, options],
      [params, 'default', options],
    ]);
  });

  it('gives its result to the model, and as it came to the caller', async () => {
    expect(await ran({ content: [text('a'), text('b')] })).toEqual({
      model: [text('a'), text('b')],
      data: { content: [text('a'), text('b')] },
      isError: false,
    });
    expect(await ran({ content: [text('no')], isError: true })).toMatchObject({
      isError: true,
      data: { isError: true },
    });
    expect(await ran({ content: [] })).toMatchObject({ model: '(no output)' });
  });

  it.each([[null], ['text'], [{}], [{ content: 'text' }]])('refuses the answer %j', async (answer) => {
    await expect(ran(answer)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringContaining('not a result'),
    });
  });

  it('that the server fails is an error the model reads', async () => {
    const failing = toolOver(async () => Promise.reject(new Error('socket closed')));
    await expect(failing.run({}, createToolContext())).rejects.toMatchObject({
      name: 'ToolError',
      message: 'The MCP server s failed: socket closed',
    });
  });

  it('that takes too long, or is interrupted, tells the server to stop', async () => {
    const signals: AbortSignal[] = [];
    const hanging = toolOver((async (_params: unknown, options: { signal: AbortSignal }) => {
      signals.push(options.signal);
      return new Promise(() => undefined);
    }) as CallTool);
    await expect(hanging.run({}, createToolContext({ toolTimeoutMs: 1 }))).rejects.toThrow(/within 1 ms/);
    const stop = new AbortController();
    const running = hanging.run({}, createToolContext({ signal: stop.signal, toolTimeoutMs: 0 }));
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: 'ToolError' });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
  });

  it.each([
    [undefined, 20_000],
    [0, undefined],
    [700, 700],
  ])('of a server whose limit is %j has that', async (toolTimeoutMs, wanted) => {
    const waits: number[] = [];
    const plain = createToolContext();
    const after = (ms: number) => {
      waits.push(ms);
      return () => undefined;
    };
    const host = { ...plain.host, clock: Object.assign(Object.create(plain.host.clock), { after }) };
    await toolOver(async () => ({ content: [] }), toolTimeoutMs).run({}, { ...plain, host });
    expect(waits).toEqual(wanted === undefined ? [] : [wanted]);
  });

  it('has its time anew whenever the server says how far it is', async () => {
    const waits: { readonly expire: () => void; isLive: boolean }[] = [];
    const plain = createToolContext({ toolTimeoutMs: 4_000 });
    const after = (_ms: number, expire: () => void) => {
      const wait = { expire, isLive: true };
      waits.push(wait);
      return () => {
        wait.isLive = false;
      };
    };
    const host = { ...plain.host, clock: Object.assign(Object.create(plain.host.clock), { after }) };
    let tell: (progress: object) => void = () => undefined;
    const hanging = toolOver((async (_params: unknown, { onprogress }: { onprogress: typeof tell }) => {
      tell = onprogress;
      return new Promise(() => undefined);
    }) as CallTool);
    const running = hanging.run({}, { ...plain, host });
    tell({ progress: 1, total: 3 });
    tell({ progress: 2, total: 3 });
    expect(waits.map(({ isLive }) => isLive)).toEqual([false, false, true]);
    waits[2]?.expire();
    await expect(running).rejects.toThrow(/did not answer within 4000 ms/);
    tell({ progress: 3, total: 3 });
    expect(waits).toHaveLength(3);
  });

  it('with a long result shows both ends and keeps all of it in a file', async () => {
    const context = createToolContext();
    const long = `start${'é'.repeat(30_000)}end`;
    const image = { type: 'image', data: ONE_PIXEL_PNG, mimeType: 'image/png' };
    const outcome = await ran({ content: [text(long), image] }, context);
    const [shown, picture] = outcome.model as { type: string; text: string }[];
    expect(shown?.text).toMatch(/^starté+\n\[… \d+ bytes omitted; the full result is in .*mcp-.*\.txt …\]\né+end$/);
    expect(new TextEncoder().encode(shown?.text).length).toBeLessThan(30_500);
    expect(picture?.type).toBe('image');
    const [file = ''] = await readdir(context.spoolDirectory ?? '');
    expect(await readFile(path.join(context.spoolDirectory ?? '', file), 'utf8')).toBe(long);
    const unsaved = await ran({ content: [text(long)] }, createToolContext({ spoolDirectory: null }));
    expect(JSON.stringify(unsaved.model)).toContain('was not saved');
  });
});

describe('the parts of a result', () => {
  const blocksOf = (...content: unknown[]) => readToolResult({ content })?.content;

  it('are text and images as they are', () => {
    expect(blocksOf(text('a'), { type: 'image', data: ONE_PIXEL_PNG, mimeType: 'image/png' })).toEqual([
      text('a'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } },
    ]);
  });

  it('that a model cannot be shown are told of', () => {
    expect(
      blocksOf(
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'image', data: 'AAAA', mimeType: 'image/tiff' },
        { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: 'AAAAAAAA' } },
        { type: 'hologram' },
        null,
      ),
    ).toEqual([
      text('[Sound of type audio/wav (3 bytes) cannot be shown.]'),
      text('[An image of type image/tiff (3 bytes) cannot be shown.]'),
      text('[The resource file:///a.bin of type application/zip (6 bytes) cannot be shown.]'),
      text('[A part of the unknown type "hologram" was left out.]'),
      text('[A part of the result that is not an object was left out.]'),
    ]);
  });

  it('that are resources come with their address', () => {
    expect(
      blocksOf(
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'hello' } },
        { type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: ONE_PIXEL_PNG } },
        { type: 'resource_link', uri: 'file:///b.txt', name: 'b', description: 'the other' },
        { type: 'resource_link', uri: 'file:///c.txt' },
        { type: 'resource' },
      ),
    ).toEqual([
      text('[Resource file:///a.txt]\nhello'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } },
      text('[Link to a resource: b: file:///b.txt (the other)]'),
      text('[Link to a resource: file:///c.txt]'),
      text('[A resource without content was left out.]'),
    ]);
  });

  it('that are structured are text if no text says the same', () => {
    const structuredContent = { sum: 3 };
    expect(readToolResult({ structuredContent })?.content).toEqual([text('{"sum":3}')]);
    expect(readToolResult({ content: [text('3')], structuredContent })?.content).toEqual([text('3')]);
  });
});
