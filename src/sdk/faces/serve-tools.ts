// The tools of this engine as an MCP server: each call is one prompt of a session whose model asks for exactly that call, so
// permissions, hooks, the sandbox and limits are those of any session. One rule: nothing runs that a model here could not
// have run.
import { createRpcPeer, invalidParams } from '../../mcp/client/index.js';
import { RpcError } from '../../mcp/transport.js';
import type { ContentBlock, MessageParam, ModelEvent, ToolResultBlock } from '../../protocol/content.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { McpToolResultContent } from '../../protocol/mcp.js';
import type { SDKUserMessage } from '../../protocol/messages.js';
import { isRecord } from '../../util/json.js';
import { VERSION } from '../../util/version.js';
import type { Options } from '../options/index.js';
import { query } from '../query.js';
import type { Query } from '../query-controls.js';

/** Contract: `receive` takes one line of the client; `send` gets one for it. */
export interface ToolServer {
  receive(line: string): void;
  /** Ends the session with all that it runs. */
  close(): Promise<void>;
}

const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const PARSE_ERROR = -32_700;
/** What needs a model of its own, or a person. */
const NOT_SERVED = ['Agent', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ToolSearch'];
/** Results stay in the conversation, and nobody reads it. Tokens. */
const ENDLESS = 1_000_000_000;

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

interface Answer {
  readonly content: readonly McpToolResultContent[];
  readonly isError?: true;
}

/** @param options what may be done; nobody is asked, so what would be asked about is denied */
export function serveTools(options: Options, send: (line: string) => void): ToolServer {
  const session = createSession(options);
  const peer = createRpcPeer({
    send: (message) => send(JSON.stringify(message)),
    onNotification: () => undefined,
    onGarbage: () =>
      send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: 'no message' } })),
    onRequest(method, params, signal) {
      const given = isRecord(params) ? params : {};
      switch (method) {
        case 'initialize':
          return Promise.resolve(hello(given['protocolVersion']));
        case 'ping':
          return Promise.resolve({});
        case 'tools/list':
          return session.tools().then((tools) => ({ tools }));
        case 'tools/call':
          return session.call(given['name'], given['arguments'] ?? {}, signal);
        default:
          return null;
      }
    },
  });
  return {
    receive(line) {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: 'no JSON' } }));
      }
      peer.receive(message);
    },
    close: () => session.close(),
  };
}

function hello(asked: unknown): object {
  const protocolVersion = PROTOCOL_VERSIONS.find((version) => version === asked) ?? PROTOCOL_VERSIONS[0];
  return {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'turnwright', version: VERSION },
  };
}

/** What the model of the session is made to ask for, and what came of it. */
interface Job {
  readonly id: string;
  readonly call: { readonly name: string; readonly input: unknown } | null;
  result: Answer | null;
  offered: readonly Tool[];
  readonly settle: (error: Error | null) => void;
}

