// The tools of one request, which JSON is a call of one, and its input in the form that the schema asks for, if that is certain.
// Rule: the name must be one that was offered; a repair that has two readings is not made, and a value is never made up.

import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import type { ToolDefinition } from '../contract/index.js';
import { parseLooseJson, setField } from './loose-json.js';

export interface FoundCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

export interface OfferedTools {
  /** The tool a model means: its name, perhaps as `functions.NAME:0`. */
  named(name: string): ToolDefinition | undefined;
  /** A call of a tool by its name with an input that was read; null if it is none. */
  call(name: string, input: unknown): FoundCall | null;
  /**
   * The calls that a value is; null if any part of it is something else. `isMarked`: something else than the JSON says
   * that it is a call; without it the input must have all that the tool demands, and nothing it does not know.
   */
  calls(value: unknown, isMarked: boolean): readonly FoundCall[] | null;
}

const NAME_KEYS = ['name', 'tool', 'tool_name', 'toolName', 'function', 'function_name', 'action', 'recipient_name'];
const INPUT_KEYS = ['arguments', 'parameters', 'args', 'params', 'input', 'tool_input', 'action_input', 'kwargs'];
const LIST_KEYS = ['tool_calls', 'tool_call', 'function_calls', 'function_call', 'tool_uses', 'calls'];
const OTHER_KEYS = ['type', 'id', 'index', 'call_id', 'tool_call_id'];
/** What an object that is a call may begin with. */
export const CALL_KEYS: ReadonlySet<string> = new Set([...NAME_KEYS, ...INPUT_KEYS, ...LIST_KEYS, ...OTHER_KEYS]);

const AROUND_NAME = /^(?:functions|default_api|tools)\.|:\d+$/g;

interface OfferedToolsOptions {
  /** A name may also be in another letter case, if one tool alone has it. */
  readonly anyCase?: boolean;
}

export function createOfferedTools(
  tools: readonly ToolDefinition[],
  { anyCase = false }: OfferedToolsOptions = {},
): OfferedTools {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const named = (given: string) => {
    const name = given.replace(AROUND_NAME, '');
    return byName.get(given) ?? byName.get(name) ?? (anyCase ? onlyInAnyCase(name, tools) : undefined);
  };
  const call = (name: string, input: unknown): FoundCall | null => {
    const tool = named(name);
    if (tool === undefined) return null;
    const repaired = repairInput(input ?? {}, tool.input_schema);
    return repaired === null ? null : { name: tool.name, input: repaired };
  };
  const calls = (value: unknown, isMarked: boolean): readonly FoundCall[] | null => {
    if (Array.isArray(value)) {
      const found = value.map((item) => calls(item, isMarked));
      return found.length === 0 || found.includes(null) ? null : found.flatMap((some) => some ?? []);
    }
    if (!isRecord(value)) return null;
    const inner = innerOf(value);
    if (inner !== undefined) return calls(inner, isMarked);
    const parts = partsOf(value, isMarked, named);
    const found = parts === null ? null : call(parts.name, parts.input);
    if (found === null) return null;
    const schema = named(found.name)?.input_schema ?? {};
    return isMarked || fitsByName(found.input, schema) ? [found] : null;
  };
  return { named, call, calls };
}

function onlyInAnyCase(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const [tool, ...others] = tools.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  return others.length === 0 ? tool : undefined;
}

/** What a wrapper is around: `{"tool_calls": […]}`, `{"type": "function", "function": {…}}`. */
function innerOf(value: Record<string, unknown>): unknown {
  const keys = Object.keys(value).filter((key) => !OTHER_KEYS.includes(key));
  const [key] = keys;
  if (keys.length !== 1 || key === undefined) return undefined;
  if (LIST_KEYS.includes(key)) return value[key];
  return key === 'function' && isRecord(value[key]) ? value[key] : undefined;
}

function partsOf(
  value: Record<string, unknown>,
  isMarked: boolean,
  named: OfferedTools['named'],
): { readonly name: string; readonly input: unknown } | null {
  const names = NAME_KEYS.filter((key) => typeof value[key] === 'string');
  const [nameKey] = names;
  if (names.length !== 1 || nameKey === undefined) return null;
  const name = String(value[nameKey]);
  const rest = Object.keys(value).filter((key) => key !== nameKey && !OTHER_KEYS.includes(key));
  const [inputKey] = rest;
  if (rest.length === 1 && inputKey !== undefined && INPUT_KEYS.includes(inputKey)) {
    const input = value[inputKey];
    return { name, input: input === '' ? {} : input };
  }
  const tool = named(name);
  if (!isMarked || tool === undefined) return null;
  // The input beside the name, if it cannot be anything else.
  const properties = propertiesOf(tool.input_schema);
  if (Object.hasOwn(properties, nameKey) || !rest.every((key) => Object.hasOwn(properties, key))) return null;
  const input: Record<string, unknown> = {};
  for (const key of rest) setField(input, key, value[key]);
  return { name, input };
}

