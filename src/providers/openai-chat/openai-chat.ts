// The Chat Completions API of OpenAI and of every server that speaks it, as a Provider; in what they differ is data. The chunks
// of its stream are checked and passed on as ModelEvents. Rule: what the engine hears always keeps the contract of ModelEvent;
// what cannot is an error, never a guess. A reply is whole with a finish reason and the end marker, or the end of the body.
import type { HostClock } from '../../host/host.js';
import type { ModelEvent, StopReason, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { ChatQuirks } from '../../protocol/model-options.js';
import { type Provider, violation } from '../contract/index.js';
import { createConnections, type EventVerdict, streamEvents, type TransportChoice } from '../http/index.js';
import {
  type BlockSequencer,
  blameWhatWasAsked,
  type CallIds,
  classifyEvent,
  classifyResponse,
  createBlockSequencer,
  createCallIds,
  createWireNames,
  type EndpointConfig,
  endpointHeaders,
  endpointUrl,
  type FailureContext,
  messageStart,
  parseEvent,
  readUsage,
  requestIdOf,
  type StreamedBlock,
  secretsOf,
  takesOutputSchema,
  toStrictSchema,
  type WireNames,
} from '../openai/index.js';
import { type ToolCallProfile, toolCallProfile, withToolCallText } from '../text-calls/index.js';
import { createChatBodyBuilder, sealCarried } from './request-body.js';

export interface OpenAIChatConfig extends EndpointConfig {
  /** Default: none, which is OpenAI's own behaviour. `CHAT_QUIRKS` has those of known servers. */
  readonly quirks?: ChatQuirks | undefined;
  readonly clock: HostClock;
  /** Forces how requests travel, or which way they take; absent: the best there is, straight. */
  readonly transport?: TransportChoice | undefined;
}

const DEFAULT_TOOL_NAME_LENGTH = 64;

/**
 * A provider with connections of its own, opened when the first request is sent.
 * Contract: `close` ends its connections, also those in use; a later request opens new ones.
 * Throws `ConfigError` on a base URL, key or header that cannot be used.
 */
export function createOpenAIChatProvider(config: OpenAIChatConfig): Provider & { close(): void } {
  const { id: server, clock, quirks = {} } = config;
  const url = endpointUrl(config, '/chat/completions');
  const headers = endpointHeaders(config);
  const failures = { secrets: secretsOf(config), keyAdvice: `Check the key of the provider "${server}".` };
  const ids = createCallIds();
  const names = createWireNames(quirks.maxToolNameLength ?? DEFAULT_TOOL_NAME_LENGTH);
  const bodies = createChatBodyBuilder({ server, quirks, ids, names });
  const connections = createConnections(url, clock, config.transport);

  const provider: Provider & { close(): void } = {
    id: server,
    outputSchema: (model, schema) => outputSchema(model, schema, quirks),
    stream(request, limits, signal) {
      const decoder = createChatDecoder({ server, model: request.model, quirks, ids, names, failures });
      return streamEvents({
        transport: connections.open,
        request: () => ({ url, headers, body: bodies.build(request) }),
        limits,
        clock,
        signal,
        decode: (data, event, push) => decoder.decode(data, event, push),
        atEnd: (push) => decoder.atEnd(push),
        classify: (response) => blameWhatWasAsked(classifyResponse(response, clock, failures), request),
        onHead: (header) => decoder.setRequestId(requestIdOf(header, failures.secrets)),
      });
    },
    close: connections.close,
  };
  return withProfile(provider, quirks);
}

/** Of models that may write calls as text, the replies are read for them. */
function withProfile(
  provider: Provider & { close(): void },
  { toolCalls, toolCallsOf }: ChatQuirks,
): Provider & { close(): void } {
  const readers = new Map<ToolCallProfile, Provider>();
  const readerFor = (profile: ToolCallProfile): Provider => {
    const known = readers.get(profile);
    if (known !== undefined) return known;
    const made = withToolCallText(provider, profile);
    readers.set(profile, made);
    return made;
  };
  return {
    ...provider,
    stream(request, limits, signal) {
      const { model } = request;
      const single = toolCallsOf !== undefined && Object.hasOwn(toolCallsOf, model) ? toolCallsOf[model] : undefined;
      return readerFor(single ?? toolCallProfile(model, toolCalls)).stream(request, limits, signal);
    },
  };
}

function outputSchema(model: string, schema: JsonSchema, quirks: ChatQuirks): JsonSchema | null {
  const which = quirks.outputSchema ?? 'known';
  const isTaken = which === 'all' || (which === 'known' && takesOutputSchema(model));
  return isTaken ? toStrictSchema(schema) : null;
}

type Fields = Readonly<Record<string, unknown>>;

export interface ChatDecoderConfig {
  /** The provider's id. */
  readonly server: string;
  /** As the request named it. */
  readonly model: string;
  readonly quirks: ChatQuirks;
  readonly ids: CallIds;
  readonly names: WireNames;
  readonly failures: FailureContext;
}

/** Decodes the chunks of one reply, in order. */
export interface ChatDecoder {
  /** Before the first chunk: how the server names the request. */
  setRequestId(id: string | null): void;
  /** Throws `ModelError`: the stream's own error, or `malformed` if it breaks the protocol. */
  decode(data: string, event: string | undefined, push: (event: ModelEvent) => void): EventVerdict;
  /** The body is over without an end marker: true if a finish reason came, so that the reply is whole. */
  atEnd(push: (event: ModelEvent) => void): boolean;
}

export function createChatDecoder(config: ChatDecoderConfig): ChatDecoder {
  return new Decoder(config);
}

/** What goes back beside text and calls. */
type Carried = { readonly details: unknown[] } | { readonly extra: (readonly [string, unknown])[] };

/** A class, so that every reply runs the same code: it is run for each chunk. */
class Decoder implements ChatDecoder {
  readonly #config: ChatDecoderConfig;
  readonly #blocks: BlockSequencer;
  readonly #calls: StreamedCalls;
  readonly #details: unknown[] = [];
  readonly #lateExtra: (readonly [string, unknown])[] = [];
  #push: (event: ModelEvent) => void = () => undefined;
  #requestId: string | null = null;
  #isStarted = false;
  #isRefusal = false;
  #finishReason: string | null = null;
  #usage: Usage | null = null;
  /** The text or thinking that deltas go to; null if a call came last, or nothing. */
  #tail: StreamedBlock | null = null;

  constructor(config: ChatDecoderConfig) {
    this.#config = config;
    this.#blocks = createBlockSequencer((event) => this.#push(event));
    this.#calls = createStreamedCalls({
      blocks: this.#blocks,
      ids: config.ids,
      names: config.names,
      beforeCall: (id, extra) => {
        this.#closeTail();
        if (extra !== undefined) this.#carry({ extra: [[id, extra]] });
      },
      onLateExtra: (id, extra) => void this.#lateExtra.push([id, extra]),
    });
  }

  setRequestId(id: string | null): void {
    this.#requestId = id;
  }

  decode(data: string, event: string | undefined, push: (event: ModelEvent) => void): EventVerdict {
    this.#push = push;
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      this.#finish();
      return 'done';
    }
    const { failures, quirks } = this.#config;
    const fields = parseEvent(data, failures.secrets);
    const isBareError = event === 'error' || fields['type'] === 'error' || fields['object'] === 'error';
    if (isBareError || (fields['error'] ?? null) !== null) {
      throw classifyEvent(data, failures);
    }
    const choices = fields['choices'];
    const counts = readUsage(fields['usage'] ?? xGroqUsage(fields), quirks.reasoningTokensApart === true);
    this.#usage = counts ?? this.#usage;
    if (!Array.isArray(choices)) return 'silence';
    const isFirst = !this.#isStarted;
    if (isFirst) this.#start(fields);
    // Chunks without anything in them are how some servers keep a connection alive.
    return this.#applyChoices(choices) || isFirst || counts !== null ? 'progress' : 'silence';
  }

  atEnd(push: (event: ModelEvent) => void): boolean {
    this.#push = push;
    if (this.#finishReason === null) return false;
    this.#finish();
    return true;
  }

  #closeTail(): void {
    const tail = this.#tail;
    const { server, model } = this.#config;
    if (tail?.kind === 'thinking') this.#blocks.close(tail, sealCarried({ server, model }));
    else if (tail !== null) this.#blocks.close(tail);
    this.#tail = null;
  }

  /** Thinking without a text of its own, which carries what goes back. */
  #carry(carried: Carried): void {
    const { server, model } = this.#config;
    const block = this.#blocks.open({ type: 'thinking', thinking: '' });
    this.#blocks.close(block, sealCarried({ server, model, ...carried }));
  }

  #append(kind: 'text' | 'thinking', delta: string): void {
    let tail = this.#tail;
    if (tail === null || tail.kind !== kind) {
      this.#closeTail();
      this.#calls.settle();
      tail = this.#blocks.open(kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' });
      this.#tail = tail;
    }
    this.#blocks.fill(tail, delta);
  }

  /** Content is a text, or with some servers a list of parts. */
  #appendContent(content: unknown): boolean {
    if (typeof content === 'string') {
      if (content !== '') this.#append('text', content);
      return content !== '';
    }
    if (!Array.isArray(content)) return false;
    for (const part of content as (Fields | null)[]) {
      if (typeof part?.['text'] === 'string') this.#append('text', part['text']);
      const thoughts = part?.['thinking'];
      for (const thought of Array.isArray(thoughts) ? (thoughts as (Fields | null)[]) : []) {
        if (typeof thought?.['text'] === 'string') this.#append('thinking', thought['text']);
      }
    }
    return content.length > 0;
  }

  #appendReasoning(delta: Fields): boolean {
    const list = delta['reasoning_details'];
    if (this.#config.quirks.reasoningDetails === true && Array.isArray(list)) {
      for (const item of list) mergeDetail(this.#details, item);
    }
    const reasoning = delta['reasoning_content'] ?? delta['reasoning'];
    if (typeof reasoning !== 'string' || reasoning === '') return Array.isArray(list) && list.length > 0;
    this.#append('thinking', reasoning);
    return true;
  }

  /** True if the delta brought something. */
  #applyDelta(delta: Fields): boolean {
    const { content, refusal, tool_calls: entries } = delta;
    let isNews = this.#appendReasoning(delta);
    if (this.#appendContent(content)) isNews = true;
    if (typeof refusal === 'string' && refusal !== '') {
      this.#isRefusal = true;
      this.#append('text', refusal);
      isNews = true;
    }
    if (Array.isArray(entries) && entries.length > 0) {
      this.#calls.push(entries);
      isNews = true;
    }
    return isNews;
  }

  #start(fields: Fields): void {
    this.#isStarted = true;
    this.#push(messageStart(fields, this.#config.model, this.#requestId));
  }

  #applyChoices(choices: readonly unknown[]): boolean {
    let isNews = false;
    for (const choice of choices as (Fields | null)[]) {
      if (typeof choice !== 'object' || choice === null || (choice['index'] ?? 0) !== 0) continue;
      const delta = choice['delta'];
      if (typeof delta === 'object' && delta !== null) {
        const isMore = this.#applyDelta(delta as Fields);
        if (isMore && this.#finishReason !== null) throw violation('more of a reply that had ended');
        isNews ||= isMore;
      }
      const reason = choice['finish_reason'];
      if (typeof reason === 'string' && reason !== '') {
        this.#finishReason = reason;
        isNews = true;
      }
    }
    return isNews;
  }

  #finish(): void {
    if (!this.#isStarted) throw violation('the end marker before the reply');
    if (this.#finishReason === null) throw violation('the end marker without a finish reason');
    const stopReason = stopReasonOf(this.#finishReason, this.#blocks.hasCalls, this.#isRefusal);
    this.#calls.finish();
    this.#closeTail();
    this.#blocks.finish();
    if (this.#details.length > 0) this.#carry({ details: this.#details });
    if (this.#lateExtra.length > 0) this.#carry({ extra: this.#lateExtra });
    this.#push({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: this.#usage ?? {},
    });
    this.#push({ type: 'message_stop' });
  }
}

function xGroqUsage(fields: Fields): unknown {
  const extra = fields['x_groq'];
  return typeof extra === 'object' && extra !== null ? (extra as Fields)['usage'] : undefined;
}

// Why a Chat Completions reply ended, in canonical words. Rule: a reason that means a failure is one, and is thrown.

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end_turn'],
  ['eos', 'end_turn'],
  ['end_turn', 'end_turn'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['tool_use', 'tool_use'],
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['model_length', 'model_context_window_exceeded'],
  ['content_filter', 'refusal'],
  ['safety', 'refusal'],
  ['sensitive', 'refusal'],
  ['refusal', 'refusal'],
]);

