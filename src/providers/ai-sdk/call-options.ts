// How a request is asked of a model of the AI SDK: what the specification has words for, and what its providers take as
// options of their own.

import type { ModelRequest } from '../contract/index.js';
import type { WireNames } from '../openai/index.js';
import {
  type AiSdkLanguageModel,
  type CallOptions,
  type Fields,
  type Metadata,
  namespaceOf,
  type PromptMessage,
} from './language-model.js';
import { type PromptWriter, writeSystem } from './write-prompt.js';

/** Marks the end of what a prompt cache may keep; providers without one take no notice. */
const CACHE_MARK: Metadata = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
};

export function callOptions(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  writer: PromptWriter,
  names: WireNames,
  abortSignal: AbortSignal,
): CallOptions {
  const messages = request.messages.flatMap((message) => writer.write(message));
  const prompt = [
    ...writeSystem(request.system).map(marked),
    ...messages.slice(0, -1),
    ...messages.slice(-1).map(marked),
  ];
  const { toolChoice = 'auto' } = request;
  const tools = request.tools.map(
    ({ name, description, input_schema: inputSchema }): Fields => ({
      type: 'function',
      name: names.toWire(name),
      description,
      inputSchema,
    }),
  );
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: toolChoice } }),
    ...thinkingOptions(model, request),
    includeRawChunks: false,
    abortSignal,
  };
}

function marked(message: PromptMessage): PromptMessage {
  return { ...message, providerOptions: CACHE_MARK };
}

type ThinkingRequest = Pick<ModelRequest, 'effort' | 'thinking'>;

/** What a request says of thinking, and whatever else its provider is told in words of its own. */
export function thinkingOptions(
  model: AiSdkLanguageModel,
  request: ThinkingRequest,
): Pick<CallOptions, 'reasoning' | 'providerOptions'> {
  const reasoning = reasoningOf(model, request);
  const providerOptions = optionsOfProvider(model, request);
  return {
    ...(reasoning === null ? {} : { reasoning }),
    ...(providerOptions === null ? {} : { providerOptions }),
  };
}

/** v4 has words for it, the highest of which is `xhigh`. */
function reasoningOf(
  { specificationVersion }: AiSdkLanguageModel,
  { effort, thinking }: ThinkingRequest,
): string | null {
  if (specificationVersion !== 'v4') return null;
  if (thinking?.type === 'disabled') return 'none';
  return effort === 'max' ? 'xhigh' : (effort ?? null);
}

/** Under the name of the provider, as its package documents it. */
function optionsOfProvider(model: AiSdkLanguageModel, { effort, thinking }: ThinkingRequest): Metadata | null {
  const name = namespaceOf(model);
  if (/^(?:openai|azure)/.test(name)) {
    // Nothing of a conversation is to stay at the server.
    const isStored = model.provider.endsWith('.responses') ? { store: false } : {};
    return named(name, { ...isStored, ...effortOf(model, effort) });
  }
  if (/^(?:anthropic|vertex)/.test(name)) {
    return named('anthropic', { ...claudeThinking(thinking), ...effortOf(model, effort, 'effort') });
  }
  if (name.startsWith('google')) {
    const wants = thinking !== undefined && thinking.type !== 'disabled';
    return wants ? named('google', { thinkingConfig: { includeThoughts: true } }) : null;
  }
  return named(name, effortOf(model, effort));
}

function claudeThinking(thinking: ModelRequest['thinking']): Fields {
  if (thinking?.type === 'disabled') return { thinking: { type: 'disabled' } };
  if (thinking?.type !== 'enabled') return {};
  const { budgetTokens } = thinking;
  return { thinking: { type: 'enabled', ...(budgetTokens === undefined ? {} : { budgetTokens }) } };
}

/** Under the name that the provider's package has for it. Before v4 there is no other word, and few know the highest levels. */
function effortOf(model: AiSdkLanguageModel, effort: ModelRequest['effort'], field = 'reasoningEffort'): Fields {
  if (model.specificationVersion === 'v4' || effort === undefined) return {};
  return { [field]: effort === 'max' || effort === 'xhigh' ? 'high' : effort };
}

function named(name: string, fields: Fields): Metadata | null {
  return Object.keys(fields).length === 0 ? null : { [name]: fields };
}
