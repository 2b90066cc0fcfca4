// What the engine has, in the names of the GenAI conventions of OpenTelemetry. Content has a bound, and is asked for only
// if somebody wants it.

import type { Attributes } from '@opentelemetry/api';
import type { AssistantMessage, MessageParam, ToolResultBlock, Usage } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { promptTokensOf } from '../../providers/models/index.js';
import { toWellFormed } from '../../util/text.js';

/** Attributes whose values are texts of the conversation. */
export type Content = Readonly<Record<string, string>>;

/** Of one attribute, characters. */
const MAX_CONTENT = 32_768;

/** Providers for which the conventions have another name than ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
};

export function providerName(id: string): string {
  return PROVIDERS[id] ?? id;
}

export function usageAttributes(usage: Usage): Attributes {
  return {
    // With those of a cache, as the conventions count.
    'gen_ai.usage.input_tokens': promptTokensOf(usage),
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cache_read_input_tokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_creation_input_tokens,
  };
}

export function requestAttributes({ model, maxTokens }: ModelRequest, provider: string, sessionId: string): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': maxTokens,
    'gen_ai.conversation.id': sessionId,
  };
}

export function replyAttributes({ id, model, stop_reason }: AssistantMessage): Attributes {
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [stop_reason ?? 'unknown'],
  };
}

/** What was said since the model's last word: the rest stands in earlier spans. */
export function inputContent({ messages }: ModelRequest): Content {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return { 'gen_ai.input.messages': toText(messages.slice(last + 1).map(toMessage)) };
}

export function outputContent(reply: AssistantMessage): Content {
  const message = { ...toMessage(reply), finish_reason: reply.stop_reason };
  return { 'gen_ai.output.messages': toText([message]) };
}

/** What a person said, before anything was added to it. */
export function promptContent(content: Extract<MessageParam, { role: 'user' }>['content']): Content {
  return { 'gen_ai.input.messages': toText([toMessage({ role: 'user', content })]) };
}

export function inputOfTool(input: unknown): Content {
  return { 'gen_ai.tool.call.arguments': toText(input) };
}

export function resultOfTool({ content }: ToolResultBlock): Content {
  return { 'gen_ai.tool.call.result': toText(withoutMedia(content)) };
}

function toMessage({ role, content }: Pick<MessageParam, 'role' | 'content'> | AssistantMessage): object {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { role, parts: blocks.map(toPart) };
}

type Block = Exclude<MessageParam['content'], string>[number] | AssistantMessage['content'][number];

function toPart(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: block.text };
    case 'thinking':
      return { type: 'reasoning', content: block.thinking };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.input };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: withoutMedia(block.content) };
    default:
      return { type: block.type };
  }
}

/** Images and documents are named, not shown. */
function withoutMedia(content: ToolResultBlock['content']): unknown {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Within the bound. To be called once secrets are hidden: half of one would not be found. */
export function cutContent(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, text]) => [
      name,
      text.length > MAX_CONTENT ? toWellFormed(`${text.slice(0, MAX_CONTENT)}…`) : text,
    ]),
  );
}
