// Random JSON Schemas, each with a value that fits it: references, unions, recursion, enums, many fields.
import type { JsonSchema } from '../../../src/protocol/json.js';
import type { Random } from './random.js';

export interface SchemaCase {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const DEEPEST = 3;
const MOST_FIELDS = 200;

/** The root is an object. One in ten has a list of itself in it, one in twenty has 200 fields. */
export function randomSchema(random: Random): SchemaCase {
  if (random.chance(0.1)) return tree(random);
  return object(random, 0, random.chance(0.05) ? MOST_FIELDS : random.int(1, 6));
}

function object(random: Random, depth: number, fields: number): SchemaCase {
  const parts = Array.from({ length: fields }, (_, at) => [`f${at}`, part(random, depth + 1)] as const);
  const required = parts.filter(() => random.chance(0.7)).map(([name]) => name);
  const isClosed = random.chance(0.6);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(parts.map(([name, { schema: inner }]) => [name, inner])),
    required: required.length === 0 ? ['f0'] : required,
    ...(isClosed ? { additionalProperties: false } : {}),
  };
  return { schema, value: Object.fromEntries(parts.map(([name, { value }]) => [name, value])) };
}

function part(random: Random, depth: number): SchemaCase {
  const kind = random.int(0, depth >= DEEPEST ? 4 : 8);
  switch (kind) {
    case 0:
      return { schema: { type: 'string', minLength: 1 }, value: `text ${random.int(0, 99)}` };
    case 1:
      return { schema: { type: 'integer', minimum: 0 }, value: random.int(0, 99) };
    case 2:
      return { schema: { type: 'boolean' }, value: random.chance(0.5) };
    case 3:
      return { schema: { enum: ['red', 'green', 7, null] }, value: random.pick(['red', 'green', 7, null]) };
    case 4:
      return { schema: { type: ['string', 'null'] }, value: random.chance(0.5) ? null : 'x' };
    case 5: {
      const item = part(random, depth + 1);
      return { schema: { type: 'array', items: item.schema, minItems: 1 }, value: [item.value, item.value] };
    }
    case 6: {
      const [one, other] = [part(random, depth + 1), part(random, depth + 1)];
      return { schema: { anyOf: [one.schema, other.schema] }, value: other.value };
    }
    default:
      return object(random, depth, random.int(1, 4));
  }
}

function tree(random: Random): SchemaCase {
  const leaf = part(random, DEEPEST);
  const node = (levels: number): unknown => ({
    leaf: leaf.value,
    children: levels === 0 ? [] : [node(levels - 1), node(0)],
  });
  return {
    schema: {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      required: ['root'],
      additionalProperties: false,
      $defs: {
        node: {
          type: 'object',
          properties: { leaf: leaf.schema, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['leaf', 'children'],
          additionalProperties: false,
        },
      },
    },
    value: node(random.int(0, 3)),
  };
}
