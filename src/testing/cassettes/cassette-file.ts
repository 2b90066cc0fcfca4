// The file of recorded exchanges: JSON lines, a header, one line for each exchange, an end. What a body has in common with an
// earlier one is written once. Rule: a file that is not whole, or not of this version, is refused; nothing secret gets in.
import { readFile } from 'node:fs/promises';
import { createSecrets } from '../../providers/keys/index.js';
import { createSecretFinder } from '../../secrets/find-secrets.js';
import { knownSecrets } from '../../secrets/known-values.js';
import { mayHoldPlaceholder, placeholderOf, replacePlaceholders } from '../../secrets/placeholder.js';
import { isRecord } from '../wire/index.js';
import { createBodyParser } from './body-parser.js';

/** One request and its answer. */
export interface CassetteExchange {
  /** By order of arrival, from 0. */
  readonly index: number;
  readonly request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    /** Parsed; the text if it is not JSON. */
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As they came, one write each. `base64` if the bytes are not text. */
    readonly chunks: readonly (string | { readonly base64: string })[];
    /** The connection broke behind the last chunk. */
    readonly isCut?: true;
  };
}

/** Since version 2 a body may share items with that of an earlier exchange. */
const CASSETTE_VERSION = 2;

/** What of the head of an answer a client acts on. Everything else stays out of the file. */
const KEPT_HEADERS =
  /^(?:content-type|retry-after(?:-ms)?|x-should-retry|(?:x-)?request-id|(?:anthropic-|x-)ratelimit-.+)$/;
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/;
const SECRET_PARAMETERS = /^(?:key|api[-_]?key|token|access[-_]token|signature|sig|code)$/i;
/** Shorter values would be found in words that are not secret. Characters. */
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
  if (version === undefined) throw new Error(`${file} is not a cassette. Record it with recordCassette().`);
  if (version !== 1 && version !== CASSETTE_VERSION) {
    throw new Error(
      `The cassette ${file} has version ${JSON.stringify(version)}, this reads 1 and ${CASSETTE_VERSION}. Record it again.`,
    );
  }
  const readBody = createBodyReader();
  const exchanges: CassetteExchange[] = [];
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    const value = parse(line);
    if (isRecord(value) && value['end'] === true) {
      if (value['exchanges'] !== exchanges.length) break;
      return exchanges.sort((a, b) => a.index - b.index);
    }
    const exchange = isExchange(value) ? withBody(value, readBody) : null;
    if (exchange === null) break;
    exchanges.push(exchange);
  }
  throw new Error(`The cassette ${file} is cut or damaged behind exchange ${exchanges.length}. Record it again.`);
}

