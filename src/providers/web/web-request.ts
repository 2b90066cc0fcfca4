// One request to a server of the web and what it answers, within limits of time and size. One rule: nobody is trusted to
// end: not who sends for ever, not who sends slowly, not what unpacks to far more than it is.

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import nodeHttp from 'node:http';
import nodeHttps from 'node:https';
import { AbortError, ToolError } from '../../protocol/errors.js';
import { joinBytes } from '../../util/bytes.js';
import { VERSION } from '../../util/version.js';
import {
  type HttpRoute,
  type NodeHttp,
  openRoute,
  reasonOf,
  type UnpackedBody,
  type UnpackFailure,
  unpackBody,
} from '../http/index.js';
import { type Dialling, pinnedAgent } from './dial-address.js';

export interface WebRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: a GET. */
  readonly body?: string;
}

/** How it is reached. */
export interface WebWay extends Dialling {
  /** To connect to; null: through the proxy, which looks the name up. */
  readonly addresses: readonly string[] | null;
  /** Undefined: straight. */
  readonly route: HttpRoute | undefined;
}

export interface WebLimits {
  /** For all of it, milliseconds. */
  readonly totalMs: number;
  /** Of the body, unpacked. */
  readonly maxBytes: number;
}

export interface WebResponse {
  readonly status: number;
  /** '' if it is absent. */
  header(name: string): string;
  readonly bytes: Uint8Array;
  /** False: there is more, which was not read. */
  readonly isWhole: boolean;
}

/** Servers with long headers are none that serve pages. Bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
const USER_AGENT = `turnwright/${VERSION}`;

/**
 * @param wantsBody asked once the head is there; if it says no, nothing more is read
 * @throws ToolError if no answer is to be had; AbortError
 */
export async function sendRequest(
  request: WebRequest,
  way: WebWay,
  limits: WebLimits,
  signal: AbortSignal,
  wantsBody: (response: Pick<WebResponse, 'status' | 'header'>) => boolean = () => true,
): Promise<WebResponse> {
  if (signal.aborted) throw new AbortError('The request was aborted.');
  const http: NodeHttp = request.url.protocol === 'https:' ? nodeHttps : nodeHttp;
  const via = await openWay(http, request.url, way);
  const exchange = new Exchange(request, limits, wantsBody);
  const cancel = way.clock.after(limits.totalMs, () => exchange.tooSlow());
  const onAbort = (): void => exchange.fail(new AbortError('The request was aborted.'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await exchange.run(http, via);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
    exchange.close();
    via.close();
  }
}

interface OpenWay {
  readonly agent: NonNullable<RequestOptions['agent']>;
  adapt(options: RequestOptions, to: URL): RequestOptions;
  explain(error: Error): Error;
  close(): void;
}

async function openWay(http: NodeHttp, url: URL, { addresses, route, ...dialling }: WebWay): Promise<OpenWay> {
  if (route?.proxy == null) {
    const agent = pinnedAgent(http, url, addresses ?? [], route?.authorities ?? null, dialling);
    return { agent, adapt: (options) => options, explain: (error) => error, close: () => agent.destroy() };
  }
  const options = { keepAlive: false, timeout: 0, maxFreeSockets: 0 };
  const { agent, adapt, explain, close } = openRoute(http, url, route, options, dialling.clock);
  return {
    agent,
    adapt: (plain, to) => adapt?.(plain, to) ?? plain,
    explain: (error) => explain?.(error) ?? error,
    close: () => (close === undefined ? agent.destroy() : close()),
  };
}

class Exchange {
  readonly #request: WebRequest;
  readonly #limits: WebLimits;
  readonly #wantsBody: (response: Pick<WebResponse, 'status' | 'header'>) => boolean;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #sent: ClientRequest | null = null;
  #unpacked: UnpackedBody | null = null;
  #response: IncomingMessage | null = null;
  #settle: { resolve(response: WebResponse): void; reject(error: Error): void } | null = null;

  constructor(
    request: WebRequest,
    limits: WebLimits,
    wantsBody: (response: Pick<WebResponse, 'status' | 'header'>) => boolean,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#wantsBody = wantsBody;
  }

  run(http: NodeHttp, via: OpenWay): Promise<WebResponse> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      const { url, headers, body } = this.#request;
      const options: RequestOptions & { maxHeaderSize: number } = {
        method: body === undefined ? 'GET' : 'POST',
        agent: via.agent,
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? undefined : url.port,
        path: url.pathname + url.search,
        headers: {
          'user-agent': USER_AGENT,
          'accept-encoding': 'gzip, deflate, br',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        maxHeaderSize: MAX_HEADER_BYTES,
      };
      const sent = http.request(via.adapt(options, url), (response) => this.#receive(response));
      this.#sent = sent;
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        this.fail(new ToolError(`${url.host} does not answer as a web server does.`));
      });
      sent.on('error', (error) => this.fail(new ToolError(reasonOf(url, via.explain(error)))));
      sent.end(body);
    });
  }

  tooSlow(): void {
    const seconds = this.#limits.totalMs / 1_000;
    this.fail(new ToolError(`${this.#request.url.host} did not answer whole within ${seconds} s.`));
  }

  fail(error: Error): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.reject(error);
    this.close();
  }

  close(): void {
    this.#unpacked?.drop();
    this.#sent?.destroy();
  }

  #receive(response: IncomingMessage): void {
    this.#response = response;
    response.on('error', () => this.#cut());
    const head = { status: response.statusCode ?? 0, header: (name: string) => headerText(response, name) };
    if (!this.#wantsBody(head)) {
      this.#end(false);
      return;
    }
    const packing = head.header('content-encoding').trim().toLowerCase();
    if (packing === '' || packing === 'identity') {
      response.on('data', (chunk: Buffer) => this.#take(chunk));
      response.on('end', () => this.#end(true));
      response.on('close', () => this.#cut());
      return;
    }
    this.#unpacked = unpackBody(response, packing, {
      data: (chunk) => this.#take(chunk),
      end: () => (response.complete ? this.#end(true) : this.#cut()),
      fail: (reason) => this.fail(new ToolError(this.#unpackText(packing, reason))),
    });
    if (this.#unpacked === null) {
      this.fail(new ToolError(`${this.#request.url.host} packed its answer in a way that is not known here.`));
      return;
    }
    response.on('close', () => {
      if (!response.readableEnded) this.#cut();
    });
  }

  #take(chunk: Uint8Array): void {
    if (this.#settle === null) return;
    const room = this.#limits.maxBytes - this.#size;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBytes) this.#end(false);
  }

  #cut(): void {
    this.fail(new ToolError(`${this.#request.url.host} closed the connection in the middle of its answer.`));
  }

  #end(isWhole: boolean): void {
    const settle = this.#settle;
    const response = this.#response;
    this.#settle = null;
    if (response === null) return;
    settle?.resolve({
      status: response.statusCode ?? 0,
      header: (name) => headerText(response, name),
      bytes: joinBytes(this.#chunks),
      isWhole,
    });
    this.close();
  }

  #unpackText(packing: string, { kind }: UnpackFailure): string {
    const { host } = this.#request.url;
    const name = JSON.stringify(packing.slice(0, 40));
    if (kind === 'too_much') return `The answer of ${host} unpacks to far more than it is, so it was given up.`;
    return `${host} says that its answer is packed as ${name}, and it cannot be unpacked.`;
  }
}

function headerText({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
}
