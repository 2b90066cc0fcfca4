// Model objects of the AI SDK, of specification v2, v3 and v4, as a Provider. Nothing of that SDK is needed: the object is
// used by its shape. Keys, addresses and headers are its own.
import type { HostClock } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { Provider } from '../contract/index.js';
import { readLimitState } from '../http/index.js';
import { createCallIds, createWireNames, requestIdOf } from '../openai/index.js';
import { callOptions } from './call-options.js';
import { classifyAiSdkError } from './classify-error.js';
import { type AiSdkLanguageModel, checkAiSdkModel, isFields, namespaceOf } from './language-model.js';
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
