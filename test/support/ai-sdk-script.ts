// A model object of the AI SDK, of each version, that follows the scripts of the mock server: replies, failures as such
// objects tell them, streams that break off, fall silent or make no sense. It keeps what it was asked, and checks it.
import { ReadableStream } from 'node:stream/web';
import type { ContentBlockStart, ModelEvent, StopReason, Usage } from '../../src/protocol/content.js';
import type { ModelError } from '../../src/protocol/errors.js';
import type { AiSdkLanguageModel, AiSdkVersion, Fields } from '../../src/providers/ai-sdk/language-model.js';
import {
  errorTypeOf,
  type Malformation,
  type MockAnswer,
  type MockFunction,
  openAIErrorBody,
  toHttpFailure,
  type WireTraits,
} from '../../src/testing/mock/mock-wire.js';
import {
  createScriptIds,
  planReply,
  type ReplyPlan,
  type ScriptedAnswer,
  type ScriptIds,
  streamReply,
  text,
} from '../../src/testing/model/script.js';
import { checkAiSdkRequest } from './ai-sdk-check.js';
import { finish } from './ai-sdk-model.js';

export interface ScriptedAiSdkModel extends AiSdkLanguageModel {
  /** What was asked, as JSON has it: bytes are base64. */
  readonly requests: { readonly body: unknown }[];
  /** What of it no provider package would take. */
  readonly violations: string[];
  readonly supportedUrls: unknown;
}

export interface ScriptedAiSdkTraits {
  readonly version?: AiSdkVersion;
  /** Characters of one delta. Default 16. */
  readonly chunkSize?: number;
}

const MODEL = 'gpt-5.2';
const PING_MS = 20;

/** @param answer what the mock server would be told to answer */
export function scriptedAiSdkModel(
  answer: MockFunction,
  { version = 'v4', chunkSize = 16 }: ScriptedAiSdkTraits = {},
): ScriptedAiSdkModel {
  const requests: { readonly body: unknown }[] = [];
  const violations: string[] = [];
  const ids = createScriptIds();
  return {
    specificationVersion: version,
    provider: `fake-${version}.chat`,
    modelId: MODEL,
    supportedUrls: { 'image/*': [/^https:/] },
    requests,
    violations,
    async doStream(options: never) {
      const body = plainJson(options);
      violations.push(...checkAiSdkRequest(options, version));
      const index = requests.push({ body }) - 1;
      const requestId = ids.next('req');
      const step = await answer(body, index);
      if ('status' in step) throw callError(step.status, step.body ?? errorBody(step.status), step.headers);
      if ('error' in step) throw failureOf(step.error);
      if ('stall' in step) {
        if (step.pings !== true) return new Promise<never>(() => undefined);
        return { stream: streamOf([], 'pings', step.pingEveryMs) };
      }
      const stream = answerStream(step, version, chunkSize, ids);
      return { stream, response: { headers: { 'x-request-id': requestId } } };
    },
  };
}

/** The parts that a reply is sent in. */
export function partsOf(
  plan: ReplyPlan & WireTraits,
  version: AiSdkVersion,
  chunkSize: number,
  ids: ScriptIds = createScriptIds(),
): Fields[] {
  const events = streamReply(plan, { model: MODEL, ids, requestSize: 100, chunkSize });
  const parts = [{ type: 'stream-start', warnings: [] }, ...[...events].flatMap(createWriter(version))];
  return plan.malformed === undefined ? parts : malformed(parts, plan.malformed, version);
}

