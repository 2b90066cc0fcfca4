// fetch() along the ways that requests to models take: through proxies, with authorities of the user's own. For libraries
// that want a fetch. One rule: what holds a body back holds its socket back, and an abort closes it.
import type { HostClock } from '../../host/host.js';
import type { ModelError } from '../../protocol/errors.js';
import { DOORS } from '../doors.js';
import type { HttpExchange, HttpRequest, HttpTransport } from './http-exchange.js';
import { createNodeTransport, type NodeHttp } from './http-node.js';
import type { HttpRoute } from './http-tunnel.js';

/**
 * As the global fetch, for bodies that are texts. A redirect is followed once, within the origin; `redirect: 'manual'`
 * gives it as it is.
 * Contract: rejects with a TypeError that says what happened if no response came, and with the signal's reason.
 */
export interface RoutedFetch {
  (address: string | URL, init?: RequestInit): Promise<Response>;
  /** Ends all connections, also those in use; a later request makes new ones. */
  close(): void;
}

export interface FetchPlace {
  readonly clock: Pick<HostClock, 'after'>;
  /** The way to an address; see `ModelReach`. */
  routeTo(address: string): Promise<TransportChoice | undefined>;
}

/** Bodies that a response with such a status has none of. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

export function createRoutedFetch({ clock, routeTo }: FetchPlace): RoutedFetch {
  const origins = new Map<string, Promise<Connections>>();
  const connectionsTo = (url: URL): Promise<Connections> => {
    const known = origins.get(url.origin);
    if (known !== undefined) return known;
    const made = routeTo(url.href).then((choice) => createConnections(url, clock, choice));
    origins.set(url.origin, made);
    // What is wrong with a proxy is told again with the next request.
    made.catch(() => origins.delete(url.origin));
    return made;
  };
  const send = async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const request = requestOf(new URL(address), init);
    const signal = init.signal ?? null;
    signal?.throwIfAborted();
    const transport = await (await connectionsTo(request.url)).open();
    return new Promise((resolve, reject) => {
      const reply = new Reply(signal, resolve, reject);
      reply.follow(transport.send(request, reply));
    });
  };
  return Object.assign(send, {
    close() {
      const closing = [...origins.values()];
      origins.clear();
      for (const opened of closing) {
        opened.then(
          (connections) => connections.close(),
          () => undefined, // it never opened
        );
      }
    },
  });
}

function requestOf(url: URL, { method = 'GET', headers, body = null, redirect }: RequestInit): HttpRequest {
  if (!METHODS.includes(method)) throw new TypeError(`${method} is not sent here.`);
  const sent = new Headers(headers);
  if (body instanceof URLSearchParams && !sent.has('content-type'))
    sent.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  if (body !== null && typeof body !== 'string' && !(body instanceof URLSearchParams))
    throw new TypeError('Only bodies that are texts are sent here.');
  return {
    method: method as NonNullable<HttpRequest['method']>,
    url,
    headers: Object.fromEntries(sent),
    body: body === null ? '' : String(body),
    ...(redirect === 'manual' ? { keepsRedirects: true } : {}),
  };
}

/** Makes a Response of what a transport tells. */
class Reply {
  readonly #signal: AbortSignal | null;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  #exchange: HttpExchange | null = null;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor(signal: AbortSignal | null, resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  follow(exchange: HttpExchange): void {
    this.#exchange = exchange;
    if (this.#signal?.aborted) this.#onAbort();
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  head(status: number, header: (name: string) => string | null): void {
    const headers = new Headers();
    for (const name of TOLD_HEADERS) {
      const value = header(name);
      if (value !== null) headers.set(name, value);
    }
    const hasBody = !WITHOUT_BODY.has(status);
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller;
        },
        pull: () => this.#exchange?.resume(),
        cancel: () => {
          this.#settle();
          this.#exchange?.release();
        },
      },
      { highWaterMark: 1 },
    );
    this.#resolve(new Response(hasBody ? body : null, { status, headers }));
  }

  data(chunk: Uint8Array): void {
    this.#body?.enqueue(chunk);
    if ((this.#body?.desiredSize ?? 1) <= 0) this.#exchange?.pause();
  }

  end(): void {
    this.#settle()?.close();
  }

  fail(describe: () => ModelError | Promise<ModelError>): void {
    void Promise.resolve(describe()).then((error) => this.#fail(told(error)), this.#fail);
  }

  readonly #onAbort = (): void => {
    this.#exchange?.cancel();
    this.#fail(this.#signal?.reason);
  };

  readonly #fail = (error: unknown): void => {
    this.#reject(error);
    this.#settle()?.error(error);
  };

  #settle(): ReadableStreamDefaultController<Uint8Array> | null {
    const body = this.#body;
    this.#body = null;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return body;
  }
}

