// The Messages API of Anthropic and of every gateway that speaks it, as a Provider; the events of its stream are checked and
// passed on as ModelEvents. Rule: what the engine hears always keeps the contract of ModelEvent; what cannot is an error, never
// a guess.
import type { HostClock } from '../../host/host.js';
import {
  type AssistantMessage,
  type ContentBlockStart,
  type ContentDelta,
  EMPTY_USAGE,
  type ModelEvent,
  type StopReason,
  type Usage,
} from '../../protocol/content.js';
import { ConfigError, ModelError } from '../../protocol/errors.js';
import { isCount } from '../../util/json.js';
import { VERSION } from '../../util/version.js';
import {
  fieldsOf,
  type Provider,
  RESERVED_HEADERS,
  type ThinkingForm,
  USAGE_COUNTS,
  violation,
} from '../contract/index.js';
import { DOORS } from '../doors.js';
import {
  createConnections,
  type EventVerdict,
  requestIdOf,
  streamEvents,
  type TransportChoice,
} from '../http/index.js';
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

type Fields = Readonly<Record<string, unknown>>;
type BlockKind = ContentBlockStart['type'];

/** An open block: its kind and its index in what is passed on; null if its kind is unknown and it is dropped. */
type OpenBlock = { readonly kind: BlockKind; readonly index: number } | null;

const MAX_SHOWN = 200;

/** For each kind of delta, the block it belongs into and the field that must be text. Other deltas are dropped. */
const DELTA_FIELDS: ReadonlyMap<unknown, { readonly block: BlockKind; readonly field: string }> = new Map([
  ['text_delta', { block: 'text', field: 'text' }],
  ['input_json_delta', { block: 'tool_use', field: 'partial_json' }],
  ['thinking_delta', { block: 'thinking', field: 'thinking' }],
  ['signature_delta', { block: 'thinking', field: 'signature' }],
]);