function withBody(
  { index, request, response }: CassetteExchange,
  readBody: ReturnType<typeof createBodyReader>,
): CassetteExchange | null {
  const { method, path, body, shared } = request as CassetteExchange['request'] & { readonly shared?: unknown };
  const read = readBody(index, body, shared);
  return read === null ? null : { index, request: { method, path, body: read.body }, response };
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

/**
 * Takes out what is secret: shapes of keys, values of the environment, and what was sent as a credential. Puts names in
 * the place of folders.
 */
export interface Scrubber {
  /** Tells of the credentials of a request. */
  note(headers: Readonly<Record<string, string | readonly string[] | undefined>>): void;
  text(value: string): string;
  /**
   * The body of a request, parsed if it is JSON. Contract: a field, or an item of a list in a field, that was there
   * before is the same object again, so that what repeats from request to request costs little.
   */
  body(raw: Uint8Array): unknown;
  path(value: string): string;
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>;
}

/** In place of the id of a placeholder. Not an id: whoever reads the cassette takes it for a word. */
const SAME_ID = 'id';

/** Folders by names that stand for them in the file: `{ project: '/home/me/project' }`. Absolute. */
export type CassetteFolders = Readonly<Record<string, string>>;

export function createScrubber(secrets: readonly string[] = [], folders: CassetteFolders = {}): Scrubber {
  const known = new Map(knownSecrets(process.env, createSecrets()));
  for (const secret of secrets) if (secret.length > 0) known.set(secret, 'secret');
  let finder = createSecretFinder(known);
  const rename = folderNames(folders);
  const text = (value: string): string => {
    const clean = finder.redact(value, (kind) => placeholderOf(kind, SAME_ID));
    // Ids are the user's own, and would be others if the cassette is played.
    return rename(
      mayHoldPlaceholder(clean) ? replacePlaceholders(clean, (id, given) => given.replace(id, SAME_ID)) : clean,
    );
  };
  const parseJson = createBodyParser();
  /** By what they were. */
  let texts = new Map<string, string>();
  let objects = new WeakMap<object, unknown>();
  /** The last list of each field, as it was and as it is without secrets. */
  let lists = new Map<string, { readonly given: readonly unknown[]; readonly clean: readonly unknown[] }>();
  // A body names the same fields in each message, and sends its last messages several times, each with another mark.
  const keepText = (value: string): string => {
    const clean = texts.get(value) ?? text(value);
    texts.set(value, clean);
    return clean;
  };
  const keep = (value: unknown): unknown => {
    if (typeof value === 'string') return keepText(value);
    if (typeof value !== 'object' || value === null) return value;
    const known = objects.get(value);
    if (known !== undefined) return known;
    const clean = scrub(value);
    objects.set(value, clean);
    return clean;
  };
  const scrub = (value: unknown): unknown => {
    if (typeof value === 'string') return keepText(value);
    if (Array.isArray(value)) return value.map(scrub);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [keepText(key), scrub(field)]));
  };
  // A long conversation begins like the one before it: to compare its messages is faster than to look each of them up.
  const keepList = (field: string, given: readonly unknown[]): readonly unknown[] => {
    const before = lists.get(field);
    const clean = given.map((item, at) =>
      before !== undefined && at < before.given.length && before.given[at] === item ? before.clean[at] : keep(item),
    );
    lists.set(field, { given, clean });
    return clean;
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
      if (known.size === before) return;
      finder = createSecretFinder(known);
      texts = new Map();
      objects = new WeakMap();
      lists = new Map();
    },
    text,
    body(raw) {
      const parsed = parseJson(raw);
      const value = parsed === undefined ? Buffer.from(raw).toString('utf8') : parsed;
      if (!isRecord(value)) return scrub(value);
      return Object.fromEntries(
        Object.entries(value).map(([key, field]) => [
          keepText(key),
          Array.isArray(field) ? keepList(key, field) : keep(field),
        ]),
      );
    },
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

