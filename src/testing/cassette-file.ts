// The file of recorded exchanges: JSON lines, a header, one line for each exchange, an end. Rule: a file that is not whole,
// or not of this version, is refused; nothing that is secret gets in.
import { readFile } from 'node:fs/promises';
import { createSecrets } from '../providers/secrets.js';
import { createSecretFinder } from '../session/store/secrets/find-secrets.js';
import { knownSecrets } from '../session/store/secrets/known-values.js';
import { scrubDeltas } from './scrub-deltas.js';
import { isRecord } from './wire-json.js';

const CASSETTE_VERSION = 1;

/** One request and its answer. */
export interface CassetteExchange {
  /** By order of arrival, from 0. */
  readonly index: number;
  readonly request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    /** Parsed; the text where it is not JSON. */
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As they came, one write each. `base64` where the bytes are no text. */
    readonly chunks: readonly (string | { readonly base64: string })[];
    /** The connection broke behind the last chunk. */
    readonly isCut?: true;
  };
}

/** What of the head of an answer a client acts on. Everything else stays out of the file. */
const KEPT_HEADERS =
  /^(?:content-type|retry-after(?:-ms)?|x-should-retry|(?:x-)?request-id|(?:anthropic-|x-)ratelimit-.+)$/;
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/;
const SECRET_PARAMETERS = /^(?:key|api[-_]?key|token|access[-_]token|signature|sig|code)$/i;
/** Shorter values would be found in words that are no secret. Characters. */
const SHORTEST = 8;

export function headerLine(): string {
  return `${JSON.stringify({ turnwright_cassette: CASSETTE_VERSION })}\n`;
}

export function endLine(exchanges: number): string {
  return `${JSON.stringify({ end: true, exchanges })}\n`;
}

/** @throws Error that says what is wrong with the file */
export async function readCassette(file: string): Promise<CassetteExchange[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const header = parse(lines[0] ?? '');
  const version = isRecord(header) ? header['turnwright_cassette'] : undefined;
  if (version === undefined) throw new Error(`${file} is no cassette. Record it with recordCassette().`);
  if (version !== CASSETTE_VERSION) {
    throw new Error(
      `The cassette ${file} has version ${JSON.stringify(version)}, this reads ${CASSETTE_VERSION}. Record it again.`,
    );
  }
  const exchanges: CassetteExchange[] = [];
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    const value = parse(line);
    if (isRecord(value) && value['end'] === true) {
      if (value['exchanges'] !== exchanges.length) break;
      return exchanges.sort((a, b) => a.index - b.index);
    }
    if (!isExchange(value)) break;
    exchanges.push(value);
  }
  throw new Error(`The cassette ${file} is cut or damaged behind exchange ${exchanges.length}. Record it again.`);
}

function isExchange(value: unknown): value is CassetteExchange & Record<string, unknown> {
  if (!isRecord(value) || typeof value['index'] !== 'number') return false;
  const { request, response } = value;
  return (
    isRecord(request) &&
    typeof request['method'] === 'string' &&
    typeof request['path'] === 'string' &&
    isRecord(response) &&
    typeof response['status'] === 'number' &&
    isRecord(response['headers']) &&
    Array.isArray(response['chunks'])
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller says that the file is damaged
  }
}

/** Takes out what is secret: shapes of keys, values of the environment, and what was sent as a credential. */
export interface Scrubber {
  /** Tells of the credentials of a request. */
  note(headers: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  text(value: string): string;
  /** All texts of a value, keys included. */
  value(value: unknown): unknown;
  path(value: string): string;
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
}

export function createScrubber(secrets: readonly string[] = []): Scrubber {
  const known = new Map(knownSecrets(process.env, createSecrets()));
  for (const secret of secrets) if (secret.length > 0) known.set(secret, 'secret');
  let finder = createSecretFinder(known);
  const text = (value: string): string => finder.redact(value, () => undefined);
  const scrub = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(scrub);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [text(key), scrub(field)]));
  };
  return {
    note(headers) {
      const before = known.size;
      for (const [name, given] of Object.entries(headers)) {
        if (!SECRET_HEADERS.test(name.toLowerCase())) continue;
        for (const value of [given].flat()) {
          const secret = value?.replace(/^(?:bearer|basic)\s+/i, '');
          if (secret !== undefined && secret.length >= SHORTEST) known.set(secret, 'credential');
        }
      }
      if (known.size > before) finder = createSecretFinder(known);
    },
    text,
    value: scrub,
    path(value) {
      const [path = '', query] = value.split('?', 2);
      if (query === undefined) return text(path);
      const parameters = new URLSearchParams(query);
      for (const name of [...parameters.keys()]) {
        if (SECRET_PARAMETERS.test(name)) parameters.set(name, '[redacted: parameter]');
      }
      return text(`${path}?${parameters.toString()}`);
    },
    headers(headers) {
      const kept: Record<string, string> = {};
      for (const [name, value] of headers) {
        if (KEPT_HEADERS.test(name.toLowerCase())) kept[name.toLowerCase()] = text(value);
      }
      return kept;
    },
  };
}

/** The bytes of a body in the form of the file. Where something was taken out, each event of a stream is one chunk. */
export function toChunks(chunks: readonly Uint8Array[], scrubber: Scrubber): CassetteExchange['response']['chunks'] {
  const whole = asText(Buffer.concat(chunks));
  if (whole !== null) {
    const clean = scrubber.text(scrubDeltas(whole, scrubber.text));
    if (clean !== whole) return clean.split(/(?<=\n\n|\r\n\r\n)/);
  }
  return chunks.map((chunk) => asText(chunk) ?? { base64: Buffer.from(chunk).toString('base64') });
}

/** Null where bytes are not whole UTF-8. */
function asText(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

export function toBytes(chunk: CassetteExchange['response']['chunks'][number]): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : Buffer.from(chunk.base64, 'base64');
}

/** A body as JSON where it is some. */
export function parseBody(raw: Uint8Array): unknown {
  const text = Buffer.from(raw).toString('utf8');
  const value = parse(text);
  return value === undefined ? text : value;
}
