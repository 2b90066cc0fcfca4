// One tool of an MCP server as a tool of the engine. It adds nothing of its own: the server validates and runs.
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { McpCallSession, McpClient, McpListedTool, McpRequestOptions } from '../protocol/mcp.js';
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
  /** Longest call, milliseconds; 0: no limit. Absent: as of any other tool. */
  readonly toolTimeoutMs?: number;
  /** Text of one result that a model sees, bytes; absent: the usual. */
  readonly maxShownBytes?: number;
  /** For servers of this process: the session that calls. */
  readonly session?: McpCallSession;
  /** Those that say something else of themselves than before; a call of one is asked about, and counts it as known. */
  readonly changed?: ChangedTools;
  /** Added to the server's description; '' for nothing. */
  readonly note: string;
}

export interface ChangedTools {
  has(tool: string): boolean;
  accept(tool: string): void;
}

const MAX_TITLE_LENGTH = 80;
/** What the published clients take for no limit. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

type Input = Record<string, unknown>;

/** `readOnly` follows the server's own hint: it decides on scheduling, never on whether a call may run. */
export function createMcpTool(options: McpToolOptions): AnyTool {
  const { name, server, listed, changed } = options;
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
    mustAsk: () =>
      changed?.has(listed.name) === true ? `the server ${server} changed what it says of this tool` : null,
    run(input, context) {
      // It was let run as it is now.
      changed?.accept(listed.name);
      return callServer(input, context, options);
    },
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
  { client, listed, server, toolTimeoutMs: own, maxShownBytes, session }: McpToolOptions,
): Promise<ToolOutcome<McpOutput>> {
  const toolTimeoutMs = own ?? context.toolTimeoutMs;
  const { controller, release } = linkAbort(context.signal);
  let isLate = false;
  let cancelTimer: () => void = () => undefined;
  const expire = () => {
    isLate = true;
    controller.abort(new DOMException('The time of the call is over.', 'TimeoutError'));
  };
  const wait = () => {
    cancelTimer();
    if (toolTimeoutMs > 0) cancelTimer = context.host.clock.after(toolTimeoutMs, expire);
  };
  wait();
  try {
    const answer = await raceAbort(
      requestCall(client, paramsOf(listed.name, input, context), {
        signal: controller.signal,
        timeout: toolTimeoutMs === 0 ? NO_TIMEOUT_MS : toolTimeoutMs,
        resetTimeoutOnProgress: true,
        ...(session === undefined ? {} : { session }),
        // A server that says how far it is is at work.
        onprogress(progress) {
          if (controller.signal.aborted) return;
          wait();
          context.tellProgress?.(progress);
        },
      }),
      controller.signal,
    );
    if (answer === ABORTED) throw new ToolError(isLate ? late(server, toolTimeoutMs) : 'The server was told to stop.');
    return await report(answer, server, context, maxShownBytes);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The MCP server ${server} failed: ${errorText(error)}`);
  } finally {
    cancelTimer();
    release();
  }
}

/** A trace goes on in the server, if one is recorded. */
function paramsOf(name: string, input: Input, { traceContext }: ToolContext): object {
  return { name, arguments: input, ...(traceContext === undefined ? {} : { _meta: traceContext }) };
}

/** Version 2 of the published client takes options second; version 1 takes a result schema there and options third. */
function requestCall(client: McpClient, params: object, options: McpRequestOptions): Promise<unknown> {
  const call = client.callTool as (...args: readonly unknown[]) => Promise<unknown>;
  return call.apply(client, call.length === 2 ? [params, options] : [params, undefined, options]);
}

async function report(
  answer: unknown,
  server: string,
  context: ToolContext,
  maxShownBytes?: number,
): Promise<ToolOutcome<McpOutput>> {
  // Whoever gets the data must be able to write it down.
  const whole = withoutDeeper(answer);
  const result = readToolResult(whole);
  if (result === null) throw new ToolError(`The MCP server ${server} gave an answer that is not a result of a tool.`);
  const { content, structuredContent, _meta } = whole as Readonly<Record<string, unknown>>;
  const data = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(_meta === undefined ? {} : { _meta }),
    ...(result.isError ? { isError: true } : {}),
  };
  const model = await capText(result.content, context, maxShownBytes);
  return { model: model.length === 0 ? '(no output)' : model, data, isError: result.isError };
}

function late(server: string, timeoutMs: number): string {
  return `The MCP server ${server} did not answer within ${timeoutMs} ms, and was told to stop. What it did is unknown.`;
}
