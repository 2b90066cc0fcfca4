// The MCP client of one server process: the handshake, the list of tools, calls, and what the server may ask. One rule:
// a process whose handshake failed is gone before that is told.
import type { HostClock } from '../../host/host.js';
import type { McpListedTool } from '../../protocol/mcp.js';
import type { UserAnswer, UserQuestion } from '../../tools/tool.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { listTools } from '../list-tools.js';
import type { StdioServerDefinition } from './definition.js';
import { createRpcPeer, type RpcPeer } from './rpc-peer.js';
import { MAX_MESSAGE_BYTES, type ServerPlace, type ServerProcess, startServerProcess } from './server-process.js';

/** Those whose messages are read, the newest first. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export interface ConnectPlace extends ServerPlace {
  readonly clock: Pick<HostClock, 'after'>;
  /** For the handshake and the first list, milliseconds; 0 for no limit. */
  readonly startTimeoutMs: number;
  /** Asks the user for a server; null where nobody can be asked. Contract: never rejects. */
  readonly elicit: ((question: UserQuestion, signal: AbortSignal, server: string) => Promise<UserAnswer>) | null;
}

export interface ConnectionListeners {
  /** It says that its tools are others now. */
  onToolsChanged(): void;
  /** It wrote something that is no message. */
  onGarbage(text: string): void;
}

export interface Connection {
  /** As of the handshake. */
  readonly tools: readonly McpListedTool[];
  /** As `ServerProcess.ended`. */
  readonly ended: Promise<string>;
  list(signal: AbortSignal): Promise<McpListedTool[]>;
  /** @throws Error where the server fails, ends, or the signal is aborted */
  call(params: object, signal: AbortSignal): Promise<unknown>;
  stop(): Promise<void>;
}

/** @throws Error with what went wrong, in words that follow "the server cannot be used:" */
export async function connectServer(
  definition: StdioServerDefinition,
  place: ConnectPlace,
  listeners: ConnectionListeners,
  signal: AbortSignal,
): Promise<Connection> {
  const why = (await definition.check?.()) ?? null;
  if (why !== null) throw new Error(why);
  const asked = createAsked(definition.name, place);
  let server: ServerProcess | null = null;
  const peer = createRpcPeer({
    send: (message) => server?.send(message),
    onRequest: (method, params) => answerServer(method, params, place.cwd, asked),
    onNotification: (method) => {
      if (method === 'notifications/tools/list_changed') listeners.onToolsChanged();
    },
    onGarbage: listeners.onGarbage,
  });
  const started = await startServerProcess(definition, place, {
    onLine: (line) => peer.receive(line),
    onTooLong: (head) => peer.lose(head, new Error(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`)),
  });
  server = started;
  const ended = started.ended.then((why) => {
    asked.stop();
    peer.close(new Error(why));
    return why;
  });
  try {
    const client = clientOf(peer);
    const tools = await withinTime(() => shakeHands(peer, client, place, asked.isPossible, signal), place, signal);
    return {
      tools,
      ended,
      list: (until) => listTools(client, place.clock, until),
      call: (params, until) => asked.during(() => peer.request('tools/call', params, until).finally(started.inspect)),
      stop: () => started.stop(),
    };
  } catch (error) {
    await started.stop();
    const words = errorText(error);
    throw new Error(words.includes('It said last: ') ? words : `${words}${await started.lastWords()}`);
  }
}

function clientOf(peer: RpcPeer) {
  return {
    listTools: async (params: { cursor?: string } = {}, options: { signal?: AbortSignal } = {}) =>
      (await peer.request('tools/list', params, options.signal ?? new AbortController().signal)) as {
        tools: McpListedTool[];
        nextCursor?: string;
      },
    callTool: async () => undefined,
  };
}

/** The time is for the whole handshake. */
async function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, startTimeoutMs }: ConnectPlace,
  signal: AbortSignal,
): Promise<T> {
  const { controller, release } = linkAbort(signal);
  let isLate = false;
  const expire = () => {
    isLate = true;
    controller.abort();
  };
  const cancel = startTimeoutMs === 0 ? () => undefined : clock.after(startTimeoutMs, expire);
  try {
    const done = await raceAbort(work(controller.signal), controller.signal);
    if (done !== ABORTED) return done;
    throw new Error(isLate ? `it did not get ready within ${startTimeoutMs} ms.` : 'the session ended.');
  } finally {
    cancel();
    release();
  }
}

async function shakeHands(
  peer: RpcPeer,
  client: ReturnType<typeof clientOf>,
  { clock }: ConnectPlace,
  canAsk: boolean,
  signal: AbortSignal,
): Promise<McpListedTool[]> {
  const answer = await peer.request(
    'initialize',
    {
      protocolVersion: PROTOCOL_VERSIONS[0],
      capabilities: { roots: {}, ...(canAsk ? { elicitation: {} } : {}) },
      clientInfo: { name: 'turnwright', version: VERSION },
    },
    signal,
  );
  const { protocolVersion, capabilities } = (answer ?? {}) as { protocolVersion?: unknown; capabilities?: unknown };
  if (!(PROTOCOL_VERSIONS as readonly unknown[]).includes(protocolVersion)) {
    throw new Error(
      `it speaks version ${JSON.stringify(protocolVersion)?.slice(0, 40)} of the protocol, which is not known here.`,
    );
  }
  peer.notify('notifications/initialized');
  const hasTools = (capabilities as { tools?: unknown } | null | undefined)?.tools !== undefined;
  return hasTools ? listTools(client, clock, signal) : [];
}

interface Asked {
  readonly isPossible: boolean;
  /** Questions are answered while a call is under way, and at no other time. */
  during<T>(call: () => Promise<T>): Promise<T>;
  answer(params: unknown): Promise<unknown>;
  stop(): void;
}

function createAsked(server: string, { elicit }: ConnectPlace): Asked {
  let calls = 0;
  let open = new AbortController();
  return {
    isPossible: elicit !== null,
    async during(call) {
      calls += 1;
      try {
        return await call();
      } finally {
        calls -= 1;
        if (calls === 0) {
          open.abort();
          open = new AbortController();
        }
      }
    },
    async answer(params) {
      const { message, requestedSchema } = (params ?? {}) as { message?: unknown; requestedSchema?: unknown };
      const isForm = typeof message === 'string' && typeof requestedSchema === 'object' && requestedSchema !== null;
      if (elicit === null || calls === 0 || !isForm) return { action: 'decline' };
      const answer = await elicit(
        { message, requestedSchema: requestedSchema as Record<string, unknown> },
        open.signal,
        server,
      );
      return answer.action === 'none' ? { action: 'cancel' } : answer;
    },
    stop: () => open.abort(),
  };
}

function answerServer(method: string, params: unknown, cwd: string, asked: Asked): Promise<unknown> | null {
  switch (method) {
    case 'ping':
      return Promise.resolve({});
    case 'roots/list':
      return Promise.resolve({ roots: [{ uri: folderUri(cwd), name: 'workspace' }] });
    case 'elicitation/create':
      return asked.isPossible ? asked.answer(params) : null;
    default:
      return null;
  }
}

function folderUri(folder: string): string {
  const parts = folder.split(/[\\/]/).map(encodeURIComponent).join('/');
  return `file://${parts.startsWith('/') ? '' : '/'}${parts}`;
}
