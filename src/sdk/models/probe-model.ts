// Finds out how a model behaves, by a few small requests: each answer is read as it came, and read again as a model poor at calling tools
// is. One rule: nothing is asked before `begin`, and what a question could not show is said, not guessed.
import { createJsonValidator } from '../../engine/output/index.js';
import { createReplyAssembler } from '../../engine/reply/index.js';
import type { Host } from '../../host/host.js';
import {
  type AssistantBlock,
  EMPTY_USAGE,
  type MessageParam,
  type ModelEvent,
  type ToolUseBlock,
  type Usage,
} from '../../protocol/content.js';
import { ConfigError, ModelError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { chooseModel, loadProvider, type RemoteChoice } from '../../providers/choice/index.js';
import {
  type AttemptLimits,
  type ModelRequest,
  OWN_LIMITS,
  type Provider,
  type ProviderLimits,
  type ToolDefinition,
  withOwnLimits,
} from '../../providers/contract/index.js';
import { addUsage, costUsd, loadCatalogue, type ModelPrice } from '../../providers/models/index.js';
import { type ToolCallProfile, toolCallProfile, withToolCallText } from '../../providers/text-calls/index.js';
import { LIMITS, type ModelOptions, resolveLimits } from '../../session/config/index.js';
import { keepModelProfile, openModelAccess, openModelReach, readModelsFile } from '../../session/models/index.js';
import { errorText } from '../../util/text.js';

interface ProbeAnswer {
  readonly content: readonly AssistantBlock[];
  /** Pieces in which its text and reasoning came. */
  readonly pieces: number;
  readonly usage: Usage;
  readonly events: readonly ModelEvent[];
}

const ATTEMPT_LIMITS: AttemptLimits = { requestTimeoutMs: 180_000, streamIdleMs: 60_000, contentIdleMs: 180_000 };

/** @throws ModelError */
export async function askModel(provider: Provider, request: ModelRequest, signal: AbortSignal): Promise<ProbeAnswer> {
  const assembler = createReplyAssembler();
  const events: ModelEvent[] = [];
  let pieces = 0;
  try {
    for await (const event of provider.stream(request, ATTEMPT_LIMITS, signal)) {
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

function callsIn({ content }: Pick<ProbeAnswer, 'content'>): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

function textIn({ content }: Pick<ProbeAnswer, 'content'>): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function thinksIn({ content }: Pick<ProbeAnswer, 'content'>): boolean {
  return content.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
}

/** The same answer with what it has as text taken for calls, and arguments repaired. */
async function readPoorly(answer: ProbeAnswer, request: ModelRequest, signal: AbortSignal): Promise<ProbeAnswer> {
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
const MAX_ANSWER_TOKENS = 2_000;

/** Two required arguments, one of which models like to give as a text. */
const WEATHER: ToolDefinition = {
  name: 'get_weather',
  description: 'Gives the weather of a city for the next days.',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 10 } },
    required: ['city', 'days'],
    additionalProperties: false,
  },
};

const VALUE: JsonSchema = {
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
const RESULT_WORD = 'quintessence-47';

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
const MOST_REQUESTS = Object.keys(QUESTIONS).length + 1;
/** What the requests hold, roughly. Tokens. */
const TOKENS_PER_REQUEST = 400;

/** How a model behaves. What could not be found out is null, and `problems` says why. */
export interface ModelProfile {
  /** `provider/model`. */
  readonly model: string;
  /** ISO. */
  readonly probedAt: string;
  readonly requests: number;
  readonly usage: Usage;
  /** Null if the price is not known. */
  readonly costUsd: number | null;
  /** The answer comes in pieces, as it is made. */
  readonly streaming: boolean | null;
  /** It tells how many tokens were used. */
  readonly usageTold: boolean | null;
  /** `native`: by the means of its API. `text`: written into the reply. `told`: its API takes no tools, but told of them in words it calls them. */
  readonly tools: 'native' | 'text' | 'told' | 'none' | null;
  /** Arguments fit the schema as they came, or after a repair. */
  readonly arguments: 'valid' | 'repaired' | 'wrong' | null;
  readonly parallelCalls: boolean | null;
  /** It goes on from the result of a call. */
  readonly toolResults: boolean | null;
  /** `held`: the answer fits the schema that went with the request. `ignored`: it did not. `refused`: the API takes none. */
  readonly structuredOutput: 'held' | 'ignored' | 'refused' | null;
  readonly reasoning: 'shown' | 'not shown' | 'refused' | null;
  /** What fits it best; null if nothing was found out. */
  readonly toolCalls: ToolCallProfile | null;
  readonly problems: readonly { readonly question: string; readonly problem: string }[];
}

interface ProbeOptions {
  /** As the option `model`. Default: the one that answers if none is named. */
  readonly model?: string | undefined;
  readonly host: Host;
  readonly env?: Host['env'];
  readonly models?: ModelOptions;
}

/** A probe that has not begun. */
export interface Probe {
  /** `provider/model`. */
  readonly model: string;
  readonly mostRequests: number;
  /** US dollars at most; null if the price is not known; 0 for models of this machine. */
  readonly mostUsd: number | null;
  /** True if a kept profile changes something: for APIs of the Chat Completions form. */
  readonly canKeep: boolean;
  /** @throws ModelError if not even the first question is answered */
  begin(signal: AbortSignal): Promise<ModelProfile>;
  /** @returns the file. @throws ConfigError */
  keep(profile: ModelProfile): Promise<string>;
}

/** @throws ConfigError if there is no such model, or no key for it */
export async function prepareProbe({ model: name, host, env = host.env, models = {} }: ProbeOptions): Promise<Probe> {
  const access = openModelAccess(host, env, models, name);
  const choice = await chooseModel(name, access);
  if (choice.api === 'offline')
    throw new ConfigError('The offline model is a planner by fixed rules: there is nothing to probe.');
  if (choice.api === 'ai-sdk') throw new ConfigError('A model object is not probed: its package knows how it behaves.');
  const catalogue = await loadCatalogue(await readModelsFile(host, env, models));
  const price = choice.free === true ? FREE : (catalogue.find(choice.provider, choice.model)?.price ?? null);
  const most = {
    ...EMPTY_USAGE,
    input_tokens: MOST_REQUESTS * TOKENS_PER_REQUEST,
    output_tokens: MOST_REQUESTS * MAX_ANSWER_TOKENS,
  };
  const model = `${choice.provider}/${choice.model}`;
  const limits = namedLimits(env);
  return {
    model,
    mostRequests: MOST_REQUESTS,
    mostUsd: price === null ? null : costUsd(most, price),
    canKeep: choice.api === 'openai-chat',
    async begin(signal) {
      const provider = await loadProvider(untouched(choice), openModelReach(host, access, models));
      try {
        return await probe(withOwnLimits(provider, limits), choice, model, price, host.clock.now(), signal);
      } finally {
        provider.close?.();
      }
    },
    async keep(profile) {
      if (profile.toolCalls === null)
        throw new ConfigError(`Nothing was found out of how ${model} calls tools, so there is nothing to keep.`);
      return keepModelProfile(host, env, model, { ...profile, toolCalls: profile.toolCalls });
    },
  };
}

/** The limits that the user's variables set. @throws ConfigError */
function namedLimits(env: Host['env']): ProviderLimits {
  const all = resolveLimits(env);
  const named = OWN_LIMITS.filter((limit) => env[LIMITS[limit].variable]);
  return Object.fromEntries(named.map((limit) => [limit, all[limit]]));
}

const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Nothing is read out of texts: it is asked how the model is, not how it is helped. */
function untouched(choice: RemoteChoice): RemoteChoice {
  return { ...choice, quirks: { ...choice.quirks, toolCalls: 'native', toolCallsOf: { [choice.model]: 'native' } } };
}

async function probe(
  provider: Provider,
  { model, quirks }: RemoteChoice,
  name: string,
  price: ModelPrice | null,
  now: number,
  signal: AbortSignal,
): Promise<ModelProfile> {
  const session = createQuestioning(provider, signal);
  const count = await session.ask('streaming', QUESTIONS.count(model));
  if (count === null) throw session.lastError ?? new ModelError('malformed', 'The model did not answer.');
  const tools = await probeTools(session, model, signal);
  const value = await session.ask('structured output', QUESTIONS.value(model));
  const fits = value === null ? false : (await problemsOf(parse(textIn(value)), VALUE)).length === 0;
  const valueError = value === null ? session.lastError : null;
  const thought = await session.ask('reasoning', QUESTIONS.thinking(model));
  const thoughtError = thought === null ? session.lastError : null;
  const isShown = [count, thought].some((answer) => answer !== null && thinksIn(answer));
  return {
    model: name,
    probedAt: new Date(now).toISOString(),
    requests: session.requests,
    usage: session.usage,
    costUsd: price === null ? null : costUsd(session.usage, price),
    streaming: count.pieces > 2,
    usageTold: count.usage.output_tokens > 0 && count.usage.input_tokens > 0,
    ...tools,
    structuredOutput: value !== null ? (fits ? 'held' : 'ignored') : isRefusal(valueError) ? 'refused' : null,
    reasoning: isShown ? 'shown' : thought !== null ? 'not shown' : isRefusal(thoughtError) ? 'refused' : null,
    toolCalls: profileFor(tools, toolCallProfile(model, quirks?.toolCalls)),
    problems: session.problems,
  };
}

type Tools = Pick<ModelProfile, 'tools' | 'arguments' | 'parallelCalls' | 'toolResults'>;

async function probeTools(session: Questioning, model: string, signal: AbortSignal): Promise<Tools> {
  const request = QUESTIONS.call(model);
  const first = await session.ask('tools', request);
  if (first === null && !isRefusal(session.lastError)) return NOTHING_KNOWN;
  const told = first === null ? await session.ask('tools told in words', request, 'text') : null;
  const calls = first === null ? (told === null ? [] : callsIn(told)) : callsIn(first);
  const read = first !== null && calls.length === 0 ? callsIn(await readPoorly(first, request, signal)) : [];
  const found = calls[0] ?? read[0];
  if (found === undefined) return { ...NOTHING_KNOWN, tools: 'none' };
  const tools = first === null ? 'told' : calls.length > 0 ? 'native' : 'text';
  const isValid = (input: unknown) => problemsOf(input, WEATHER.input_schema).then((problems) => problems.length === 0);
  const repaired = first === null ? found : (callsIn(await readPoorly(first, request, signal))[0] ?? found);
  const fit = (await isValid(found.input)) ? 'valid' : (await isValid(repaired.input)) ? 'repaired' : 'wrong';
  const way = tools === 'told' ? 'text' : undefined;
  const several = await session.ask('parallel calls', QUESTIONS.parallel(model), way);
  const asked =
    several === null ? null : callsIn(tools === 'text' ? await readPoorly(several, request, signal) : several);
  const answered = await session.ask('results of tools', QUESTIONS.result(model), way);
  return {
    tools,
    arguments: fit,
    parallelCalls: asked === null ? null : asked.length >= 2,
    toolResults: answered === null ? null : textIn(answered).includes(RESULT_WORD),
  };
}

const NOTHING_KNOWN: Tools = { tools: null, arguments: null, parallelCalls: null, toolResults: null };

/** @param usual what is taken for the model without a probe: kept if the model gave no reason for another */
function profileFor({ tools, arguments: fit }: Tools, usual: ToolCallProfile): ToolCallProfile | null {
  switch (tools) {
    case 'native':
      return fit === 'valid' ? usual : 'auto';
    case 'text':
      return 'auto';
    case 'told':
      return 'text';
    default:
      return null;
  }
}

type Questioning = ReturnType<typeof createQuestioning>;

/** Asks one question after another, and remembers what they cost and which were not answered. */
function createQuestioning(provider: Provider, signal: AbortSignal) {
  const problems: { question: string; problem: string }[] = [];
  let requests = 0;
  let usage: Usage = EMPTY_USAGE;
  let lastError: ModelError | null = null;
  return {
    problems,
    get requests() {
      return requests;
    },
    get usage() {
      return usage;
    },
    get lastError() {
      return lastError;
    },
    async ask(question: string, request: Parameters<typeof askModel>[1], way?: 'text'): Promise<ProbeAnswer | null> {
      requests++;
      try {
        const answer = await askModel(way === undefined ? provider : withToolCallText(provider, way), request, signal);
        usage = addUsage(usage, answer.usage);
        return answer;
      } catch (error) {
        if (!(error instanceof ModelError) || error.kind === 'aborted') throw error;
        lastError = error;
        problems.push({ question, problem: error.message });
        return null;
      }
    },
  };
}

/** The server knows what was asked, and does not take it. */
function isRefusal(error: ModelError | null): boolean {
  return error?.kind === 'invalid_request';
}

const problemsOf = createJsonValidator();

/** JSON, also in a fence; undefined if it is none. */
function parse(text: string): unknown {
  const inner = /^\s*```(?:json)?\s*([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(inner);
  } catch {
    return undefined; // the validator says that there is no value
  }
}
