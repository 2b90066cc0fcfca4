// Tools as TypeScript declarations, of schemas as servers write them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/protocol/json.js';
import { getTools } from '../../../src/tools/builtin.js';
import { declareTool } from '../../../src/tools/run-script.js';
import type { AnyTool } from '../../../src/tools/tool.js';

const declared = (inputSchema: JsonSchema, name = 'mcp__s__t') =>
  declareTool({ name, inputSchema, description: 'Does it.\nAnd more.' } as AnyTool);
const inputOf = (inputSchema: JsonSchema) =>
  /\(input: (.*)\): Promise<any>; \/\/ Does it\. And more\.$/.exec(declared(inputSchema))?.[1];

describe('a declaration', () => {
  it.each<[JsonSchema, string]>([
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] },
      '{ a: string; b?: number }',
    ],
    [{ type: 'object', properties: { 'x-y': { enum: ['a', 1, null] } } }, '{ "x-y"?: "a" | 1 | null }'],
    [
      { type: 'object', properties: { l: { type: 'array', items: { type: ['string', 'null'] } } } },
      '{ l?: (string | null)[] }',
    ],
    [
      { type: 'object', properties: { o: { type: 'object', additionalProperties: { type: 'number' } } } },
      '{ o?: Record<string, number> }',
    ],
    [{ type: 'object', properties: { u: { anyOf: [{ const: 'x' }, { type: 'boolean' }] } } }, '{ u?: "x" | boolean }'],
    [{ type: 'object', $defs: { d: { type: 'string' } }, properties: { r: { $ref: '#/$defs/d' } } }, '{ r?: string }'],
    [{ type: 'object', $defs: { d: { $ref: '#/$defs/d' } }, properties: { r: { $ref: '#/$defs/d' } } }, '{ r?: any }'],
    [
      { type: 'object', properties: { v: {}, w: true, n: { $ref: 'https://other/x' } } },
      '{ v?: any; w?: any; n?: any }',
    ],
    [{ type: 'object' }, '{}'],
  ])('of %j is %s', (schema, type) => {
    expect(inputOf(schema)).toBe(type);
  });

  it('says what built-in tools give, and names that are no identifiers stand in quotes', async () => {
    const read = (await getTools()).find(({ name }) => name === 'Read') as AnyTool;
    expect(declareTool(read, false)).toContain('): Promise<{ type: "text"; text: string; totalLines?: number }');
    expect(declared({ type: 'object' }, 'mcp__a-b__c')).toMatch(/^"mcp__a-b__c"\(input: \{\}\)/);
  });

  it('is one line of bounded length, whatever a schema holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (properties) => {
        const line = declared({ type: 'object', properties } as JsonSchema);
        expect(line).not.toContain('\n');
        expect(line.endsWith('// Does it. And more.')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