/** Names in the place of folders; the longest first, as one may lie in another. */
function folderNames(folders: CassetteFolders): (text: string) => string {
  const named = Object.entries(folders).sort(([, a], [, b]) => b.length - a.length);
  const patterns = named.map(([name, folder]) => {
    const path = folder.replace(/(?<=.)\/+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return [new RegExp(`${path}(?!\\.?[\\w-])`, 'g'), `{{${name}}}`] as const;
  });
  return (text) => patterns.reduce((renamed, [path, name]) => renamed.replace(path, () => name), text);
}

/** The chunks of an answer with folders in the place of their names. */
export function withFolders(
  chunks: CassetteExchange['response']['chunks'],
  folders: CassetteFolders,
): CassetteExchange['response']['chunks'] {
  const named = Object.entries(folders);
  if (named.length === 0 || chunks.some((chunk) => typeof chunk !== 'string')) return chunks;
  const expand = (text: string) => named.reduce((all, [name, folder]) => all.replaceAll(`{{${name}}}`, folder), text);
  const whole = chunks.join('');
  const expanded = expand(scrubDeltas(whole, expand));
  return expanded === whole ? chunks : expanded.split(/(?<=\n\n|\r\n\r\n)/);
}

/** The bytes of a body in the form of the file. If something was taken out, each event of a stream is one chunk. */
export function toChunks(chunks: readonly Uint8Array[], scrubber: Scrubber): CassetteExchange['response']['chunks'] {
  const whole = asText(Buffer.concat(chunks));
  if (whole !== null) {
    const clean = scrubber.text(scrubDeltas(whole, scrubber.text));
    if (clean !== whole) return clean.split(/(?<=\n\n|\r\n\r\n)/);
  }
  return chunks.map((chunk) => asText(chunk) ?? { base64: Buffer.from(chunk).toString('base64') });
}

/** Null if bytes are not whole UTF-8. */
function asText(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

export function toBytes(chunk: CassetteExchange['response']['chunks'][number]): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : Buffer.from(chunk.base64, 'base64');
}

// Secrets that a streamed answer spells over several events. One rule: there are as many events as before, each with its
// share of the text, so that what is played back is put together as the recording was.

/** Fields whose texts are pieces of a longer one, in the events of all APIs. A signature is not a text. */
const PIECES = new Set([
  'text',
  'thinking',
  'partial_json',
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'delta',
]);
/** What tells one text of a reply from another. */
const NAMES = ['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index'];

interface Piece {
  readonly owner: Record<string, unknown>;
  readonly field: string;
}

interface Line {
  readonly text: string;
  /** Null if the line is not an event, or none of JSON. */
  readonly event: unknown;
  isChanged: boolean;
}

/**
 * A body of server-sent events without the secrets in the texts that its events make up.
 * @param clean takes secrets out of a text
 * @returns the same string if there was none
 */
export function scrubDeltas(body: string, clean: (text: string) => string): string {
  if (!/^data:/m.test(body)) return body;
  const lines = body.split('\n').map(readLine);
  const texts = new Map<string, { readonly piece: Piece; readonly line: Line }[]>();
  for (const line of lines) {
    if (line.event === null) continue;
    for (const [name, piece] of findPieces(line.event)) {
      const known = texts.get(name);
      if (known === undefined) texts.set(name, [{ piece, line }]);
      else known.push({ piece, line });
    }
  }
  for (const parts of texts.values()) {
    const before = parts.map(({ piece: { owner, field } }) => owner[field] as string);
    const after = scrubPieces(before, clean);
    for (const [at, { piece, line }] of parts.entries()) {
      if (after[at] === before[at]) continue;
      piece.owner[piece.field] = after[at];
      line.isChanged = true;
    }
  }
  if (!lines.some(({ isChanged }) => isChanged)) return body;
  return lines.map(writeLine).join('\n');
}

/**
 * The pieces of a text without its secrets: as many as before. What takes the place of a secret is shared out among the
 * pieces that held it.
 */
export function scrubPieces(pieces: readonly string[], clean: (text: string) => string): readonly string[] {
  const whole = pieces.join('');
  const cleaned = clean(whole);
  if (cleaned === whole) return pieces;
  const shortest = Math.min(whole.length, cleaned.length);
  let head = 0;
  while (head < shortest && whole[head] === cleaned[head]) head++;
  let tail = 0;
  while (tail < shortest - head && whole.at(-1 - tail) === cleaned.at(-1 - tail)) tail++;
  const changed = whole.length - head - tail;
  const replaced = cleaned.length - head - tail;
  /** Where a place of the whole text is in the cleaned one. */
  const moved = (place: number): number => {
    if (place <= head) return place;
    if (place >= whole.length - tail) return place - whole.length + cleaned.length;
    return head + Math.round(((place - head) / changed) * replaced);
  };
  let start = 0;
  return pieces.map((piece) => {
    const end = start + piece.length;
    const shared = cleaned.slice(moved(start), moved(end));
    start = end;
    return shared;
  });
}

function readLine(text: string): Line {
  if (!text.startsWith('data:')) return { text, event: null, isChanged: false };
  try {
    return { text, event: JSON.parse(text.slice('data:'.length)) as unknown, isChanged: false };
  } catch {
    return { text, event: null, isChanged: false }; // `[DONE]`, or broken: it stays as it came
  }
}

function writeLine({ text, event, isChanged }: Line): string {
  if (!isChanged) return text;
  return `data: ${JSON.stringify(event)}${text.endsWith('\r') ? '\r' : ''}`;
}

/** The pieces of an event, each with a name that is the same for all pieces of one text. */
function findPieces(event: unknown): [string, Piece][] {
  const found: [string, Piece][] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: event, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) open.push({ value: item, path: `${path}[${at}]` });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const owner = value as Record<string, unknown>;
    const own = `${path}{${NAMES.map((name) => String(owner[name] ?? '')).join()}}`;
    for (const [field, inner] of Object.entries(owner)) {
      if (typeof inner !== 'string') open.push({ value: inner, path: `${own}.${field}` });
      else if (PIECES.has(field)) found.push([`${own}.${field}`, { owner, field }]);
    }
  }
  return found;
}

