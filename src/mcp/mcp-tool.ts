// One tool of an MCP server as a tool of the engine. It adds nothing of its own: the server validates and runs.
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { McpClient, McpListedTool, McpRequestOptions } from '../protocol/mcp.js';
import type { McpOutput } from '../protocol/tool-io.js';
import { type AnyTool, defineTool, type ToolContext, type ToolOutcome } from '../tools/tool.js';
import { ABORTED, linkAbort, raceAbort } from '../util/abort.js';
import { withoutDeeper } from '../util/nesting.js';
import { errorText, shorten, toWellFormed } from '../util/text.js';
import { capText } from './cap-text.js';
import { readToolResult } from './result-content.js';

export interface McpToolOptions {
  /** As a model sees it. */
  readonly name: string;
  readonly server: string;
  readonly client: McpClient;
  readonly listed: McpListedTool;
  readonly inputSchema: JsonSchema;
  /** Longest call, milliseconds; 0, the default: as of any other tool. */
  readonly toolTimeoutMs?: number;
  /** Added to the server's description; '' for nothing. */
  readonly note: string;
}

const MAX_TITLE_LENGTH = 80;
/** What the published clients take for no limit. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

type Input = Record<string, unknown>;

/** `readOnly` follows the server's own hint: it decides on scheduling, never on whether a call may run. */
export function createMcpTool(options: McpToolOptions): AnyTool {
  const { name, server, listed } = options;
  const title = shorten(listed.annotations?.title ?? listed.title ?? listed.name, MAX_TITLE_LENGTH);
  const description = listed.description ?? `The tool ${listed.name} of the MCP server ${server}.`;
  const readOnly = listed.annotations?.readOnlyHint === true;
  return defineTool<Input, McpOutput>({
    name,
    description: toWellFormed([description, options.note].filter((text) => text !== '').join('\n\n')),
    inputSchema: options.inputSchema,
    readOnly,
    concurrencySafe: readOnly,
    ...loadingOf(listed),
    title: () => `${server}: ${title}`,
    subject: () => ({ kind: 'external' }),
    run: (input, context) => callServer(input, context, options),
  }) as AnyTool;
}

/** What a server says of when its tool is defined, and what it is found by. */
function loadingOf({ _meta: meta }: McpListedTool): Pick<AnyTool, 'deferrable' | 'searchHint'> {
  const hint = meta?.['anthropic/searchHint'];
  return {
    ...(meta?.['anthropic/alwaysLoad'] === true ? {} : { deferrable: 'server' }),
    ...(typeof hint === 'string' ? { searchHint: toWellFormed(hint) } : {}),
  };
}

async function callServer(
  input: Input,
  context: ToolContext,
  { client, listed, server, toolTimeoutMs: own = 0 }: McpToolOptions,
): Promise<ToolOutcome<McpOutput>> {
  const { signal } = context;
  const toolTimeoutMs = own === 0 ? context.toolTimeoutMs : own;
  const { controller, release } = linkAbort(signal);
  let isLate = false;
  const cancelTimer =
    toolTimeoutMs === 0
      ? () => undefined
      : context.host.clock.after(toolTimeoutMs, () => {
          isLate = true;
          controller.abort();
        });
  try {
    const options = { signal: controller.signal, timeout: toolTimeoutMs === 0 ? NO_TIMEOUT_MS : toolTimeoutMs };
    const answer = await raceAbort(requestCall(client, listed.name, input, options), controller.signal);
    if (answer === ABORTED) throw new ToolError(isLate ? late(server, toolTimeoutMs) : 'The server was told to stop.');
    return await report(answer, server, context);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The MCP server ${server} failed: ${errorText(error)}`);
  } finally {
    cancelTimer();
    release();
  }
}

/** Version 2 of the published client takes options second; version 1 takes a result schema there and options third. */
function requestCall(client: McpClient, name: string, input: Input, options: McpRequestOptions): Promise<unknown> {
  const call = client.callTool as (...args: readonly unknown[]) => Promise<unknown>;
  const params = { name, arguments: input };
  return call.apply(client, call.length === 2 ? [params, options] : [params, undefined, options]);
}

async function report(answer: unknown, server: string, context: ToolContext): Promise<ToolOutcome<McpOutput>> {
  // Whoever gets the data must be able to write it down.
  const whole = withoutDeeper(answer);
  const result = readToolResult(whole);
  if (result === null) throw new ToolError(`The MCP server ${server} gave an answer that is no result of a tool.`);
  const { content, structuredContent } = whole as { content?: unknown; structuredContent?: unknown };
  const data = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(result.isError ? { isError: true } : {}),
  };
  const model = await capText(result.content, context);
  return { model: model.length === 0 ? '(no output)' : model, data, isError: result.isError };
}

function late(server: string, timeoutMs: number): string {
  return `The MCP server ${server} did not answer within ${timeoutMs} ms, and was told to stop. What it did is unknown.`;
}
