// The contract of one HTTP exchange: a request out, a streamed body back, told by plain calls.
// Callbacks instead of promises, because a model's reply is tens of thousands of small chunks.
import { ModelError } from '../../protocol/errors.js';
import { shorten } from '../../util/text.js';

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

/** Reads one header by its lower-case name; null if it is absent. */
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

// Which redirects of a server are followed. One rule: a key never leaves the origin it is for.

/** What to do with a response of the 3xx class. */

type Redirect = { readonly kind: 'follow'; readonly url: URL } | { readonly kind: 'refuse'; readonly to: URL | null };

const MAX_REDIRECTS = 1;

/**
 * Decides a redirect; null if the status is none.
 * Contract: it is followed within the same origin only, once, and only if it keeps the method: 307 and 308, of a GET
 * any that names an address. So a key never leaves the origin it is for.
 */
export function decideRedirect(
  from: URL,
  status: number,
  location: string | null,
  followed: number,
  method = 'POST',
): Redirect | null {
  if (status < 300 || status > 399) return null;
  const to = location === null || !URL.canParse(location, from.href) ? null : new URL(location, from);
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && status <= 303);
  if (to !== null && keepsMethod && to.origin === from.origin && followed < MAX_REDIRECTS) {
    return { kind: 'follow', url: to };
  }
  return { kind: 'refuse', to };
}

// Texts of a model server as they may be shown. Rule: one short line that never carries a key or control characters.

const MAX_EXCERPT = 300;
export const MAX_REQUEST_ID = 100;
const MAX_CLEANED = 64 * 1024;

/** The name the server gives the request; null if it gives none. */
export function requestIdOf(header: ReadHeader, secrets: readonly string[]): string | null {
  const id = header('request-id') ?? header('x-request-id');
  return id === null ? null : cleanText(id, secrets).slice(0, MAX_REQUEST_ID);
}

/** One short printable line without secrets. */
export function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text.slice(0, MAX_CLEANED);
  for (const secret of secrets) clean = clean.replaceAll(secret, '[key]');
  clean = clean.replace(/\bsk-[\w-]{8,}/g, '[key]').replace(/[^\P{C}\n\t]/gu, '');
  return shorten(clean, MAX_EXCERPT);
}
