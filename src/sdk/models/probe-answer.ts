// One answer of a probed model: sent once, read as it came, and read again as a model poor at calling tools is.
import { createReplyAssembler } from '../../engine/reply/index.js';
import type { AssistantBlock, MessageParam, ModelEvent, ToolUseBlock, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { AttemptLimits, ModelRequest, Provider, ToolDefinition } from '../../providers/contract/index.js';
import { withToolCallText } from '../../providers/text-calls/index.js';
import { errorText } from '../../util/text.js';

export interface ProbeAnswer {
  readonly content: readonly AssistantBlock[];
  /** Pieces in which its text and reasoning came. */
  readonly pieces: number;
  readonly usage: Usage;
  readonly events: readonly ModelEvent[];
}

const LIMITS: AttemptLimits = { requestTimeoutMs: 180_000, streamIdleMs: 60_000, contentIdleMs: 180_000 };

/** @throws ModelError */
export async function askModel(provider: Provider, request: ModelRequest, signal: AbortSignal): Promise<ProbeAnswer> {
  const assembler = createReplyAssembler();
  const events: ModelEvent[] = [];
  let pieces = 0;
  try {
    for await (const event of provider.stream(request, LIMITS, signal)) {
      assembler.push(event);
      events.push(event);
      if (event.type === 'content_block_delta') pieces++;
    }
  } catch (error) {
    throw error instanceof ModelError ? error : new ModelError('malformed', errorText(error), { cause: error });
  }
  if (!assembler.isWhole) throw new ModelError('stream_cut', 'The reply ended before it was whole.');
  const { message } = assembler.finish();
  return { content: message.content, pieces, usage: message.usage, events };
}

export function callsIn({ content }: Pick<ProbeAnswer, 'content'>): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

export function textIn({ content }: Pick<ProbeAnswer, 'content'>): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export function thinksIn({ content }: Pick<ProbeAnswer, 'content'>): boolean {
  return content.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
}

/** The same answer with what it has as text taken for calls, and arguments repaired. */
export async function readPoorly(
  answer: ProbeAnswer,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const recorded: Provider = {
    id: 'recorded',
    async *stream() {
      yield* answer.events;
    },
  };
  return askModel(withToolCallText(recorded, 'auto'), request, signal);
}

// The small questions that show how a model behaves. One rule: each is one request with a short answer, and says what the
// answer shows without a second model's opinion.

/** Longest answer. Models that reason need some of it for that. Tokens. */
export const MAX_ANSWER_TOKENS = 2_000;

/** Two required arguments, one of which models like to give as a text. */
export const WEATHER: ToolDefinition = {
  name: 'get_weather',
  description: 'Gives the weather of a city for the next days.',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 10 } },
    required: ['city', 'days'],
    additionalProperties: false,
  },
};

export const VALUE: JsonSchema = {
  type: 'object',
  properties: { sum: { type: 'integer' }, even: { type: 'boolean' } },
  required: ['sum', 'even'],
  additionalProperties: false,
};

const CALL: ToolUseBlock = {
  type: 'tool_use',
  id: 'call_probe_1',
  name: WEATHER.name,
  input: { city: 'Oslo', days: 2 },
};
/** A word that no model says by itself. */
export const RESULT_WORD = 'quintessence-47';

const ask = (text: string): MessageParam => ({ role: 'user', content: text });
const plain = (
  model: string,
  messages: readonly MessageParam[],
  tools: readonly ToolDefinition[] = [],
): ModelRequest => ({
  model,
  system: [{ type: 'text', text: 'You are being tested. Do exactly what is asked, briefly.' }],
  tools,
  messages,
  maxTokens: MAX_ANSWER_TOKENS,
});

export const QUESTIONS = {
  /** Streaming, usage, reasoning that is shown. */
  count: (model: string) =>
    plain(model, [ask('Write the numbers from 1 to 30 as words, one a line, and nothing else.')]),
  call: (model: string) =>
    plain(model, [ask('What will the weather be in Oslo in the next 2 days? Use the tool.')], [WEATHER]),
  parallel: (model: string) =>
    plain(
      model,
      [
        ask(
          'What will the weather be in Oslo, in Rome and in Cairo tomorrow (1 day)? Call the tool for all three at once.',
        ),
      ],
      [WEATHER],
    ),
  result: (model: string) =>
    plain(
      model,
      [
        ask('What will the weather be in Oslo in the next 2 days? Repeat the code of the forecast.'),
        { role: 'assistant', content: [CALL] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: CALL.id, content: `Snow. The code of the forecast: ${RESULT_WORD}` },
          ],
        },
      ],
      [WEATHER],
    ),
  value: (model: string): ModelRequest => ({
    ...plain(model, [ask('What is 17 + 25, and is it even? Answer as JSON with "sum" and "even".')]),
    outputSchema: VALUE,
  }),
  thinking: (model: string): ModelRequest => ({
    ...plain(model, [ask('Which is larger, 9.11 or 9.9? Think first, then answer in one line.')]),
    thinking: { type: 'enabled', budgetTokens: 1_024 },
  }),
} as const;

/** Requests of one probe, at most: one more if the API takes no tools. */
export const MOST_REQUESTS = Object.keys(QUESTIONS).length + 1;
/** What the requests hold, roughly. Tokens. */
export const TOKENS_PER_REQUEST = 400;
