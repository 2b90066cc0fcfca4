// The chunks of a Chat Completions stream, checked and passed on as ModelEvents.
// Rule: what the engine hears always keeps the contract of ModelEvent; what cannot is an error, never a guess. A reply is
// whole with a finish reason and the end marker, or a finish reason and the end of the body.
import type { Usage } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { EventVerdict } from '../http/index.js';
import {
  type BlockSequencer,
  type CallIds,
  classifyEvent,
  createBlockSequencer,
  type FailureContext,
  messageStart,
  parseEvent,
  readUsage,
  type StreamedBlock,
  violation,
  type WireNames,
} from '../openai/index.js';
import { sealCarried } from './carried.js';
import { stopReasonOf } from './finish-reason.js';
import type { ChatQuirks } from './quirks.js';
import { mergeDetail } from './reasoning-details.js';
import { createStreamedCalls, type StreamedCalls } from './streamed-calls.js';

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
  /** Throws `ModelError`: the stream's own error, or `malformed` where it breaks the protocol. */
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
  /** The text or thinking that deltas go to; null where a call came last, or nothing. */
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

  /** True where the delta brought something. */
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
