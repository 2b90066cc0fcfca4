// The offline model: not a language model, and it says so. A deterministic planner that reads a request in plain
// English and the tool results so far, and drives the real loop with real tool calls.
import type { HostClock, HostIds } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { ModelRequest, Provider } from '../contract/index.js';
import { composeAnswer } from './answer.js';
import { createUsageEstimator } from './estimate-usage.js';
import type { Findings } from './findings.js';
import type { Call } from './flow.js';
import { decideMove, type Move } from './plan.js';
import { replyEvents } from './stream-reply.js';
import { structuredAnswer } from './structured-answer.js';

/** The model name that replies of the offline provider carry. */
const OFFLINE_MODEL = 'offline';

const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
/** Milliseconds of streaming after which other work of the process gets its turn. */
const PAUSE_EVERY_MS = 8;

export interface OfflineProviderOptions {
  readonly clock: HostClock;
  readonly ids: HostIds;
}

/**
 * A provider that needs no network and no key. docs/offline-model.md lists what it understands; anything else it refuses,
 * and says what it can do and how to configure a model.
 * Contract: stateless: each `stream` derives its plan from the request's messages alone. It calls only tools that the
 * request offers, never the same call twice between two changes, and says nothing that is not in a tool result.
 */
export function createOfflineProvider({ clock, ids }: OfflineProviderOptions): Provider {
  const estimateInput = createUsageEstimator();
  return {
    id: OFFLINE_MODEL,
    free: true,
    async *stream(request, _limits, signal) {
      requireNotAborted(signal);
      const { text, calls, refuses } = decideReply(request);
      const { estimateTokenCount } = await import('tokenx');
      const reply = {
        messageId: `msg_${ids.uuid().replaceAll('-', '')}`,
        text,
        refuses,
        calls: calls.map((call) => ({ id: `toolu_${ids.uuid().replaceAll('-', '')}`, call })),
        inputTokens: estimateInput(request, estimateTokenCount),
        outputTokens:
          estimateTokenCount(text) + calls.reduce((sum, call) => sum + estimateTokenCount(JSON.stringify(call)), 0),
      };
      yield* inTurns(replyEvents(reply), clock, signal);
    },
  };
}

/** Yields promptly, and now and then lets timers and input of the process run, so that an abort is seen. */
async function* inTurns(
  events: Iterable<ModelEvent>,
  clock: HostClock,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let since = clock.monotonic();
  for (const event of events) {
    if (clock.monotonic() - since >= PAUSE_EVERY_MS) {
      await new Promise<void>((resolve) => clock.after(0, resolve));
      since = clock.monotonic();
    }
    requireNotAborted(signal);
    yield event;
  }
}

function requireNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
}

interface ReplyContent {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly refuses: boolean;
}

function decideReply(request: ModelRequest): ReplyContent {
  try {
    const move = decideMove(request);
    return move.type === 'call' ? { text: move.say, calls: move.calls, refuses: false } : finish(request, move);
  } catch (cause) {
    throw new ModelError(
      'invalid_request',
      'The offline planner failed on this request. Rephrase it, or configure a model.',
      { cause },
    );
  }
}

/** The last reply: text, JSON for a schema, or a call of the tool that takes structured output. */
function finish(request: ModelRequest, { findings, calls }: Extract<Move, { type: 'done' }>): ReplyContent {
  const text = composeAnswer(findings, request.maxTokens);
  // Nobody should take a value, or the end of a part of the work, for the whole of it.
  if (!isUnderstood(findings)) return { text, calls: [], refuses: true };
  const tool = request.tools.find((offered) => offered.name === STRUCTURED_OUTPUT_TOOL);
  if (tool !== undefined && !calls.some(({ call }) => call.name === STRUCTURED_OUTPUT_TOOL)) {
    const value = asObject(structuredAnswer(findings, tool.input_schema));
    return { text: '', calls: [{ name: STRUCTURED_OUTPUT_TOOL, input: value }], refuses: false };
  }
  const schema: JsonSchema | undefined = request.outputSchema;
  const answer = schema === undefined ? text : JSON.stringify(structuredAnswer(findings, schema));
  return { text: answer, calls: [], refuses: false };
}

function isUnderstood({ found, failures }: Findings): boolean {
  if (found.length === 0 && failures.length === 0) return false;
  return failures.every(({ kind }) => kind !== 'not_understood');
}

/** The input of a tool is always an object. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { value };
}
