// The entries of a transcript as the conversation they record. Other writers of the layout give each block of a reply
// a line of its own and let the answers of parallel calls branch off; here a reply is whole again, its answers behind it.
import { asBlocks, isThinking } from '../../engine/history/index.js';
import type { AssistantBlock, StopReason, ToolUseBlock, Usage, UserBlock } from '../../protocol/content.js';
import { textOr } from '../../util/text.js';
import type { Message } from '../messages/index.js';
import type { EntryValue } from './read-entry.js';
import type { ReadEntry } from './read-transcript.js';

type UserMessage = Extract<Message, { type: 'user' }>;
type AssistantEntry = Extract<Message, { type: 'assistant' }>;

/**
 * Contract: pure; a message has the uuid of its entry, a reply of several entries that of its last one; blocks are the
 * objects of the entries, unchanged.
 */
export function toConversation(entries: readonly ReadEntry[]): Message[] {
  const messages: Message[] = [];
  /** Id and place of the reply that entries are still added to. */
  let openId: string | null = null;
  let openAt = 0;
  /** All blocks of that reply, once it has several entries. */
  let content: AssistantBlock[] | null = null;
  for (const entry of withoutRepeatedAnswers(entries)) {
    if (entry.role === 'user') {
      const message = toUserMessage(entry);
      messages.push(message);
      if (openId !== null && !isAnswer(message)) openId = null;
    } else if (entry.role === 'assistant') {
      const part = toAssistantMessage(entry);
      if (openId !== null && entry.replyId === openId) {
        content ??= blocksSoFar(messages[openAt]);
        content.push(...part.message.content);
        messages[openAt] = joined(messages[openAt], part, content);
      } else {
        openId = entry.replyId;
        openAt = messages.length;
        content = null;
        messages.push(part);
      }
    }
  }
  return messages;
}

/** Calls of the last reply that have no result. */
export function openCalls(messages: readonly Message[]): ToolUseBlock[] {
  const last = messages.findLastIndex((message) => message.type === 'assistant');
  const reply = messages[last];
  if (reply?.type !== 'assistant') return [];
  const answered = new Set(messages.slice(last + 1).flatMap(answersOf));
  return reply.message.content.filter(
    (block): block is ToolUseBlock => block?.type === 'tool_use' && !answered.has(block.id),
  );
}

/** An answer beside the chain counts if the chain has none to that call. */
function withoutRepeatedAnswers(entries: readonly ReadEntry[]): readonly ReadEntry[] {
  if (!entries.some((entry) => entry.isBeside)) return entries;
  const given = new Set(
    entries.filter((entry) => !entry.isBeside).flatMap((entry) => answersIn(contentOf(entry.value))),
  );
  return entries.filter((entry) => {
    if (!entry.isBeside || entry.role !== 'user') return true;
    const ids = answersIn(contentOf(entry.value));
    const isNew = ids.some((id) => !given.has(id));
    for (const id of ids) given.add(id);
    return isNew;
  });
}

function toUserMessage({ uuid, value }: ReadEntry): UserMessage {
  const content = contentOf(value);
  const { timestamp, isMeta, isCompactSummary, toolUseResult } = value;
  const message: { -readonly [Key in keyof UserMessage]: UserMessage[Key] } = {
    uuid,
    type: 'user',
    message: {
      role: 'user',
      content: (typeof content === 'string' ? content : asBlocks(content)) as string | UserBlock[],
    },
  };
  if (typeof timestamp === 'string') message.timestamp = timestamp;
  if (isMeta === true) message.isMeta = true;
  if (isCompactSummary === true) message.isCompactSummary = true;
  if (toolUseResult !== undefined) message.toolUseResult = toolUseResult;
  return message;
}

function toAssistantMessage({ uuid, value, isLossy }: ReadEntry): AssistantEntry {
  const { timestamp, isMeta, message } = value as { timestamp?: unknown; isMeta?: unknown; message: EntryValue };
  const blocks = asBlocks(message.content) as AssistantBlock[];
  const reply: { -readonly [Key in keyof AssistantEntry]: AssistantEntry[Key] } = {
    uuid,
    type: 'assistant',
    message: {
      id: textOr(message.id, `msg_${uuid}`),
      type: 'message',
      role: 'assistant',
      model: textOr(message.model, 'unknown'),
      content: isLossy ? blocks.filter((block) => !isThinking(block)) : blocks,
      stop_reason: typeof message.stop_reason === 'string' ? (message.stop_reason as StopReason) : null,
      stop_sequence: typeof message.stop_sequence === 'string' ? message.stop_sequence : null,
      usage: toUsage(message.usage),
    },
  };
  if (typeof timestamp === 'string') reply.timestamp = timestamp;
  if (isMeta === true) reply.isMeta = true;
  return reply;
}

/** The last part knows how the reply ended and what it cost. */
function joined(first: Message | undefined, last: AssistantEntry, content: readonly AssistantBlock[]): AssistantEntry {
  const earlier = first?.type === 'assistant' ? first.message.stop_reason : null;
  return { ...last, message: { ...last.message, content, stop_reason: last.message.stop_reason ?? earlier } };
}

function blocksSoFar(first: Message | undefined): AssistantBlock[] {
  return first?.type === 'assistant' ? [...first.message.content] : [];
}

export function toUsage(value: unknown): Usage {
  const usage = typeof value === 'object' && value !== null ? (value as EntryValue) : {};
  return {
    input_tokens: tokens(usage.input_tokens),
    output_tokens: tokens(usage.output_tokens),
    cache_creation_input_tokens: tokens(usage.cache_creation_input_tokens),
    cache_read_input_tokens: tokens(usage.cache_read_input_tokens),
  };
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function contentOf(value: EntryValue): unknown {
  return (value.message as EntryValue | null | undefined)?.content;
}

function isAnswer({ message: { content } }: UserMessage): boolean {
  return typeof content !== 'string' && content.length > 0 && content.every((block) => block?.type === 'tool_result');
}

function answersOf(message: Message): string[] {
  return message.type === 'user' ? answersIn(message.message.content) : [];
}

function answersIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: EntryValue | null) =>
    block?.type === 'tool_result' && typeof block.tool_use_id === 'string' ? [block.tool_use_id] : [],
  );
}