/** Reasons by which a server says that it gave up, and what that is. */
const FAILURES: ReadonlyMap<string, 'overloaded' | 'server' | 'stream_cut' | 'malformed'> = new Map([
  ['error', 'server'],
  ['network_error', 'server'],
  ['insufficient_system_resource', 'overloaded'],
  ['abort', 'stream_cut'],
  ['aborted', 'stream_cut'],
  ['malformed_function_call', 'malformed'],
]);

/**
 * A reason newer than this engine ends the turn as `stop` does; the blocks themselves are whole either way.
 * @throws ModelError if the reason is a failure
 */
function stopReasonOf(reason: string, hasCalls: boolean, isRefusal: boolean): StopReason {
  const word = reason.toLowerCase();
  const failure = FAILURES.get(word);
  if (failure !== undefined) {
    throw new ModelError(failure, `The model's server broke off its reply (${word.slice(0, 40)}). Try again later.`);
  }
  const known = REASONS.get(word) ?? 'end_turn';
  if (known !== 'end_turn' && known !== 'tool_use') return known;
  // Some say `stop` though there are calls, and some say `tool_calls` though there are none.
  if (hasCalls) return 'tool_use';
  return isRefusal ? 'refusal' : 'end_turn';
}

// OpenRouter streams its list of reasoning in pieces. Joined here as it wants them back: pieces of one text become one,
// everything else stays as it came.

