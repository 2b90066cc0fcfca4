// The tools of MCP servers: listed, and made tools of the engine. A server that fails leaves the others as they are, and is
// told.
import type { HostClock } from '../host/host.js';
import type { JsonSchema } from '../protocol/json.js';
import type { MCPServerConnection, McpListedTool, McpServerStatus } from '../protocol/mcp.js';
import type { NoticeCode } from '../protocol/system-messages.js';
import { refusedAtTop, refusedName } from '../providers/contract/index.js';
import type { AnyTool } from '../tools/tool.js';
import { isRecord } from '../util/is-record.js';
import { isNestedDeeper, MAX_NESTING } from '../util/nesting.js';
import { modernSchema } from '../util/old-json-schema.js';
import { deepWellFormed, errorText } from '../util/text.js';
import { LIST_TIMEOUT_MS, listPages } from './list-pages.js';
import { createMcpTool, type McpToolOptions } from './mcp-tool.js';
import { isUsableName, mcpToolName } from './tool-names.js';

/** What a server lists, or why it lists nothing. */
export interface ServerListing {
  readonly connection: MCPServerConnection;
  readonly status: McpServerStatus;
  readonly listed: readonly McpListedTool[];
  /** For people; null if nothing is wrong. */
  readonly problem: string | null;
}

export interface OfferedTools {
  readonly tools: readonly AnyTool[];
  /** Servers and tools that are not there, and why. */
  readonly notices: readonly { readonly code: NoticeCode; readonly message: string }[];
}

/** What of a server's tools is decided by who has the server. */
export type ToolTerms = Pick<McpToolOptions, 'toolTimeoutMs' | 'maxShownBytes' | 'changed' | 'session'>;

/** Contract: never throws. */
export async function listServer(
  connection: MCPServerConnection,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<ServerListing> {
  const { name, type, client } = connection;
  if (type !== 'connected') return withoutTools(connection);
  try {
    if (client === undefined) throw new Error('its connection has no client');
    const ask = (params: object, until: AbortSignal) =>
      client.listTools(params, { signal: until, timeout: LIST_TIMEOUT_MS });
    return listing(connection, await listPages<McpListedTool>('tools', ask, clock, signal));
  } catch (thrown) {
    const error = errorText(thrown);
    const problem = `The tools of the MCP server ${name} are not offered: ${error}.`;
    return { connection, status: { name, status: 'failed', error }, listed: [], problem };
  }
}

export function listing(connection: MCPServerConnection, listed: readonly McpListedTool[]): ServerListing {
  return { connection, status: { name: connection.name, status: 'connected' }, listed, problem: null };
}

/** Of a server that is not connected. */
export function withoutTools(connection: MCPServerConnection): ServerListing {
  const { name, type, error } = connection;
  const status = { name, status: type, ...(error === undefined ? {} : { error }) };
  // What the host switched off is as it wants it.
  if (type === 'disabled') return { connection, status, listed: [], problem: null };
  const why = error === undefined ? '' : `: ${error.replace(/\.$/, '')}`;
  const problem = `The tools of the MCP server ${name} are not offered: it is not connected (${type})${why}.`;
  return { connection, status, listed: [], problem };
}

/**
 * @param taken names of tools that are there already
 * Contract: never throws; of two tools with one name the first is kept.
 */
export function offerTools(
  listings: readonly ServerListing[],
  taken: readonly string[],
  terms: (server: string) => ToolTerms,
): OfferedTools {
  const names = new Set(taken);
  const tools: AnyTool[] = [];
  const notices: OfferedTools['notices'][number][] = [];
  for (const { connection, listed, problem } of listings) {
    const { name: server, client } = connection;
    if (problem !== null) notices.push({ code: 'mcp_server_failed', message: problem });
    if (client === undefined) continue;
    for (const tool of listed) {
      const made = offerTool(tool, { server, client, ...terms(server) }, names);
      if (typeof made === 'string') notices.push({ code: 'mcp_tool_left_out', message: made });
      else tools.push(made);
    }
  }
  return { tools, notices };
}

/** The tool, or why it is left out. */
function offerTool(
  listed: McpListedTool,
  place: Pick<McpToolOptions, 'server' | 'client'> & ToolTerms,
  names: Set<string>,
): AnyTool | string {
  const { server } = place;
  const toolName: unknown = (listed as McpListedTool | null)?.name;
  if (typeof toolName !== 'string' || toolName === '') return `A tool of the MCP server ${server} has no name.`;
  const left = (why: string) => `The tool ${toolName} of the MCP server ${server} is not offered: ${why}.`;
  const name = mcpToolName(server, toolName);
  if (!isUsableName(name)) return left('its name is too long');
  if (names.has(name)) return left(`there is a tool ${name} already`);
  const offered = offeredSchema(listed.inputSchema);
  if (offered.schema === null) return left(offered.problem);
  names.add(name);
  return createMcpTool({ ...place, name, listed, inputSchema: offered.schema, note: offered.note });
}

// The input schema of an MCP tool in the form that model APIs take. One schema they refuse would fail every request.

type OfferedSchema =
  | { readonly schema: JsonSchema; readonly note: string; readonly problem?: never }
  | { readonly schema: null; readonly note?: never; readonly problem: string };

/**
 * @returns the schema with what must be said of it in words in the tool's description ('' if nothing must), or why
 *   the tool cannot be offered
 */
function offeredSchema(given: unknown): OfferedSchema {
  const unusable = (problem: string): OfferedSchema => ({ schema: null, problem });
  if (!isRecord(given) || given['type'] !== 'object') return unusable('its input schema is not one of type object');
  if (isNestedDeeper(given)) return unusable(`its input schema is nested more than ${MAX_NESTING} levels deep`);
  const schema = deepWellFormed(modernSchema(given)) as JsonSchema;
  const properties = schema['properties'] ?? {};
  if (!isRecord(properties)) return unusable('the properties of its input schema are not an object');
  const odd = refusedName(properties);
  if (odd !== undefined) return unusable(`model APIs refuse the property name ${JSON.stringify(odd)}`);
  const refused = refusedAtTop(schema);
  if (refused.length === 0) return { schema, note: '' };
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !refused.includes(keyword)));
  const rules = Object.fromEntries(refused.map((keyword) => [keyword, schema[keyword]]));
  return { schema: kept, note: `The input must also fit this JSON Schema: ${JSON.stringify(rules)}` };
}
