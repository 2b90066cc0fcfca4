// The body of a Chat Completions request. Each message, tool and system block is serialised once and then found by
// identity, so a turn costs what is new and one joining of strings.
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MessageParam,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../../protocol/content.js';
import type { ChatQuirks } from '../../protocol/model-options.js';
import { type ModelRequest, openReasoning, sealReasoning, type ToolDefinition } from '../contract/index.js';
import {
  type CallIds,
  cacheKeyOf,
  createKeptTexts,
  documentText,
  effortOf,
  isPdf,
  isReasoningModel,
  leastEffort,
  leftOut,
  pdfName,
  SCHEMA_NAME,
  shortHash,
  uniqueTools,
  type WireNames,
  wireId,
  withProperties,
  writeSystemText,
} from '../openai/index.js';

/** So many of the newest messages are marked, if marks are sent. */
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

/** How the server is told to think. Nothing if the request leaves it to the model. */
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

// One canonical message as messages of the Chat Completions form: a reply with calls, each result as a message of its own,
// what a result cannot hold in a user message behind them. Rule: every call is answered right behind its message.

// What a Chat Completions server wants back of a reply beside its text and calls, as the payload of sealed thinking.
// Rule: it goes back to the server and the model it came from, byte for byte, and to nobody else.

const API = 'openai-chat';

interface Carried {
  /** Which server, by the provider's id, and which model. */
  readonly server: string;
  readonly model: string;
  /** OpenRouter's list of reasoning, opaque. */
  readonly details?: readonly unknown[];
  /** `extra_content` of calls, by their ids: Google keeps signatures of thoughts there. */
  readonly extra?: readonly (readonly [id: string, content: unknown])[];
}

export function sealCarried(carried: Carried): string {
  return sealReasoning(API, JSON.stringify(carried));
}

