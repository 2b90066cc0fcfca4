// Model requests over node:http and node:https with one keep-alive agent for each provider instance.
// Rule: idle sockets never hold the process, and a body that is no longer wanted never holds a socket for long.
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { HostClock } from '../../host/host.js';
import type { ModelError } from '../../protocol/errors.js';
import { DOORS } from '../doors.js';
import {
  closedError,
  decideRedirect,
  type HttpExchange,
  type HttpRequest,
  type HttpTransport,
  type ResponseSink,
} from './http-exchange.js';
import type { UnpackedBody } from './unpack-body.js';

/** The part of node:http or node:https that is needed. */
export interface NodeHttp {
  readonly Agent: new (options: object) => Agent;
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

export interface AgentOptions {
  readonly keepAlive: boolean;
  readonly timeout: number;
  readonly maxFreeSockets: number;
}

/** How connections are made, if it is not straight and plain. */
export interface Via {
  readonly agent: Agent;
  /** What is asked of whom, if a proxy takes the request itself. */
  adapt?(options: RequestOptions, to: URL): RequestOptions;
  /** What a failed connection means there. */
  explain?(error: Error): Error;
  /** Instead of `agent.destroy()`. */
  close?(): void;
}

/** An idle socket is closed after this, or earlier if the server announces a shorter keep-alive. */
const IDLE_SOCKET_MS = 55_000;
const MAX_IDLE_SOCKETS = 16;
/** Bytes of a body that is joined before it is written: to copy as many costs less than a write for each piece. */
const JOINED = 256 * 1024;
/** How long an unwanted rest of a body may keep its connection. */
const RELEASE_MS = 1_000;

/** @param openVia makes the way of the connections; absent: straight */
export function createNodeTransport(
  http: NodeHttp,
  clock: Pick<HostClock, 'after'>,
  openVia?: (options: AgentOptions) => Via,
): HttpTransport {
  // The agent unrefs sockets while they are idle and refs them while they are in use.
  const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: MAX_IDLE_SOCKETS };
  const via = openVia?.(options) ?? { agent: new http.Agent(options) };
  const open = new Set<NodeExchange>();
  return {
    send(request, sink) {
      const exchange = new NodeExchange(http, via, clock, request, sink, () => open.delete(exchange));
      open.add(exchange);
      return exchange;
    },
    close() {
      for (const exchange of open) exchange.abandon();
      if (via.close === undefined) via.agent.destroy();
      else via.close();
    },
  };
}

class NodeExchange implements HttpExchange {
  readonly #http: NodeHttp;
  readonly #via: Via;
  readonly #clock: Pick<HostClock, 'after'>;
  readonly #request: HttpRequest;
  readonly #onClosed: () => void;
  #sink: ResponseSink | null;
  /** Kept for a redirect only, until the response is there. */
  #body: readonly Uint8Array[] | null;
  #sent: ClientRequest;
  #response: IncomingMessage | null = null;
  #stopReleaseTimer: (() => void) | null = null;
  /** The body as it is unpacked; null for one that came as it is. */
  #unpacked: UnpackedBody | null = null;
  /** The connection broke off while what had arrived was still being unpacked. */
  #describeCut: (() => Promise<ModelError>) | null = null;

  constructor(
    http: NodeHttp,
    via: Via,
    clock: Pick<HostClock, 'after'>,
    request: HttpRequest,
    sink: ResponseSink,
    onClosed: () => void,
  ) {
    this.#http = http;
    this.#via = via;
    this.#clock = clock;
    this.#request = request;
    this.#body = typeof request.body === 'string' ? [Buffer.from(request.body, 'utf8')] : request.body;
    this.#sink = sink;
    this.#onClosed = onClosed;
    this.#sent = this.#send(request.url, 0);
  }

