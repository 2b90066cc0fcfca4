// The parts of a stream of the AI SDK, checked and passed on as ModelEvents. Rule: what the engine hears always keeps the
// contract of ModelEvent; nothing a model gives vanishes without a word.
import { EMPTY_USAGE } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { EventVerdict } from '../event-stream.js';
import { createBlockSequencer, type StreamedBlock } from '../openai/block-sequencer.js';
import type { CallIds } from '../openai/call-ids.js';
import { shortHash, type WireNames } from '../openai/wire-names.js';
import { sealCarried } from './carried.js';
import {
  type AiSdkLanguageModel,
  type Fields,
  isFields,
  type Metadata,
  mergeMetadata,
  metadataOf,
} from './language-model.js';
import { readAiSdkUsage, readFinishReason } from './read-usage.js';

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
  const calls = new Map<string, Streamed>();
  const callMetadata: (readonly [string, Metadata])[] = [];
  const textMetadata: (readonly [string, Metadata])[] = [];
  const sources: string[] = [];
  const identity: { id: string; model: string; requestId: string | null } = {
    id: '',
    model: model.modelId,
    requestId: null,
  };
  let isStarted = false;

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
  /** Ids count within their kind. */
  const key = (part: Fields) => `${String(part['type']).split('-')[0]} ${String(part['id'])}`;
  const begin = (part: Fields, kind: 'text' | 'thinking'): Streamed => {
    start();
    const block = blocks.open(kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' });
    const streamed = { block, text: '', metadata: metadataOf(part) };
    open.set(key(part), streamed);
    return streamed;
  };
  const fill = (part: Fields, kind: 'text' | 'thinking') => {
    const streamed = open.get(key(part)) ?? begin(part, kind);
    const { delta } = part;
    streamed.metadata = mergeMetadata(streamed.metadata, metadataOf(part));
    if (typeof delta !== 'string' || delta === '') return;
    if (kind === 'text') streamed.text += delta;
    blocks.fill(streamed.block, delta);
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
  const end = (part: Fields) => {
    const streamed = open.get(key(part));
    if (streamed === undefined) return;
    streamed.metadata = mergeMetadata(streamed.metadata, metadataOf(part));
    open.delete(key(part));
    close(streamed);
  };

  const beginCall = (id: string, name: unknown, metadata: Metadata | undefined): Streamed => {
    if (typeof name !== 'string' || name === '') throw violation('a tool call without a name');
    start();
    const block = blocks.open({ type: 'tool_use', id: ids.claim(id), name: names.fromWire(name), input: {} });
    const streamed = { block, text: '', metadata };
    calls.set(id, streamed);
    return streamed;
  };
  const fillCall = (call: Streamed, delta: string) => {
    if (delta === '') return;
    call.text += delta;
    blocks.fill(call.block, delta);
  };
  /** The whole call. What was streamed of it stands; what was not is added. */
  const wholeCall = (part: Fields) => {
    const { toolCallId, toolName, input } = part;
    const id = String(toolCallId ?? '');
    const call = calls.get(id) ?? beginCall(id, toolName, undefined);
    if (call.block.closed) throw violation('a tool call that came twice');
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    if (text.startsWith(call.text)) fillCall(call, text.slice(call.text.length));
    call.metadata = mergeMetadata(call.metadata, metadataOf(part));
    const { start: opened } = call.block;
    if (call.metadata !== undefined && opened.type === 'tool_use') callMetadata.push([opened.id, call.metadata]);
    blocks.close(call.block);
  };
  const plainText = (text: string) => {
    start();
    const block = blocks.open({ type: 'text', text: '' });
    blocks.fill(block, text);
    blocks.close(block);
  };

  const finish = (part: Fields) => {
    const stopReason = readFinishReason(part['finishReason'], blocks.hasCalls);
    start();
    for (const streamed of open.values()) close(streamed);
    blocks.finish();
    if (sources.length > 0) plainText(`Sources:\n${sources.map((source) => `- ${source}`).join('\n')}`);
    if (callMetadata.length > 0 || textMetadata.length > 0) {
      const carried = { calls: callMetadata, texts: textMetadata };
      blocks.close(blocks.open({ type: 'thinking', thinking: '' }), sealCarried(model, carried));
    }
    const usage = readAiSdkUsage(part, model.provider);
    push({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage });
    push({ type: 'message_stop' });
  };

  const readers: Readonly<Record<string, (part: Fields) => void>> = {
    'text-start': (part) => void begin(part, 'text'),
    'text-delta': (part) => fill(part, 'text'),
    'text-end': end,
    'reasoning-start': (part) => void begin(part, 'thinking'),
    'reasoning-delta': (part) => fill(part, 'thinking'),
    'reasoning-end': end,
    'tool-input-start': (part) => void beginCall(String(part['id'] ?? ''), part['toolName'], metadataOf(part)),
    'tool-input-delta'(part) {
      const call = calls.get(String(part['id'] ?? ''));
      if (call === undefined) throw violation('a piece of a tool call that had not begun');
      fillCall(call, typeof part['delta'] === 'string' ? part['delta'] : '');
    },
    'tool-input-end': () => undefined, // the call itself follows
    'tool-call': wholeCall,
    file: (part) => plainText(`[The model gave a file (${String(part['mediaType'])}), which is not kept.]`),
    source(part) {
      const { url, title } = part;
      if (typeof url === 'string') sources.push(typeof title === 'string' && title !== '' ? `${title}: ${url}` : url);
    },
    'response-metadata'(part) {
      const { id, modelId } = part;
      if (typeof id === 'string') identity.id = id;
      if (typeof modelId === 'string' && modelId !== '') identity.model = modelId;
    },
  };

  return {
    setRequestId(id) {
      identity.requestId = id;
    },
    read(part) {
      if (!isFields(part)) throw violation('a part that is no object');
      const type = String(part['type']);
      if (type === 'error') throw part['error'];
      if (type === 'finish') {
        finish(part);
        return 'done';
      }
      // Tools that run at the server are never asked for, so what is said of them belongs to nothing here.
      const reader = part['providerExecuted'] === true || !Object.hasOwn(readers, type) ? undefined : readers[type];
      if (reader === undefined) return 'silence';
      reader(part);
      return 'progress';
    },
  };
}

function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply broke the protocol: ${what}.`);
}
