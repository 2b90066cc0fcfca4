// The resources of MCP servers: listed, and read as content for a model. What a server says is data, and marked as that.
import type { HostClock } from '../host/host.js';
import type { ToolResultContent } from '../protocol/content.js';
import type { McpClient } from '../protocol/mcp.js';
import type { ListMcpResourcesOutput } from '../protocol/tool-io.js';
import { isRecord } from '../util/json.js';
import { shorten } from '../util/text.js';
import { LIST_TIMEOUT_MS, listPages } from './list-pages.js';
import { readToolResult } from './result-content.js';

const MAX_URI = 4_000;
const MAX_DESCRIPTION = 500;

export type ListedResource = ListMcpResourcesOutput['resources'][number];

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export function hasResources(client: McpClient | undefined): boolean {
  const capabilities = client?.getServerCapabilities?.();
  return isRecord(capabilities) && capabilities['resources'] !== undefined;
}

/**
 * Resources, and templates of addresses: their `uri` has names in braces.
 * @throws Error if the server fails
 */
export async function listResources(
  client: McpClient,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<ListedResource[]> {
  const options = (until: AbortSignal) => ({ signal: until, timeout: LIST_TIMEOUT_MS });
  const resources = listPages(
    'resources',
    async (params, until) => client.listResources?.(params, options(until)) ?? { resources: [] },
    clock,
    signal,
  );
  // A server may have no templates and not know the method.
  const templates = listPages(
    'resourceTemplates',
    async (params, until) => client.listResourceTemplates?.(params, options(until)) ?? { resourceTemplates: [] },
    clock,
    signal,
  ).catch(() => []);
  const listed = [...(await resources), ...(await templates)].map(readListed);
  return listed.filter((resource) => resource !== null);
}

function readListed(value: unknown): ListedResource | null {
  const { uri, uriTemplate = uri, name, title = name, description, mimeType } = isRecord(value) ? value : {};
  if (typeof uriTemplate !== 'string' || uriTemplate === '' || uriTemplate.length > MAX_URI) return null;
  return {
    uri: uriTemplate,
    name: typeof title === 'string' && title !== '' ? shorten(title, MAX_DESCRIPTION) : uriTemplate,
    ...(typeof description === 'string' ? { description: shorten(description, MAX_DESCRIPTION) } : {}),
    ...(typeof mimeType === 'string' ? { mimeType: shorten(mimeType, MAX_DESCRIPTION) } : {}),
  };
}

/** @throws Error if the server fails, or has no such resource */
export async function readResource(client: McpClient, uri: string, signal: AbortSignal): Promise<ResourceContent[]> {
  if (client.readResource === undefined) throw new Error('it has no resources');
  const answer = await client.readResource({ uri }, { signal });
  const { contents } = isRecord(answer) ? answer : {};
  if (!Array.isArray(contents)) throw new Error('its answer to resources/read has no contents');
  return contents.filter(isRecord).map((content) => {
    const { mimeType, text, blob } = content;
    return {
      uri: typeof content['uri'] === 'string' ? content['uri'] : uri,
      ...(typeof mimeType === 'string' ? { mimeType } : {}),
      ...(typeof text === 'string' ? { text } : {}),
      ...(typeof blob === 'string' ? { blob } : {}),
    };
  });
}

/** As a model is shown it. */
export function resourceBlocks(contents: readonly ResourceContent[]): readonly ToolResultContent[] {
  return readToolResult({ content: contents.map((resource) => ({ type: 'resource', resource })) })?.content ?? [];
}
