// The offline model: not a language model, and it says so. A deterministic planner that reads a request in plain
// English and the tool results so far, and drives the real loop with real tool calls.
import type { HostClock, HostIds } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelRequest, Provider } from '../contract/index.js';
import type { Call } from './flow.js';
import { decideMove, type Move } from './plan.js';
import { type Reply, replyEvents } from './stream-reply.js';
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
      const { estimateTokenCount } = await import('tokenx');
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
