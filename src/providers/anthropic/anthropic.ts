// The Messages API of Anthropic and of every gateway that speaks it, as a Provider.
import type { HostClock } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { VERSION } from '../../util/version.js';
import type { Provider, ThinkingForm } from '../contract/index.js';
import { DOORS } from '../doors.js';
import { createConnections, requestIdOf, streamEvents, type TransportChoice } from '../http/index.js';
import { createEventDecoder, type EventDecoder } from './decode-events.js';
import { createBodyBuilder, takesOutputSchema, toOutputSchema } from './request-body.js';

export interface AnthropicConfig {
  /** Default `anthropic`. */
  readonly id?: string | undefined;
  /** Sent as `x-api-key`. */
  readonly apiKey?: string | undefined;
  /** Sent as `authorization: Bearer`. */
  readonly authToken?: string | undefined;
  /** With or without a path or a trailing slash. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string | undefined;
  readonly clock: HostClock;
  /** Further request headers, for example `anthropic-beta`. They do not replace the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Forces how requests travel, or which way they take; absent: the best there is, straight. */
  readonly transport?: TransportChoice | undefined;
}

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const MIN_SECRET_LENGTH = 6;
const API_VERSION = '2023-06-01';
/** Headers that belong to the transport. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding', 'connection']);

/**
 * A provider with connections of its own, opened when the first request is sent.
 * Contract: `close` ends its connections, also those in use; a later request opens new ones.
 * Throws `ConfigError` on a base URL, key or header that cannot be used.
 */
export function createAnthropicProvider(config: AnthropicConfig): Provider & { close(): void } {
  const { clock } = config;
  const url = messagesUrl(config.baseUrl ?? DEFAULT_BASE_URL);
  const headers = requestHeaders(config);
  // A shorter key could not be told from ordinary text, and is none but in tests.
  const secrets = [config.apiKey, config.authToken].filter(
    (secret) => secret !== undefined && secret.length >= MIN_SECRET_LENGTH,
  ) as string[];
  const bodies = createBodyBuilder();
  const connections = createConnections(url, clock, config.transport);

  return {
    id: config.id ?? 'anthropic',
    outputSchema: (model, schema) => (takesOutputSchema(model) ? toOutputSchema(schema) : null),
    thinkingForm,
    searchesWeb: () => true,
    stream(request, limits, signal) {
      // Made with the head of the reply, as the request need not wait for it.
      let decoder: EventDecoder | null = null;
      const decoding = () => (decoder ??= createEventDecoder(secrets, request.webSearch?.onPart));
      return streamEvents({
        transport: connections.open,
        request: () => ({ url, headers, body: bodies.build(request) }),
        limits,
        clock,
        signal,
        decode: (data, event, push) => decoding().decode(data, event, push),
        classify: async (response) => {
          // A wait that is told as a point in time counts from here, not from when it is understood.
          const now = clock.now();
          const { classifyResponse } = await DOORS.anthropicFailures();
          return classifyResponse(response, { now: () => now }, secrets);
        },
        onHead: (header) => decoding().setRequestId(requestIdOf(header, secrets)),
      });
    },
    close: connections.close,
  };
}

/** The address of the Messages API under a base URL. */
function messagesUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ConfigError('The base URL of the model is not an http or https URL. Check ANTHROPIC_BASE_URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('The base URL of the model must not hold a user or password. Use ANTHROPIC_AUTH_TOKEN.');
  }
  // Both `https://host` and `https://host/v1` are in use as a base.
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`;
  url.hash = '';
  return url;
}

function requestHeaders(config: AnthropicConfig): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': `turnwright/${VERSION}` };
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (!RESERVED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  headers['content-type'] = 'application/json';
  headers['accept'] = 'text/event-stream, application/json';
  headers['anthropic-version'] ??= API_VERSION;
  if (config.apiKey !== undefined) headers['x-api-key'] = config.apiKey;
  if (config.authToken !== undefined) headers['authorization'] = `Bearer ${config.authToken}`;
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  return headers;
}

/** A bad header would fail every request; here it can be named without showing its value. */
function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name)) throw new ConfigError(`"${name}" is not the name of a header.`);
  if (/^[\x20-\x7e]*$/.test(value)) return;
  const what = name === 'x-api-key' || name === 'authorization' ? 'The API key or token' : `The header ${name}`;
  throw new ConfigError(`${what} holds characters that cannot be sent. Check it for line breaks and stray characters.`);
}

// How models of the Messages API are asked to think, by their names: the catalogue says that one reasons, not how it is
// asked to. Data only: what an API refuses all the same is left out of the next request by the loop.

/** Versions from which a model takes a budget, and decides by itself. Tenths. */
const FIRST_BUDGET = 37;
const FIRST_ADAPTIVE = 46;

/** Null for a name that says nothing of it: not a Claude, or a version that cannot be told. */
export function thinkingForm(model: string): ThinkingForm | null {
  const match = /(?:^|[/.])claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?=$|[-@:])/.exec(model.toLowerCase());
  if (match === null) return null;
  const version = Number(match[1]) * 10 + Number(match[2] ?? 0);
  if (version >= FIRST_ADAPTIVE) return 'adaptive';
  return version >= FIRST_BUDGET ? 'budget' : 'none';
}
