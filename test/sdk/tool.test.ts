import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';

const signal = new AbortController().signal;
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

describe('tool() and createSdkMcpServer()', () => {
  const add = tool(
    'add',
    'Adds two numbers.',
    { a: z.number(), b: z.number(), note: z.string().optional() },
    async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b: number; note?: string | undefined }>();
      return said(String(args.a + args.b));
    },
    { annotations: { readOnlyHint: true } },
  );

  it('types the handler from a Zod 4 shape and runs it with valid arguments', async () => {
    const { instance, type, name } = createSdkMcpServer({ name: 'math', tools: [add] });
    expect({ type, name, version: instance.version }).toEqual({ type: 'sdk', name: 'math', version: '1.0.0' });
    expect(instance.listTools()).toEqual([
      {
        name: 'add',
        description: 'Adds two numbers.',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' }, note: { type: 'string' } },
          required: ['a', 'b'],
        },
        annotations: { readOnlyHint: true },
      },
    ]);
    expect(await instance.callTool('add', { a: 2, b: 3 }, { signal })).toEqual(said('5'));
  });

  it('takes a Zod 3 shape, a Zod object and a JSON Schema', async () => {
    const old = tool('old', 'd', { name: z3.string() }, async (args) => {
      expectTypeOf(args.name).toEqualTypeOf<string>();
      return said(args.name);
    });
    const object = tool('object', 'd', z.object({ n: z.number() }), async (args) => {
      expectTypeOf(args.n).toEqualTypeOf<number>();
      return said(String(args.n));
    });
    const json = tool(
      'json',
      'd',
      { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
      async (args) => said(JSON.stringify(args)),
    );
    const { instance } = createSdkMcpServer({ name: 's', tools: [old, object, json] });
    expect(await instance.callTool('old', { name: 'x' }, { signal })).toEqual(said('x'));
    expect(await instance.callTool('object', { n: 1 }, { signal })).toEqual(said('1'));
    expect(await instance.callTool('json', { x: 1 }, { signal })).toEqual(said('{"x":1}'));
    expect((await instance.callTool('json', { x: 'no' }, { signal })).isError).toBe(true);
  });

  it.each([[{ a: 'two', b: 3 }], [{ a: 1 }], [null], ['text'], [[1, 2]]])(
    'refuses the arguments %j without running',
    async (args) => {
      const { instance } = createSdkMcpServer({ name: 'math', tools: [add] });
      expect(await instance.callTool('add', args, { signal })).toMatchObject({ isError: true });
    },
  );

  it('turns a throw, and an unknown tool, into an error the model reads', async () => {
    const failing = tool('failing', 'd', {}, async () => {
      throw new Error('no luck');
    });
    const { instance } = createSdkMcpServer({ name: 's', tools: [failing] });
    expect(await instance.callTool('failing', {}, { signal })).toEqual({
      ...said('failing failed: no luck'),
      isError: true,
    });
    expect(await instance.callTool('other', {}, { signal })).toMatchObject({ isError: true });
  });

  it('refuses empty names and descriptions, and a name twice', () => {
    expect(() => createSdkMcpServer({ name: '' })).toThrow(/server name/);
    expect(() => createSdkMcpServer({ name: 's', tools: [tool('', 'd', {}, async () => said(''))] })).toThrow(
      /named ""/,
    );
    expect(() => createSdkMcpServer({ name: 's', tools: [tool('x', ' ', {}, async () => said(''))] })).toThrow(
      /no description/,
    );
    expect(() => createSdkMcpServer({ name: 's', tools: [add, add] })).toThrow(/two tools named add/);
  });
});
