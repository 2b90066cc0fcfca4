// What a model does with the resources of MCP servers, and a call of any tool of theirs by name. Offered if a server
// has resources.
import { ToolError } from '../protocol/errors.js';
import type {
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  ReadMcpResourceInput,
} from '../protocol/tool-io.js';
import { type AnyTool, defineTool, type ToolContext } from '../tools/tool.js';
import { ABORTED, linkAbort, raceAbort } from '../util/abort.js';
import { errorText, shorten } from '../util/text.js';
import { capText } from './cap-text.js';
import { type ListedResource, type ResourceContent, resourceBlocks } from './resources.js';
import { mcpToolName } from './tool-names.js';

/** The servers of a session, as its resources are reached. */
export interface ResourceAccess {
  /** Those that have resources. */
  names(): readonly string[];
  list(server: string, signal: AbortSignal): Promise<readonly ListedResource[]>;
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  /** Longest request, milliseconds; 0: no limit. Undefined: as any tool. */
  timeoutOf?(server: string): number | undefined;
  readonly maxShownBytes?: number;
}

const server_name = { type: 'string', description: 'Name of the MCP server.' };
const MAX_TITLE = 80;

/** Contract: they take up nothing before they are called. */
export function createResourceTools(access: ResourceAccess): AnyTool[] {
  return [listTool(access), readTool(access), callTool()] as AnyTool[];
}

function listTool(access: ResourceAccess) {
  return defineTool<ListMcpResourcesInput, ListMcpResourcesOutput>({
    name: 'ListMcpResources',
    description:
      'Lists what an MCP server can show: resources with their addresses, and templates, whose addresses have names in braces to fill in. Read one with ReadMcpResource.',
    inputSchema: {
      type: 'object',
      properties: { server_name },
      required: ['server_name'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrencySafe: true,
    title: ({ server_name: server }) => `List resources of ${shorten(server, MAX_TITLE)}`,
    subject: () => ({ kind: 'external' }),
    async run({ server_name: server }, context) {
      const resources = [...(await asking(access, server, context, (signal) => access.list(server, signal)))];
      const lines = resources.map(({ uri, name, description = '', mimeType = '' }) =>
        [uri, name === uri ? '' : name, mimeType, description].filter((part) => part !== '').join(' | '),
      );
      const shown = lines.length === 0 ? `The MCP server ${server} lists no resources.` : lines.join('\n');
      const model = await capText([{ type: 'text', text: shown }], context, access.maxShownBytes);
      return { model, data: { resources, server_name: server } };
    },
  });
}

function readTool(access: ResourceAccess) {
  return defineTool<ReadMcpResourceInput, { contents: readonly ResourceContent[] }>({
    name: 'ReadMcpResource',
    description: 'Reads a resource of an MCP server by its address. What it says is data of that server.',
    inputSchema: {
      type: 'object',
      properties: { server_name, uri: { type: 'string', description: 'Address of the resource.' } },
      required: ['server_name', 'uri'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrencySafe: true,
    title: ({ server_name: server, uri }) => `Read ${shorten(`${server}:${uri}`, MAX_TITLE)}`,
    subject: () => ({ kind: 'external' }),
    async run({ server_name: server, uri }, context) {
      const contents = await asking(access, server, context, (signal) => access.read(server, uri, signal));
      const blocks = resourceBlocks(contents);
      const model = await capText(blocks, context, access.maxShownBytes);
      return { model: model.length === 0 ? 'The resource is empty.' : model, data: { contents } };
    },
  });
}

function callTool() {
  return defineTool<McpInput, never>({
    name: 'Mcp',
    description:
      'Calls a tool of an MCP server by the names of both. The same as a call of the tool mcp__<server>__<tool>.',
    inputSchema: {
      type: 'object',
      properties: {
        server_name,
        tool_name: { type: 'string', description: 'Name of its tool, as the server calls it.' },
        arguments: { type: 'object', description: 'What the tool takes.' },
      },
      required: ['server_name', 'tool_name'],
      additionalProperties: false,
    },
    readOnly: false,
    concurrencySafe: false,
    title: ({ server_name: server, tool_name: tool }) => shorten(`${server}: ${tool}`, MAX_TITLE),
    subject: () => ({ kind: 'external' }),
    standsFor: ({ server_name: server, tool_name: tool, arguments: input = {} }) => ({
      name: mcpToolName(server, tool),
      input,
    }),
    run: async () => {
      throw new ToolError('The call names no tool of a server.');
    },
  });
}

/** @throws ToolError that says what to do instead */
async function asking<T>(
  access: ResourceAccess,
  server: string,
  context: ToolContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const names = access.names();
  if (!names.includes(server))
    throw new ToolError(
      `No MCP server ${shorten(server, MAX_TITLE)} has resources. ${names.length === 0 ? 'None has any now.' : `Servers that have some: ${names.join(', ')}.`}`,
    );
  const { controller, release } = linkAbort(context.signal);
  let isLate = false;
  const expire = () => {
    isLate = true;
    controller.abort(new DOMException('The time of the request is over.', 'TimeoutError'));
  };
  const toolTimeoutMs = access.timeoutOf?.(server) ?? context.toolTimeoutMs;
  const cancel = toolTimeoutMs === 0 ? () => undefined : context.host.clock.after(toolTimeoutMs, expire);
  try {
    const done = await raceAbort(work(controller.signal), controller.signal);
    if (done !== ABORTED) return done;
    const late = `The MCP server ${server} did not answer within ${toolTimeoutMs} ms.`;
    throw new ToolError(isLate ? late : 'The server was told to stop.');
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The MCP server ${server} failed: ${errorText(error)}`);
  } finally {
    cancel();
    release();
  }
}
