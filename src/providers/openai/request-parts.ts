// Parts of a request that both OpenAI forms have: names and ids as an API takes them (what is valid passes as it is), and what
// their models take, by name. A name that is not known gets the plain form; what an API refuses all the same is left out of the
// next request by the loop.
import type { DocumentBlock, ImageBlock, TextBlock } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { EffortLevel } from '../../protocol/options.js';
import { VERSION } from '../../util/version.js';
import { RESERVED_HEADERS, type RequestThinking, type ToolDefinition } from '../contract/index.js';

/** The name of the schema of an answer; the API wants one and does nothing with it. */
export const SCHEMA_NAME = 'answer';
/** What of the first message tells one conversation from another, characters. */
const KEY_CHARS = 4_096;

/** The same for the requests of one conversation, so that they reach the machine that has its beginning. */
export function cacheKeyOf(firstMessage: string): string {
  return `turnwright-${shortHash(firstMessage.slice(0, KEY_CHARS))}`;
}

/** Of two tools with one name the first: the API refuses the request with both. */
export function uniqueTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** The API refuses a schema of an object that does not list its properties. */
export function withProperties(schema: JsonSchema): JsonSchema {
  return 'properties' in schema ? schema : { ...schema, properties: {} };
}

// What stands in a request for an image or document that its API cannot take. Rule: the model is told what is missing, so
// that it does not answer as if it had seen it.

/** @param why what the API cannot take, as half a sentence */
export function leftOut(block: ImageBlock | DocumentBlock, why: string): string {
  return `[${describe(block)} is not shown: ${why}]`;
}

/** "The image (image/png, 12 KB)". */
function describe(block: ImageBlock | DocumentBlock): string {
  const { type, source } = block;
  const title = type === 'document' && block.title ? ` "${block.title.slice(0, 200)}"` : '';
  if (source.type === 'url') return `The ${type}${title} at ${source.url.slice(0, 500)}`;
  const size = source.type === 'base64' ? (source.data.length * 3) / 4 : source.data.length;
  return `The ${type}${title} (${source.media_type.slice(0, 60)}, ${Math.ceil(size / 1_024)} KB)`;
}

/** The text of a document that is one; null for any other. */
export function documentText(block: DocumentBlock): string | null {
  if (block.source.type !== 'text') return null;
  return block.title ? `${block.title}\n\n${block.source.data}` : block.source.data;
}

/** A file name for a document; the API wants one with the right ending. */
export function pdfName(block: DocumentBlock): string {
  const title =
    (block.title ?? '')
      .replace(/[^\p{L}\p{N} ._-]/gu, '')
      .trim()
      .slice(0, 100) || 'document';
  return /\.pdf$/i.test(title) ? title : `${title}.pdf`;
}

/** True for a document whose bytes are a PDF. */
export function isPdf(block: DocumentBlock): boolean {
  return block.source.type === 'base64' && block.source.media_type === 'application/pdf';
}

// Serialised forms, found again by the identity of what they are of. Rule: nothing is kept alive by being known here.

interface KeptTexts {
  /** The text of `item`, written once. Contract: `item` is never changed. */
  keep<T extends object>(item: T, write: (item: T) => string): string;
  /** Forgets all if the texts were written for another model. */
  forModel(model: string): void;
}

export function createKeptTexts(): KeptTexts {
  let kept = new WeakMap<object, string>();
  let keptFor: string | null = null;
  return {
    keep(item, write) {
      const known = kept.get(item);
      if (known !== undefined) return known;
      const text = write(item);
      kept.set(item, text);
      return text;
    },
    forModel(model) {
      if (keptFor !== null && keptFor !== model) kept = new WeakMap();
      keptFor = model;
    },
  };
}

/** The system prompt as one JSON string, its blocks as paragraphs; null if there is none. */
export function writeSystemText(blocks: readonly TextBlock[], kept: KeptTexts): string | null {
  const texts = blocks
    .filter((block) => block.text !== '')
    .map((block) => kept.keep(block, ({ text }) => JSON.stringify(text).slice(1, -1)));
  return texts.length === 0 ? null : `"${texts.join('\\n\\n')}"`;
}

// The address and the headers of an OpenAI-shaped API. Rule: what cannot be sent is refused here, by name and without
// showing its value.

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

