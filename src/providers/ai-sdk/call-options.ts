// How a request is asked of a model of the AI SDK: its options, those of providers of their own too, and the conversation as a
// prompt. Rule: every call is answered in the message behind it, results are text, and what a model cannot take is named in a
// text.

import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MessageParam,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/content.js';
import { isRecord } from '../../util/json.js';
import { type ModelRequest, openReasoning, sealReasoning } from '../contract/index.js';
import { documentText, isPdf, leftOut, pdfName, shortHash, type WireNames } from '../openai/index.js';
import {
  type AiSdkLanguageModel,
  type CallOptions,
  type Fields,
  type Metadata,
  namespaceOf,
  type PromptMessage,
} from './language-model.js';

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

// What a model of the AI SDK wants back of a reply beside its text and calls: metadata of its provider, as the payload of
// sealed thinking. Rule: it goes back to the provider and the model it came from, and to nobody else.

const API = 'ai-sdk';

interface Carried {
  /** Of the reasoning that the block is. */
  readonly own?: Metadata;
  /** Of calls, by their ids. */
  readonly calls?: readonly (readonly [id: string, metadata: Metadata])[];
  /** Of texts, by `shortHash` of them. */
  readonly texts?: readonly (readonly [hash: string, metadata: Metadata])[];
}

type Source = Pick<AiSdkLanguageModel, 'provider' | 'modelId'>;

export function sealCarried({ provider, modelId }: Source, carried: Carried): string {
  return sealReasoning(API, JSON.stringify({ provider, model: modelId, ...carried }));
}

