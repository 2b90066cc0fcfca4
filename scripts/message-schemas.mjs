// Prints the JSON Schema of the message stream, out of the type `SDKMessage`: a definition for each kind of message and
// each named type in it. The build keeps it as dist/schemas/messages.json. Objects are open, as later versions add fields.
import ts from 'typescript';
import { ROOT } from './lib/setup.mjs';

const ENTRY = `${ROOT}/src/protocol/index.ts`;
const { TypeFlags } = ts;
const SIMPLE = [
  [TypeFlags.Any | TypeFlags.Unknown, {}],
  [TypeFlags.Null, { type: 'null' }],
  [TypeFlags.StringLike & ~TypeFlags.StringLiteral, { type: 'string' }],
  [TypeFlags.Number, { type: 'number' }],
  [TypeFlags.Boolean, { type: 'boolean' }],
  [TypeFlags.Never, { not: {} }],
];

const { options } = ts.getParsedCommandLineOfConfigFile(`${ROOT}/tsconfig.json`, {}, ts.sys);
const program = ts.createProgram([ENTRY], { ...options, paths: {} });
const checker = program.getTypeChecker();
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(ENTRY)));
const message = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === 'SDKMessage'));

const definitions = {};
/** The name that each type got, and the type that each name stands for: two types may be called the same. */
const named = new Map();
const kinds = message.types.map((type) => schemaOf(type, 'SDKMessage'));
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'SDKMessage',
  description: 'A message of the stream: what query() yields, and a line of --output-format stream-json.',
  anyOf: kinds,
  $defs: Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
};
process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);

/** @param where what a fault is told about */
function schemaOf(type, where) {
  const simple = SIMPLE.find(([flags]) => type.flags & flags);
  if (simple !== undefined) return simple[1];
  if (type.flags & (TypeFlags.StringLiteral | TypeFlags.NumberLiteral)) return { const: type.value };
  if (type.flags & TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' };
  if (type.flags & TypeFlags.Union) return byName(type, () => unionOf(type, where));
  // A string that is also something else in the eyes of the compiler only.
  if (type.isIntersection() && type.types.some(({ flags }) => flags & TypeFlags.StringLike)) return { type: 'string' };
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type).map((each) => schemaOf(each, where));
    return { type: 'array', prefixItems: items, minItems: type.target.minLength, items: false };
  }
  if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0], where) };
  if (type.getCallSignatures().length > 0) throw new Error(`${where} is a function: a message is JSON`);
  return byName(type, () => objectOf(type, where));
}

/** A type that has a name is written once, so types may contain themselves. */
function byName(type, write) {
  const symbol = type.aliasSymbol ?? type.symbol;
  const isOurs = symbol !== undefined && !symbol.name.startsWith('__') && !(type.aliasTypeArguments?.length > 0);
  if (!isOurs) return write();
  let name = named.get(type);
  if (name === undefined) {
    for (let at = 1; name === undefined || name in definitions; at++) name = at === 1 ? symbol.name : symbol.name + at;
    named.set(type, name);
    definitions[name] = {};
    definitions[name] = { ...describe(symbol), ...write() };
  }
  return { $ref: `#/$defs/${name}` };
}

function unionOf(type, where) {
  const types = type.types.filter(({ flags }) => !(flags & TypeFlags.Undefined));
  const values = types.filter((each) => each.isStringLiteral() || each.isNumberLiteral()).map(({ value }) => value);
  const rest = types.filter((each) => !each.isStringLiteral() && !each.isNumberLiteral());
  const isBoolean = rest.filter(({ flags }) => flags & TypeFlags.BooleanLiteral).length === 2;
  const others = isBoolean ? rest.filter(({ flags }) => !(flags & TypeFlags.BooleanLiteral)) : rest;
  const parts = [
    ...(values.length > 0 ? [{ enum: values }] : []),
    ...(isBoolean ? [{ type: 'boolean' }] : []),
    ...others.map((each) => schemaOf(each, where)),
  ];
  return parts.length === 1 ? parts[0] : { anyOf: parts };
}

function objectOf(type, where) {
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    const at = `${where}.${property.name}`;
    const value = schemaOf(checker.getTypeOfSymbol(property), at);
    properties[property.name] = { ...describe(property), ...value };
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
  }
  const index = checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags & TypeFlags.String);
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(index === undefined ? {} : { additionalProperties: schemaOf(index.type, where) }),
  };
}

function describe(symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim();
  return text === '' ? {} : { description: text };
}
