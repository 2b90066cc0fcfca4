// Schemas of drafts 0 to 3, held against what those drafts say.
import { describe, expect, it } from 'vitest';
import { createJsonValidator, schemaProblem } from '../../src/engine/output/validate-json.js';
import { modernSchema } from '../../src/util/old-json-schema.js';

const of = (draft: number, schema: object): Record<string, unknown> => ({
  $schema: `http://json-schema.org/draft-0${draft}/schema#`,
  ...schema,
});

describe('a schema of an old draft', () => {
  const validate = createJsonValidator();
  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    ['required, said by the property', of(3, { properties: { a: { required: true }, b: {} } }), { a: 1 }, { b: 1 }],
    [
      'required behind a reference',
      of(3, { properties: { a: { $ref: '#/definitions/x', required: true } }, definitions: { x: { type: 'string' } } }),
      { a: 'x' },
      {},
    ],
    ['optional', of(2, { properties: { a: {}, b: { optional: true } } }), { a: 1 }, { b: 1 }],
    ['optional, said where it is not', of(1, { properties: { a: { optional: false } } }), { a: 1 }, {}],
    [
      'requires',
      of(2, { properties: { a: { optional: true, requires: 'b' }, b: { optional: true } } }),
      { a: 1, b: 1 },
      { a: 1 },
    ],
    ['any type', of(3, { properties: { a: { type: 'any', required: true } } }), { a: null }, {}],
    [
      'types and schemas in one list',
      of(3, { type: ['string', { type: 'object', properties: { a: { required: true } } }] }),
      { a: 1 },
      {},
    ],
    ['types in a list', of(3, { type: ['string', 'null'] }), null, 1],
    ['what is not allowed', of(3, { disallow: ['string', { type: 'integer', minimum: 5 }] }), 4, 6],
    ['one type that is not allowed', of(3, { disallow: 'string' }), 4, 'x'],
    [
      'a base',
      of(3, { extends: { properties: { a: { required: true } } }, properties: { b: { required: true } } }),
      { a: 1, b: 1 },
      { b: 1 },
    ],
    ['several bases', of(3, { extends: [{ type: 'integer' }, { minimum: 3 }] }), 3, 2],
    ['a divisor', of(3, { divisibleBy: 3 }), 9, 10],
    ['decimals', of(1, { maxDecimal: 2 }), 1.25, 1.255],
    ['a limit left out', of(3, { minimum: 3, exclusiveMinimum: true }), 4, 3],
    ['a limit kept', of(3, { maximum: 3, exclusiveMaximum: false }), 3, 4],
    ['a limit that cannot be equal', of(2, { maximum: 3, maximumCanEqual: false }), 2, 3],
    ['a tuple', of(3, { items: [{ type: 'string' }], additionalItems: { type: 'integer' } }), ['x', 1], ['x', 'y']],
    ['a list', of(3, { items: { properties: { a: { required: true } } } }), [{ a: 1 }], [{}]],
    ['a dependency', of(3, { dependencies: { a: 'b' } }), { a: 1, b: 1 }, { a: 1 }],
    [
      'a dependency of a shape',
      of(3, { dependencies: { a: { properties: { b: { required: true } } } } }),
      { a: 1, b: 1 },
      { a: 1 },
    ],
    [
      'itself',
      of(3, { properties: { next: { $ref: '#' }, v: { required: true } } }),
      { v: 1, next: { v: 2 } },
      { v: 1, next: {} },
    ],
    ['further properties', of(3, { properties: { a: {} }, additionalProperties: false }), { a: 1 }, { c: 1 }],
    ['a name for a format', of(3, { format: 'ip-address' }), '10.0.0.1', 'here'],
  ])('%s', async (_name, schema, good, bad) => {
    expect(await schemaProblem(schema)).toBeNull();
    expect(await validate(good, schema)).toEqual([]);
    expect(await validate(bad, schema)).not.toEqual([]);
  });

  it('is never changed itself, and a newer one is given back as it is', () => {
    const old = Object.freeze(of(3, { properties: Object.freeze({ a: Object.freeze({ required: true }) }) }));
    expect(modernSchema(old)).toEqual({ properties: { a: {} }, required: ['a'] });
    for (const schema of [{}, { $schema: 'http://json-schema.org/draft-04/schema#' }, { required: ['a'] }]) {
      expect(modernSchema(schema)).toBe(schema);
    }
  });

  it('that holds itself cannot be used', async () => {
    const cycle = of(3, {});
    cycle['extends'] = cycle;
    expect(await schemaProblem(cycle)).toMatch(/nested deeper/);
  });
});
