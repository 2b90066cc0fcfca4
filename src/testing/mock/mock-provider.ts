// A model API on loopback that follows a script: the stream of the chosen API over real HTTP, with every fault a wire can
// have.
// Like the real one it refuses an invalid request with 400; unlike it, it remembers what it was asked.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Usage } from '../../protocol/content.js';
import { raceAbort } from '../../util/abort.js';
import { createScriptIds, DEFAULT_CHUNK_SIZE } from '../model/index.js';
import { type ChatServer, formatViolations, isRecord, MAX_BODY_BYTES, type WireViolation } from '../wire/index.js';
import { CHAT_WIRE } from './mock-chat.js';
import { type Exchange, type ExchangeEnd, writeAnswer, writeError } from './mock-exchange.js';
import { RESPONSES_WIRE } from './mock-responses.js';
import {
  MESSAGES_WIRE,
  type MockAnswer,
  type MockApi,
  type MockFunction,
  type MockStep,
  type MockWire,
} from './mock-wire.js';

export interface MockProviderOptions {
  /** The protocol spoken. Default `anthropic`. */
  readonly api?: MockApi;
  /**
   * Whose server it plays, with `api: 'openai-chat'`: `compatible` takes the fields for thinking that DeepSeek, Qwen, vLLM,
   * OpenRouter and others have. Default `openai`.
   */
  readonly server?: ChatServer;
  /** Answers by order of arrival, or one function for all. Default: a short text for every request. */
  readonly steps?: readonly MockStep[] | MockFunction;
  /** Characters of one delta. Default 16. */
  readonly chunkSize?: number;
  /** Figures for every reply that does not bring its own. */
  readonly usage?: Partial<Usage>;
  /** How many of the last requests are kept in `requests`. Default all. */
  readonly keepRequests?: number;
}

/** One request as it came. */
export interface MockRequest {
  /** Counts the requests of the server from 0. */
  readonly index: number;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; the raw text if it is not JSON. */
  readonly body: unknown;
  /** Size of the body, counted up to 64 MB. */
  readonly bytes: number;
  /** Counts the connections of the server from 1: equal for requests that shared a socket. */
  readonly connection: number;
  /** Settles when the exchange is over. Never rejects. */
  readonly ended: Promise<ExchangeEnd>;
}

export interface MockProvider {
  /**
   * `http://127.0.0.1:port`. The API is at `/v1/messages` below it, or `/chat/completions`, or `/responses`, behind any
   * path prefix.
   */
  readonly url: string;
  readonly requests: readonly MockRequest[];
  readonly violations: readonly WireViolation[];
  /** Connections opened so far. */
  readonly connections: number;
  /** Steps that were not asked for yet; 0 if one function answers. */
  readonly remaining: number;
  /** Settles when `count` requests have come in, all told. */
  waitForRequests(count: number): Promise<void>;
  /** Throws if a request was invalid or found no step, a step function threw, or steps are left. */
  assertClean(): void;
  /** Destroys every socket and stops listening. May be called twice. */
  close(): Promise<void>;
}

const WIRES: Readonly<Record<MockApi, MockWire>> = {
  anthropic: MESSAGES_WIRE,
  'openai-chat': CHAT_WIRE,
  'openai-responses': RESPONSES_WIRE,
};

/** A body beyond the API's own limit is still read up to here, to be answered with 413. */
const READ_LIMIT = 2 * MAX_BODY_BYTES;

/**
 * Starts a mock of the model API on 127.0.0.1 and a free port.
 * Contract: speaks to clients of this machine only; call `close()` at the end, or the process stays alive.
 *
 * @example
 * const provider = await startMockProvider({ steps: [{ status: 529 }, text('hello')] });
 */