const STOP_REASONS: ReadonlySet<unknown> = new Set<StopReason>([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

/** Decodes the events of one reply, in order. */
interface EventDecoder {
  /** Before the first event: how the server names the request. */
  setRequestId(id: string | null): void;
  /** Gives the stream's own error; throws `ModelError` of kind `malformed` if it breaks the protocol. */
  decode(data: string, event: string | undefined, push: (event: ModelEvent) => void): EventVerdict;
}

/**
 * @param secrets texts that no error may repeat
 * @param onOther told of what is dropped
 */
export function createEventDecoder(secrets: readonly string[], onOther?: (part: unknown) => void): EventDecoder {
  /** By the server's index. A closed block stays as `undefined`, so that its index cannot be opened again. */
  const blocks = new Map<number, OpenBlock | undefined>();
  let open = 0;
  let passedOn = 0;
  let isStarted = false;
  let requestId: string | null = null;
  let stopReason: StopReason | null = null;

  function startMessage(fields: Fields): ModelEvent {
    if (isStarted) throw violation('a second message_start');
    isStarted = true;
    return {
      type: 'message_start',
      message: readMessage(fieldsOf(fields['message'], 'message_start without a message'), requestId),
    };
  }

  function startBlock(fields: Fields): ModelEvent | null {
    const index = readIndex(fields);
    if (blocks.has(index)) throw violation(`block ${index} opened twice`);
    const block = readBlock(fieldsOf(fields['content_block'], 'content_block_start without a block'));
    if (block === null) onOther?.(fields['content_block']);
    open++;
    blocks.set(index, block === null ? null : { kind: block.type, index: passedOn });
    return block === null ? null : { type: 'content_block_start', index: passedOn++, content_block: block };
  }

  function fillBlock(fields: Fields): ModelEvent | null {
    const block = openBlock(fields, 'a delta');
    const delta = fields['delta'] as Fields | null | undefined;
    const expected = DELTA_FIELDS.get(delta?.['type']);
    if (expected === undefined) onOther?.(delta);
    if (block === null || expected === undefined) return null;
    if (expected.block !== block.kind) throw violation(`${String(delta?.['type'])} in a ${block.kind} block`);
    if (typeof delta?.[expected.field] !== 'string') throw violation(`${String(delta?.['type'])} without its text`);
    // Almost every event of a stream: passed on as it was parsed unless blocks before it were dropped.
    if (fields['index'] === block.index && fields['type'] !== undefined) return fields as unknown as ModelEvent;
    return { type: 'content_block_delta', index: block.index, delta: delta as unknown as ContentDelta };
  }

  function stopBlock(fields: Fields): ModelEvent | null {
    const block = openBlock(fields, 'a content_block_stop');
    blocks.set(readIndex(fields), undefined);
    open--;
    return block === null ? null : { type: 'content_block_stop', index: block.index };
  }

  function openBlock(fields: Fields, what: string): OpenBlock {
    const block = blocks.get(fields['index'] as number);
    if (block === undefined) throw violation(`${what} for block ${shown(fields['index'])}, which is not open`);
    return block;
  }

  function endMessage(fields: Fields): ModelEvent {
    const delta = fieldsOf(fields['delta'], 'message_delta without a delta');
    stopReason = readStopReason(delta['stop_reason']) ?? stopReason;
    return {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: textOr(delta['stop_sequence'], null) },
      usage: readUsage(fields['usage']),
    };
  }

  function stopMessage(): ModelEvent {
    if (open > 0) throw violation('message_stop while a block was open');
    if (stopReason === null) throw violation('message_stop without a stop reason');
    return { type: 'message_stop' };
  }

  function translate(type: unknown, fields: Fields): ModelEvent | null {
    switch (type) {
      case 'content_block_delta':
        return fillBlock(fields);
      case 'content_block_start':
        return startBlock(fields);
      case 'content_block_stop':
        return stopBlock(fields);
      case 'message_delta':
        return endMessage(fields);
      default:
        return stopMessage();
    }
  }

  return {
    setRequestId(id) {
      requestId = id;
    },
    decode(data, event, push) {
      const fields = parse(data, secrets);
      const type = fields['type'] ?? event;
      if (type === 'error' || (type === undefined && fields['error'] !== undefined)) return readError(data, secrets);
      if (type === 'message_start') {
        push(startMessage(fields));
        return 'progress';
      }
      if (!MESSAGE_EVENTS.has(type)) return 'silence';
      if (!isStarted) throw violation(`${String(type)} before message_start`);
      const translated = translate(type, fields);
      if (translated !== null) push(translated);
      return type === 'message_stop' ? 'done' : 'progress';
    },
  };
}

async function readError(data: string, secrets: readonly string[]): Promise<ModelError> {
  const { classifyEvent } = await DOORS.anthropicFailures();
  return classifyEvent(data, secrets);
}

/** Events of a begun message. `ping` and anything newer than this list is silence. */
const MESSAGE_EVENTS: ReadonlySet<unknown> = new Set([
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

function parse(data: string, secrets: readonly string[]): Fields {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    // A plain text may quote anything, a key included; only its beginning is shown, and not if it holds one.
    const isSafe = !secrets.some((secret) => data.includes(secret));
    throw new ModelError('malformed', `An event of the reply is not valid JSON: ${isSafe ? shown(data) : 'hidden'}.`, {
      cause: isSafe ? error : undefined,
    });
  }
  return fieldsOf(value, 'an event that is not an object');
}

function readMessage(message: Fields, requestId: string | null): AssistantMessage {
  return {
    id: textOr(message['id'], ''),
    type: 'message',
    role: 'assistant',
    model: textOr(message['model'], ''),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...EMPTY_USAGE, ...readUsage(message['usage']) },
    ...(requestId === null ? {} : { request_id: requestId }),
  };
}

/** Null for a kind this engine does not know, for example a server's own tool. */
function readBlock(block: Fields): ContentBlockStart | null {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: textOr(block['text'], '') };
    case 'thinking': {
      const thinking = textOr(block['thinking'], '');
      const signature = textOr(block['signature'], null);
      return signature === null ? { type: 'thinking', thinking } : { type: 'thinking', thinking, signature };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: required(block, 'data') };
    case 'tool_use': {
      const input = block['input'] ?? {};
      return { type: 'tool_use', id: required(block, 'id'), name: required(block, 'name'), input };
    }
    default:
      return null;
  }
}

function required(block: Fields, field: string): string {
  const value = block[field];
  if (typeof value !== 'string' || value === '') throw violation(`a ${String(block['type'])} block without ${field}`);
  return value;
}

/** A reason newer than this engine ends the turn as `end_turn` does; the blocks themselves are whole either way. */
function readStopReason(reason: unknown): StopReason | null {
  if (typeof reason !== 'string') return null;
  return STOP_REASONS.has(reason) ? (reason as StopReason) : 'end_turn';
}

/** The counts that are there, as non-negative numbers. */
function readUsage(value: unknown): Partial<Usage> {
  if (typeof value !== 'object' || value === null) return {};
  const fields = value as Fields;
  const usage: { -readonly [K in keyof Usage]?: Usage[K] } = {};
  for (const key of USAGE_COUNTS) if (isCount(fields[key])) usage[key] = fields[key];
  const creation = fields['cache_creation'];
  if (typeof creation !== 'object' || creation === null) return usage;
  const { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: minutes } = creation as Fields;
  // Only an hour costs something else, so a reply without it says what every reply says.
  if (!isCount(hour) || hour === 0) return usage;
  usage.cache_creation = {
    ephemeral_5m_input_tokens: isCount(minutes) ? minutes : 0,
    ephemeral_1h_input_tokens: hour,
  };
  return usage;
}

function readIndex(fields: Fields): number {
  const index = fields['index'];
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) {
    throw violation(`a block with the index ${shown(index)}`);
  }
  return index;
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** A value for an error text: short and printable. */
function shown(value: unknown): string {
  return String(value).slice(0, MAX_SHOWN).replace(/\p{C}/gu, ' ');
}
