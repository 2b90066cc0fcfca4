import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/protocol/json.js';
import { takesOutputSchema, toOutputSchema } from '../../../src/providers/anthropic/request-body.js';
import { validateWireRequest } from '../../../src/testing/wire/wire-validator.js';

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const closed = { additionalProperties: false };
const isTaken = (schema: JsonSchema) =>
  validateWireRequest({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'hi' }],
    output_config: { format: { type: 'json_schema', schema } },
  }).length === 0;

describe('models that hold an answer to a schema', () => {
  it.each([
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-5@20251101',
    'Claude-Haiku-4-5',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-sonnet-5-5',
    'claude-fable-5',
  ])('%s does', (model) => expect(takesOutputSchema(model)).toBe(true));

  it.each([
    'claude-3-5-haiku-20241022',
    'claude-3-7-sonnet-latest',
    'claude-opus-4-1',
    'claude-opus-4-20250514',
    'claude-sonnet-4-0',
    'gpt-5',
    'scripted',
    'my-claude-sonnet-4-5',
    'claude-sonnet-4-5x',
  ])('%s does not', (model) => expect(takesOutputSchema(model)).toBe(false));
});

describe('a schema the API can hold an answer to', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    [
      'is closed where it lists its properties',
      object({ n: { type: 'integer' } }),
      object({ n: { type: 'integer' } }, closed),
    ],
    [
      'loses its dialect',
      { $schema: 'x', ...object({ n: { type: 'null' } }, closed) },
      object({ n: { type: 'null' } }, closed),
    ],
    [
      'is closed inside lists, unions and definitions',
      object(
        {
          list: { type: 'array', items: object({ a: { type: 'string', format: 'date' } }), minItems: 1 },
          either: { anyOf: [{ type: 'null' }, object({ b: { type: 'number', enum: [1, 2] } })] },
          same: { $ref: '#/$defs/same', description: 'as there' },
        },
        { $defs: { same: object({ c: { type: 'boolean', const: true } }) } },
      ),
      object(
        {
          list: { type: 'array', items: object({ a: { type: 'string', format: 'date' } }, closed), minItems: 1 },
          either: { anyOf: [{ type: 'null' }, object({ b: { type: 'number', enum: [1, 2] } }, closed)] },
          same: { $ref: '#/$defs/same', description: 'as there' },
        },
        { $defs: { same: object({ c: { type: 'boolean', const: true } }, closed) }, ...closed },
      ),
    ],
  ])('%s', (_name, schema, expected) => {
    expect(toOutputSchema(schema)).toEqual(expected);
    expect(isTaken(expected)).toBe(true);
  });

  const inside = (schema: unknown) => object({ n: schema });
  it.each<[string, JsonSchema]>([
    ['that is not an object', { type: 'array', items: { type: 'string' } }],
    ['that is a union at its root', { anyOf: [object({ n: { type: 'null' } })] }],
    ['of an object open to everything', { type: 'object' }],
    ['of an object with an empty list of properties', object({})],
    ['that allows other properties', object({ n: { type: 'null' } }, { additionalProperties: true })],
    ['that says how others look', object({ n: { type: 'null' } }, { additionalProperties: { type: 'null' } })],
    ['that requires what it does not list', object({ n: { type: 'null' } }, { required: ['m'] })],
    ['with bounds', inside({ type: 'integer', minimum: 1 })],
    ['with a pattern', inside({ type: 'string', pattern: '^a' })],
    ['with a format nobody knows', inside({ type: 'string', format: 'colour' })],
    ['with two items at least', inside({ type: 'array', items: { type: 'null' }, minItems: 2 })],
    ['with a list of anything', inside({ type: 'array' })],
    ['with several types', inside({ type: ['string', 'null'] })],
    ['without a type', inside({ enum: ['a'] })],
    ['with choices that are objects', inside({ type: 'string', enum: [{}] })],
    ['with parts that must all hold', inside({ allOf: [{ type: 'string' }] })],
    ['with one of several', inside({ oneOf: [{ type: 'string' }] })],
    ['with conditions', object({ n: { type: 'null' } }, { if: {}, else: {} })],
    ['that holds itself', object({ n: { $ref: '#' } })],
    [
      'that holds itself by way of another',
      object(
        { n: { $ref: '#/$defs/a' } },
        {
          $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' } }) },
        },
      ),
    ],
    ['with a reference that leads nowhere', object({ n: { $ref: '#/$defs/gone' } })],
    ['with a reference to elsewhere', object({ n: { $ref: 'https://example.com/a.json' } })],
    ['with a boolean for a schema', inside(true)],
    [
      'with 25 optional properties',
      object(Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`p${n}`, { type: 'null' }]))),
    ],
    [
      'with 17 unions',
      object(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`p${n}`, { anyOf: [{ type: 'null' }] }])), {
        required: Array.from({ length: 17 }, (_, n) => `p${n}`),
      }),
    ],
  ])('is not one %s', (_name, schema) => {
    expect(toOutputSchema(schema)).toBeNull();
  });

  const names = fc.constantFrom('a', 'b', 'c');
  const objectOf = (any: fc.Arbitrary<Record<string, unknown>>) =>
    fc
      .dictionary(names, any, { minKeys: 1, maxKeys: 3 })
      .chain((properties) =>
        fc
          .record({ required: fc.subarray(Object.keys(properties)), isOpen: fc.constantFrom(null, null, false, true) })
          .map(({ required, isOpen }) =>
            object(properties, { required, ...(isOpen === null ? {} : { additionalProperties: isOpen }) }),
          ),
      );
  const { any: parts } = fc.letrec<{ any: Record<string, unknown> }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      {
        weight: 4,
        arbitrary: fc.constantFrom<Record<string, unknown>>(
          { type: 'string' },
          { type: 'integer', enum: [1, 2] },
          { type: 'null' },
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Record<string, unknown>>({ type: 'string', minLength: 2 }, { type: 'object' }),
      },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('array'), items: tie('any') }) },
      { weight: 2, arbitrary: fc.array(tie('any'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })) },
      { weight: 2, arbitrary: objectOf(tie('any')) },
    ),
  }));
  const schemas = objectOf(parts);
  const values = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, 'x', 'xy', 1, 2, 3, true),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(names, tie('any'), { maxKeys: 3 }),
    ),
  })).any;

  it('is taken by the strict validator, and what fits it fits what was asked for', () => {
    let converted = 0;
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 20 }), (schema, candidates) => {
        const sent = toOutputSchema(schema);
        if (sent === null) return;
        converted++;
        expect(isTaken(sent)).toBe(true);
        const asked = new Validator(schema as object, '2020-12');
        const held = new Validator(sent as object, '2020-12');
        for (const value of candidates) if (held.validate(value).valid) expect(asked.validate(value).valid).toBe(true);
      }),
      { seed: 42, numRuns: 3_000 },
    );
    expect(converted).toBeGreaterThan(500);
  });
});
