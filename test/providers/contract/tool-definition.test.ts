import { describe, expect, it } from 'vitest';
import { initialState } from '../../../src/engine/query-loop.js';
import { createRequestBuilder } from '../../../src/engine/request/build-request.js';
import { definitionJson, KeptDefinition } from '../../../src/providers/contract/provider.js';
import { readTool } from '../../../src/tools/files.js';
import { type AnyTool, defineTool } from '../../../src/tools/tool.js';

const schema = { type: 'object', properties: { q: { type: 'string' } } } as const;

function newTool(more: object = {}): AnyTool {
  return {
    name: 'Ask',
    description: 'Asks.',
    inputSchema: schema,
    readOnly: true,
    concurrencySafe: true,
    title: () => 'Ask',
    subject: () => ({ kind: 'none' }),
    run: async () => ({ model: '', data: null }),
    ...more,
  };
}

/** What a new session's first request says of `tool`. */
function definitionIn(tool: AnyTool) {
  const builder = createRequestBuilder();
  builder.configure({ system: [], tools: [tool], maxTokens: 100 } as never);
  const state = initialState({ messages: [{ role: 'user', content: 'Go.' }], model: 'm', wantsValue: false } as never);
  return builder.build(state).request.tools[0];
}

describe('what the model is told of a tool', () => {
  it('is the same object, and the same text, in every session', () => {
    const first = definitionIn(readTool);
    expect(first).toBe(definitionIn(readTool));
    expect(definitionJson(first as never)).toBe(
      JSON.stringify({ name: 'Read', description: readTool.description, input_schema: readTool.inputSchema }),
    );
  });

  it('follows a tool that was changed, and a copy that says something else', () => {
    const tool = defineTool(newTool() as never) as AnyTool & { description: string };
    expect(definitionIn(tool)?.description).toBe('Asks.');
    expect(definitionIn({ ...tool, description: 'Asks twice.' })?.description).toBe('Asks twice.');
    tool.description = 'Asks no more.';
    expect(definitionIn(tool)?.description).toBe('Asks no more.');
  });

  it('is made for a tool that is frozen, or has something of its own by that name', () => {
    expect(definitionIn(defineTool(Object.freeze(newTool()) as never))?.name).toBe('Ask');
    const own = defineTool(newTool({ definition: 'mine' }) as never) as AnyTool;
    expect(own).toHaveProperty('definition', 'mine');
    expect(definitionIn(own)?.name).toBe('Ask');
  });

  it('is valid Unicode', () => {
    const kept = new KeptDefinition({ name: 'Ask', description: 'half \ud83d', inputSchema: { title: '\udc00' } });
    expect(kept.json).toBe('{"name":"Ask","description":"half \ufffd","input_schema":{"title":"\ufffd"}}');
  });
});
