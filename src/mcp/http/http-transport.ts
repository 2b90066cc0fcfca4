// MCP servers that are reached over HTTP, by the published client: Streamable HTTP, and the stream of events of older
// servers. Loaded with the first such server. One rule: every request settles, a connection that is lost says so, and headers of
// the definition go to the server's own origin and nowhere else.
import {
  InsufficientScopeError,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { HostClock } from '../../host/host.js';
import type { RoutedFetch } from '../../providers/http/index.js';
import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';
import type { BearerTokens } from '../oauth/index.js';
import {
  type McpTransport,
  NeedsAuthError,
  RpcError,
  SessionLostError,
  type TransportListeners,
} from '../transport.js';

/** The longest answer, and the longest event of a stream. Bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

type ServerFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** Contract: what the published client sets for itself stays, such as the id of the session. */
export function createServerFetch(
  fetch: RoutedFetch,
  server: URL,
  headers: Readonly<Record<string, string>>,
): ServerFetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const sent = new Headers(url.origin === server.origin ? headers : {});
    for (const [name, value] of new Headers(init.headers)) sent.set(name, value);
    const response = await fetch(url, { ...init, headers: sent });
    if (response.body === null) return response;
    const isStream =
      response.headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream') === true;
    const { status } = response;
    return new Response(response.body.pipeThrough(limited(isStream)), { status, headers: response.headers });
  };
}

