// The chunks of a Chat Completions stream, checked and passed on as ModelEvents.
// Rule: what the engine hears always keeps the contract of ModelEvent; what cannot is an error, never a guess. A reply is
// whole only with a finish reason and the end marker.
import type { Usage } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { EventVerdict } from '../event-stream.js';
import { createBlockSequencer, type StreamedBlock } from '../openai/block-sequencer.js';
import type { CallIds } from '../openai/call-ids.js';
import { classifyEvent, type FailureContext } from '../openai/classify-error.js';
import { messageStart } from '../openai/message-start.js';
import { parseEvent, violation } from '../openai/parse-event.js';
import { readUsage } from '../openai/usage.js';
import type { WireNames } from '../openai/wire-names.js';
import { sealCarried } from './carried.js';
import { stopReasonOf } from './finish-reason.js';
import type { ChatQuirks } from './quirks.js';
import { mergeDetail } from './reasoning-details.js';
import { createStreamedCalls } from './streamed-calls.js';

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
  /** The body is over without an end marker: true where the server sends none and the reply is whole. */
  atEnd(push: (event: ModelEvent) => void): boolean;
}

export function createChatDecoder(config: ChatDecoderConfig): ChatDecoder {
  const { server, model, quirks, failures } = config;
  let push: (event: ModelEvent) => void = () => undefined;
  const blocks = createBlockSequencer((event) => push(event));
  const details: unknown[] = [];
  const lateExtra: (readonly [string, unknown])[] = [];
  let requestId: string | null = null;
  let isStarted = false;
  let isRefusal = false;
  let finishReason: string | null = null;
  let usage: Usage | null = null;
  /** The text or thinking that deltas go to; null where a call came last, or nothing. */
  let tail: StreamedBlock | null = null;

  const closeTail = () => {
    if (tail?.kind === 'thinking') blocks.close(tail, sealCarried({ server, model }));
    else if (tail !== null) blocks.close(tail);
    tail = null;
  };
  /** Thinking without a text of its own, which carries what goes back. */
  const carry = (carried: { readonly details: unknown[] } | { readonly extra: (readonly [string, unknown])[] }) => {
    blocks.close(blocks.open({ type: 'thinking', thinking: '' }), sealCarried({ server, model, ...carried }));
  };
  const calls = createStreamedCalls({
    blocks,
    ids: config.ids,
    names: config.names,
    beforeCall(id, extra) {
      closeTail();
      if (extra !== undefined) carry({ extra: [[id, extra]] });
    },
    onLateExtra: (id, extra) => void lateExtra.push([id, extra]),
  });

  function append(kind: 'text' | 'thinking', delta: string): void {
    if (tail === null || tail.kind !== kind) {
      closeTail();
      calls.settle();
      tail = blocks.open(kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' });
    }
    blocks.fill(tail, delta);
  }

  /** Content is a text, or with some servers a list of parts. */
  function appendContent(content: unknown): boolean {
    if (typeof content === 'string') {
      if (content !== '') append('text', content);
      return content !== '';
    }
    if (!Array.isArray(content)) return false;
    for (const part of content as (Fields | null)[]) {
      if (typeof part?.['text'] === 'string') append('text', part['text']);
      const thoughts = part?.['thinking'];
      for (const thought of Array.isArray(thoughts) ? (thoughts as (Fields | null)[]) : []) {
        if (typeof thought?.['text'] === 'string') append('thinking', thought['text']);
      }
    }
    return content.length > 0;
  }

  function appendReasoning(delta: Fields): boolean {
    const list = delta['reasoning_details'];
    if (quirks.reasoningDetails === true && Array.isArray(list)) for (const item of list) mergeDetail(details, item);
    const reasoning = delta['reasoning_content'] ?? delta['reasoning'];
    if (typeof reasoning !== 'string' || reasoning === '') return Array.isArray(list) && list.length > 0;
    append('thinking', reasoning);
    return true;
  }

  /** True where the delta brought something. */
  function applyDelta(delta: Fields): boolean {
    const { content, refusal, tool_calls: entries } = delta;
    let isNews = appendReasoning(delta);
    if (appendContent(content)) isNews = true;
    if (typeof refusal === 'string' && refusal !== '') {
      isRefusal = true;
      append('text', refusal);
      isNews = true;
    }
    if (Array.isArray(entries) && entries.length > 0) {
      calls.push(entries);
      isNews = true;
    }
    return isNews;
  }

  function start(fields: Fields): void {
    isStarted = true;
    push(messageStart(fields, model, requestId));
  }

  function applyChoices(choices: readonly unknown[]): boolean {
    let isNews = false;
    for (const choice of choices as (Fields | null)[]) {
      if (typeof choice !== 'object' || choice === null || (choice['index'] ?? 0) !== 0) continue;
      const delta = choice['delta'];
      if (typeof delta === 'object' && delta !== null) {
        const isMore = applyDelta(delta as Fields);
        if (isMore && finishReason !== null) throw violation('more of a reply that had ended');
        isNews ||= isMore;
      }
      const reason = choice['finish_reason'];
      if (typeof reason === 'string' && reason !== '') {
        finishReason = reason;
        isNews = true;
      }
    }
    return isNews;
  }

  function finish(): void {
    if (!isStarted) throw violation('the end marker before the reply');
    if (finishReason === null) throw violation('the end marker without a finish reason');
    const stopReason = stopReasonOf(finishReason, blocks.hasCalls, isRefusal);
    calls.finish();
    closeTail();
    blocks.finish();
    if (details.length > 0) carry({ details });
    if (lateExtra.length > 0) carry({ extra: lateExtra });
    push({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: usage ?? {},
    });
    push({ type: 'message_stop' });
  }

  return {
    setRequestId(id) {
      requestId = id;
    },
    decode(data, event, pushEvent) {
      push = pushEvent;
      if (data === '[DONE]' || data.trim() === '[DONE]') {
        finish();
        return 'done';
      }
      const fields = parseEvent(data, failures.secrets);
      const isBareError = event === 'error' || fields['type'] === 'error' || fields['object'] === 'error';
      if (isBareError || (fields['error'] ?? null) !== null) {
        throw classifyEvent(data, failures);
      }
      const choices = fields['choices'];
      const counts = readUsage(fields['usage'] ?? xGroqUsage(fields), quirks.reasoningTokensApart === true);
      usage = counts ?? usage;
      if (!Array.isArray(choices)) return 'silence';
      const isFirst = !isStarted;
      if (isFirst) start(fields);
      // Chunks without anything in them are how some servers keep a connection alive.
      return applyChoices(choices) || isFirst || counts !== null ? 'progress' : 'silence';
    },
    atEnd(pushEvent) {
      push = pushEvent;
      if (quirks.doneMarker !== false || finishReason === null) return false;
      finish();
      return true;
    },
  };
}

function xGroqUsage(fields: Fields): unknown {
  const extra = fields['x_groq'];
  return typeof extra === 'object' && extra !== null ? (extra as Fields)['usage'] : undefined;
}
