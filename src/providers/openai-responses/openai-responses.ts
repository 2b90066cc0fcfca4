// The Responses API of OpenAI, used without state, as a Provider, and the events of its stream, checked and passed on as
// ModelEvents. Rule: what the engine hears always keeps the contract of ModelEvent; what cannot is an error, never a guess. A
// call is whole only when its item is done, a reply only with the event that ends its response.
import type { HostClock } from '../../host/host.js';
import type { ModelEvent, StopReason } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { fieldsOf, type Provider, violation } from '../contract/index.js';
import { createConnections, type EventVerdict, streamEvents, type TransportChoice } from '../http/index.js';
import {
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
import { createResponsesBodyBuilder, PART_BREAK, sealItem } from './request-body.js';

export interface OpenAIResponsesConfig extends EndpointConfig {
  readonly clock: HostClock;
  /** Forces how requests travel, or which way they take; absent: the best there is, straight. */
  readonly transport?: TransportChoice | undefined;
}

const TOOL_NAME_LENGTH = 64;

/**
 * A provider with connections of its own, opened when the first request is sent.
 * Contract: `close` ends its connections, also those in use; a later request opens new ones. Nothing is stored at the
 * server. Throws `ConfigError` on a base URL, key or header that cannot be used.
 */
export function createOpenAIResponsesProvider(config: OpenAIResponsesConfig): Provider & { close(): void } {
  const { id: server, clock } = config;
  const url = endpointUrl(config, '/responses');
  const headers = endpointHeaders(config);
  const failures = { secrets: secretsOf(config), keyAdvice: `Check the key of the provider "${server}".` };
  const ids = createCallIds();
  const names = createWireNames(TOOL_NAME_LENGTH);
  const bodies = createResponsesBodyBuilder({ server, ids, names });
  const connections = createConnections(url, clock, config.transport);

  return {
    id: server,
    outputSchema: (model, schema) => (takesOutputSchema(model) ? toStrictSchema(schema) : null),
    searchesWeb: () => true,
    stream(request, limits, signal) {
      const decoder = createResponsesDecoder({
        server,
        model: request.model,
        ids,
        names,
        failures,
        onOther: request.webSearch?.onPart,
      });
      return streamEvents({
        transport: connections.open,
        request: () => ({ url, headers, body: bodies.build(request) }),
        limits,
        clock,
        signal,
        decode: decoder.decode,
        classify: (response) => blameWhatWasAsked(classifyResponse(response, clock, failures), request),
        onHead: (header) => decoder.setRequestId(requestIdOf(header, failures.secrets)),
      });
    },
    close: connections.close,
  };
}

type Fields = Readonly<Record<string, unknown>>;

export interface ResponsesDecoderConfig {
  /** The provider's id. */
  readonly server: string;
  /** As the request named it. */
  readonly model: string;
  readonly ids: CallIds;
  readonly names: WireNames;
  readonly failures: FailureContext;
  /** Told of whole items, which hold more than what is passed on. */
  readonly onOther?: ((part: unknown) => void) | undefined;
}

/** Decodes the events of one reply, in order. */
export interface ResponsesDecoder {
  /** Before the first event: how the server names the request. */
  setRequestId(id: string | null): void;
  /** Throws `ModelError`: the stream's own error, or `malformed` if it breaks the protocol. */
  decode(data: string, event: string | undefined, push: (event: ModelEvent) => void): EventVerdict;
}

/** An output item while it streams. */
interface OpenItem {
  readonly kind: 'message' | 'reasoning' | 'function_call' | 'other';
  /** Null until the first text of it came. */
  block: StreamedBlock | null;
  isDone: boolean;
  /** Lengths of the parts of a summary so far. */
  readonly parts: number[];
}

export function createResponsesDecoder(config: ResponsesDecoderConfig): ResponsesDecoder {
  const { server, model, failures } = config;
  let push: (event: ModelEvent) => void = () => undefined;
  const blocks = createBlockSequencer((event) => push(event));
  /** By the server's index. */
  const items = new Map<unknown, OpenItem>();
  let requestId: string | null = null;
  let isStarted = false;
  let isRefusal = false;

  function start(fields: Fields): void {
    const response = fieldsOf(fields['response'], 'a response that is not an object');
    isStarted = true;
    push(messageStart(response, model, requestId));
  }

  function addItem(fields: Fields): void {
    const index = fields['output_index'];
    if (items.has(index)) throw violation(`output item ${String(index)} added twice`);
    const item = fieldsOf(fields['item'], 'an output item that is not an object');
    const kind = kindOf(item['type']);
    items.set(index, { kind, block: kind === 'function_call' ? openCall(item) : null, isDone: false, parts: [] });
  }

  function openCall(item: Fields): StreamedBlock {
    const { call_id: callId, name } = item;
    if (typeof name !== 'string' || name === '') throw violation('a function call without a name');
    const id = config.ids.claim(typeof callId === 'string' ? callId : null);
    return blocks.open({ type: 'tool_use', id, name: config.names.fromWire(name), input: {} });
  }

  function openItem(fields: Fields, kind: OpenItem['kind']): OpenItem {
    const item = items.get(fields['output_index']);
    if (item === undefined || item.isDone) throw violation('a delta for an output item that is not open');
    if (item.kind !== kind) throw violation(`a delta of a ${kind} in a ${item.kind}`);
    return item;
  }

  function fillText(fields: Fields, kind: 'message' | 'reasoning', delta: unknown): void {
    if (typeof delta !== 'string') throw violation('a delta without its text');
    const item = openItem(fields, kind);
    item.block ??= blocks.open(kind === 'message' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' });
    if (delta !== '') blocks.fill(item.block, delta);
    if (kind === 'reasoning') item.parts[Math.max(0, item.parts.length - 1)] = (item.parts.at(-1) ?? 0) + delta.length;
  }

  function beginSummaryPart(fields: Fields): void {
    const item = openItem(fields, 'reasoning');
    if (item.block !== null) blocks.fill(item.block, PART_BREAK);
    item.parts.push(0);
  }

  function fillArguments(fields: Fields): void {
    const { block } = openItem(fields, 'function_call');
    const delta = fields['delta'];
    if (typeof delta !== 'string') throw violation('a delta without its arguments');
    if (block !== null && delta !== '') blocks.fill(block, delta);
  }

  /** The whole text of something: fills what was not streamed, and holds what was against it. */
  function settle(block: StreamedBlock | null, whole: unknown): void {
    if (block === null || typeof whole !== 'string' || whole === block.text) return;
    if (block.text !== '') throw violation('arguments that differ from their deltas');
    blocks.fill(block, whole);
  }

  function finishItem(fields: Fields): void {
    const item = items.get(fields['output_index']);
    if (item === undefined || item.isDone) throw violation('an output item ended that is not open');
    const done = fieldsOf(fields['item'], 'an output item that is not an object');
    item.isDone = true;
    config.onOther?.(done);
    if (item.kind === 'function_call') settle(item.block, done['arguments']);
    if (item.kind === 'message' && item.block === null) openWhole(item, 'text', textOf(done['content'], 'text'));
    if (item.kind === 'reasoning') finishReasoning(item, done);
    else if (item.block !== null) blocks.close(item.block);
  }

  /** What came at once and not in deltas. */
  function openWhole(item: OpenItem, type: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    item.block = blocks.open(type === 'text' ? { type, text: '' } : { type, thinking: '' });
    blocks.fill(item.block, text);
  }

  function finishReasoning(item: OpenItem, done: Fields): void {
    if (item.block === null)
      openWhole(item, 'thinking', textOf(done['summary'], 'text') || textOf(done['content'], 'text'));
    const { id, encrypted_content: encrypted } = done;
    const carried = typeof encrypted === 'string' && encrypted !== '';
    if (item.block === null && !carried) return;
    const signature = sealItem({
      server,
      model,
      ...(carried && typeof id === 'string' ? { id } : {}),
      ...(carried ? { encrypted } : {}),
      ...(carried && item.parts.length > 1 ? { parts: item.parts } : {}),
    });
    blocks.close(item.block ?? blocks.open({ type: 'thinking', thinking: '' }), signature);
  }

  function finish(fields: Fields, isWhole: boolean): void {
    const response = fieldsOf(fields['response'], 'a response that is not an object');
    const open = [...items.values()].some((item) => item.kind === 'function_call' && !item.isDone);
    if (isWhole && open) throw violation('the end of a response whose call was not done');
    blocks.finish();
    const stopReason = isWhole ? endReason() : incompleteReason(response);
    const usage = readUsage(response['usage'], false) ?? {};
    push({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage });
    push({ type: 'message_stop' });
  }

  function endReason(): StopReason {
    if (blocks.hasCalls) return 'tool_use';
    return isRefusal ? 'refusal' : 'end_turn';
  }

  /** False for an event that is none of a reply, or newer than this engine. */
  function apply(type: unknown, fields: Fields): boolean {
    switch (type) {
      case 'response.output_text.delta':
        fillText(fields, 'message', fields['delta']);
        return true;
      case 'response.function_call_arguments.delta':
        fillArguments(fields);
        return true;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        fillText(fields, 'reasoning', fields['delta']);
        return true;
      case 'response.refusal.delta':
        isRefusal = true;
        fillText(fields, 'message', fields['delta']);
        return true;
      case 'response.output_item.added':
        addItem(fields);
        return true;
      case 'response.reasoning_summary_part.added':
        beginSummaryPart(fields);
        return true;
      case 'response.function_call_arguments.done':
        settle(openItem(fields, 'function_call').block, fields['arguments']);
        return true;
      case 'response.output_item.done':
        finishItem(fields);
        return true;
      default:
        return false;
    }
  }

  return {
    setRequestId(id) {
      requestId = id;
    },
    decode(data, event, pushEvent) {
      push = pushEvent;
      const fields = parseEvent(data, failures.secrets);
      const type = fields['type'] ?? event;
      if (type === 'error' || type === 'response.failed' || (type === undefined && fields['error'] !== undefined)) {
        throw classifyEvent(data, failures);
      }
      if (type === 'response.created') {
        if (isStarted) throw violation('a second response.created');
        start(fields);
        return 'progress';
      }
      if (!KNOWN_EVENTS.has(type)) return 'silence';
      if (!isStarted) throw violation(`${String(type)} before response.created`);
      if (type === 'response.cancelled')
        throw new ModelError('stream_cut', 'The response was cancelled by the server.');
      if (type === 'response.completed' || type === 'response.incomplete') {
        finish(fields, type === 'response.completed');
        return 'done';
      }
      return apply(type, fields) ? 'progress' : 'silence';
    },
  };
}

/** Events of a begun response. Pings, repetitions of what deltas said, and anything newer than this list are silence. */
const KNOWN_EVENTS: ReadonlySet<unknown> = new Set([
  'response.output_text.delta',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_part.added',
  'response.reasoning_text.delta',
  'response.refusal.delta',
  'response.output_item.added',
  'response.output_item.done',
  'response.completed',
  'response.incomplete',
  'response.cancelled',
]);

function kindOf(type: unknown): OpenItem['kind'] {
  return type === 'message' || type === 'reasoning' || type === 'function_call' ? type : 'other';
}

function incompleteReason(response: Fields): StopReason {
  const details = response['incomplete_details'];
  const reason = typeof details === 'object' && details !== null ? (details as Fields)['reason'] : null;
  return reason === 'content_filter' ? 'refusal' : 'max_tokens';
}

/** The text of a list of parts. */
function textOf(parts: unknown, field: string): string {
  if (!Array.isArray(parts)) return '';
  return (parts as (Fields | null)[])
    .map((part) => part?.[field] ?? part?.['refusal'])
    .filter((text) => typeof text === 'string')
    .join(PART_BREAK);
}
