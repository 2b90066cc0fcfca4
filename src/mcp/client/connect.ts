// One connection to an MCP server over any transport: the handshake, the list of tools, requests, calls of tools that may run as tasks
// of the server, and what the server may ask. One rule: a transport whose handshake failed is gone before that is told.
import type { HostClock } from '../../host/host.js';
import type { McpListedPrompt, McpListedTool } from '../../protocol/mcp.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { listPages } from '../list-pages.js';
import type { McpServerDefinition } from '../server-definition.js';
import { createStdioTransport } from '../stdio/index.js';
import { type McpTransport, NeedsAuthError, RpcError, type TransportPlace } from '../transport.js';
import { createRpcPeer, type RequestOptions, type RpcPeer } from './rpc-peer.js';
import {
  type AskedParties,
  createServerRequests,
  type ServerRequests,
  URL_ELICITATION_REQUIRED,
} from './server-requests.js';
import { openStateless, STATELESS_VERSION, type StatelessServer } from './stateless.js';

/** Those whose messages are read, the newest first. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const CLIENT = { name: 'turnwright', version: VERSION };
const MAX_NAME = 200;
/** Of servers that speak a version without a handshake, and no other. */
const UNSUPPORTED_VERSION = -32_022;
const METHOD_NOT_FOUND = -32_601;

export interface ConnectPlace extends TransportPlace {
  /** For the handshake and the first list, milliseconds; 0 for no limit. */
  readonly startTimeoutMs: number;
  readonly asked: AskedParties;
}

interface ConnectionListeners {
  /** A notification that is no business of a request. */
  onNotification(method: string, params: unknown): void;
  /** It sent something that is no message. */
  onGarbage(text: string): void;
}

/** What a server said of itself in the handshake. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly name: string;
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** How to use it, as it says; '' if it says nothing. */
  readonly instructions: string;
}

export interface Connection {
  readonly facts: ServerFacts;
  /** As of the handshake. */
  readonly tools: readonly McpListedTool[];
  /** As of the handshake; none if the server failed to list them. */
  readonly prompts: readonly McpListedPrompt[];
  /** As `McpTransport.ended`. */
  readonly ended: Promise<string>;
  listTools(signal: AbortSignal): Promise<McpListedTool[]>;
  listPrompts(signal: AbortSignal): Promise<McpListedPrompt[]>;
  /** @throws Error if the server fails, ends, or the signal is aborted */
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params?: object): void;
  /** How many messages came from it. */
  readonly heard: number;
  /** Asks whether it is there: settles with whatever it says to that, also an error. @throws Error as `request` else */
  ping(signal: AbortSignal): Promise<void>;
  /** Has the user open the pages that a failed call names. False if one was not opened. */
  openPages: ServerRequests['openPages'];
  stop(): Promise<void>;
}

/** @throws Error with what went wrong, in words that follow "the server cannot be used:" */
export async function connectServer(
  definition: McpServerDefinition,
  place: ConnectPlace,
  listeners: ConnectionListeners,
  signal: AbortSignal,
): Promise<Connection> {
  const why = (await definition.check?.()) ?? null;
  if (why !== null) throw new Error(why);
  const asked = createServerRequests(definition.name, place.asked);
  const transport = await openTransport(definition, place);
  const peer = createRpcPeer({
    send: (message, headers) => transport.send(message, headers),
    onRequest: asked.answer,
    onNotification: listeners.onNotification,
    onGarbage: listeners.onGarbage,
  });
  /** How requests are made, once that is known. */
  let speaks: Pick<RpcPeer, 'request' | 'notify'> = peer;
  let stateless: StatelessServer | null = null;
  let heard = 0;
  const onMessage = (message: unknown) => {
    heard += 1;
    peer.receive(message);
  };
  const list =
    <Item>(what: string) =>
    (until: AbortSignal) =>
      listPages<Item>(
        what,
        (params, each) => speaks.request(`${what}/list`, params, { signal: each }),
        place.clock,
        until,
      );
  const ended = transport.ended.then((how) => {
    asked.stop();
    stateless?.close();
    peer.close(new Error(how));
    return how;
  });
  try {
    const begin = async (until: AbortSignal) => {
      const onGarbage = (text: string) => {
        peer.spoil(text);
        listeners.onGarbage(text);
      };
      await transport.start({ onMessage, onGarbage, onLost: peer.lose }, until);
      const facts = await shakeHands(peer, transport, asked, until).catch(async (error: unknown) => {
        if (!knowsNoHandshake(error)) throw error;
        const { capabilities: clientCapabilities, answer } = asked;
        const opening = openStateless(
          { peer, clientInfo: CLIENT, clientCapabilities, clock: place.clock, answer },
          until,
        );
        const opened = await opening.catch((why: unknown) => {
          throw why instanceof RpcError ? error : why;
        });
        stateless = opened;
        // It is told nothing without a question.
        speaks = { request: opened.request, notify: () => undefined };
        transport.setProtocolVersion?.(STATELESS_VERSION);
        return readFacts(opened.hello);
      });
      const has = (what: string) => facts.capabilities[what] !== undefined;
      const [tools, prompts] = await Promise.all([
        has('tools') ? list<McpListedTool>('tools')(until) : [],
        // Prompts that cannot be had are no reason to do without the tools.
        has('prompts') ? list<McpListedPrompt>('prompts')(until).catch(() => []) : [],
      ]);
      return { facts, tools, prompts };
    };
    return {
      ...(await withinTime(begin, place, signal)),
      ended,
      listTools: list<McpListedTool>('tools'),
      listPrompts: list<McpListedPrompt>('prompts'),
      openPages: asked.openPages,
      request: (method, params, options) =>
        asked.during(() =>
          speaks
            .request(method, params, options)
            .finally(() => (method === 'tools/call' ? transport.inspect?.() : null)),
        ),
      notify: (method, params) => speaks.notify(method, params),
      get heard() {
        return heard;
      },
      ping: async (until) => {
        await speaks.request('ping', {}, { signal: until }).catch((error: unknown) => {
          if (!(error instanceof RpcError)) throw error;
        });
      },
      stop: () => {
        stateless?.close();
        return transport.close();
      },
    };
  } catch (error) {
    await transport.close();
    if (error instanceof NeedsAuthError) throw error;
    const words = errorText(error);
    throw new Error(words.includes('It said last: ') ? words : `${words}${(await transport.lastWords?.()) ?? ''}`);
  }
}

