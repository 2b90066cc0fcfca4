// Model objects of the AI SDK, of specification v2, v3 and v4, as a Provider. Nothing of that SDK is needed: the object is
// used by its shape. Keys, addresses and headers are its own.
import type { HostClock } from '../../host/host.js';
import { ConfigError, ModelError, type ModelErrorKind } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { classifyEvent as classifyMessagesEvent } from '../anthropic/index.js';
import type { Provider } from '../contract/index.js';
import { cleanText, readLimitState } from '../http/index.js';
import { classifyEvent, classifyResponse, createCallIds, createWireNames, requestIdOf } from '../openai/index.js';
import { callOptions } from './call-options.js';
import { type AiSdkLanguageModel, checkAiSdkModel, type Fields, isFields, namespaceOf } from './language-model.js';
import { type PartSource, PartStream } from './part-stream.js';
import { createPartReader, type PartReader } from './read-parts.js';
import { createPromptWriter, type PromptWriter } from './write-prompt.js';

const TOOL_NAME_LENGTH = 64;

/**
 * A provider that asks one model object, whatever model a request names.
 * Contract: `doStream` is called once a request; no retry of the SDK takes part. Its abort signal is aborted when the
 * attempt is over. Throws `ConfigError` if the object is no language model of a known version.
 */
export function createAiSdkProvider(model: AiSdkLanguageModel, clock: HostClock): Provider {
  checkAiSdkModel(model);
  const ids = createCallIds();
  const names = createWireNames(TOOL_NAME_LENGTH);
  let writing: Promise<PromptWriter> | null = null;
  const writer = () => {
    // Some objects say it at once, some later, some not at all.
    const supported = Promise.resolve('supportedUrls' in model ? model.supportedUrls : undefined);
    writing ??= supported.catch(() => undefined).then((urls) => createPromptWriter(model, names, urls));
    return writing;
  };

  return {
    id: namespaceOf(model),
    stream(request, limits, signal) {
      let reader: PartReader | null = null;
      let requestId: string | null = null;
      return new PartStream({
        async open(stop) {
          const prompts = await writer();
          for (const { content } of request.messages) {
            if (typeof content === 'string') continue;
            for (const block of content) if (block.type === 'tool_use') ids.note(block.id);
          }
          const options = callOptions(model, request, prompts, names, stop);
          const answer: unknown = await model.doStream(options as never);
          const { stream, response } = isFields(answer) ? answer : {};
          const header = headerOf(response);
          requestId = requestIdOf(header, []);
          const state = limits.onLimitState === undefined ? null : readLimitState(header, clock);
          if (state !== null) limits.onLimitState?.(state);
          return sourceOf(stream);
        },
        decode(part, push) {
          if (reader === null) {
            reader = createPartReader(model, { ids, names }, push);
            reader.setRequestId(requestId);
          }
          return reader.read(part);
        },
        classify: (error) => classifyAiSdkError(error, model.provider, clock, reader !== null),
        limits,
        clock,
        signal,
      });
    },
  };
}

function headerOf(response: unknown): (name: string) => string | null {
  const headers = isFields(response) && isFields(response['headers']) ? response['headers'] : {};
  return (name) => {
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
    return typeof found?.[1] === 'string' ? found[1] : null;
  };
}

/** What a `ReadableStream` of any runtime gives. */
function sourceOf(stream: unknown): PartSource {
  if (typeof stream !== 'object' || stream === null || !('getReader' in stream)) {
    throw new ConfigError('The model object gave no stream.');
  }
  const reader = (stream as ReadableStream<unknown>).getReader();
  return {
    read: () => reader.read(),
    cancel() {
      reader.cancel().catch(() => undefined); // it failed already, which was told
    },
  };
}

// Errors of models of the AI SDK as ModelErrors, by what they say of themselves. Rule: what they would not send again is
// not sent again; how often the rest is, is the engine's business.