function createSession(options: Options) {
  let running: Promise<unknown> = Promise.resolve();
  let job: Job | null = null;
  let opened: Query | null = null;
  let tools: readonly Tool[] | null = null;
  let count = 0;
  const prompts = createPrompts();
  const open = (): Query => {
    if (opened !== null) return opened;
    const made = query({
      prompt: prompts.all(),
      options: {
        ...options,
        provider: { id: 'mcp-client', free: true, stream: (request) => reply(request.messages, request.tools, job) },
        disallowedTools: [...(options.disallowedTools ?? []), ...NOT_SERVED],
        permissionPrompts: 'none',
        persistSession: false,
        strictMcpConfig: true,
        toolSearch: 'never',
        autoCompact: false,
        contextWindow: ENDLESS,
      },
    });
    opened = made;
    void drain(made);
    return made;
  };
  const drain = async (session: Query): Promise<void> => {
    let why = new Error('the session ended');
    try {
      for await (const message of session) if (message.type === 'result') job?.settle(null);
    } catch (error) {
      if (error instanceof Error) why = error;
    }
    opened = null;
    job?.settle(why);
  };
  /** One at a time: calls may change what the next one finds. */
  const run = (call: Job['call'], signal: AbortSignal | null): Promise<Job> => {
    const before = running;
    const work = async (): Promise<Job> => {
      await before;
      signal?.throwIfAborted();
      let done: Job | null = null;
      const settled = new Promise<void>((resolve, reject) => {
        const settle = (error: Error | null) => (error === null ? resolve() : reject(error));
        count += 1;
        done = { id: `toolu_mcp_${count}`, call, result: null, offered: [], settle };
      });
      job = done;
      const session = open();
      const stop = () => void session.interrupt().catch(() => undefined); // it ended by itself
      signal?.addEventListener('abort', stop, { once: true });
      prompts.push(call === null ? 'Which tools are there?' : `Call ${call.name}.`);
      try {
        await settled;
      } finally {
        signal?.removeEventListener('abort', stop);
        job = null;
      }
      return done as unknown as Job;
    };
    const result = work();
    running = result.catch(() => undefined);
    return result;
  };
  const listed = async (): Promise<readonly Tool[]> => {
    tools ??= (await run(null, null)).offered;
    return tools;
  };
  return {
    tools: listed,
    async call(name: unknown, input: unknown, signal: AbortSignal): Promise<Answer> {
      if (typeof name !== 'string') throw invalidParams('tools/call needs the name of a tool.');
      if (!(await listed()).some((tool) => tool.name === name))
        throw invalidParams(`There is no tool ${name.slice(0, 100)}.`);
      const { result } = await run({ name, input }, signal);
      if (result === null) throw new RpcError(-32_603, 'The call ended without a result.');
      return result;
    },
    async close() {
      prompts.end();
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

/** Prompts as they come. */
function createPrompts() {
  const waiting: string[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  return {
    push(text: string) {
      waiting.push(text);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *all(): AsyncGenerator<SDKUserMessage> {
      while (!isOver) {
        const text = waiting.shift();
        if (text !== undefined)
          yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

type Offered = readonly { readonly name: string; readonly description?: string; readonly inputSchema?: JsonSchema }[];

/** Asks for the call first, and takes its result with the request after it. */
async function* reply(
  messages: readonly MessageParam[],
  offered: Offered,
  job: Job | null,
): AsyncGenerator<ModelEvent> {
  if (job !== null && job.offered.length === 0) job.offered = offered.map(asTool);
  const result = job === null ? null : resultOf(messages, job.id);
  if (job !== null && result !== null) job.result = answerOf(result);
  const call = job?.call ?? null;
  const isAsked = call !== null && result === null;
  yield {
    type: 'message_start',
    message: {
      id: `msg_${job?.id ?? 'mcp'}`,
      type: 'message',
      role: 'assistant',
      model: 'mcp-client',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    } as never,
  };
  if (isAsked && job !== null) {
    yield {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: job.id, name: call.name, input: {} },
    };
    const partial_json = JSON.stringify(call.input);
    yield { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } };
  } else {
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } };
  }
  yield { type: 'content_block_stop', index: 0 };
  const stop_reason = isAsked ? 'tool_use' : 'end_turn';
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } };
  yield { type: 'message_stop' };
}

function asTool({ name, description = '', inputSchema }: Offered[number]): Tool {
  return { name, description, inputSchema: inputSchema ?? { type: 'object' } };
}

function resultOf(messages: readonly MessageParam[], id: string): ToolResultBlock | null {
  for (const { content } of messages.toReversed()) {
    if (typeof content === 'string') continue;
    const found = content.find((block) => block.type === 'tool_result' && block.tool_use_id === id);
    if (found !== undefined) return found as ToolResultBlock;
  }
  return null;
}

function answerOf({ content = '', is_error }: ToolResultBlock): Answer {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return { content: blocks.map(asContent), ...(is_error === true ? { isError: true as const } : {}) };
}

function asContent(block: ContentBlock | { readonly type: string }): McpToolResultContent {
  if (block.type === 'text' && 'text' in block) return { type: 'text', text: block.text };
  const source = 'source' in block ? (block.source as { type?: string; data?: string; media_type?: string }) : {};
  if (block.type === 'image' && source.data !== undefined)
    return { type: 'image', data: source.data, mimeType: source.media_type ?? 'image/png' };
  if (source.data !== undefined) {
    const mimeType = source.media_type ?? 'application/octet-stream';
    return { type: 'resource', resource: { uri: `turnwright:${block.type}`, mimeType, blob: source.data } };
  }
  return { type: 'text', text: JSON.stringify(block) };
}
