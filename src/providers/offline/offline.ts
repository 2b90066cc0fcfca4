// The offline model: not a language model, and it says so. A deterministic planner that reads a request in plain
// English and the tool results so far, and drives the real loop with real tool calls.
import { estimateTokenCount } from 'tokenx';
import type { HostClock, HostIds } from '../../host/host.js';
import type { Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { ModelRequest, Provider } from '../contract/index.js';
import type { Call } from './flow.js';
import { decideMove, type Move } from './plan.js';
import { structuredAnswer } from './structured-answer.js';

const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
/** Milliseconds of streaming after which other work of the process gets its turn. */
const PAUSE_EVERY_MS = 8;
/** tokenx prices prose well and JSON too low; measured against a real tokenizer. */
const JSON_FACTOR = 1.35;

export interface OfflineProviderOptions {
  readonly clock: HostClock;
  readonly ids: HostIds;
}

/**
 * A provider that needs no network and no key. docs/offline-model.md lists what it understands; anything else it refuses,
 * and says what it can do and how to get a language model.
 * Contract: stateless: each `stream` derives its plan from the request's messages alone. It calls only tools that the
 * request offers, and says nothing that is not in a tool result.
 */
export function createOfflineProvider({ clock, ids }: OfflineProviderOptions): Provider {
  const measured = new WeakMap<object, number>();
  /** Messages never change once sent, so each is measured once. */
  const tokensOf = (part: object, measure: (text: string) => number): number => {
    const tokens = measured.get(part) ?? Math.ceil(measure(JSON.stringify(part)) * JSON_FACTOR);
    measured.set(part, tokens);
    return tokens;
  };
  return {
    id: 'offline',
    free: true,
    async *stream(request, _limits, signal) {
      requireNotAborted(signal);
      const { text, calls, stopReason } = decideReply(request);
      const parts: readonly object[] = [...request.system, ...request.tools, ...request.messages];
      const reply: Reply = {
        messageId: `msg_${ids.uuid().replaceAll('-', '')}`,
        text,
        stopReason,
        calls: calls.map((call) => ({ id: `toolu_${ids.uuid().replaceAll('-', '')}`, call })),
        inputTokens: parts.reduce((sum, part) => sum + tokensOf(part, estimateTokenCount), 0),
        outputTokens: estimateTokenCount(text + calls.map((call) => JSON.stringify(call)).join('')),
      };
      let since = clock.monotonic();
      for (const event of replyEvents(reply)) {
        // Now and then timers and input of the process run, so that an abort is seen.
        if (clock.monotonic() - since >= PAUSE_EVERY_MS) {
          await new Promise<void>((resolve) => clock.after(0, resolve));
          since = clock.monotonic();
        }
        requireNotAborted(signal);
        yield event;
      }
    },
  };
}

function requireNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
}

type Content = Pick<Reply, 'text' | 'stopReason'> & { readonly calls: readonly Call[] };

function decideReply(request: ModelRequest): Content {
  try {
    const move = decideMove(request);
    if (move.type === 'call') return { text: move.say, calls: move.calls, stopReason: 'tool_use' };
    if (move.type === 'refuse') return { text: move.answer, calls: [], stopReason: 'refusal' };
    return finish(request, move);
  } catch (cause) {
    const words = 'The offline model failed on this request. Rephrase it, or use a language model.';
    throw new ModelError('invalid_request', words, { cause });
  }
}

/** The last reply: text, JSON for a schema, or a call of the tool that takes structured output. */
function finish({ tools, outputSchema }: ModelRequest, move: Extract<Move, { type: 'done' }>): Content {
  const tool = tools.find((offered) => offered.name === STRUCTURED_OUTPUT_TOOL);
  if (tool !== undefined && !move.results.some(({ call }) => call.name === STRUCTURED_OUTPUT_TOOL)) {
    const value = structuredAnswer(move, tool.input_schema);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const call = { name: STRUCTURED_OUTPUT_TOOL, input: isObject ? value : { value } };
    return { text: '', calls: [call], stopReason: 'tool_use' };
  }
  const text = outputSchema === undefined ? move.answer : JSON.stringify(structuredAnswer(move, outputSchema));
  return { text, calls: [], stopReason: 'end_turn' };
}

// A reply as the stream of a model: words of text, then tool calls in fragments of JSON.

interface Reply {
  readonly messageId: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly call: Call }[];
  readonly stopReason: 'tool_use' | 'refusal' | 'end_turn';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Deltas of one block at most; longer text comes in longer pieces. */
const MAX_DELTAS = 800;
const JSON_PIECE = 48;

/** Contract: a valid sequence of model events; the pieces of a block join to exactly its content. */
function* replyEvents(reply: Reply): Generator<ModelEvent> {
  const usage: Usage = {
    input_tokens: reply.inputTokens,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const head = { id: reply.messageId, type: 'message', role: 'assistant', model: 'offline', content: [] } as const;
  yield { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } };
  if (reply.text !== '') {
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    for (const text of wordsOf(reply.text))
      yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    yield { type: 'content_block_stop', index: 0 };
  }
  for (const [position, { id, call }] of reply.calls.entries()) {
    const index = position + (reply.text === '' ? 0 : 1);
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: call.name, input: {} } };
    const json = JSON.stringify(call.input);
    const size = Math.max(JSON_PIECE, Math.ceil(json.length / MAX_DELTAS));
    for (let start = 0; start < json.length; start += size) {
      const partial_json = json.slice(start, start + size);
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: reply.stopReason, stop_sequence: null };
  yield { type: 'message_delta', delta, usage: { ...usage, output_tokens: reply.outputTokens } };
  yield { type: 'message_stop' };
}

/** Words with the space behind them, several at once if there are very many. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s?|\s+/g) ?? [];
  const size = Math.ceil(words.length / MAX_DELTAS);
  return words.flatMap((_, index) => (index % size === 0 ? [words.slice(index, index + size).join('')] : []));
}
