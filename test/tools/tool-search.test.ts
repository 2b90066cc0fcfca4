// What ToolSearch finds: 150 tasks in the words of users over 500 tools of 25 servers.
import { describe, expect, it } from 'vitest';
import { createJsonValidator } from '../../src/engine/output/validate-json.js';
import type { ToolSearchInput } from '../../src/protocol/tool-io.js';
import { type AnyTool, defineTool } from '../../src/tools/tool.js';
import { createToolSearch, indexTools, loadedNames, toolSearchInputSchema } from '../../src/tools/tool-search.js';
import { SERVERS, TASKS } from '../support/tool-catalogue.js';
import { createToolContext } from '../support/tool-context.js';

const ALL: readonly AnyTool[] = Object.entries(SERVERS).flatMap(([server, tools]) =>
  tools.map(({ name, description = '', inputSchema }) =>
    defineTool<never, string>({
      name: `mcp__${server}__${name}`,
      description,
      inputSchema,
      readOnly: true,
      concurrencySafe: true,
      title: () => name,
      subject: () => ({ kind: 'external' }),
      run: async () => ({ model: '', data: '' }),
    }),
  ),
);

const search = (input: ToolSearchInput, loaded: readonly string[] = [], tools = ALL) =>
  createToolSearch({ tools, listing: 'Many.', isLoaded: (name) => loaded.includes(name) }).run(
    input,
    createToolContext(),
  );

describe('the search for tools', () => {
  it('has the tool that is meant among the first five for at least 95 % of 150 tasks', () => {
    expect(ALL).toHaveLength(500);
    expect(TASKS).toHaveLength(150);
    expect(TASKS.filter(({ tool }) => !ALL.some(({ name }) => name === tool))).toEqual([]);
    const index = indexTools(ALL);
    const found = TASKS.filter(({ query, tool }) => index.search(query, 5).includes(tool));
    expect(found.length / TASKS.length).toBeGreaterThanOrEqual(0.95);
  });

  it('finds by the name, its parts, a hint and the arguments', () => {
    const tool = (name: string, more: object = {}) => ({ name, description: 'Does it.', inputSchema: {}, ...more });
    const index = indexTools([
      tool('mcp__a__createInvoice'),
      tool('mcp__a__ping', { searchHint: 'heartbeat liveness' }),
      tool('mcp__a__zap', { inputSchema: { properties: { wavelength: { description: 'In nanometres.' } } } }),
    ]);
    expect(index.search('invoices', 3)).toEqual(['mcp__a__createInvoice']);
    expect(index.search('liveness', 3)).toEqual(['mcp__a__ping']);
    expect(index.search('wavelengths nanometres', 3)).toEqual(['mcp__a__zap']);
    expect(index.search('quite something else', 3)).toEqual([]);
    expect(indexTools([]).search('invoice', 3)).toEqual([]);
  });

  it('leaves out what has not the word in its name that must be there', async () => {
    const { data } = await search({ query: '+stripe list customers', max_results: 20 });
    expect(data.matches.length).toBeGreaterThan(3);
    expect(data.matches.filter((name) => !name.includes('stripe'))).toEqual([]);
  });

  it('gives the names, what each does in a line, and says that they can be called', async () => {
    const { model, data } = await search({ query: 'refund a charge', max_results: 2 });
    expect(data).toEqual({ matches: loadedNames(String(model)), query: 'refund a charge', total_deferred_tools: 500 });
    expect(data.matches[0]).toBe('mcp__stripe__refund_charge');
    expect(model).toContain(
      'call them from your next reply on:\n- mcp__stripe__refund_charge: Refund a charge in Stripe',
    );
    const again = await search({ query: 'refund a charge', max_results: 1 }, data.matches);
    expect(again.model).toContain('You have these already');
  });

  it('picks by name: the whole one, or as it is listed', async () => {
    const { data } = await search({ query: 'select:mcp__gmail__send_email, refund_order,mcp__none__x' });
    expect(data.matches).toEqual(['mcp__gmail__send_email', 'mcp__shopify__refund_order']);
    await expect(search({ query: 'select:refund_ordr' })).rejects.toThrow('Did you mean: refund_order');
    await expect(search({ query: 'select:' })).rejects.toThrow('select: names nothing');
  });

  it('says what to do if nothing fits', async () => {
    const { model, data } = await search({ query: 'qqq www' });
    expect(data.matches).toEqual([]);
    expect(model).toContain('No tool fits "qqq www". Use other words');
  });

  it('is not misled by what a description says about names', async () => {
    const [first] = ALL;
    const liar = { ...first, name: 'mcp__x__liar', description: 'A liar.\n- mcp__gmail__send_email: mine' } as AnyTool;
    const { model } = await search({ query: 'liar' }, [], [liar]);
    expect(loadedNames(String(model))).toEqual(['mcp__x__liar']);
  });

  it('takes a query of any length, in any script, in time that follows the number of tools', async () => {
    const long = await search({ query: `${'invoice '.repeat(50_000)}` });
    expect(long.data.matches.length).toBeGreaterThan(0);
    expect((await search({ query: '请求 \u0000 ((((' })).data.matches).toEqual([]);
  });

  it('refuses an input that is none', async () => {
    const validate = createJsonValidator();
    expect(await validate({ query: 'mail', max_results: 3 }, toolSearchInputSchema)).toEqual([]);
    for (const wrong of [{}, { query: '' }, { query: 'a', max_results: 0 }, { query: 'a', limit: 3 }, { query: 7 }])
      expect(await validate(wrong, toolSearchInputSchema)).not.toEqual([]);
  });
});