/** Of a stream each event is measured by itself: an empty line ends one. */
function limited(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? lastEventEnd(chunk) : -1;
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end;
      if (bytes <= MAX_MESSAGE_BYTES) return controller.enqueue(chunk);
      controller.error(new Error(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`));
    },
  });
}

const LF = 0x0a;
const CR = 0x0d;

/** Behind the last two line ends that follow each other; -1 if there are none. */
function lastEventEnd(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] !== LF && chunk[at] !== CR) continue;
    const before = chunk[at] === LF && chunk[at - 1] === CR ? at - 2 : at - 1;
    if (before >= 0 && (chunk[before] === LF || chunk[before] === CR)) return at + 1;
  }
  return -1;
}

interface HttpTransportOptions {
  readonly kind: 'http' | 'sse';
  readonly url: URL;
  /** Of each connection, for all its requests. @throws Error in words that follow "it cannot be used:" */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Null if no token is ever sent. */
  readonly tokens: BearerTokens | null;
  readonly fetch: RoutedFetch;
  readonly clock: Pick<HostClock, 'after'>;
  /** Takes secrets out of what a server said. */
  hide(text: string): Promise<string>;
}

/** How often a stream that broke is asked for again before the connection counts as lost. */
const STREAM_RETRIES = { initialReconnectionDelay: 500, maxReconnectionDelay: 10_000, reconnectionDelayGrowFactor: 2 };
const MAX_STREAM_RETRIES = 4;
/** A server is told of the end of its session, and not waited for longer. */
const GOODBYE_MS = 1_000;
/** After so long without a word during a request, a stream that stands is tried. */
const SILENCE_MS = 30_000;
const PROBE_ID = 'turnwright-probe';
const TOLD_CHARACTERS = 600;
/** The code of an error that names the versions a server speaks. */
const UNSUPPORTED_VERSION = -32_022;

type Id = string | number;
type PublishedTransport = StreamableHTTPClientTransport | SSEClientTransport;

export function createHttpTransport(options: HttpTransportOptions): McpTransport {
  return new HttpTransport(options);
}

class HttpTransport implements McpTransport {
  readonly ended: Promise<string>;
  readonly #options: HttpTransportOptions;
  /** Requests without an answer, with what gives one of them up. */
  readonly #waiting = new Map<Id, AbortController>();
  #published: PublishedTransport | null = null;
  #listeners: TransportListeners | null = null;
  #settleEnded: (how: string) => void = () => undefined;
  #isStarted = false;
  #hasEnded = false;
  #closing: Promise<void> | null = null;
  /** What was sent before is there: what follows the handshake waits for it. */
  #order: Promise<void> = Promise.resolve();
  /** A stream of events began, and nothing came of it yet. */
  #isHeldBack = false;
  #starting: AbortSignal | null = null;
  #stopProbe: () => void = () => undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
  }

  async start(listeners: TransportListeners, signal: AbortSignal): Promise<void> {
    const { kind, url, tokens, fetch } = this.#options;
    this.#listeners = listeners;
    this.#starting = signal;
    const headers = await this.#options.headers();
    signal.throwIfAborted();
    const options = {
      fetch: this.#noting(createServerFetch(fetch, url, headers)),
      ...(tokens === null ? {} : { authProvider: tokens }),
    };
    const published =
      kind === 'sse'
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, {
            ...options,
            onInsufficientScope: 'throw',
            reconnectionOptions: { ...STREAM_RETRIES, maxRetries: MAX_STREAM_RETRIES },
          });
    this.#published = published;
    published.onmessage = (message) => this.#hear(message);
    published.onerror = (error) => void this.#onError(error);
    const opened = published.start();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('it did not answer in time.')), { once: true });
    });
    opened.catch(() => undefined); // told below, or after an abort nobody waits for it
    try {
      await Promise.race([opened, aborted]);
      this.#isStarted = true;
      this.#isHeldBack = false;
    } catch (error) {
      const told = await this.#told(error);
      await this.close();
      throw told;
    }
  }

  send(message: object, headers: Readonly<Record<string, string>> = {}): void {
    const { id, method, params } = message as { id?: Id; method?: string; params?: { requestId?: Id } };
    const controller = new AbortController();
    const isRequest = method !== undefined && id !== undefined;
    if (isRequest) this.#waiting.set(id, controller);
    const sent = this.#order.then(() => this.#post(message, isRequest ? id : null, controller.signal, headers));
    // The first requests must not overtake the end of the handshake.
    if (method === 'notifications/initialized') this.#order = sent;
    if (isRequest) this.#watch();
    const givenUp = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (givenUp !== undefined) void sent.then(() => this.#giveUp(givenUp));
  }

  /** Of a start that took too long: what could be seen of it. */
  async lastWords(): Promise<string> {
    const isMissing = this.#options.kind === 'sse' && !this.#isStarted;
    if (!this.#starting?.aborted || !(this.#isHeldBack || isMissing)) return '';
    return ' Its stream of events says nothing: perhaps a proxy on the way holds it back.';
  }

  setProtocolVersion(version: string): void {
    this.#published?.setProtocolVersion(version);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const published = this.#published;
    const isLost = this.#hasEnded;
    // Whoever ends it closes it, so it must be known that it closes.
    await Promise.resolve();
    this.#end('the session ended.');
    if (!isLost && published instanceof StreamableHTTPClientTransport && published.sessionId !== undefined)
      await this.#sayGoodbye(published);
    await published?.close();
    this.#options.fetch.close();
  }

  async #sayGoodbye(published: StreamableHTTPClientTransport): Promise<void> {
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(GOODBYE_MS, resolve);
    });
    // A server that is not there any more has no session to end.
    await Promise.race([published.terminateSession().catch(() => undefined), late]);
    cancel();
  }

  /** Never rejects. */
  async #post(
    message: object,
    id: Id | null,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const published = this.#published;
    if (published === null || this.#hasEnded) return;
    const onRequestStreamEnd = () => this.#lose(id, new Error('its answer broke off before it was whole'));
    try {
      const rpc = message as Parameters<StreamableHTTPClientTransport['send']>[0];
      if (published instanceof SSEClientTransport) await published.send(rpc as never);
      else await published.send(rpc, id === null ? {} : { requestSignal: signal, onRequestStreamEnd, headers });
    } catch (error) {
      if (signal.aborted || this.#closing !== null) return;
      const told = await this.#told(error);
      this.#lose(id, told);
      if (isLoss(error) || told instanceof SessionLostError) this.#end(`its connection was lost: ${told.message}`);
    }
  }

  /** A stream that began says so by its head. */
  #noting(fetch: ServerFetch): ServerFetch {
    return async (address, init) => {
      const response = await fetch(address, init);
      if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true)
        this.#isHeldBack = true;
      return response;
    };
  }

  #hear(message: unknown): void {
    this.#isHeldBack = false;
    const { id, method } = isRecord(message) ? message : {};
    this.#watch();
    if (method === undefined && id === PROBE_ID) return;
    if (method === undefined && (typeof id === 'number' || typeof id === 'string')) this.#waiting.delete(id);
    if (!this.#hasEnded) this.#listeners?.onMessage(message);
  }

  /** A request that has no answer by now gets none. */
  #lose(id: Id | null, error: Error): void {
    if (id === null || !this.#waiting.delete(id) || this.#hasEnded) return;
    this.#listeners?.onLost(JSON.stringify({ id }), error);
  }

  /** The server was told that the answer is not needed, so nobody listens for it. */
  #giveUp(id: Id): void {
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }

  /** Told beside requests, of streams that stand open; of requests too, which tell it themselves. */
  async #onError(error: Error): Promise<void> {
    if (this.#hasEnded) return;
    if (isGarbage(error)) return this.#listeners?.onGarbage(shorten(await this.#options.hide(error.message), 200));
    // Of a request it is told to that request first.
    if (isStatus(error, 404) && sessionOf(this.#published) !== undefined)
      this.#options.clock.after(0, () => this.#end(new SessionLostError().message));
    // A stream of an older server is the connection itself.
    if (error instanceof SseError && this.#isStarted)
      return this.#end(`its stream of events broke off${error.code === undefined ? '' : ` (HTTP ${error.code})`}.`);
    if (error.message.startsWith('Maximum reconnection attempts'))
      this.#end('its stream of events broke off and cannot be opened again.');
  }

  #end(how: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopProbe();
    this.#settleEnded(how);
    for (const controller of this.#waiting.values()) controller.abort();
    this.#waiting.clear();
    if (this.#closing === null) void this.close();
  }

  /** While somebody waits: a server that says nothing for a while is asked whether it is there. */
  #watch(): void {
    this.#stopProbe();
    if (this.#hasEnded || this.#waiting.size === 0) return;
    this.#stopProbe = this.#options.clock.after(SILENCE_MS, () => void this.#probe());
  }

  /** What fails at the level of connections ends the transport; a server that is only slow is left alone. */
  async #probe(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const ping = { jsonrpc: '2.0' as const, id: PROBE_ID, method: 'ping' };
    const { kind, clock } = this.#options;
    if (kind === 'sse') {
      // It takes messages while its stream says nothing: that stream leads nowhere.
      this.#stopProbe = clock.after(SILENCE_MS, () =>
        this.#end('its stream of events does not say anything any more.'),
      );
    }
    await this.#post(ping, null, new AbortController().signal);
    if (kind === 'http') this.#watch();
  }

  /** In words that follow the name of the server. */
  async #told(error: unknown): Promise<Error> {
    if (error instanceof NeedsAuthError || error instanceof SessionLostError) return error;
    if (error instanceof UnauthorizedError || isStatus(error, 401)) return refusedText(this.#options.tokens);
    if (error instanceof InsufficientScopeError) return (await this.#options.tokens?.needMore(error)) ?? error;
    if (error instanceof SdkHttpError) {
      const { status, text } = error.data as { status?: number; text?: string | null };
      if (status === 404 && sessionOf(this.#published) !== undefined) return new SessionLostError();
      // What a server says of a version of the protocol is for the client to read.
      const refused = status === 400 ? rpcErrorIn(text ?? '') : null;
      if (refused !== null) return refused;
      if (status !== undefined && status >= 300 && status < 400)
        return new Error(
          `it redirects to another address (HTTP ${status}), where its headers do not go. Write that address as its url, if it is the right one.`,
        );
      const said = shorten(await this.#options.hide(serverWords(text ?? '')), TOLD_CHARACTERS);
      return new Error(`it answered with HTTP ${status ?? 'nothing'}${said === '' ? '' : `: ${said}`}`);
    }
    if (error instanceof SseError) {
      const status = error.code === undefined ? '' : ` (HTTP ${error.code})`;
      return new Error(`its stream of events cannot be opened${status}: ${error.message}`);
    }
    return new Error(errorText(error));
  }
}

function sessionOf(published: PublishedTransport | null): string | undefined {
  return published instanceof StreamableHTTPClientTransport ? published.sessionId : undefined;
}

function isStatus(error: unknown, status: number): boolean {
  if (error instanceof SseError) return error.code === status;
  return error instanceof SdkHttpError && (error.data as { status?: number } | undefined)?.status === status;
}

/** Of a body that is an answer to a handshake in a version without one. */
function rpcErrorIn(text: string): RpcError | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; data?: unknown } };
    if (error?.code !== UNSUPPORTED_VERSION || typeof error.message !== 'string') return null;
    return new RpcError(error.code, shorten(error.message, TOLD_CHARACTERS), error.data);
  } catch {
    return null; // it is no message
  }
}

/** Nothing came at all. */
function isLoss(error: unknown): boolean {
  return error instanceof TypeError;
}

/** Something came that is no JSON, or no message. */
function isGarbage(error: Error): boolean {
  return error instanceof SyntaxError || error.name === 'ZodError' || error.name === '$ZodError';
}

function refusedText(tokens: BearerTokens | null): Error {
  if (tokens !== null) return new NeedsAuthError();
  return new Error('it refuses the credentials in its headers (HTTP 401).');
}

/** What an answer that is no success says, without its tags if it is a page. */
function serverWords(text: string): string {
  const words = text.trim();
  if (words.startsWith('<'))
    return words
      .replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  try {
    const { error, message } = JSON.parse(words) as { error?: unknown; message?: unknown };
    const inner = isRecord(error) ? error['message'] : (error ?? message);
    return typeof inner === 'string' ? inner : words;
  } catch {
    return words; // it is plain text
  }
}