function answerStream(
  step: Exclude<MockAnswer, { status: number } | { error: unknown } | { stall: true }>,
  version: AiSdkVersion,
  chunkSize: number,
  ids: ScriptIds,
): ReadableStream {
  const plan: ReplyPlan & WireTraits = planReply(step as ScriptedAnswer) ?? {
    ...step,
    content: { blocks: [text('ok')] },
  };
  const parts = partsOf(plan, version, chunkSize, ids);
  const { cutAfterEvents, cutWith, stallAfterEvents, pings, pingEveryMs } = plan as ReplyPlan & WireTraits;
  if (stallAfterEvents !== undefined) {
    return streamOf(parts.slice(0, stallAfterEvents), pings === true ? 'pings' : 'silence', pingEveryMs);
  }
  if (cutAfterEvents === undefined) return streamOf(parts, 'close');
  const sent = parts.slice(0, cutAfterEvents);
  if (cutWith !== undefined) return streamOf([...sent, errorPart(cutWith, version), finish(version, 'error')], 'close');
  // The three ways in which a reply that was cut looks whole to who reads only its parts.
  if (version === 'v2') return streamOf([...sent, finish('v2', 'unknown')], 'close');
  return streamOf(sent, version === 'v3' ? 'break' : 'close');
}

/** A stream of these parts, and what follows them. */
function streamOf(parts: readonly Fields[], end: 'close' | 'break' | 'silence' | 'pings', pingEveryMs = PING_MS) {
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream(
    {
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        if (end === 'close') controller.close();
        if (end === 'pings') {
          timer = setInterval(() => {
            for (const part of PING_LIKE) controller.enqueue(part);
          }, pingEveryMs);
        }
      },
      pull(controller) {
        if (end === 'break') controller.error(new TypeError('terminated'));
      },
      cancel() {
        clearInterval(timer);
      },
    },
    { highWaterMark: 0 },
  );
}

/** What says nothing, and may come as often as it likes. */
const PING_LIKE: readonly Fields[] = [
  { type: 'raw', rawValue: { type: 'ping' } },
  { type: 'stream-start', warnings: [] },
  { type: 'text-end', id: 'nobody' },
  { type: 'of-a-later-version' },
];

/** As such objects tell a response that is no stream. */
function callError(statusCode: number, body: unknown, headers: Fields = {}): Error {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  const isRetryable = statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500;
  const error = new Error(`Scripted status ${statusCode}.`);
  return Object.assign(error, {
    name: 'AI_APICallError',
    url: 'https://models.example/v1',
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
    responseBody,
    isRetryable,
  });
}

function errorBody(status: number): unknown {
  return openAIErrorBody(status, errorTypeOf(status), `Scripted status ${status}.`);
}

function failureOf(error: ModelError): Error {
  const failure = toHttpFailure(error);
  if (failure !== null) {
    const { status, type, message, headers } = failure;
    return callError(status, openAIErrorBody(status, type, message), headers);
  }
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return Object.assign(new TypeError('fetch failed'), { cause });
}

/** A failure in the middle: the server's event as it came, in the words of one API or another, or an error. */
function errorPart(error: ModelError, version: AiSdkVersion): Fields {
  const { type, message } = toHttpFailure(error) ?? { type: 'api_error', message: error.message };
  if (version === 'v2') return { type: 'error', error: { type, message } };
  if (version === 'v3') return { type: 'error', error: openAIErrorBody(500, type, message) };
  return { type: 'error', error: failureOf(error) };
}

/** What becomes of a reply that is none when a package reads it. */
function malformed(parts: Fields[], how: Malformation, version: AiSdkVersion): Fields[] {
  const noReason = version === 'v2' ? 'unknown' : { unified: 'other', raw: undefined };
  const unfinished = { ...finish(version, 'other'), finishReason: noReason };
  switch (how) {
    case 'html':
    case 'json':
    case 'empty':
      return [...parts.slice(0, 1), unfinished];
    case 'bad-json': {
      const error = Object.assign(new Error('JSON parsing failed'), { name: 'AI_JSONParseError' });
      return [...parts.slice(0, 3), { type: 'error', error }, unfinished];
    }
    case 'out-of-order': {
      const at = parts.findIndex(({ type }) => String(type).endsWith('-delta'));
      const [delta] = parts.splice(at, 1);
      return delta === undefined ? parts : [...parts.slice(0, at - 1), delta, ...parts.slice(at - 1)];
    }
    case 'no-usage':
      return parts.map(({ usage, providerMetadata, ...part }) => part);
    default:
      return how satisfies never;
  }
}

