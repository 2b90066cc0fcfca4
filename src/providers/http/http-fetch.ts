// Model requests over fetch, for runtimes without node:http. Same contract, fewer promises kept by the platform:
// pooling of connections is the runtime's own.
import { ModelError } from '../../protocol/errors.js';
import { joinBytes } from '../../util/bytes.js';
import {
  closedError,
  decideRedirect,
  type HttpExchange,
  type HttpRequest,
  type HttpTransport,
  type ResponseSink,
} from './http-exchange.js';
import { connectionError, cutError, packingError, redirectError } from './http-failures.js';

/** Newer runtimes also know zstd, and there is no asking. */
const UNPACKED_BY_FETCH: ReadonlySet<string> = new Set(['', 'identity', 'gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

export function createFetchTransport(): HttpTransport {
  const open = new Set<FetchExchange>();
  return {
    send(request, sink) {
      const exchange = new FetchExchange(sink);
      open.add(exchange);
      void exchange.run(request).finally(() => open.delete(exchange));
      return exchange;
    },
    close() {
      for (const exchange of open) exchange.abandon();
    },
  };
}

class FetchExchange implements HttpExchange {
  readonly #controller = new AbortController();
  #sink: ResponseSink | null;
  /** Resolves when reading may go on; null while it is not paused. */
  #paused: Promise<void> | null = null;
  #goOn: () => void = () => undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  pause(): void {
    if (this.#paused !== null) return;
    this.#paused = new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  resume(): void {
    this.#paused = null;
    this.#goOn();
  }

  /** Fetch cannot tell how much is left, so the rest is not waited for. */
  release(): void {
    this.cancel();
  }

  cancel(): void {
    this.#sink = null;
    this.resume();
    this.#controller.abort();
    // A body that nobody is reading just now does not always notice the signal.
    this.#reader?.cancel().catch(() => undefined); // it was aborted already
  }

  /** The transport is closing under the exchange. */
  abandon(): void {
    this.#fail(closedError());
    this.cancel();
  }

  /** Never rejects: every failure goes to the sink, or nowhere once the sink is gone. */
  async run(request: HttpRequest): Promise<void> {
    let response: Response;
    try {
      response = await this.#send(request);
    } catch (error) {
      this.#fail(error instanceof ModelError ? error : connectionError(request.url, error));
      return;
    }
    // What fetch knows it has unpacked; anything else it gives as it came.
    const packing = response.headers.get('content-encoding') ?? 'identity';
    if (response.status < 400 && !UNPACKED_BY_FETCH.has(packing.trim().toLowerCase())) {
      this.#fail(packingError(request.url, response.status, packing, ['gzip', 'deflate', 'br']));
      this.#controller.abort();
      return;
    }
    try {
      this.#sink?.head(response.status, (name) => response.headers.get(name));
      await this.#read(response);
    } catch (error) {
      this.#fail(cutError(request.url, response.status, error));
    }
  }

  async #send(request: HttpRequest): Promise<Response> {
    const { method = 'POST', body, keepsRedirects = false } = request;
    let url = request.url;
    for (let followed = 0; ; followed++) {
      const response = await fetch(url, {
        method,
        headers: request.headers,
        ...(method === 'POST' ? { body: typeof body === 'string' ? body : joinBytes(body) } : {}),
        redirect: 'manual',
        signal: this.#controller.signal,
      });
      // A browser hides where a redirect leads; then it cannot be followed safely.
      const status = response.type === 'opaqueredirect' ? 307 : response.status;
      const redirect = keepsRedirects
        ? null
        : decideRedirect(url, status, response.headers.get('location'), followed, method);
      if (redirect === null) return response;
      await response.body?.cancel();
      if (redirect.kind === 'refuse') throw redirectError(url, redirect.to, status);
      url = redirect.url;
    }
  }

  async #read(response: Response): Promise<void> {
    const reader = response.body?.getReader() ?? null;
    this.#reader = reader;
    while (reader !== null && this.#sink !== null) {
      if (this.#paused !== null) await this.#paused;
      const { value, done } = await reader.read();
      if (done) break;
      this.#sink?.data(value);
    }
    const sink = this.#sink;
    this.#sink = null;
    sink?.end();
  }

  #fail(error: ModelError): void {
    const sink = this.#sink;
    this.#sink = null;
    sink?.fail(() => error);
  }
}
