// Servers without a handshake (version 2026-07-28): each request says by itself who asks, what a server wants to know comes
// as an answer that asks back, and what changes comes on a request that stays open. Loaded with the first such server. One
// rule: to the rest of the client it is the same as any other server.

import type { HostClock } from '../../host/host.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import { RpcError } from '../transport.js';
import type { RequestOptions, RpcPeer } from './rpc-peer.js';

export const STATELESS_VERSION = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
/** How often one request may be answered by a question. */
const MAX_ROUNDS = 10;
const MAX_QUESTIONS = 20;
/** After so many failures in a row nobody listens for changes any more. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_SUBSCRIBED = 50;

export interface StatelessPlace {
  readonly peer: Pick<RpcPeer, 'request'>;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clientCapabilities: Readonly<Record<string, object>>;
  readonly clock: Pick<HostClock, 'after'>;
  /** Null if there is no such method. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | null;
}

export interface StatelessServer {
  /** What it said of itself, as a handshake would have. */
  readonly hello: Readonly<Record<string, unknown>>;
  request: RpcPeer['request'];
  /** Nobody listens for changes any more. */
  close(): void;
}

/** @throws RpcError if it does not know this version either; the error of the peer */
export async function openStateless(place: StatelessPlace, signal: AbortSignal): Promise<StatelessServer> {
  const { peer, clientInfo, clientCapabilities, clock } = place;
  const closing = new AbortController();
  let logLevel: unknown;
  /** By the name of a tool, as the server last listed it. */
  const headers = new Map<string, readonly ParameterHeader[]>();
  const send = (method: string, params: object, options: RequestOptions) => {
    const { _meta } = params as { readonly _meta?: object };
    const envelope = {
      [`${PREFIX}protocolVersion`]: STATELESS_VERSION,
      [`${PREFIX}clientInfo`]: clientInfo,
      [`${PREFIX}clientCapabilities`]: clientCapabilities,
      ...(logLevel === undefined ? {} : { [`${PREFIX}logLevel`]: logLevel }),
    };
    return peer.request(method, { ...params, _meta: { ..._meta, ...envelope } }, options);
  };

  const found = await send('server/discover', {}, { signal });
  const { supportedVersions, capabilities, instructions, serverInfo, _meta: meta } = isRecord(found) ? found : {};
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(STATELESS_VERSION))
    throw new Error(`it does not speak version ${STATELESS_VERSION} of the protocol, nor one before.`);
  const named = isRecord(meta) ? (meta[`${PREFIX}serverInfo`] ?? serverInfo) : serverInfo;
  const offers = isRecord(capabilities) ? capabilities : {};
  const listener = listenForChanges(send, offers, clock, closing.signal);

  return {
    hello: { protocolVersion: STATELESS_VERSION, capabilities: offers, serverInfo: named, instructions },
    async request(method, params, options) {
      // What older versions ask for by a request of its own.
      if (method === 'logging/setLevel') {
        logLevel = (params as { readonly level?: unknown }).level;
        return {};
      }
      if (method === 'resources/subscribe') {
        listener.follow(String((params as { readonly uri?: unknown }).uri));
        return {};
      }
      const { name, arguments: given } = params as { readonly name?: unknown; readonly arguments?: unknown };
      const declared = method === 'tools/call' ? headers.get(String(name)) : undefined;
      const along = declared === undefined ? options : { ...options, headers: headersOf(declared, given) };
      let more: object = {};
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const result = await send(method, { ...params, ...more }, along);
        if (method === 'tools/list') learnHeaders(headers, result);
        if (!isRecord(result) || result['resultType'] !== 'input_required') return result;
        more = await answersTo(result, place, options.signal);
      }
      throw new Error(`it asked back more than ${MAX_ROUNDS} times`);
    },
    close: () => closing.abort(),
  };
}

function learnHeaders(headers: Map<string, readonly ParameterHeader[]>, listed: unknown): void {
  const { tools } = isRecord(listed) ? listed : {};
  for (const tool of Array.isArray(tools) ? tools : []) {
    const { name, inputSchema } = isRecord(tool) ? tool : {};
    const declared = parameterHeaders(inputSchema);
    if (typeof name !== 'string') continue;
    if (declared.length > 0) headers.set(name, declared);
    else headers.delete(name);
  }
}