/** Not started. */
async function openTransport(definition: McpServerDefinition, place: TransportPlace): Promise<McpTransport> {
  if ('open' in definition) return definition.open(place);
  return createStdioTransport(definition, place);
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
  transport: McpTransport,
  { capabilities }: ServerRequests,
  signal: AbortSignal,
): Promise<ServerFacts> {
  const hello = { protocolVersion: PROTOCOL_VERSIONS[0], capabilities, clientInfo: CLIENT };
  const facts = readFacts(await peer.request('initialize', hello, { signal }));
  if (!(PROTOCOL_VERSIONS as readonly string[]).includes(facts.protocolVersion)) {
    const version = JSON.stringify(facts.protocolVersion).slice(0, 40);
    throw new Error(`it speaks version ${version} of the protocol, which is not known here.`);
  }
  transport.setProtocolVersion?.(facts.protocolVersion);
  peer.notify('notifications/initialized');
  return facts;
}

function knowsNoHandshake(error: unknown): boolean {
  return error instanceof RpcError && (error.code === UNSUPPORTED_VERSION || error.code === METHOD_NOT_FOUND);
}

function readFacts(answer: unknown): ServerFacts {
  const { protocolVersion, capabilities, serverInfo, instructions } = isRecord(answer) ? answer : {};
  const { name, version } = isRecord(serverInfo) ? serverInfo : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    protocolVersion: text(protocolVersion),
    name: shorten(text(name), MAX_NAME),
    version: shorten(text(version), MAX_NAME),
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: text(instructions),
  };
}

/** How often a task is asked how far it is, if the server does not say. Milliseconds. */
const USUAL_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 30_000;

export async function callTool(
  connection: Connection,
  tool: McpListedTool,
  params: object,
  options: RequestOptions,
  clock: Pick<HostClock, 'after'>,
): Promise<unknown> {
  const call = () =>
    tool.execution?.taskSupport === 'required'
      ? runTask(connection, params, options, clock)
      : connection.request('tools/call', params, options);
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== URL_ELICITATION_REQUIRED) throw error;
    if (!(await connection.openPages(error.data, options.signal))) throw error;
    return call();
  }
}

async function runTask(
  connection: Connection,
  params: object,
  options: RequestOptions,
  clock: Pick<HostClock, 'after'>,
): Promise<unknown> {
  const begun = await connection.request('tools/call', { ...params, task: {} }, options);
  const task = isRecord(begun) && isRecord(begun['task']) ? begun['task'] : null;
  // A server may answer at once after all.
  if (task === null) return begun;
  const { taskId } = task;
  const cancel = () => {
    const late = AbortSignal.timeout(SHORTEST_POLL_MS * 10);
    connection.request('tasks/cancel', { taskId }, { signal: late }).catch(() => undefined); // it ends by itself then
  };
  options.signal.addEventListener('abort', cancel, { once: true });
  const ended = new AbortController();
  try {
    void follow(connection, task, options, clock, ended.signal);
    // Answered when the task has come to its end.
    return await connection.request('tasks/result', { taskId }, options);
  } finally {
    ended.abort();
    options.signal.removeEventListener('abort', cancel);
  }
}

/** Says how far the task is for as long as its result is waited for, so that its time does not run out. Never throws. */
async function follow(
  connection: Connection,
  begun: Readonly<Record<string, unknown>>,
  { onProgress }: RequestOptions,
  clock: Pick<HostClock, 'after'>,
  ended: AbortSignal,
): Promise<void> {
  let task = begun;
  for (let polls = 0; !ended.aborted; polls += 1) {
    const { status, statusMessage, pollInterval } = task;
    if (status !== 'working' && status !== 'input_required') return;
    const message = typeof statusMessage === 'string' ? statusMessage : String(status);
    onProgress?.({ progress: polls, message });
    const asked = typeof pollInterval === 'number' ? pollInterval : USUAL_POLL_MS;
    await pause(Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, asked)), clock, ended);
    if (ended.aborted) return;
    try {
      const answer = await connection.request('tasks/get', { taskId: begun['taskId'] }, { signal: ended });
      task = isRecord(answer) ? answer : {};
    } catch {
      return; // its result says what is wrong
    }
  }
}

function pause(ms: number, clock: Pick<HostClock, 'after'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const stop = () => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
