// Parts of a request that both OpenAI forms have.
import type { JsonSchema } from '../../protocol/json.js';
import type { ToolDefinition } from '../contract/index.js';
import { shortHash } from './wire-names.js';

/** The name of the schema of an answer; the API wants one and does nothing with it. */
export const SCHEMA_NAME = 'answer';
/** What of the first message tells one conversation from another, characters. */
const KEY_CHARS = 4_096;

/** The same for the requests of one conversation, so that they reach the machine that has its beginning. */
export function cacheKeyOf(firstMessage: string): string {
  return `turnwright-${shortHash(firstMessage.slice(0, KEY_CHARS))}`;
}

/** Of two tools with one name the first: the API refuses the request with both. */
export function uniqueTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** The API refuses a schema of an object that does not list its properties. */
export function withProperties(schema: JsonSchema): JsonSchema {
  return 'properties' in schema ? schema : { ...schema, properties: {} };
}