/** Null for thinking of another API, server or model. */
function openCarried(signature: string | undefined, server: string, model: string): Carried | null {
  const payload = openReasoning(API, signature);
  if (payload === null) return null;
  try {
    const carried = JSON.parse(payload) as Partial<Carried> | null;
    const isOwn = carried?.server === server && carried.model === model;
    return isOwn ? (carried as Carried) : null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}

type Part = Readonly<Record<string, unknown>>;
type WireMessage = Readonly<Record<string, unknown>>;

interface ChatWriting {
  readonly server: string;
  readonly model: string;
  readonly quirks: ChatQuirks;
  readonly ids: CallIds;
  readonly names: WireNames;
}

const CACHE_MARK = { cache_control: { type: 'ephemeral' } } as const;
const DEFAULT_ID_LENGTH = 40;
/** What stands between results of tools and a user message if a server wants a reply there. */
const INTERLUDE = { role: 'assistant', content: 'I have read the results.' } as const;
const PARAGRAPH = '\n\n';

/** @param isMarked the end of the message is a breakpoint of the prompt cache */
function writeMessage(message: MessageParam, writing: ChatWriting, isMarked: boolean): WireMessage[] {
  if (message.role === 'assistant') return writeAssistant(message.content, writing);
  if (typeof message.content === 'string') return [userMessage([textPart(message.content)], isMarked)];
  return writeUser(message.content, writing, isMarked);
}

function writeAssistant(blocks: readonly AssistantBlock[], writing: ChatWriting): WireMessage[] {
  const { quirks } = writing;
  const texts = blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []));
  const uses = blocks.filter((block) => block.type === 'tool_use');
  if (texts.length === 0 && uses.length === 0) return []; // nothing but thinking that is not for this server
  const own = ownThinking(blocks, writing);
  const details = own.flatMap(({ carried }) => carried.details ?? []);
  const extra = new Map(own.flatMap(({ carried }) => carried.extra ?? []));
  const calls = uses.map((use) => writeCall(use, extra.get(use.id), writing));
  const thoughts = own.map(({ thinking }) => thinking).filter((text) => text !== '');
  return [
    {
      role: 'assistant',
      // Servers differ in whether an absent content is null or nothing; all take null beside calls.
      content: texts.length === 0 ? null : texts.join(PARAGRAPH),
      ...(quirks.reasoningBack === undefined || calls.length === 0
        ? {}
        : { [quirks.reasoningBack]: thoughts.join(PARAGRAPH) }),
      ...(quirks.reasoningDetails === true && details.length > 0 ? { reasoning_details: details } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** The thinking of this server and model, with what it carries. */
function ownThinking(blocks: readonly AssistantBlock[], { server, model }: ChatWriting) {
  const own: { readonly thinking: string; readonly carried: Carried }[] = [];
  for (const block of blocks) {
    const carried = block.type === 'thinking' ? openCarried(block.signature, server, model) : null;
    if (carried !== null && block.type === 'thinking') own.push({ thinking: block.thinking, carried });
  }
  return own;
}

function writeCall(use: ToolUseBlock, extra: unknown, writing: ChatWriting): WireMessage {
  writing.ids.note(use.id);
  const carried = extra ?? writing.quirks.foreignCallExtra;
  return {
    id: callId(use.id, writing.quirks),
    type: 'function',
    function: { name: writing.names.toWire(use.name), arguments: JSON.stringify(use.input ?? {}) },
    ...(carried === undefined ? {} : { extra_content: carried }),
  };
}

function callId(id: string, quirks: ChatQuirks): string {
  if (quirks.nineCharacterIds !== true) return wireId(id, quirks.maxCallIdLength ?? DEFAULT_ID_LENGTH);
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : shortHash(id).slice(-9);
}

function writeUser(blocks: readonly UserBlock[], writing: ChatWriting, isMarked: boolean): WireMessage[] {
  const messages: WireMessage[] = [];
  const parts: Part[] = [];
  const results = blocks.filter((block) => block.type === 'tool_result');
  for (const result of results) {
    const { text, moved } = writeResult(result, writing);
    messages.push({ role: 'tool', tool_call_id: callId(result.tool_use_id, writing.quirks), content: text });
    parts.push(...moved);
  }
  for (const block of blocks) if (block.type !== 'tool_result') parts.push(mediaOrText(block, writing.quirks));
  if (parts.length > 0) {
    if (messages.length > 0 && writing.quirks.assistantAfterTools === true) messages.push(INTERLUDE);
    messages.push(userMessage(parts, isMarked));
  } else if (isMarked) markResult(messages);
  return messages;
}

/** The text of a result, and its media as parts of the user message that follows. */
function writeResult(result: ToolResultBlock, { quirks }: ChatWriting): { text: string; moved: Part[] } {
  const content = typeof result.content === 'string' ? [textPart(result.content)] : result.content;
  const texts: string[] = result.is_error === true ? ['The call failed.'] : [];
  const media: Part[] = [];
  for (const block of content as readonly Exclude<UserBlock, ToolResultBlock>[]) {
    const part = mediaOrText(block, quirks);
    if (typeof part['text'] === 'string') texts.push(part['text']);
    else media.push(part);
  }
  const whole = texts.filter((text) => text !== '').join('\n');
  if (media.length === 0) return { text: whole === '' ? '(no output)' : whole, moved: [] };
  const id = callId(result.tool_use_id, quirks);
  return {
    text: `${whole}${whole === '' ? '' : '\n'}[What this call gave beside text follows in the next user message.]`,
    moved: [textPart(`From the result of the call ${id}:`), ...media],
  };
}

function mediaOrText(block: Exclude<UserBlock, ToolResultBlock>, quirks: ChatQuirks): Part {
  if (block.type === 'text') return textPart(block.text);
  return block.type === 'image' ? writeImage(block, quirks) : writeDocument(block, quirks);
}

function writeImage(block: ImageBlock, quirks: ChatQuirks): Part {
  if (quirks.images === false) return textPart(leftOut(block, "the model's API takes no images."));
  const { source } = block;
  if (source.type === 'base64') {
    return { type: 'image_url', image_url: { url: `data:${source.media_type};base64,${source.data}` } };
  }
  if (quirks.imageUrls === false) return textPart(leftOut(block, "the model's API does not fetch images."));
  return { type: 'image_url', image_url: { url: source.url } };
}

function writeDocument(block: DocumentBlock, quirks: ChatQuirks): Part {
  const text = documentText(block);
  if (text !== null) return textPart(text);
  if (block.source.type === 'url') return textPart(leftOut(block, "the model's API does not fetch documents."));
  if (quirks.files === false) return textPart(leftOut(block, "the model's API takes no documents."));
  if (!isPdf(block)) return textPart(leftOut(block, "the model's API takes no documents of this type."));
  const data = `data:application/pdf;base64,${(block.source as { data: string }).data}`;
  return { type: 'file', file: { filename: pdfName(block), file_data: data } };
}

function textPart(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}

/** Texts alone are one string, which every server takes. */
function userMessage(parts: readonly Part[], isMarked: boolean): WireMessage {
  if (!isMarked && parts.every((part) => part['type'] === 'text')) {
    return { role: 'user', content: parts.map((part) => part['text']).join(PARAGRAPH) };
  }
  const last = isMarked ? parts.findLastIndex((part) => part['type'] === 'text') : -1;
  return { role: 'user', content: parts.map((part, at) => (at === last ? { ...part, ...CACHE_MARK } : part)) };
}

function markResult(messages: WireMessage[]): void {
  const last = messages.at(-1);
  if (last === undefined || typeof last['content'] !== 'string') return;
  messages[messages.length - 1] = { ...last, content: [{ ...textPart(last['content']), ...CACHE_MARK }] };
}
