// What the validator makes of schemas as they are found: of each draft, not quite right, or not to be used at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, plainFit } from '../../../src/engine/output/compile-schema.js';
import { createJsonValidator, schemaProblem } from '../../../src/engine/output/validate-json.js';
import type { JsonSchema } from '../../../src/protocol/json.js';

const fits = async (schema: JsonSchema, value: unknown) => (await createJsonValidator()(value, schema)).length === 0;
const tree = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $dynamicAnchor: 'node',
  type: 'object',
  properties: { children: { type: 'array', items: { $dynamicRef: '#node' } } },
  additionalProperties: false,
};

describe('a schema that is checked rightly', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a pattern that does without the flag u', { type: 'string', pattern: '^[\\w-.]+$' }, 'a-b.c', 'a b'],
    ['such a name', { patternProperties: { '^[\\w-.]+$': { type: 'null' } } }, { 'a-b': null }, { 'a-b': 1 }],
    ['a dynamic reference', tree, { children: [{ children: [] }] }, { children: [{ x: 1 }] }],
    ['a limit left out in the manner of draft 4', { minimum: 3, exclusiveMinimum: true }, 4, 3],
    ['one that is not left out', { maximum: 3, exclusiveMaximum: false }, 3, 4],
    [
      'such a limit in draft 4',
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 3, exclusiveMinimum: true },
      4,
      3,
    ],
    [
      'a tuple of draft 7',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'null' }] },
      [null],
      [1],
    ],
    ['a reference to a place of another name', { $ref: '#/my/own', my: { own: { type: 'null' } } }, null, 1],
    ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'null' } } }, null, 1],
    ['a frozen schema', Object.freeze({ type: 'array', items: Object.freeze({ $ref: '#' }) }), [[[]]], [[1]]],
  ])('%s', async (_name, schema, good, bad) => {
    expect(await schemaProblem(schema)).toBeNull();
    expect([await fits(schema, good), await fits(schema, bad)]).toEqual([true, false]);
  });

  it('is not changed', async () => {
    const schema = { type: 'array', items: { $ref: '#' }, my: { own: {} } };
    await fits(schema, []);
    expect(Object.getOwnPropertyNames(schema.items)).toEqual(['$ref']);
    expect(Object.getOwnPropertyNames(schema.my)).toEqual(['own']);
  });

  it('has no place for a value that is nested too deep for it', async () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(await createJsonValidator()(deep, { items: { $ref: '#' } })).toEqual([
      expect.stringMatching(/^it could not be checked/),
    ]);
  });
});

describe('a schema that cannot be used', () => {
  const cycle: Record<string, unknown> = {};
  cycle['not'] = cycle;
  const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as JsonSchema;
  it.each<[string, JsonSchema, RegExp]>([
    ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/none' } } }, /"#\/\$defs\/none" leads nowhere/],
    ['one to another document', { $ref: 'https://example.com/a.json' }, /leads nowhere/],
    ['a pattern of another language', { properties: { a: { pattern: '(?P<a>x)' } } }, /not a regular expression/],
    ['its words without its name', { properties: { a: { required: true } } }, /"required" is true/],
    ['an unknown type', { type: 'any' }, /no type "any"/],
    ['a cycle', cycle, /nested deeper/],
    ['one without end', deep, /nested deeper/],
    ['two dynamic anchors', { $defs: { a: tree, b: tree }, $dynamicRef: '#node' }, /more than one place/],
  ])('%s', async (_name, schema, why) => {
    expect(await schemaProblem(schema)).toMatch(why);
    const told: unknown[] = [];
    const validate = createJsonValidator((which) => told.push(which));
    expect(await validate({}, schema)).toEqual([expect.stringMatching(/^the schema cannot be used: /)]);
    expect(await validate({}, schema)).toHaveLength(1);
    expect(told).toEqual([schema]);
  });

  it('is not one that only shows such a thing', async () => {
    expect(await schemaProblem({ default: { required: true, $ref: '#/no' }, examples: [{ type: 'any' }] })).toBeNull();
    expect(await schemaProblem({ properties: { required: {}, type: {}, $ref: {} } })).toBeNull();
  });
});

describe('what is seen to fit without the validator', () => {
  const NAMES = ['file_path', 'limit', '__proto__', 'constructor'];
  const name = fc.constantFrom(...NAMES);
  const field = fc.oneof(
    fc.constantFrom('string', 'integer', 'boolean', 'number', 'null').map((type) => ({ type, description: 'x' })),
    fc.constantFrom<object>({ enum: ['a'] }, {}, { type: ['string', 'null'] }, { type: 'integer', multipleOf: 2 }),
    fc.record({ type: fc.constant('integer'), minimum: fc.nat(4), maximum: fc.nat(4) }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.nat(3) }, { requiredKeys: ['type'] }),
  );
  const schemas = fc.record({
    type: fc.constantFrom('object', 'object', 'object', 'string'),
    properties: fc.dictionary(name, field, { minKeys: 2 }),
    required: fc.uniqueArray(name, { maxLength: 1 }),
    additionalProperties: fc.boolean(),
  });
  const leaf = fc.oneof(
    fc.constantFrom<unknown>('a', '', '😀', '😀a', 'abc', 2, 3, 4, 1.5, true, null, Number.NaN),
    fc.constant([]),
  );
  const values = fc.oneof({ weight: 9, arbitrary: fc.dictionary(name, leaf, { maxKeys: 2 }) }, leaf);

  it('the validator takes too', () => {
    let seen = 0;
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        if (plainFit(schema)?.(value) !== true) return;
        seen++;
        // A word that this look does not know: so the validator does it.
        expect(compileSchema({ ...schema, $comment: '' } as JsonSchema)(value)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it('holds for the input of a tool that reads a file', () => {
    const properties = {
      file_path: { type: 'string', minLength: 1, description: 'Where it is.' },
      offset: { type: 'integer', minimum: 1 },
    };
    const takes = plainFit({ type: 'object', properties, required: ['file_path'], additionalProperties: false });
    const right = [{ file_path: 'a' }, { file_path: 'a', offset: 3 }];
    expect(right.map((each) => takes?.(each))).toEqual([true, true]);
    const wrong = [{}, ['a'], { file_path: '' }, { file_path: 'a', offset: 0 }, { file_path: 'a', more: 1 }];
    expect(wrong.map((each) => takes?.(each))).toEqual([false, false, false, false, false]);
  });
});