/** Those that anybody asks for. */
const TOLD_HEADERS = [
  'content-type',
  'content-length',
  'location',
  'www-authenticate',
  'mcp-session-id',
  'retry-after',
  'dpop-nonce',
  'cache-control',
];

/** The texts are about models; a TypeError is what fetch fails with. */
function told(error: ModelError): TypeError {
  const text = error.message.replaceAll('the base URL', 'the address').replaceAll('the model request', 'the request');
  return new TypeError(text, { cause: error });
}

// Chooses how a provider reaches the network: node:http(s) if it exists, fetch elsewhere.
// Rule: only what is used is loaded, because loading dominates a cold start.

export type TransportKind = 'node' | 'fetch';
/**
 * Forces how requests travel, or which way they take; a function says which way the next request takes, undefined:
 * straight, and gives the same object for the same way.
 */
export type TransportChoice = TransportKind | HttpRoute | (() => Promise<HttpRoute | undefined>);

/** The connections of one provider. */
interface Connections {
  /** The transport, loaded with the first call. */
  open(): Promise<HttpTransport>;
  /** Contract: ends all connections, also those in use; a later `open` makes new ones. */
  close(): void;
}

/**
 * For requests to `url`'s origin.
 * @param choice forces a transport, or the way; absent: straight by node:http(s), or by fetch if the runtime has no
 *   such thing
 */
export function createConnections(url: URL, clock: Pick<HostClock, 'after'>, choice?: TransportChoice): Connections {
  let transport: Promise<HttpTransport> | null = null;
  let way: TransportKind | HttpRoute | undefined;
  /** Of ways that requests took before: what is on its way ends there. */
  const left: Promise<HttpTransport>[] = [];
  const open = (next: typeof way): Promise<HttpTransport> => {
    if (transport !== null && next !== way) {
      left.push(transport);
      transport = null;
    }
    way = next;
    transport ??= loadTransport(url, clock, next);
    return transport;
  };
  return {
    open: () => (typeof choice === 'function' ? choice().then(open) : open(choice)),
    close() {
      const closing = [...left.splice(0), ...(transport === null ? [] : [transport])];
      transport = null;
      for (const each of closing)
        each.then(
          (opened) => opened.close(),
          () => undefined, // it never opened
        );
    },
  };
}

async function loadTransport(
  url: URL,
  clock: Pick<HostClock, 'after'>,
  choice?: TransportKind | HttpRoute,
): Promise<HttpTransport> {
  const route = typeof choice === 'object' ? choice : null;
  const http = choice === 'fetch' ? null : await importNodeHttp(url);
  if (http === null) {
    if (route !== null) throw new Error('A proxy, or a file of authorities, needs a runtime with node:http.');
    const { createFetchTransport } = await DOORS.fetch();
    return createFetchTransport();
  }
  if (route === null) return createNodeTransport(http, clock);
  const { openRoute } = await DOORS.tunnel();
  return createNodeTransport(http, clock, (options) => openRoute(http, url, route, options, clock));
}

async function importNodeHttp(url: URL): Promise<NodeHttp | null> {
  try {
    return url.protocol === 'https:' ? await DOORS.nodeHttps() : await DOORS.nodeHttp();
  } catch {
    return null; // not a Node-like runtime: fetch is there instead
  }
}