function plainJson(options: unknown): unknown {
  const bytes = (_key: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  return JSON.parse(JSON.stringify(options, bytes));
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
};

/** The parts that an event becomes. */
function createWriter(version: AiSdkVersion): (event: ModelEvent) => Fields[] {
  let usage: Partial<Usage> = {};
  let reason = 'stop';
  let open: { readonly start: ContentBlockStart; signature: string; json: string } | null = null;
  return (event) => {
    switch (event.type) {
      case 'message_start':
        usage = event.message.usage;
        return [{ type: 'response-metadata', id: event.message.id, modelId: event.message.model }];
      case 'content_block_start': {
        open = { start: event.content_block, signature: '', json: '' };
        const id = String(event.index);
        if (open.start.type === 'text') return [{ type: 'text-start', id }];
        if (open.start.type !== 'tool_use') return [{ type: 'reasoning-start', id }];
        return [{ type: 'tool-input-start', id: open.start.id, toolName: open.start.name }];
      }
      case 'content_block_delta': {
        const { delta } = event;
        const id = String(event.index);
        if (delta.type === 'text_delta') return [{ type: 'text-delta', id, delta: delta.text }];
        if (delta.type === 'thinking_delta') return [{ type: 'reasoning-delta', id, delta: delta.thinking }];
        if (open === null) return [];
        if (delta.type === 'signature_delta') open.signature += delta.signature;
        if (delta.type !== 'input_json_delta' || open.start.type !== 'tool_use') return [];
        open.json += delta.partial_json;
        return [{ type: 'tool-input-delta', id: open.start.id, delta: delta.partial_json }];
      }
      case 'content_block_stop':
        return open === null ? [] : closeBlock(open, String(event.index));
      case 'message_delta':
        usage = { ...usage, ...event.usage };
        reason = REASONS[event.delta.stop_reason ?? 'end_turn'];
        return [];
      case 'message_stop':
        return [
          {
            type: 'finish',
            finishReason: version === 'v2' ? reason : { unified: reason, raw: reason },
            ...(version === 'v2' ? flatUsage(usage) : { usage: usageOf(usage) }),
          },
        ];
      default:
        return event satisfies never;
    }
  };
}

function closeBlock(
  { start, signature, json }: { readonly start: ContentBlockStart; readonly signature: string; readonly json: string },
  id: string,
): Fields[] {
  if (start.type === 'text') return [{ type: 'text-end', id }];
  if (start.type !== 'tool_use') return [{ type: 'reasoning-end', id, providerMetadata: { fake: { signature } } }];
  const call = { type: 'tool-call', toolCallId: start.id, toolName: start.name, input: json === '' ? '{}' : json };
  return [{ type: 'tool-input-end', id: start.id }, call];
}

function usageOf(usage: Partial<Usage>): Fields {
  const { input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage;
  return {
    inputTokens: {
      total: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      noCache: input_tokens,
      cacheRead: cache_read_input_tokens,
      cacheWrite: cache_creation_input_tokens,
    },
    outputTokens: { total: output_tokens, text: output_tokens, reasoning: 0 },
  };
}

/** Of v2, which has no word for what was written to a cache: its providers say it in metadata of their own. */
function flatUsage(usage: Partial<Usage>): Fields {
  const { input_tokens = 0, output_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage;
  const inputTokens = input_tokens + cache_read_input_tokens;
  return {
    usage: {
      inputTokens,
      outputTokens: output_tokens,
      totalTokens: inputTokens + output_tokens,
      cachedInputTokens: cache_read_input_tokens,
    },
    providerMetadata: { fake: { cacheCreationInputTokens: cache_creation_input_tokens } },
  };
}
