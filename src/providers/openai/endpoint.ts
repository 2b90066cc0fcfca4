// The address and the headers of an OpenAI-shaped API. Rule: what cannot be sent is refused here, by name and without
// showing its value.
import { ConfigError } from '../../protocol/errors.js';
import { VERSION } from '../../util/version.js';

export interface EndpointConfig {
  /** Names the provider in errors. */
  readonly id: string;
  /** With or without a trailing slash; its path is kept, so a version belongs to it: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent as `authorization: Bearer`. Absent: no key is sent, as a server of one's own wants it. */
  readonly apiKey?: string | undefined;
  /** Further request headers. They do not replace the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Headers that belong to the transport. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding', 'connection']);
const MIN_SECRET_LENGTH = 6;

/** The address of `path` under a base URL. A base URL that ends in it already is taken as it is. */
export function endpointUrl({ id, baseUrl }: EndpointConfig, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ConfigError(`The base URL of the provider "${id}" is not an http or https URL. Correct it.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(
      `The base URL of the provider "${id}" must not hold a user or password. Use a key or header.`,
    );
  }
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = base.endsWith(path) ? base : `${base}${path}`;
  url.hash = '';
  return url;
}

export function endpointHeaders(config: EndpointConfig): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': `turnwright/${VERSION}` };
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (!RESERVED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  headers['content-type'] = 'application/json';
  headers['accept'] = 'text/event-stream, application/json';
  if (config.apiKey !== undefined) headers['authorization'] = `Bearer ${config.apiKey}`;
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  return headers;
}

/** Texts that no error may repeat. A shorter key could not be told from ordinary text, and is none but in tests. */
export function secretsOf({ apiKey, headers = {} }: EndpointConfig): readonly string[] {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret/i.test(name) ? [value] : [],
  );
  return [apiKey, ...named].filter((secret) => secret !== undefined && secret.length >= MIN_SECRET_LENGTH) as string[];
}

function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name)) throw new ConfigError(`"${name}" is not the name of a header.`);
  if (/^[\x20-\x7e]*$/.test(value)) return;
  const what = name === 'authorization' ? 'The API key' : `The header ${name}`;
  throw new ConfigError(`${what} holds characters that cannot be sent. Check it for line breaks and stray characters.`);
}
