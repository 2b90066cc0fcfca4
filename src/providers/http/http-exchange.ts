// The contract of one HTTP exchange: a request out, a streamed body back, told by plain calls.
// Callbacks instead of promises, because a model's reply is tens of thousands of small chunks.
import { ModelError } from '../../protocol/errors.js';

export interface HttpRequest {
  /** Default POST. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** Lower-case names. `content-length` and `host` are the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or bytes in pieces that follow each other. Contract: these are never changed. */
  readonly body: string | readonly Uint8Array[];
  /** True: a redirect is a response like any other. Default: it is followed, or fails, as `decideRedirect` says. */
  readonly keepsRedirects?: boolean;
}

/** Reads one header by its lower-case name; null where it is absent. */
export type ReadHeader = (name: string) => string | null;

/**
 * Hears one response: `head` once, `data` any number of times, then `end` or `fail`; or `fail` alone.
 * Contract: nothing is called after `end`, `fail`, `HttpExchange.cancel` or `HttpExchange.release`.
 */
export interface ResponseSink {
  head(status: number, header: ReadHeader): void;
  data(chunk: Uint8Array): void;
  /** The body arrived whole. */
  end(): void;
  /**
   * No response came (`connection`, `invalid_request` for a refused redirect), or its body was cut (`stream_cut`).
   * @param describe tells what happened, for who wants to know
   */
  fail(describe: () => ModelError | Promise<ModelError>): void;
}

export interface HttpExchange {
  /** Stops reading from the socket, so a slow consumer does not fill the memory. */
  pause(): void;
  resume(): void;
  /** The rest of the body does not matter: lets a short rest pass, so the connection can be used again, else closes it. */
  release(): void;
  /** Closes the connection at once, in whatever state it is. */
  cancel(): void;
}

/** What a sink hears whose transport is closed under it. */
export function closedError(): ModelError {
  return new ModelError('aborted', 'The model provider was closed during the request.');
}

/** Connections to one origin. */
export interface HttpTransport {
  /** Contract: never throws and never calls the sink before it returned. */
  send(request: HttpRequest, sink: ResponseSink): HttpExchange;
  /** Closes every connection, idle or in use; sinks still open hear an `aborted` failure. */
  close(): void;
}