type Detail = Readonly<Record<string, unknown>>;

/** Fields that come in pieces. */
const PIECES = ['text', 'summary'] as const;

/** Adds a piece to `details`, which it changes. */
function mergeDetail(details: unknown[], piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return;
  const last = details.at(-1) as Detail | undefined;
  const next = piece as Detail;
  if (last === undefined || last['type'] !== next['type'] || last['index'] !== next['index'] || hasNoPiece(next)) {
    details.push(next);
    return;
  }
  const joined: Record<string, unknown> = { ...last };
  for (const [key, value] of Object.entries(next)) {
    const before = joined[key];
    const isPiece = PIECES.some((name) => name === key) && typeof value === 'string' && typeof before === 'string';
    joined[key] = isPiece ? before + value : (value ?? before);
  }
  details[details.length - 1] = joined;
}

/** Encrypted reasoning is never joined. */
function hasNoPiece(detail: Detail): boolean {
  return 'data' in detail || !PIECES.some((name) => name in detail || 'signature' in detail);
}

// The tool calls of a Chat Completions stream. Most servers stream one after the other by index; some send them whole,
// without an index, with one index or one id for all, or mixed. Rule: pieces are joined only if they belong together
// beyond doubt, and what is not whole at the end is told as such, never run.

interface StreamedCall {
  readonly serverId: string;
  name: string;
  /** Null until the name is known. */
  block: StreamedBlock | null;
  /** Arguments that came before the name. */
  held: string;
}

