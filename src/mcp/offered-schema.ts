// The input schema of an MCP tool in the form that model APIs take. One schema they refuse would fail every request.
import type { JsonSchema } from '../protocol/json.js';
import { refusedAtTop, refusedName } from '../providers/contract/index.js';
import { isRecord } from '../util/is-record.js';
import { isNestedDeeper, MAX_NESTING } from '../util/nesting.js';
import { modernSchema } from '../util/old-json-schema.js';
import { deepWellFormed } from '../util/text.js';

export type OfferedSchema =
  | { readonly schema: JsonSchema; readonly note: string; readonly problem?: never }
  | { readonly schema: null; readonly note?: never; readonly problem: string };

/**
 * @returns the schema with what must be said of it in words in the tool's description ('' if nothing must), or why
 *   the tool cannot be offered
 */
export function offeredSchema(given: unknown): OfferedSchema {
  const unusable = (problem: string): OfferedSchema => ({ schema: null, problem });
  if (!isRecord(given) || given['type'] !== 'object') return unusable('its input schema is not one of type object');
  if (isNestedDeeper(given)) return unusable(`its input schema is nested more than ${MAX_NESTING} levels deep`);
  const schema = deepWellFormed(modernSchema(given)) as JsonSchema;
  const properties = schema['properties'] ?? {};
  if (!isRecord(properties)) return unusable('the properties of its input schema are no object');
  const odd = refusedName(properties);
  if (odd !== undefined) return unusable(`model APIs refuse the property name ${JSON.stringify(odd)}`);
  const refused = refusedAtTop(schema);
  if (refused.length === 0) return { schema, note: '' };
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !refused.includes(keyword)));
  const rules = Object.fromEntries(refused.map((keyword) => [keyword, schema[keyword]]));
  return { schema: kept, note: `The input must also fit this JSON Schema: ${JSON.stringify(rules)}` };
}