  pause(): void {
    (this.#unpacked ?? this.#response)?.pause();
  }

  resume(): void {
    (this.#unpacked ?? this.#response)?.resume();
  }

  release(): void {
    this.#sink = null;
    this.#dropUnpacked();
    const response = this.#response;
    if (response === null || response.destroyed) {
      this.cancel();
    } else if (response.readableEnded) {
      this.#settle();
    } else {
      response.socket.unref();
      response.resume();
      this.#stopReleaseTimer = this.#clock.after(RELEASE_MS, () => this.cancel());
    }
  }

  cancel(): void {
    this.#sink = null;
    this.#settle();
    this.#sent.destroy();
  }

  /** The transport is closing under the exchange. */
  abandon(): void {
    this.#fail(closedError);
    this.#sent.destroy();
  }

  #send(url: URL, followed: number): ClientRequest {
    const body = this.#body ?? [];
    const length = body.reduce((sum, piece) => sum + piece.length, 0);
    const { method = 'POST', headers } = this.#request;
    const via = this.#via;
    const options: RequestOptions = {
      method,
      agent: via.agent,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? undefined : url.port,
      path: url.pathname + url.search,
      headers: {
        'accept-encoding': 'identity',
        ...headers,
        ...(method === 'POST' ? { 'content-length': length } : {}),
      },
    };
    const sent = this.#http.request(via.adapt?.(options, url) ?? options, (response) =>
      this.#receive(url, response, followed),
    );
    // Also hears errors after the end of the exchange, so that none is ever unhandled.
    sent.on('error', (error) => {
      if (sent !== this.#sent) return;
      this.#fail(async () => {
        const cause = via.explain?.(error) ?? error;
        return (await DOORS.httpFailures()).connectionError(url, cause);
      });
    });
    // They wait for the connection, and leave in one write.
    if (length <= JOINED) sent.end(body.length === 1 ? body[0] : Buffer.concat(body, length));
    else {
      for (const piece of body) sent.write(piece);
      sent.end();
    }
    return sent;
  }

  #receive(url: URL, response: IncomingMessage, followed: number): void {
    const status = response.statusCode ?? 0;
    const redirect = this.#request.keepsRedirects
      ? null
      : decideRedirect(url, status, response.headers.location ?? null, followed, this.#request.method);
    if (redirect?.kind === 'follow') {
      response.on('error', () => undefined); // the rest of a redirect's body is of no interest
      response.resume();
      this.#sent = this.#send(redirect.url, followed + 1);
      return;
    }
    if (redirect?.kind === 'refuse') {
      this.#fail(async () => (await DOORS.httpFailures()).redirectError(url, redirect.to, status));
      this.#sent.destroy();
      return;
    }
    this.#response = response;
    this.#body = null;
    response.on('error', (error) => this.#cut(url, status, error));
    response.on('close', () => this.#cut(url, status));
    const packing = response.headers['content-encoding'] ?? '';
    if (packing !== '' && packing.toLowerCase() !== 'identity') {
      void this.#unpack(url, response, status, packing);
      return;
    }
    response.on('end', () => this.#end());
    this.#sink?.head(status, (name) => headerText(response.headers[name]));
    response.on('data', (chunk: Buffer) => this.#sink?.data(chunk));
  }

  /** Until it is known how, nothing is read. */
  async #unpack(url: URL, response: IncomingMessage, status: number, packing: string): Promise<void> {
    const { KNOWN_PACKINGS, unpackBody } = await DOORS.packings();
    if (this.#sink === null) return;
    const unpacked = unpackBody(response, packing, {
      data: (chunk) => this.#sink?.data(chunk),
      end: () => (this.#describeCut === null ? this.#end() : this.#fail(this.#describeCut)),
      fail: (reason) => {
        this.#fail(async () => (await DOORS.httpFailures()).unpackError(url, status, packing, reason));
        this.#sent.destroy();
      },
    });
    if (unpacked === null && status < 400) {
      this.#fail(async () => (await DOORS.httpFailures()).packingError(url, status, packing, KNOWN_PACKINGS));
      this.#sent.destroy();
      return;
    }
    this.#unpacked = unpacked;
    response.on('end', () => (this.#unpacked === null ? this.#end() : undefined));
    this.#sink.head(status, (name) => headerText(response.headers[name]));
    // Of a failure in a packing that nobody knows the status says enough.
    if (unpacked === null) response.resume();
  }

  /** The connection is gone; after the end of the body that means nothing. */
  #cut(url: URL, status: number, error?: unknown): void {
    if (this.#response?.readableEnded === true || this.#describeCut !== null) return;
    const describe = async () => (await DOORS.httpFailures()).cutError(url, status, error);
    if (this.#unpacked === null) {
      this.#fail(describe);
      return;
    }
    // What arrived before it is given before it.
    this.#describeCut ??= describe;
    this.#unpacked.finish();
  }

  #end(): void {
    const sink = this.#sink;
    this.#sink = null;
    this.#settle();
    sink?.end();
  }

  #fail(describe: () => ModelError | Promise<ModelError>): void {
    const sink = this.#sink;
    this.#sink = null;
    this.#settle();
    sink?.fail(describe);
  }

  /** The exchange is over: nothing of it stays behind. */
  #settle(): void {
    this.#stopReleaseTimer?.();
    this.#stopReleaseTimer = null;
    this.#dropUnpacked();
    this.#onClosed();
  }

  #dropUnpacked(): void {
    this.#unpacked?.drop();
    this.#unpacked = null;
  }
}

function headerText(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
