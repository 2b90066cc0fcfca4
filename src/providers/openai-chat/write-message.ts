// One canonical message as messages of the Chat Completions form: a reply with calls, each result as a message of its own,
// what a result cannot hold in a user message behind them. Rule: every call is answered right behind its message.
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MessageParam,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../../protocol/content.js';
import {
  type CallIds,
  documentText,
  isPdf,
  leftOut,
  pdfName,
  shortHash,
  type WireNames,
  wireId,
} from '../openai/index.js';
import { type Carried, openCarried } from './carried.js';
import type { ChatQuirks } from './quirks.js';

type Part = Readonly<Record<string, unknown>>;
type WireMessage = Readonly<Record<string, unknown>>;

export interface ChatWriting {
  readonly server: string;
  readonly model: string;
  readonly quirks: ChatQuirks;
  readonly ids: CallIds;
  readonly names: WireNames;
}

export const CACHE_MARK = { cache_control: { type: 'ephemeral' } } as const;
const DEFAULT_ID_LENGTH = 40;
/** What stands between results of tools and a user message where a server wants a reply there. */
const INTERLUDE = { role: 'assistant', content: 'I have read the results.' } as const;
const PARAGRAPH = '\n\n';

/** @param isMarked the end of the message is a breakpoint of the prompt cache */
export function writeMessage(message: MessageParam, writing: ChatWriting, isMarked: boolean): WireMessage[] {
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
