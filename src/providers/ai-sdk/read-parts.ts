// The parts of a stream of the AI SDK, checked and passed on as ModelEvents. Rule: what the engine hears always keeps the
// contract of ModelEvent; nothing a model gives vanishes without a word.
import { EMPTY_USAGE, type ModelEvent, type StopReason, type Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { violation } from '../contract/index.js';
import type { EventVerdict } from '../http/index.js';
import {
  type BlockSequencer,
  type CallIds,
  createBlockSequencer,
  type StreamedBlock,
  shortHash,
  type WireNames,
} from '../openai/index.js';
import { sealCarried } from './call-options.js';
import {
  type AiSdkLanguageModel,
  type Fields,
  type Metadata,
  mergeMetadata,
  metadataOf,
  namespaceOf,
} from './language-model.js';

export interface PartReader {
  /** The name the server gives the request. */
  setRequestId(id: string | null): void;
  /** Throws `ModelError`, or what an `error` part holds. */
  read(part: unknown): EventVerdict;
}

interface Streamed {
  readonly block: StreamedBlock;
  /** All of it so far. A rope: no copy per delta. */
  text: string;
  metadata: Metadata | undefined;
}

export function createPartReader(
  model: AiSdkLanguageModel,
  { ids, names }: { readonly ids: CallIds; readonly names: WireNames },
  push: (event: ModelEvent) => void,
): PartReader {
  const blocks = createBlockSequencer(push);
  const open = new Map<string, Streamed>();
  const textMetadata: (readonly [string, Metadata])[] = [];
  const sources: string[] = [];
  const identity: { id: string; model: string; requestId: string | null } = {
    id: '',
    model: model.modelId,
    requestId: null,
  };
  let isStarted = false;
  let isIdentified = false;

  const start = () => {
    if (isStarted) return;
    isStarted = true;
    push({
      type: 'message_start',
      message: {
        id: identity.id,
        type: 'message',
        role: 'assistant',
        model: identity.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: EMPTY_USAGE,
        ...(identity.requestId === null ? {} : { request_id: identity.requestId }),
      },
    });
  };
  const calls = createPartCalls({ blocks, ids, names, beforeCall: start });
  /** Ids count within their kind. */
  const key = (part: Fields) => `${String(part['type']).split('-')[0]} ${String(part['id'])}`;
  const begin = (part: Fields, kind: 'text' | 'thinking'): EventVerdict => {
    if (open.has(key(part))) throw violation('a text that began twice');
    start();
    const block = blocks.open(kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' });
    open.set(key(part), { block, text: '', metadata: metadataOf(part) });
    return 'progress';
  };
  const fill = (part: Fields, kind: 'text' | 'thinking'): EventVerdict => {
    const streamed = open.get(key(part));
    if (streamed === undefined) throw violation('a piece of a text that had not begun');
    const { delta } = part;
    const more = metadataOf(part);
    streamed.metadata = mergeMetadata(streamed.metadata, more);
    if (typeof delta !== 'string' || delta === '') return more === undefined ? 'silence' : 'progress';
    if (kind === 'text') streamed.text += delta;
    blocks.fill(streamed.block, delta);
    return 'progress';
  };
  const close = (streamed: Streamed) => {
    const { block, metadata, text } = streamed;
    if (block.kind === 'thinking') {
      blocks.close(block, sealCarried(model, metadata === undefined ? {} : { own: metadata }));
      return;
    }
    if (metadata !== undefined && text !== '') textMetadata.push([shortHash(text), metadata]);
    blocks.close(block);
  };
  const end = (part: Fields): EventVerdict => {
    const streamed = open.get(key(part));
    if (streamed === undefined) return 'silence';
    streamed.metadata = mergeMetadata(streamed.metadata, metadataOf(part));
    open.delete(key(part));
    close(streamed);
    return 'progress';
  };

  const plainText = (text: string) => {
    start();
    const block = blocks.open({ type: 'text', text: '' });
    blocks.fill(block, text);
    blocks.close(block);
  };

  const finish = (part: Fields) => {
    const stopReason = readFinishReason(part['finishReason'], {
      hasBegun: isStarted || isIdentified,
      hasCalls: blocks.hasCalls,
    });
    start();
    calls.finish(stopReason);
    for (const streamed of open.values()) close(streamed);
    blocks.finish();
    if (sources.length > 0) plainText(`Sources:\n${sources.map((source) => `- ${source}`).join('\n')}`);
    if (calls.metadata.length > 0 || textMetadata.length > 0) {
      const carried = { calls: calls.metadata, texts: textMetadata };
      blocks.close(blocks.open({ type: 'thinking', thinking: '' }), sealCarried(model, carried));
    }
    const usage = readAiSdkUsage(part, model.provider);
    push({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage });
    push({ type: 'message_stop' });
  };

  const readers: Readonly<Record<string, (part: Fields) => EventVerdict>> = {
    'text-start': (part) => begin(part, 'text'),
    'text-delta': (part) => fill(part, 'text'),
    'text-end': end,
    'reasoning-start': (part) => begin(part, 'thinking'),
    'reasoning-delta': (part) => fill(part, 'thinking'),
    'reasoning-end': end,
    'tool-input-start': calls.begin,
    'tool-input-delta': calls.fill,
    'tool-input-end': () => 'silence', // the call itself follows
    'tool-call': calls.complete,
    file(part) {
      plainText(`[The model gave a file (${String(part['mediaType'])}), which is not kept.]`);
      return 'progress';
    },
    source(part) {
      const { url, title } = part;
      if (typeof url !== 'string') return 'silence';
      sources.push(typeof title === 'string' && title !== '' ? `${title}: ${url}` : url);
      return 'progress';
    },
    'response-metadata'(part) {
      const { id, modelId } = part;
      if (typeof id === 'string') identity.id = id;
      if (typeof modelId === 'string' && modelId !== '') identity.model = modelId;
      const isFirst = !isIdentified;
      isIdentified = true;
      return isFirst ? 'progress' : 'silence';
    },
  };
  return {
    setRequestId(id) {
      identity.requestId = id;
    },
    read(part) {
      if (!isRecord(part)) throw violation('a part that is not an object');
      const type = String(part['type']);
      if (type === 'error') throw part['error'];
      if (type === 'finish') {
        finish(part);
        return 'done';
      }
      // Tools that run at the server are never asked for, so what is said of them belongs to nothing here.
      if (type.startsWith('tool-') && calls.isOfServer(part)) return 'silence';
      return Object.hasOwn(readers, type) ? (readers[type]?.(part) ?? 'silence') : 'silence';
    },
  };
}

// Figures and endings of each version of the specification, in canonical words.

/** Providers whose `inputTokens` of v2 leave cached tokens out. */
const WITHOUT_CACHED = ['anthropic', 'amazon-bedrock', 'bedrock', 'vertex'];

/** Empty if nothing is said. @param finish the part that ends a stream */
function readAiSdkUsage(finish: Fields, provider: string): Partial<Usage> {
  const { usage } = finish;
  if (!isRecord(usage)) return {};
  const { inputTokens: input, outputTokens: output } = usage;
  if (isRecord(input)) {
    const read = count(input['cacheRead']) ?? 0;
    const written = count(input['cacheWrite']) ?? 0;
    const total = count(input['total']);
    const fresh = count(input['noCache']) ?? (total === undefined ? undefined : Math.max(0, total - read - written));
    return figures(fresh, isRecord(output) ? count(output['total']) : count(output), read, written);
  }
  const read = count(usage['cachedInputTokens']) ?? 0;
  const total = count(input);
  const name = namespaceOf({ provider });
  const isApart = WITHOUT_CACHED.some((known) => name.startsWith(known));
  const fresh = total === undefined || isApart ? total : Math.max(0, total - read);
  return figures(fresh, count(output), read, writtenToCache(finish));
}

/** Of v2, in the metadata of the one provider that has it. */
function writtenToCache(finish: Fields): number {
  const fields = Object.values(metadataOf(finish) ?? {});
  const counts = fields.map((known) => {
    const { usage } = known;
    return (
      count(known['cacheCreationInputTokens']) ?? (isRecord(usage) ? count(usage['cacheWriteInputTokens']) : 0) ?? 0
    );
  });
  return Math.max(0, ...counts);
}

function figures(input: number | undefined, output: number | undefined, read: number, written: number): Partial<Usage> {
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * Why a reply ended.
 * @throws ModelError if it did not: an error, or no reason at all, which is what a cut stream leaves
 */
function readFinishReason(
  reason: unknown,
  { hasBegun, hasCalls }: { readonly hasBegun: boolean; readonly hasCalls: boolean },
): StopReason {
  const unified = isRecord(reason) ? reason['unified'] : reason;
  const raw = isRecord(reason) ? reason['raw'] : unified;
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'error':
      throw new ModelError('server', 'The model broke off its reply with an error. Try again later.');
    case 'stop':
    case 'tool-calls':
      return hasCalls ? 'tool_use' : 'end_turn';
    default:
      // Providers begin with these, and put the server's own in their place when it comes.
      if (unified === 'unknown' || unified === undefined || (unified === 'other' && raw === undefined)) {
        throw hasBegun
          ? new ModelError('stream_cut', 'The reply ended without a reason, so it may not be whole.')
          : new ModelError('malformed', 'The answer was not a reply: nothing came before its end.');
      }
      return hasCalls ? 'tool_use' : 'end_turn';
  }
}

// The tool calls of a stream of the AI SDK: streamed and then told as a whole, or only told. Rule: a call is whole only
// once it was told as a whole, and what was streamed of it is what it says; nothing else may look like one.

interface PartCalls {
  /** Of calls, by their ids, as the conversation has them. */
  readonly metadata: readonly (readonly [id: string, metadata: Metadata])[];
  /** True for parts about a tool that runs at the server. */
  isOfServer(part: Fields): boolean;
  begin(part: Fields): EventVerdict;
  fill(part: Fields): EventVerdict;
  /** Takes the part that tells a call as a whole. */
  complete(part: Fields): EventVerdict;
  /** The reply is over. Throws `malformed` if a call never came whole although nothing cut the reply. */
  finish(stopReason: StopReason): void;
}

interface CallSinks {
  readonly blocks: BlockSequencer;
  readonly ids: CallIds;
  readonly names: WireNames;
  /** Before the block of a call is opened. */
  readonly beforeCall: () => void;
}

interface StreamedCall {
  readonly block: StreamedBlock;
  readonly name: string;
  /** Its id in the conversation. */
  readonly id: string;
  /** All of its input so far. A rope: no copy per delta. */
  text: string;
  metadata: Metadata | undefined;
}

function createPartCalls({ blocks, ids, names, beforeCall }: CallSinks): PartCalls {
  /** By the ids of the model; the last one of an id that comes again. */
  const calls = new Map<string, StreamedCall>();
  const serverCalls = new Set<string>();
  const metadata: (readonly [string, Metadata])[] = [];

  const open = (wanted: string, toolName: unknown, more: Metadata | undefined): StreamedCall => {
    if (typeof toolName !== 'string' || toolName === '') throw violation('a tool call without a name');
    if (calls.get(wanted)?.block.closed === false) throw violation('a tool call that began twice');
    beforeCall();
    const name = names.fromWire(toolName);
    const id = ids.claim(wanted);
    const block = blocks.open({ type: 'tool_use', id, name, input: {} });
    const call = { block, name, id, text: '', metadata: more };
    calls.set(wanted, call);
    return call;
  };
  const add = (call: StreamedCall, delta: string) => {
    if (delta === '') return;
    call.text += delta;
    blocks.fill(call.block, delta);
  };

  return {
    metadata,
    isOfServer({ id, toolCallId, providerExecuted }) {
      const call = String(id ?? toolCallId ?? '');
      if (providerExecuted === true) serverCalls.add(call);
      return serverCalls.has(call);
    },
    begin(part) {
      open(String(part['id'] ?? ''), part['toolName'], metadataOf(part));
      return 'progress';
    },
    fill({ id, delta }) {
      const call = calls.get(String(id ?? ''));
      if (call === undefined) throw violation('a piece of a tool call that had not begun');
      if (typeof delta !== 'string' || delta === '') return 'silence';
      add(call, delta);
      return 'progress';
    },
    complete(part) {
      const { toolCallId, toolName, input } = part;
      const wanted = String(toolCallId ?? '');
      const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
      const known = calls.get(wanted);
      // Said twice, it is one call; another one under its id is another call.
      if (known?.block.closed && known.name === names.fromWire(String(toolName)) && isSame(known.text, text)) {
        return 'silence';
      }
      const call = known === undefined || known.block.closed ? open(wanted, toolName, undefined) : known;
      if (text.startsWith(call.text)) add(call, text.slice(call.text.length));
      else if (!isSame(call.text, text)) throw violation('a tool call whose pieces are not what it is');
      call.metadata = mergeMetadata(call.metadata, metadataOf(part));
      if (call.metadata !== undefined) metadata.push([call.id, call.metadata]);
      blocks.close(call.block);
      return 'progress';
    },
    finish(stopReason) {
      for (const { block, text } of calls.values()) {
        if (block.closed) continue;
        if (stopReason !== 'max_tokens') throw violation('a tool call that never came whole');
        // Without input, or with one that happens to be JSON, it would pass for a whole call.
        if (text === '' || canonical(text) !== null) blocks.fill(block, '{');
      }
    },
  };
}

/** True for equal texts, and for two of the same JSON, whatever their white space. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const json = canonical(one);
  return json !== null && json === canonical(other);
}

/** Null for what is no JSON. */
function canonical(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null; // not whole
  }
}