export async function startMockProvider(options: MockProviderOptions = {}): Promise<MockProvider> {
  const state = createState(options);
  const connections = new Map<Socket, number>();
  let opened = 0;
  const server = createServer((incoming, response) => {
    const connection = connections.get(incoming.socket) ?? 0;
    answer(incoming, response, connection, state).catch((error: unknown) => {
      state.problems.push(`The mock provider failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 0; // a kept connection dies with the server only, never by the clock
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    connections.set(socket, ++opened);
    socket.once('close', () => connections.delete(socket));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    violations: state.violations,
    get connections() {
      return opened;
    },
    get remaining() {
      return state.remaining();
    },
    waitForRequests: state.waitForRequests,
    assertClean: () => assertClean(state),
    close: () => closeServer(server, connections.keys()),
  };
}

type State = ReturnType<typeof createState>;

function createState(options: MockProviderOptions) {
  const steps = options.steps ?? (() => ({}));
  const wire = WIRES[options.api ?? 'anthropic'];
  const requests: MockRequest[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  let seen = 0;
  let taken = 0;
  return {
    options,
    ids: createScriptIds(),
    wire,
    check: wire.createCheck(options.server),
    requests,
    violations: [] as WireViolation[],
    problems: [] as string[],
    remaining: () => (typeof steps === 'function' ? 0 : Math.max(0, steps.length - taken)),
    /** The next step, or undefined if the script is over. */
    takeStep: (): MockStep | undefined => (typeof steps === 'function' ? steps : steps[taken++]),
    nextIndex: () => seen++,
    record(request: MockRequest): void {
      requests.push(request);
      if (requests.length > (options.keepRequests ?? Number.POSITIVE_INFINITY)) requests.shift();
      for (const waiter of waiters.splice(0)) {
        if (seen >= waiter.count) waiter.resolve();
        else waiters.push(waiter);
      }
    },
    waitForRequests: (count: number): Promise<void> =>
      seen >= count ? Promise.resolve() : new Promise((resolve) => waiters.push({ count, resolve })),
  };
}

/** Reads one request, records it, and writes its answer. */
async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  connection: number,
  state: State,
): Promise<void> {
  const raw = await readBody(incoming);
  if (raw === null) return; // the client went away before its request was whole
  const body = parseBody(raw);
  const index = state.nextIndex();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.on('error', () => undefined); // a write that lost the race against the client's leaving; `gone` tells
  const exchange = createExchange(response, gone.signal, body, raw.length, state);
  const end = createEnd();
  state.record({
    index,
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    bytes: raw.length,
    connection,
    ended: end.promise,
  });
  try {
    const outcome = await respond(incoming, body, raw.length, index, exchange, state);
    end.resolve(outcome === 'answered' ? await waitForFinish(response, gone.signal) : outcome);
  } finally {
    end.resolve('cut'); // counts only if `respond` threw: a promise settles once
  }
}

async function respond(
  incoming: IncomingMessage,
  body: unknown,
  bytes: number,
  index: number,
  exchange: Exchange,
  state: State,
): Promise<ExchangeEnd> {
  const path = (incoming.url ?? '').split('?')[0] ?? '';
  if (incoming.method !== 'POST' || !path.endsWith(state.wire.path)) {
    return writeError(exchange, 404, 'not_found_error', `Not found: ${incoming.method} ${path}`);
  }
  const check = state.check.checkBody(body, bytes);
  if (check.violations.length > 0) {
    state.violations.push(...check.violations);
    const tooLarge = check.violations.some((violation) => violation.code === 'body_too_large');
    const [status, type] = tooLarge ? [413, 'request_too_large'] : [400, 'invalid_request_error'];
    return writeError(exchange, status, type, formatViolations(check.violations));
  }
  const step = await resolveStep(state.takeStep(), body, index, state);
  if (typeof step === 'string') return writeError(exchange, 400, 'invalid_request_error', step);
  return await writeAnswer(step, exchange);
}

/** An answer counts when the system has all of it; a client that left before that has abandoned it. */
async function waitForFinish(response: ServerResponse, gone: AbortSignal): Promise<ExchangeEnd> {
  if (!response.writableFinished) {
    await raceAbort(new Promise<void>((resolve) => response.once('finish', resolve)), gone);
  }
  return response.writableFinished ? 'answered' : 'abandoned';
}

/** The answer of a step, or the text of what is wrong with it. */
async function resolveStep(
  step: MockStep | undefined,
  body: unknown,
  index: number,
  state: State,
): Promise<MockAnswer | string> {
  let problem: string;
  if (step === undefined) problem = `mock provider: request ${index + 1} has no step. It asked: ${describeAsk(body)}`;
  else if (typeof step !== 'function') return step;
  else {
    try {
      return await step(body, index);
    } catch (error) {
      problem = `mock provider: the step function threw at request ${index + 1}: ${String(error)}`;
    }
  }
  state.problems.push(problem);
  return problem;
}

function createExchange(
  response: ServerResponse,
  gone: AbortSignal,
  body: unknown,
  bytes: number,
  state: State,
): Exchange {
  const model = isRecord(body) && typeof body['model'] === 'string' ? body['model'] : 'unknown';
  const chunkSize = Math.max(1, state.options.chunkSize ?? DEFAULT_CHUNK_SIZE);
  return {
    wire: state.wire,
    response,
    gone,
    requestId: state.ids.next('req'),
    wantsStream: isRecord(body) && body['stream'] === true,
    reply: { model, ids: state.ids, requestSize: bytes, chunkSize },
    usage: state.options.usage ?? {},
    onReply: state.check.noteReply,
  };
}

/** The whole body, cut at the read limit, or null if the client went away. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      if (size < READ_LIMIT) chunks.push(chunk);
      size += chunk.length;
    }
  } catch {
    return null; // reset by the client: there is nobody to answer
  }
  return Buffer.concat(chunks);
}

function parseBody(raw: Buffer): unknown {
  const source = raw.toString('utf8');
  try {
    return JSON.parse(source);
  } catch {
    return source; // the validator reports it as body_invalid
  }
}

function describeAsk(body: unknown): string {
  const list = isRecord(body) ? (body['messages'] ?? body['input']) : undefined;
  const messages = Array.isArray(list) ? (list as unknown[]) : [];
  return (JSON.stringify(messages.at(-1)) ?? 'nothing').slice(0, 300);
}

function createEnd(): { readonly promise: Promise<ExchangeEnd>; readonly resolve: (end: ExchangeEnd) => void } {
  let resolve: (end: ExchangeEnd) => void = () => undefined;
  const promise = new Promise<ExchangeEnd>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function assertClean(state: State): void {
  const problems = [...state.problems];
  if (state.violations.length > 0) problems.push(formatViolations(state.violations));
  if (state.remaining() > 0) problems.push(`${state.remaining()} steps were not asked for.`);
  if (problems.length > 0) throw new Error(`The mock provider is not clean.\n${problems.join('\n')}`);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function closeServer(server: Server, sockets: Iterable<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