/** What a body is made of beside what stands in its line. */
interface Shared {
  /** Index of the exchange that has it. */
  readonly exchange: number;
  /** By field: so many items of its list come first. */
  readonly items: Readonly<Record<string, number>>;
  /** Fields that are the same as a whole. */
  readonly same: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;

/** So many exchanges are looked back: agents that work side by side take turns. */
const RECENT = 8;
/** Shorter texts are written again. Characters. */
const SHORT = 100;

/** Lines of a file, one after the other. Items are the same if they are one object, as `Scrubber.body` gives them. */
export function createLineWriter(): (exchange: CassetteExchange) => string {
  const recent: CassetteExchange[] = [];
  return (exchange) => {
    const { body } = exchange.request;
    const shared = isRecord(body) ? mostShared(body, recent) : null;
    recent.push(exchange);
    if (recent.length > RECENT) recent.shift();
    const request =
      shared === null || !isRecord(body)
        ? exchange.request
        : { ...exchange.request, body: without(body, shared), shared };
    return `${JSON.stringify({ ...exchange, request })}\n`;
  };
}

function mostShared(body: Body, recent: readonly CassetteExchange[]): Shared | null {
  let most: Shared | null = null;
  let mostItems = 0;
  for (const { index, request } of recent) {
    if (!isRecord(request.body)) continue;
    const shared = sharedWith(body, request.body, index);
    const items = Object.values(shared.items).reduce((sum, count) => sum + count, shared.same.length);
    if (items > mostItems) [most, mostItems] = [shared, items];
  }
  return most;
}

function sharedWith(body: Body, other: Body, exchange: number): Shared {
  const items: Record<string, number> = {};
  const same: string[] = [];
  for (const [field, value] of Object.entries(body)) {
    if (!Object.hasOwn(other, field)) continue;
    const before = other[field];
    if (Array.isArray(value) && Array.isArray(before)) {
      const count = commonItems(value, before);
      if (count > 0) items[field] = count;
    } else if (value === before && (typeof value === 'object' || String(value).length > SHORT)) same.push(field);
  }
  return { exchange, items, same };
}

function commonItems(list: readonly unknown[], other: readonly unknown[]): number {
  let count = 0;
  while (count < list.length && count < other.length && list[count] === other[count]) count++;
  return count;
}

function without(body: Body, { items, same }: Shared): Body {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([field]) => !same.includes(field))
      .map(([field, value]) => [field, Array.isArray(value) ? value.slice(items[field] ?? 0) : value]),
  );
}

/** The bodies of a file, one line after the other; null if one refers to what is not there. */
function createBodyReader(): (index: number, body: unknown, shared: unknown) => { readonly body: unknown } | null {
  const bodies = new Map<number, unknown>();
  return (index, written, shared) => {
    const body = shared === undefined ? written : withShared(written, shared, bodies);
    bodies.set(index, body);
    return body === undefined ? null : { body };
  };
}

/** Undefined if it cannot be put together. */
function withShared(written: unknown, shared: unknown, bodies: ReadonlyMap<number, unknown>): Body | undefined {
  if (!isRecord(shared) || !isRecord(written)) return undefined;
  const { exchange, items, same } = shared;
  const other = bodies.get(exchange as number);
  if (!isRecord(other) || !isRecord(items) || !Array.isArray(same)) return undefined;
  const body: Record<string, unknown> = { ...written };
  for (const [field, count] of Object.entries(items)) {
    const [before, rest] = [other[field], written[field]];
    if (!Array.isArray(before) || !Array.isArray(rest) || typeof count !== 'number' || count > before.length) {
      return undefined;
    }
    body[field] = [...before.slice(0, count), ...rest];
  }
  for (const field of same) {
    if (typeof field !== 'string' || !Object.hasOwn(other, field)) return undefined;
    body[field] = other[field];
  }
  return body;
}
