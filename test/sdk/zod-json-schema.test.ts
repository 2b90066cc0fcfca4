import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { createJsonValidator } from '../../src/engine/output/validate-json.js';
import { readZod, toJsonSchema, type ZodLike } from '../../src/sdk/schemas/zod-schema.js';

/** What TypeScript makes of an enum with numbers. */
const Size = { Small: 1, Large: 2, 1: 'Small', 2: 'Large' } as const;

/** The same shape in both major versions. */
const shapeOf = (zod: typeof z) => ({
  name: zod.string().describe('Who it is.'),
  age: zod.number().int(),
  tags: zod.array(zod.string()).optional(),
  mode: zod.enum(['fast', 'slow']).default('fast'),
  size: zod.nativeEnum(Size).nullable(),
  point: zod.object({ x: zod.number(), y: zod.number().optional() }),
  kind: zod.union([zod.literal('a'), zod.literal(1)]),
  extra: zod.record(zod.string(), zod.boolean()).readonly(),
  pair: zod.tuple([zod.string(), zod.number()]),
  trimmed: zod.string().transform((text) => text.trim()),
});

const told = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Who it is.' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { enum: ['fast', 'slow'] },
    size: { anyOf: [{ enum: [1, 2] }, { type: 'null' }] },
    point: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x'] },
    kind: { anyOf: [{ enum: ['a'] }, { enum: [1] }] },
    extra: { type: 'object', additionalProperties: { type: 'boolean' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    trimmed: { type: 'string' },
  },
  required: ['name', 'age', 'size', 'point', 'kind', 'extra', 'pair', 'trimmed'],
};

const good = {
  name: 'Ada',
  age: 3,
  size: null,
  point: { x: 1 },
  kind: 1,
  extra: { a: true },
  pair: ['a', 1],
  trimmed: ' x ',
};

describe('the JSON Schema of a Zod schema', () => {
  it('is read from the structure of Zod 3, and of a Zod 4 that cannot tell it', () => {
    expect(toJsonSchema(shapeOf(z3 as unknown as typeof z))).toEqual(told);
    const object = z.object(shapeOf(z)) as unknown as ZodLike;
    expect(readZod(object)).toEqual(told);
  });

  it.each([
    ['Zod 3', shapeOf(z3 as unknown as typeof z)],
    ['Zod 4', shapeOf(z)],
    ['an object of Zod 3', z3.object(shapeOf(z3 as unknown as typeof z) as never)],
    ['an object of Zod 4', z.object(shapeOf(z))],
  ])('of %s takes what the schema takes, and refuses what it refuses', async (_name, schema) => {
    const validate = createJsonValidator();
    const json = toJsonSchema(schema);
    expect(await validate(good, json)).toEqual([]);
    const wrong = [{ name: 1 }, { age: 1.5 }, { size: 3 }, { point: {} }, { kind: 'b' }, { extra: { a: 'yes' } }];
    for (const change of wrong)
      expect(await validate({ ...good, ...change }, json), JSON.stringify(change)).not.toEqual([]);
    expect(json['required']).toEqual(told.required);
  });

  it('leaves open what JSON Schema has no word for', () => {
    expect(toJsonSchema({ when: z.date(), big: z.bigint(), any: z.unknown(), old: z3.date() })).toMatchObject({
      properties: { when: {}, big: {}, any: {}, old: {} },
    });
  });

  it('keeps references of a schema that holds itself', async () => {
    const tree: z.ZodType = z.object({
      name: z.string(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const json = toJsonSchema({ tree });
    const validate = createJsonValidator();
    expect(await validate({ tree: { name: 'a', children: [{ name: 'b' }] } }, json)).toEqual([]);
    expect(await validate({ tree: { name: 'a', children: [{ name: 1 }] } }, json)).not.toEqual([]);
    type Tree = { name: string; children?: Tree[] | undefined };
    const old: z3.ZodType<Tree> = z3.lazy(() => z3.object({ name: z3.string(), children: z3.array(old).optional() }));
    expect(toJsonSchema({ old })).toMatchObject({ properties: { old: {} } });
  });

  it('knows optional fields of the small Zod', () => {
    const shape = { a: mini.string(), b: mini.optional(mini.number()), c: mini._default(mini.boolean(), true) };
    expect(toJsonSchema(shape)).toMatchObject({ required: ['a'] });
  });

  it('passes a JSON Schema on, as one of type object', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(toJsonSchema(schema)).toBe(schema);
    expect(toJsonSchema({ properties: { a: { type: 'string' } } })).toMatchObject({ type: 'object' });
    expect(toJsonSchema({})).toEqual({ type: 'object', properties: {} });
  });
});
