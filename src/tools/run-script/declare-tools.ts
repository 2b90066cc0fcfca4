// Tools as TypeScript declarations: what takes a JSON Schema a paragraph takes a type a line. One rule: a type may say less
// than its schema, never something else.
import type { JsonSchema } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import type { AnyTool } from '../tool.js';

/** What calls of built-in tools give. Of other tools the text of the result, or its structured content. */
const OUTPUTS: Readonly<Record<string, string>> = {
  Read: '{ type: "text"; text: string; totalLines?: number } | { type: string }',
  Edit: '{ success: boolean; diff?: string }',
  Write: '{ success: boolean; created?: boolean }',
  NotebookEdit: '{ success: boolean }',
  Glob: '{ files: string[]; totalMatches: number; truncated?: boolean }',
  Grep: '{ results: string; matchCount: number; truncated?: boolean }',
  Bash: '{ stdout: string; stderr: string; exitCode: number; backgroundTaskId?: string }',
  WebFetch: '{ content: string; url: string; statusCode?: number; redirectUrl?: string }',
  WebSearch: '{ results: { title: string; url: string; snippet: string }[] }',
  Agent: '{ result: string }',
};

const MAX_DEPTH = 4;
const MAX_MEMBERS = 24;
const MAX_ENUM = 20;
const MAX_ABOUT = 100;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What calls of a tool give; absent if that is the text of the result. */
export function outputType(name: string): string | undefined {
  return OUTPUTS[name];
}

/** `Read(input: { file_path: string; offset?: number }): Promise<{ text: string }>` */
export function declareTool({ name, inputSchema, description }: AnyTool, withAbout = true): string {
  const about = withAbout ? ` // ${shorten(description, MAX_ABOUT)}` : '';
  const input = typeOf(inputSchema, inputSchema, MAX_DEPTH);
  return `${IDENTIFIER.test(name) ? name : JSON.stringify(name)}(input: ${input}): Promise<${OUTPUTS[name] ?? 'any'}>;${about}`;
}

/** @param root what references lead into */
function typeOf(schema: unknown, root: JsonSchema, depth: number): string {
  if (!isRecord(schema) || depth === 0) return 'any';
  const { $ref: ref, const: only, enum: values, type, anyOf, oneOf, allOf } = schema;
  if (typeof ref === 'string') return typeOf(referred(ref, root), root, depth - 1);
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return values.length > MAX_ENUM ? baseType(type) : union(values.map(literal));
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
  if (either !== null) return union(either.map((one) => typeOf(one, root, depth - 1)));
  if (Array.isArray(allOf)) return allOf.map((one) => typeOf(one, root, depth - 1)).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, root, depth)));
  if (type === 'array') return listType(typeOf(schema['items'], root, depth - 1));
  if (type === 'object' || isRecord(schema['properties'])) return objectType(schema, root, depth);
  return baseType(type);
}

function objectType(
  { properties, required, additionalProperties: more }: JsonSchema,
  root: JsonSchema,
  depth: number,
): string {
  const entries = Object.entries(isRecord(properties) ? properties : {});
  const needed = Array.isArray(required) ? required : [];
  if (entries.length === 0) return isRecord(more) ? `Record<string, ${typeOf(more, root, depth - 1)}>` : '{}';
  const members = entries.slice(0, MAX_MEMBERS).map(([name, schema]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${key}${needed.includes(name) ? '' : '?'}: ${typeOf(schema, root, depth - 1)}`;
  });
  const left = entries.length > MAX_MEMBERS ? ['[more: string]: any'] : [];
  return `{ ${[...members, ...left].join('; ')} }`;
}

function referred(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, part) => (isRecord(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    );
}

function listType(item: string): string {
  return /[ |&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'any';
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'any' : (JSON.stringify(value) ?? 'any');
}

function baseType(type: unknown): string {
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'null' ? type : 'any';
}