/** Errors by their names, those of the AI SDK; `NAME` is written `AI_NAME`. */
const KIND_BY_NAME: ReadonlyMap<string, ModelErrorKind> = new Map([
  ['AI_LoadAPIKeyError', 'authentication'],
  ['AI_LoadSettingError', 'invalid_request'],
  ['AI_NoSuchModelError', 'not_found'],
  ['AI_InvalidPromptError', 'invalid_request'],
  ['AI_InvalidArgumentError', 'invalid_request'],
  ['AI_UnsupportedFunctionalityError', 'invalid_request'],
  ['AI_JSONParseError', 'malformed'],
  ['AI_TypeValidationError', 'malformed'],
  ['AI_InvalidResponseDataError', 'malformed'],
  ['AI_EmptyResponseBodyError', 'malformed'],
  ['AI_NoContentGeneratedError', 'malformed'],
  // Of the platform: a limit of time that the object has of its own.
  ['TimeoutError', 'timeout'],
]);

/** @param provider as the model names it @param hasBegun true if parts of the reply came */
function classifyAiSdkError(
  error: unknown,
  provider: string,
  clock: Pick<HostClock, 'now'>,
  hasBegun: boolean,
): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof ConfigError) return new ModelError('invalid_request', error.message, { cause: error });
  const context = { secrets: [], keyAdvice: `Check the key of the provider "${provider}" where its model is made.` };
  if (!isFields(error))
    return classifyEvent(typeof error === 'string' ? error : JSON.stringify(error ?? null), context);
  const { statusCode: status, isRetryable } = error;
  if (typeof status === 'number') {
    const headers = lowerCase(error['responseHeaders']);
    const response = { status, header: (name: string) => headers.get(name.toLowerCase()) ?? null, text: bodyOf(error) };
    return withTheirWord(classifyResponse(response, clock, context), isRetryable, error);
  }
  const kind = KIND_BY_NAME.get(String(error['name']));
  const text = `The model of ${provider} failed: ${cleanText(errorText(error), [])}.`;
  if (kind !== undefined) return new ModelError(kind, text, { cause: error });
  if (isRetryable === true || isNetwork(error)) {
    return new ModelError(hasBegun ? 'stream_cut' : 'connection', text, { cause: error });
  }
  if (isRetryable === false || error instanceof TypeError)
    return new ModelError('invalid_request', text, { cause: error });
  if (error instanceof Error) return new ModelError('server', text, { cause: error });
  // An event of the server as it came: in the words of one family of APIs or the other.
  const told = classifyEvent(JSON.stringify(error), context);
  return told.kind === 'server' ? classifyMessagesEvent(JSON.stringify({ error }), []) : told;
}

/** A failure that they call final is final. That they would try again is no reason to. */
function withTheirWord(error: ModelError, isRetryable: unknown, cause: unknown): ModelError {
  if (isRetryable !== false || !error.retryable) return error;
  const { status, requestId, retryAfterMs, refused } = error;
  return new ModelError(error.kind, error.message, {
    status,
    requestId,
    retryAfterMs,
    refused,
    retryable: false,
    cause,
  });
}

function bodyOf(error: Fields): string {
  const { responseBody, data, message } = error;
  if (typeof responseBody === 'string' && responseBody !== '') return responseBody;
  return data === undefined ? String(message ?? '') : (JSON.stringify(data) ?? '');
}

function lowerCase(headers: unknown): ReadonlyMap<string, string> {
  const entries = isFields(headers) ? Object.entries(headers) : [];
  return new Map(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : [])));
}

/** `fetch failed`, or a code of the system, in the error or in what it wraps. */
function isNetwork(error: Fields): boolean {
  for (let at: unknown = error, depth = 0; isFields(at) && depth < 4; depth++, at = at['cause']) {
    if (/^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(String(at['code'] ?? ''))) return true;
    if (/fetch failed|network|socket hang up|terminated/i.test(String(at['message'] ?? ''))) return true;
  }
  return false;
}