export interface StreamedCalls {
  /** Takes the entries of one chunk. */
  push(entries: readonly unknown[]): void;
  /** Closes the last call if its arguments are whole: something else follows. */
  settle(): void;
  /** Throws `malformed` if a call has no name. */
  finish(): void;
}

export interface CallSinks {
  readonly blocks: BlockSequencer;
  readonly ids: CallIds;
  readonly names: WireNames;
  /** Before the block of a call is opened: closes what else is open, and carries what came with the call. */
  readonly beforeCall: (id: string, extra: unknown) => void;
  /** What a server sends with a call that is open already. */
  readonly onLateExtra: (id: string, extra: unknown) => void;
}

function createStreamedCalls({ blocks, ids, names, beforeCall, onLateExtra }: CallSinks): StreamedCalls {
  const byIndex = new Map<number, StreamedCall>();
  const byId = new Map<string, StreamedCall>();
  const all: StreamedCall[] = [];

  const settle = () => {
    const last = all.at(-1)?.block ?? null;
    if (last !== null && !last.closed && isWhole(last.text)) blocks.close(last);
  };
  const openBlock = (call: StreamedCall, extra: unknown) => {
    const id = ids.claim(call.serverId);
    beforeCall(id, extra);
    call.block = blocks.open({ type: 'tool_use', id, name: names.fromWire(call.name), input: {} });
    if (call.held !== '') blocks.fill(call.block, call.held);
    call.held = '';
  };
  const add = (entry: Entry): StreamedCall => {
    settle();
    const call: StreamedCall = { serverId: entry.id, name: '', block: null, held: '' };
    if (entry.index !== null) byIndex.set(entry.index, call);
    if (entry.id !== '') byId.set(entry.id, call);
    all.push(call);
    return call;
  };
  const find = ({ index, id }: Entry): StreamedCall | undefined => {
    if (index !== null) return byIndex.get(index);
    return id === '' ? all.at(-1) : byId.get(id);
  };
  const pushEntry = (entry: Entry) => {
    const found = find(entry);
    const call = found === undefined || isAnother(found, entry) ? add(entry) : found;
    if (call.block === null) {
      call.held += entry.args;
      // Some repeat the name with each piece, none sends it in pieces.
      if (call.name === '') call.name = entry.name;
      if (call.name !== '') openBlock(call, entry.extra);
      return;
    }
    if (entry.extra !== undefined && call.block.start.type === 'tool_use')
      onLateExtra(call.block.start.id, entry.extra);
    if (entry.args === '') return;
    // A whole call was closed when the next began; white space behind it changes nothing.
    if (call.block.closed && entry.args.trim() === '') return;
    blocks.fill(call.block, entry.args);
  };

  return {
    push(entries) {
      for (const entry of entries) pushEntry(readEntry(entry));
    },
    settle,
    finish() {
      if (all.some((call) => call.block === null)) {
        throw new ModelError('malformed', 'The reply broke the protocol: a tool call without a name.');
      }
    },
  };
}

interface Entry {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: unknown;
}

function readEntry(value: unknown): Entry {
  if (typeof value !== 'object' || value === null) {
    throw new ModelError('malformed', 'The reply broke the protocol: a tool call that is not an object.');
  }
  const { index, id, function: called, extra_content: extra } = value as Fields;
  const { name, arguments: args } = (typeof called === 'object' && called !== null ? called : {}) as Fields;
  return {
    index: typeof index === 'number' ? index : null,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    args: typeof args === 'string' ? args : args === null || args === undefined ? '' : JSON.stringify(args),
    extra: extra ?? undefined,
  };
}

/** True if an entry at the place of a call begins another one. Only an entry with a name begins a call. */
function isAnother(call: StreamedCall, { index, id, name, args }: Entry): boolean {
  if (name === '' || call.name === '') return false;
  if (id !== '' && call.serverId !== '' && id !== call.serverId) return true;
  // The same place again, with arguments although it has whole ones: servers that count all calls as the first.
  const isSamePlace = id === '' || call.serverId === '' || index === null;
  return isSamePlace && args !== '' && isWhole(call.block?.text ?? '');
}

/** True for a JSON object. An empty text is none: more may come. */
function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // not whole yet
  }
}