/** Keys in which models wrap the whole input. */
const WRAPPERS = new Set(['input', 'inputs', 'arguments', 'args', 'parameters', 'params', 'kwargs', 'tool_input']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Deeper values stay as they are. */
const MAX_DEPTH = 32;

/** The input as an object; null if it is none and cannot be read as one. */
function repairInput(value: unknown, schema: JsonSchema): Record<string, unknown> | null {
  const given = typeof value === 'string' ? parseLooseJson(value) : value;
  if (!isRecord(given)) return null;
  return repairObject(unwrap(given, schema), schema, 0);
}

/** True if the schema names every key of the input, and the input has all that it demands. */
export function fitsByName(input: Record<string, unknown>, schema: JsonSchema): boolean {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return (
    Object.keys(input).every((key) => Object.hasOwn(properties, key)) &&
    required.every((key) => typeof key === 'string' && Object.hasOwn(input, key))
  );
}

export function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return isRecord(schema['properties']) ? schema['properties'] : {};
}

/** The type a schema asks for, null beside it aside; undefined if it allows several, or does not say. */
export function typeOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const types = typesOf(schema).filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : undefined;
}

function typesOf(schema: Record<string, unknown>): string[] {
  const { type, anyOf, oneOf, enum: values } = schema;
  if (typeof type === 'string') return TYPES.has(type) ? [type] : [];
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string');
  if (Array.isArray(values) && values.every((one) => typeof one === 'string')) return ['string'];
  const branches: unknown = anyOf ?? oneOf;
  if (!Array.isArray(branches)) return [];
  const types = branches.map((branch) => (isRecord(branch) ? typesOf(branch) : []));
  return types.some((some) => some.length === 0) ? [] : [...new Set(types.flat())];
}

/** `{"input": {…}}` if the tool knows no such key. */
function unwrap(value: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0 || !WRAPPERS.has(key)) return value;
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, key) || Object.keys(properties).length === 0) return value;
  const inner = typeof value[key] === 'string' ? parseLooseJson(value[key]) : value[key];
  return isRecord(inner) ? inner : value;
}

function repairObject(value: Record<string, unknown>, schema: JsonSchema, depth: number): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const names = renames(value, properties);
  const repaired: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = names.get(key) ?? key;
    const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined;
    setField(repaired, name, isRecord(wanted) ? repairValue(field, wanted, depth + 1) : field);
  }
  return repaired;
}

/** Keys that are a known one but for case, `_` and `-`, if only one can be meant. */
function renames(value: Record<string, unknown>, properties: Record<string, unknown>): ReadonlyMap<string, string> {
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return new Map();
  const free = Object.keys(properties).filter((key) => !Object.hasOwn(value, key));
  const found = new Map<string, string>();
  for (const key of unknown) {
    const meant = free.filter((known) => plain(known) === plain(key));
    const rivals = unknown.filter((other) => plain(other) === plain(key));
    if (meant.length === 1 && rivals.length === 1 && meant[0] !== undefined) found.set(key, meant[0]);
  }
  return found;
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}

function repairValue(value: unknown, schema: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  const type = typeOf(schema);
  const read = typeof value === 'string' && type !== undefined && type !== 'string' ? readAs(value, type) : value;
  if (isRecord(read) && type === 'object') return repairObject(read, schema, depth);
  const { items } = schema;
  if (Array.isArray(read) && type === 'array' && isRecord(items)) {
    return read.map((item) => repairValue(item, items, depth + 1));
  }
  return read;
}

/** What a text stands for if the schema wants another type; the text itself if it stands for nothing of it. */
export function readAs(text: string, type: string): unknown {
  const value = parseLooseJson(text);
  const fits =
    (type === 'number' && typeof value === 'number' && Number.isFinite(value)) ||
    (type === 'integer' && Number.isSafeInteger(value)) ||
    (type === 'boolean' && typeof value === 'boolean') ||
    (type === 'array' && Array.isArray(value)) ||
    (type === 'object' && isRecord(value));
  return fits ? value : text;
}