/** Null for thinking of another API, provider or model. */
function openCarried(signature: string | undefined, { provider, modelId }: Source): Carried | null {
  const payload = openReasoning(API, signature);
  if (payload === null) return null;
  try {
    const carried: unknown = JSON.parse(payload);
    const isOwn = isRecord(carried) && carried['provider'] === provider && carried['model'] === modelId;
    return isOwn ? (carried as Carried) : null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}

export interface PromptWriter {
  /** The messages that one canonical message becomes. */
  write(message: MessageParam): readonly PromptMessage[];
}

const PARAGRAPH = '\n\n';

/**
 * One per provider: it keeps what it wrote, by identity of messages.
 * @param supportedUrls which addresses the model fetches by itself, as its object says
 */
export function createPromptWriter(model: AiSdkLanguageModel, names: WireNames, supportedUrls: unknown): PromptWriter {
  const kept = new WeakMap<MessageParam, readonly PromptMessage[]>();
  /** Names of calls by their ids: results must repeat them. */
  const callNames = new Map<string, string>();

  const filePart = (mediaType: string, data: string | URL, filename?: string): Fields => ({
    type: 'file',
    mediaType,
    data: model.specificationVersion === 'v4' ? taggedData(data) : data,
    ...(filename === undefined ? {} : { filename }),
  });
  const media = (block: ImageBlock | DocumentBlock): Fields => {
    const { source } = block;
    const text = block.type === 'document' ? documentText(block) : null;
    if (text !== null) return textPart(text);
    if (source.type === 'url') {
      const kind = block.type === 'image' ? 'image/*' : 'application/pdf';
      if (!fetches(supportedUrls, kind, source.url)) return textPart(leftOut(block, 'the model does not fetch it.'));
      return filePart(kind, new URL(source.url));
    }
    if (source.type !== 'base64') return textPart(leftOut(block, 'it is of a kind that the model does not take.'));
    if (block.type === 'image') return filePart(source.media_type, source.data);
    if (!isPdf(block)) return textPart(leftOut(block, 'the model takes no documents of this type.'));
    return filePart('application/pdf', source.data, pdfName(block));
  };
  const userPart = (block: Exclude<UserBlock, ToolResultBlock>): Fields =>
    block.type === 'text' ? textPart(block.text) : media(block);

  const result = (block: ToolResultBlock): { readonly part: Fields; readonly moved: readonly Fields[] } => {
    const content = typeof block.content === 'string' ? [textPart(block.content)] : block.content;
    const parts = (content as readonly Exclude<UserBlock, ToolResultBlock>[]).map(userPart);
    const texts = parts.flatMap((part) => (part['type'] === 'text' ? [String(part['text'])] : []));
    const moved = parts.filter((part) => part['type'] !== 'text');
    if (moved.length > 0) texts.push('[What this call gave beside text follows in the next user message.]');
    const value = texts.filter((text) => text !== '').join('\n') || '(no output)';
    const part = {
      type: 'tool-result',
      toolCallId: block.tool_use_id,
      toolName: names.toWire(callNames.get(block.tool_use_id) ?? 'unknown'),
      output: { type: block.is_error === true ? 'error-text' : 'text', value },
    };
    const heading = textPart(`From the result of the call ${block.tool_use_id}:`);
    return { part, moved: moved.length === 0 ? [] : [heading, ...moved] };
  };
  const user = (blocks: readonly UserBlock[]): PromptMessage[] => {
    const results = blocks.filter((block) => block.type === 'tool_result').map(result);
    const rest = blocks.flatMap((block) => (block.type === 'tool_result' ? [] : [userPart(block)]));
    const parts = [...results.flatMap(({ moved }) => moved), ...rest];
    return [
      ...(results.length === 0 ? [] : [{ role: 'tool', content: results.map(({ part }) => part) } as const]),
      ...(parts.length === 0 ? [] : [{ role: 'user', content: parts } as const]),
    ];
  };
  const assistant = (blocks: readonly AssistantBlock[]): PromptMessage[] => {
    const carried = blocks.flatMap((block) =>
      block.type === 'thinking' ? (openCarried(block.signature, model) ?? []) : [],
    );
    const calls = new Map(carried.flatMap(({ calls: list = [] }) => list));
    const texts = new Map(carried.flatMap(({ texts: list = [] }) => list));
    const parts = blocks.flatMap((block): Fields[] => {
      if (block.type === 'text') {
        return block.text === '' ? [] : [{ ...textPart(block.text), ...optionsOf(texts.get(shortHash(block.text))) }];
      }
      if (block.type === 'tool_use') {
        callNames.set(block.id, block.name);
        const toolName = names.toWire(block.name);
        const options = optionsOf(calls.get(block.id));
        return [{ type: 'tool-call', toolCallId: block.id, toolName, input: block.input ?? {}, ...options }];
      }
      if (block.type !== 'thinking') return [];
      const own = openCarried(block.signature, model);
      // A block without metadata of its own only carries that of others.
      if (own === null || (own.own === undefined && block.thinking === '')) return [];
      return [{ type: 'reasoning', text: block.thinking, ...optionsOf(own.own) }];
    });
    return parts.length === 0 ? [] : [{ role: 'assistant', content: parts }];
  };

  return {
    write(message) {
      const known = kept.get(message);
      if (known !== undefined) return known;
      const { content } = message;
      const written =
        message.role === 'assistant'
          ? assistant(message.content)
          : user(typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly UserBlock[]));
      kept.set(message, written);
      return written;
    },
  };
}

/** The system prompt as one message; none if it is empty. */
function writeSystem(blocks: readonly { readonly text: string }[]): PromptMessage[] {
  const content = blocks.map(({ text }) => text).filter((text) => text !== '');
  return content.length === 0 ? [] : [{ role: 'system', content: content.join(PARAGRAPH) }];
}

function optionsOf(metadata: unknown): Fields {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function textPart(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}

/** v4 says what the data are. */
function taggedData(data: string | URL): Fields {
  return typeof data === 'string' ? { type: 'data', data } : { type: 'url', url: data };
}

/** True if the model fetches an address itself. What is not said is no. */
function fetches(supportedUrls: unknown, mediaType: string, url: string): boolean {
  if (!isRecord(supportedUrls) || !URL.canParse(url)) return false;
  const [kind] = mediaType.split('/');
  const patterns = Object.entries(supportedUrls).flatMap(([key, list]) => {
    const isMatch = key === '*' || key === '*/*' || key === mediaType || key === `${kind}/*`;
    return isMatch && Array.isArray(list) ? list : [];
  });
  return patterns.some((pattern) => pattern instanceof RegExp && new RegExp(pattern.source, 'i').test(url));
}
