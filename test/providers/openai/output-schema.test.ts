// The strict form of a schema: taken by the checker, and never wider than what was asked for.
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/protocol/json.js';
import { toStrictSchema } from '../../../src/providers/openai/output-schema.js';
import { validateResponsesRequest } from '../../../src/testing/wire/wire-responses.js';

const text = { type: 'string' } as const;
const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});

function isTaken(schema: JsonSchema): boolean {
  const format = { type: 'json_schema', name: 'answer', strict: true, schema };
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }];
  return validateResponsesRequest({ model: 'm', store: false, input, text: { format } }).length === 0;
}

describe('a schema in the strict form', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['is closed', object({ a: text }), object({ a: text }, { additionalProperties: false })],
    [
      'loses what says nothing',
      { $schema: 'x', ...object({ a: { ...text, title: 'A', default: 'x' } }) },
      object({ a: text }, { additionalProperties: false }),
    ],
    [
      'may hold itself',
      {
        ...object({ next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }),
        $defs: { n: object({ v: { $ref: '#' } }) },
      },
      {
        ...object({ next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }, { additionalProperties: false }),
        $defs: { n: object({ v: { $ref: '#' } }, { additionalProperties: false }) },
      },
    ],
    [
      'keeps limits, choices and descriptions',
      object({
        n: { type: 'integer', minimum: 1, description: 'N' },
        l: { type: 'array', items: { ...text, enum: ['a'] }, maxItems: 3 },
      }),
      object(
        {
          n: { type: 'integer', minimum: 1, description: 'N' },
          l: { type: 'array', items: { ...text, enum: ['a'] }, maxItems: 3 },
        },
        { additionalProperties: false },
      ),
    ],
  ])('%s', (_, schema, strict) => {
    expect(toStrictSchema(schema)).toEqual(strict);
    expect(isTaken(toStrictSchema(schema) as JsonSchema)).toBe(true);
  });

  it.each<[string, JsonSchema]>([
    ['a property that may be missing', { type: 'object', properties: { a: text }, required: [] }],
    ['an open object', object({ a: text }, { additionalProperties: true })],
    ['an object without properties', { type: 'object' }],
    ['a list at the top', { type: 'array', items: text }],
    ['a union at the top', { ...object({ a: text }), anyOf: [{ type: 'null' }] }],
    ['oneOf', object({ a: { oneOf: [text] } })],
    ['a length of text', object({ a: { ...text, minLength: 2 } })],
    ['several types', object({ a: { type: ['string', 'null'] } })],
    ['an unknown format', object({ a: { ...text, format: 'color' } })],
    ['a reference that leads nowhere', object({ a: { $ref: '#/$defs/none' } })],
    ['a required property that is not there', { type: 'object', properties: { a: text }, required: ['a', 'b'] }],
    ['choices of objects', object({ a: { type: 'object', enum: [{}] } })],
    [
      'more depth than the API takes',
      Array.from({ length: 12 }).reduce<JsonSchema>((inner) => object({ a: inner }), object({ a: text })),
    ],
  ])('is not made of %s', (_, schema) => {
    expect(toStrictSchema(schema)).toBeNull();
  });

  it('never lets a value through that was not asked for', () => {
    const leaf = fc.constantFrom<object>(
      text,
      { type: 'integer', maximum: 3 },
      { type: 'boolean' },
      { ...text, enum: ['a', 'b'] },
      { type: 'null' },
    );
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { minKeys: 1 }).map((properties) => object(properties)),
      ),
    }));
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(fc.constantFrom('a', 'x', 1, 9, true, null), fc.jsonValue()),
    );
    let converted = 0;
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b'), schema, { minKeys: 1 }),
        fc.array(values, { minLength: 5 }),
        (properties, candidates) => {
          const asked = object(properties);
          const strict = toStrictSchema(asked);
          if (strict === null) return;
          converted++;
          expect(isTaken(strict)).toBe(true);
          const before = new Validator(asked as object, '2020-12');
          const after = new Validator(strict as object, '2020-12');
          for (const value of candidates)
            if (after.validate(value).valid) expect(before.validate(value).valid).toBe(true);
        },
      ),
      { seed: 42, numRuns: 500 },
    );
    expect(converted).toBeGreaterThan(300);
  });
});