/** The name without the maker that routers put before it. */
function bareName(model: string): string {
  return model.toLowerCase().replace(/^.*\//, '');
}

/** Models that reason: the o series and GPT-5 and later, but for its chat variants. */
export function isReasoningModel(model: string): boolean {
  const name = bareName(model);
  return (/^o[1-9]/.test(name) || /^gpt-(?:[5-9]|\d\d)/.test(name)) && !/-chat\b/.test(name);
}

/** Models that hold an answer to a schema. */
export function takesOutputSchema(model: string): boolean {
  const name = bareName(model);
  if (/^gpt-4o-2024-05-13|^o1-(?:mini|preview)|audio|realtime/.test(name)) return false;
  return /^gpt-4o|^gpt-4\.[1-9]|^gpt-(?:[5-9]|\d\d)|^o[1-9]/.test(name);
}

/** GPT-5.2 and later, and the largest Codex, know an effort above `high`. */
function knowsXhigh(model: string): boolean {
  const name = bareName(model);
  return /^gpt-5\.[2-9]|^gpt-(?:[6-9]|\d\d)|codex-max/.test(name);
}

/** The word for an effort; the highest the model knows if it asks for more. */
function effortName(model: string, effort: EffortLevel): string {
  if (effort === 'low' || effort === 'medium' || effort === 'high') return effort;
  return knowsXhigh(model) ? 'xhigh' : 'high';
}

/** Tokens up to which a thinking budget is a low, and a middling, effort. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;

/**
 * The effort a request asks for, by its own word or by its thinking budget; null if it asks for none, or leaves it to
 * the model.
 */
export function effortOf(
  model: string,
  effort: EffortLevel | undefined,
  thinking: RequestThinking | undefined,
): string | null {
  if (effort !== undefined) return effortName(model, effort);
  if (thinking?.type !== 'enabled') return null;
  if (thinking.budgetTokens <= LOW_BUDGET) return 'low';
  return thinking.budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The word for as little reasoning as the model can do; null if it has none. */
export function leastEffort(model: string): string | null {
  const name = bareName(model);
  if (!isReasoningModel(model) || /-pro\b|^o\d/.test(name)) return null;
  return /^gpt-5(?:-|$)/.test(name) && !/codex/.test(name) ? 'minimal' : /codex/.test(name) ? 'low' : 'none';
}

export interface WireNames {
  /** Contract: equal for equal names, and never equal for two. */
  toWire(name: string): string;
  /** The name that was given for one on the wire; the same text if none was. */
  fromWire(name: string): string;
}

const HASH_LENGTH = 10;

/** @param maxLength longest name the API takes, at least 16 */
export function createWireNames(maxLength: number): WireNames {
  const wire = new Map<string, string>();
  const names = new Map<string, string>();
  return {
    toWire(name) {
      const known = wire.get(name);
      if (known !== undefined) return known;
      let candidate = isValid(name, maxLength) ? name : shortName(name, name, maxLength);
      for (let n = 2; names.has(candidate); n++) candidate = shortName(name, `${n} ${name}`, maxLength);
      wire.set(name, candidate);
      names.set(candidate, name);
      return candidate;
    },
    fromWire: (name) => names.get(name) ?? name,
  };
}

/** An id in the form the API takes; deterministic, so that a call and its result agree. */
export function wireId(id: string, maxLength: number): string {
  return isValid(id, maxLength) ? id : shortName(id, id, maxLength);
}

function isValid(name: string, maxLength: number): boolean {
  return name.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(name);
}

function shortName(name: string, hashed: string, maxLength: number): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - HASH_LENGTH - 1);
  return `${readable}_${shortHash(hashed)}`;
}

/** Ten letters and digits that tell texts apart: two FNV-1a hashes with different starts. */
export function shortHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  const digits = (a >>> 0).toString(36).padStart(7, '0') + (b >>> 0).toString(36).padStart(7, '0');
  return digits.slice(-HASH_LENGTH);
}

// Ids of tool calls that are valid and never come twice, whatever a server sends: none, the same one for each turn, or a
// path. Rule: an id that is good is kept.

/** Longest id that every API of this engine takes. */
const MAX_LENGTH = 64;

export interface CallIds {
  /** Tells of an id that the conversation holds. */
  note(id: string): void;
  /** An id for a new call: the server's, if it is valid and was not there before. */
  claim(wanted: string | null): string;
}

/** One per provider: what it has sent and received. */
export function createCallIds(): CallIds {
  /** Each id, with how often it was asked for. */
  const seen = new Map<string, number>();
  return {
    note(id) {
      if (!seen.has(id)) seen.set(id, 1);
    },
    claim(wanted) {
      const base = validId(wanted);
      for (;;) {
        const times = (seen.get(base) ?? 0) + 1;
        seen.set(base, times);
        if (times === 1) return base;
        const next = `${base.slice(0, MAX_LENGTH - 8)}_${times}`;
        if (seen.has(next)) continue;
        seen.set(next, 1);
        return next;
      }
    },
  };
}

function validId(wanted: string | null): string {
  if (wanted === null || wanted === '') return 'call';
  if (wanted.length <= MAX_LENGTH && /^[a-zA-Z0-9_-]+$/.test(wanted)) return wanted;
  return `${wanted.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - 11)}_${shortHash(wanted)}`;
}
