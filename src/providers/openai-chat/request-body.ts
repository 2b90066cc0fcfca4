// The body of a Chat Completions request. Each message, tool and system block is serialised once and then found by
// identity, so a turn costs what is new and one joining of strings.
import type { MessageParam } from '../../protocol/content.js';
import type { ModelRequest, ToolDefinition } from '../contract/index.js';
import {
  cacheKeyOf,
  createKeptTexts,
  effortOf,
  isReasoningModel,
  leastEffort,
  SCHEMA_NAME,
  uniqueTools,
  withProperties,
  writeSystemText,
} from '../openai/index.js';
import type { ChatQuirks } from './quirks.js';
import { CACHE_MARK, type ChatWriting, writeMessage } from './write-message.js';

/** Marked messages of the newest, where marks are sent. */
const MARKED_MESSAGES = 2;
/** Builds bodies. Contract: keeps nothing of a message alive that its conversation has dropped. */
export interface ChatBodyBuilder {
  /** JSON text. Throws what `JSON.stringify` throws on a value that is no JSON, for example a cycle. */
  build(request: ModelRequest): string;
}

export function createChatBodyBuilder(writing: Omit<ChatWriting, 'model'>): ChatBodyBuilder {
  const { quirks, names } = writing;
  const messages = createKeptTexts();
  const tools = createKeptTexts();
  const system = createKeptTexts();
  const keys = createKeptTexts();

  const write = (message: MessageParam, model: string, isMarked: boolean): string =>
    writeMessage(message, { ...writing, model }, isMarked)
      .map((wire) => JSON.stringify(wire))
      .join(',');
  const writeAll = (request: ModelRequest): string[] => {
    // What is kept of a message depends on the model: reasoning goes back to the one it came from.
    messages.forModel(request.model);
    const marked = quirks.cacheControl === true ? markedMessages(request.messages) : new Set<MessageParam>();
    return request.messages.map((message) =>
      marked.has(message)
        ? write(message, request.model, true)
        : messages.keep(message, (plain) => write(plain, request.model, false)),
    );
  };
  const systemText = (request: ModelRequest): string => {
    const text = writeSystemText(request.system, system);
    if (text === null) return '';
    const role = quirks.systemRole ?? 'system';
    const mark = JSON.stringify(CACHE_MARK).slice(1, -1);
    const content = quirks.cacheControl === true ? `[{"type":"text","text":${text},${mark}}]` : text;
    return `{"role":"${role}","content":${content}}`;
  };
  const cacheKey = (request: ModelRequest, first: string): string => {
    const [opening] = request.messages;
    if (quirks.promptCacheKey === false || opening === undefined) return '';
    const key = keys.keep(opening, () => cacheKeyOf(first));
    return `,"prompt_cache_key":"${key}"`;
  };

  return {
    build(request) {
      const texts = writeAll(request);
      const list = [systemText(request), ...texts].filter((text) => text !== '').join(',');
      const offered = uniqueTools(request.tools).map((tool) => tools.keep(tool, (plain) => writeTool(plain, names)));
      let body = `{"model":${JSON.stringify(request.model)},"messages":[${list}]`;
      if (offered.length > 0) body += `,"tools":[${offered.join(',')}]`;
      if (offered.length > 0 && request.toolChoice === 'none') body += ',"tool_choice":"none"';
      body += `,"stream":true${cacheKey(request, texts[0] ?? '')}`;
      const fields = { ...optionsOf(request, quirks), ...quirks.extraBody };
      const more = JSON.stringify(fields).slice(1, -1);
      return `${body}${more === '' ? '' : `,${more}`}}`;
    },
  };
}

function optionsOf(request: ModelRequest, quirks: ChatQuirks): Record<string, unknown> {
  const limit = quirks.maxTokensField ?? 'max_completion_tokens';
  const { outputSchema } = request;
  return {
    ...(quirks.streamUsage === false ? {} : { stream_options: { include_usage: true } }),
    ...(limit === 'none' ? {} : { [limit]: request.maxTokens }),
    ...thinkingFields(request, quirks),
    ...(outputSchema === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: SCHEMA_NAME, schema: outputSchema, strict: true },
          },
        }),
  };
}

/** How the server is told to think. Nothing where the request leaves it to the model. */
export function thinkingFields(
  request: Pick<ModelRequest, 'model' | 'thinking' | 'effort'>,
  quirks: ChatQuirks,
): Record<string, unknown> {
  const { model, thinking, effort } = request;
  const word = effort === undefined ? null : (quirks.efforts?.[effort] ?? effortOf(model, effort, undefined));
  const isOff = thinking?.type === 'disabled';
  const isOn = thinking?.type === 'enabled' || (thinking === undefined && effort !== undefined);
  const form = quirks.thinking ?? 'reasoning_effort';
  switch (form) {
    case 'reasoning_effort': {
      const byThinking = isOff ? leastEffort(model) : effortOf(model, undefined, thinking);
      const name = word ?? (isReasoningModel(model) ? byThinking : null);
      return name === null ? {} : { reasoning_effort: name };
    }
    case 'thinking_type':
      return isOff || isOn ? { thinking: { type: isOff ? 'disabled' : 'enabled' } } : {};
    case 'enable_thinking':
      return isOff || isOn ? { enable_thinking: !isOff } : {};
    case 'chat_template':
      return isOff || isOn ? { chat_template_kwargs: { enable_thinking: !isOff } } : {};
    case 'openrouter':
      if (isOff) return { reasoning: { enabled: false } };
      if (word !== null) return { reasoning: { effort: word } };
      return thinking?.type === 'enabled' ? { reasoning: { max_tokens: thinking.budgetTokens } } : {};
    case 'none':
      return {};
    default:
      return form satisfies never;
  }
}

function writeTool({ name, description, input_schema }: ToolDefinition, names: ChatWriting['names']): string {
  const called = { name: names.toWire(name), description, parameters: withProperties(input_schema) };
  return JSON.stringify({ type: 'function', function: called });
}

/** The newest user messages: this request's prompt is cached, and found again by the next. */
function markedMessages(messages: readonly MessageParam[]): Set<MessageParam> {
  const marked = new Set<MessageParam>();
  for (let at = messages.length - 1; at >= 0 && marked.size < MARKED_MESSAGES; at--) {
    const message = messages[at];
    if (message?.role === 'user') marked.add(message);
  }
  return marked;
}
