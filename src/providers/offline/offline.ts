// The offline model: not a language model, and it says so. A deterministic planner that reads a request in plain
// English and the tool results so far, and drives the real loop with real tool calls.
import { estimateTokenCount } from 'tokenx';
import type { Host } from '../../host/host.js';
import type { AssistantBlock, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { ModelRequest, Provider } from '../contract/index.js';
import type { Call } from './flow.js';
import { decideMove, type Move } from './plan.js';
import { structuredAnswer } from './structured-answer.js';

const FAILED = 'The offline model failed on this request. Rephrase it, or use a language model.';
const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
/** Milliseconds of streaming after which other work of the process gets its turn. */
const PAUSE_EVERY_MS = 8;
/** tokenx prices prose well and JSON too low; measured against a real tokenizer. */
const JSON_FACTOR = 1.35;

/**
 * A provider that needs no network and no key. docs/offline-model.md lists what it understands; anything else it refuses,
 * and says what it can do and how to get a language model.
 * Contract: stateless: each `stream` derives its plan from the request's messages alone. It calls only tools that the
 * request offers, and says nothing that is not in a tool result.
 */
export function createOfflineProvider({ clock, ids }: Pick<Host, 'clock' | 'ids'>): Provider {
  return {
    id: 'offline',
    free: true,
    async *stream(request, _limits, signal) {
      requireNotAborted(signal);
      const { text, calls, stopReason } = decideReply(request);
      const newId = () => ids.uuid().replaceAll('-', '');
      const uses = calls.map((call) => ({ type: 'tool_use' as const, id: `toolu_${newId()}`, ...call }));
      const blocks = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...uses];
      const usage: Usage = {
        input_tokens: Math.ceil(estimateTokenCount(JSON.stringify(request)) * JSON_FACTOR),
        output_tokens: estimateTokenCount(text + calls.map((call) => JSON.stringify(call)).join('')),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      };
      let since = clock.monotonic();
      for (const event of replyEvents(`msg_${newId()}`, blocks, stopReason, usage)) {
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

interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly stopReason: 'tool_use' | 'refusal' | 'end_turn';
}

function decideReply(request: ModelRequest): Reply {
  try {
    const move = decideMove(request);
    if (move.type === 'call') return { text: move.say, calls: move.calls, stopReason: 'tool_use' };
    if (move.type === 'refuse') return { text: move.answer, calls: [], stopReason: 'refusal' };
    return finish(request, move);
  } catch (cause) {
    throw new ModelError('invalid_request', FAILED, { cause });
  }
}

/** The last reply: text, JSON for a schema, or a call of the tool that takes structured output. */
function finish({ tools, outputSchema }: ModelRequest, move: Extract<Move, { type: 'done' }>): Reply {
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

/** Deltas of one block at most; longer text comes in longer pieces. */
const MAX_DELTAS = 800;
const WORDS = /\s*\S+\s?|\s+/g;
const PIECES_OF_JSON = /.{1,48}/gs;

/**
 * A reply as the stream of a model: words of text, then tool calls in fragments of JSON.
 * Contract: a valid sequence of model events; the pieces of a block join to exactly its content.
 */
function* replyEvents(
  id: string,
  blocks: readonly AssistantBlock[],
  stop_reason: Reply['stopReason'],
  usage: Usage,
): Generator<ModelEvent> {
  const head = { id, type: 'message', role: 'assistant', model: 'offline', content: [] } as const;
  const started = { ...usage, output_tokens: 0 };
  yield { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage: started } };
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') {
      yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
      for (const text of piecesOf(block.text, WORDS))
        yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
    } else if (block.type === 'tool_use') {
      yield { type: 'content_block_start', index, content_block: { ...block, input: {} } };
      for (const partial_json of piecesOf(JSON.stringify(block.input), PIECES_OF_JSON))
        yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

function piecesOf(text: string, pattern: RegExp): readonly string[] {
  const pieces = text.match(pattern) ?? [];
  const size = Math.ceil(pieces.length / MAX_DELTAS);
  return pieces.flatMap((_, index) => (index % size === 0 ? [pieces.slice(index, index + size).join('')] : []));
}