/** What goes along with the request when it is made again. */
async function answersTo(
  { inputRequests, requestState }: Readonly<Record<string, unknown>>,
  place: StatelessPlace,
  signal: AbortSignal,
): Promise<object> {
  const questions = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
  if (questions.length > MAX_QUESTIONS) throw new Error(`it asks ${questions.length} things at once`);
  if (questions.length === 0 && typeof requestState !== 'string')
    throw new Error('it asks back, but does not say what it wants to know');
  const inputResponses: Record<string, unknown> = {};
  // One after the other: a person answers them.
  for (const [key, asked] of questions) {
    const { method, params } = isRecord(asked) ? asked : {};
    const answer = typeof method === 'string' ? place.answer(method, params ?? {}, signal) : null;
    if (answer === null) throw new Error(`it asks for ${shorten(String(method), 60)}, which there is not here`);
    inputResponses[key] = await answer;
  }
  const state = typeof requestState === 'string' ? { requestState } : {};
  return { ...(questions.length === 0 ? {} : { inputResponses }), ...state };
}

type Send = (method: string, params: object, options: RequestOptions) => Promise<unknown>;

/** Keeps a request open on which the server says what changed; what it says comes as any notification. */
function listenForChanges(
  send: Send,
  offers: Readonly<Record<string, unknown>>,
  clock: Pick<HostClock, 'after'>,
  closed: AbortSignal,
) {
  const uris = new Set<string>();
  const says = (what: string, how: string) => isRecord(offers[what]) && offers[what][how] === true;
  const lists = {
    ...(says('tools', 'listChanged') ? { toolsListChanged: true } : {}),
    ...(says('prompts', 'listChanged') ? { promptsListChanged: true } : {}),
  };
  let current: AbortController | null = null;
  const listen = async (): Promise<void> => {
    for (let failures = 0; failures < MAX_FAILURES && !closed.aborted; ) {
      const own = new AbortController();
      current = own;
      const notifications = { ...lists, ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }) };
      const signal = AbortSignal.any([own.signal, closed]);
      try {
        await send('subscriptions/listen', { notifications }, { signal });
      } catch (error) {
        if (error instanceof RpcError) return; // it does not take it: then its lists are read with the next connection
      }
      if (closed.aborted) return;
      // Another filter is asked for at once; a stream that ended is asked for again after a while.
      if (own.signal.aborted) continue;
      failures += 1;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(FIRST_PAUSE_MS * 2 ** (failures - 1), resolve);
        const stop = () => {
          cancel();
          resolve();
        };
        closed.addEventListener('abort', stop, { once: true });
      });
    }
  };
  if (Object.keys(lists).length > 0) void listen();
  return {
    follow(uri: string): void {
      if (uris.has(uri) || uris.size >= MAX_SUBSCRIBED) return;
      uris.add(uri);
      if (current === null) void listen();
      else current.abort();
    },
  };
}

// Arguments of a tool that its schema wants as headers too (`x-mcp-header`), so that what stands between client and server can
// route a call without reading it. Pure. One rule: a value is the same in both places, or it is in none.

/** The path of a value in the arguments, and the header that it goes into. */
interface ParameterHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,60}$/;
const KINDS: readonly unknown[] = ['string', 'integer', 'boolean'];
const MAX_HEADERS = 20;
const MAX_DEPTH = 10;
/** Longer values are no header that servers take. */
const MAX_VALUE = 4_000;

/** Those that a tool's schema names; of two for one header the first counts. */
function parameterHeaders(schema: unknown): readonly ParameterHeader[] {
  const found = new Map<string, ParameterHeader>();
  const visit = (node: unknown, path: readonly string[]): void => {
    if (!isRecord(node) || path.length > MAX_DEPTH || found.size >= MAX_HEADERS) return;
    const name = node['x-mcp-header'];
    if (path.length > 0 && typeof name === 'string' && TOKEN.test(name) && KINDS.includes(node['type'])) {
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, { path, header: `Mcp-Param-${name}` });
    }
    const { properties } = node;
    if (isRecord(properties)) for (const [key, each] of Object.entries(properties)) visit(each, [...path, key]);
  };
  visit(schema, []);
  return [...found.values()];
}

/** What goes along with one call. */
function headersOf(declared: readonly ParameterHeader[], given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    let value = given;
    for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const text = textOf(value);
    if (text !== null && text.length <= MAX_VALUE) headers[header] = encoded(text);
  }
  return headers;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  return null;
}

/** As it is, if a header takes it so. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return `=?base64?${btoa(bytes)}?=`;
}
