// Makes any history valid to send: every tool_use answered in the next message, nothing orphaned, nothing empty,
// roles alternating. What is already valid passes through as the same object, so its serialised form can be kept.
import type {
  AssistantBlock,
  AssistantMessageParam,
  ContentBlock,
  MessageParam,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  UserMessageParam,
} from '../../protocol/content.js';
import type { RefusedPart } from '../../protocol/errors.js';
import { isSealed } from '../../providers/contract/index.js';
import { toWellFormed } from '../../util/text.js';
import type { HistoryRepair } from '../state/index.js';
import {
  createMediaInspector,
  createMediaLimiter,
  findMedia,
  type MediaBlock,
  type MediaInspector,
  type MediaMessage,
} from './media.js';
import {
  type CallIds,
  createCallIds,
  repairAssistantBlock,
  repairToolResult,
  repairUserBlock,
} from './repair-blocks.js';

/** An assistant message and the user messages up to the next one. The first exchange may have no assistant message. */
interface Exchange {
  readonly assistant: AssistantMessageParam | null;
  readonly users: readonly UserMessageParam[];
}

export interface HistoryRepairer {
  /**
   * The messages to send, and what was repaired in those not seen before.
   * Contract: idempotent; deterministic; given an extension of the last history, only its last exchange is looked into.
   */
  prepare(messages: readonly MessageParam[]): {
    readonly messages: readonly MessageParam[];
    readonly repairs: readonly HistoryRepair[];
  };
  /**
   * From here on, without an image or document that the API refused in messages prepared before: the one at that place,
   * or all of the newest message that has some. False if there is none.
   */
  leaveOutMedia(prepared: readonly MessageParam[], place: MediaPlace | null, why: string): boolean;
  /** From here on, without the thinking of all replies so far. False if they have none. */
  leaveOutThinking(): boolean;
}

export type MediaPlace = NonNullable<Extract<RefusedPart, { kind: 'media' }>['place']>;

/** Nothing is sent with this id twice, and an answer is told from an orphan by it. */
interface Closed {
  /** How many source messages the closed exchanges hold. */
  readonly sourceLength: number;
  readonly prepared: MessageParam[];
  readonly usedIds: Map<string, ToolUseBlock>;
  /** Those of `prepared` that hold images or documents. */
  readonly media: MediaMessage[];
}

/** What one preparation needs all the way down. */
interface Repairing {
  readonly repairs: HistoryRepair[];
  readonly media: MediaInspector;
  /** Replies whose thinking is left out. */
  readonly thoughtless: WeakSet<MessageParam>;
}

/** One per session: it remembers what it has prepared. */
export function createHistoryRepairer(media: MediaInspector = createMediaInspector()): HistoryRepairer {
  const limiter = createMediaLimiter(media);
  const thoughtless = new WeakSet<MessageParam>();
  let source: readonly MessageParam[] = [];
  let closed: Closed = emptyClosed();
  return {
    prepare(given) {
      const messages = given.every(isMessage) ? given : given.filter(isMessage);
      if (!extendsHistory(source, closed.sourceLength, messages)) closed = emptyClosed();
      const repairs: HistoryRepair[] = [];
      let at = closed.sourceLength;
      for (;;) {
        const exchange = nextExchange(messages, at);
        const end = at + exchange.users.length + (exchange.assistant === null ? 0 : 1);
        const isLast = end >= messages.length;
        // The last exchange may still grow, so it is prepared into a copy that is thrown away next time.
        const target = isLast ? { ...closed, prepared: [...closed.prepared] } : closed;
        const from = target.prepared.length;
        const newIds = prepareExchange(exchange, target, isLast, { repairs, media, thoughtless });
        const found = findMedia(target.prepared, from);
        if (isLast) {
          source = messages;
          // All media of the request count, old ones too; what is closed stays as it is, and its copy is changed.
          limiter.limit(target.prepared, [...closed.media, ...found], repairs);
          for (const id of newIds) closed.usedIds.delete(id);
          return { messages: target.prepared, repairs };
        }
        closed.media.push(...found);
        closed = { ...closed, sourceLength: end };
        at = end;
      }
    },
    leaveOutMedia(prepared, place, why) {
      const named = place === null ? null : mediumAt(prepared, place);
      const refused = named === null ? (findMedia(prepared, 0).at(-1)?.media ?? []) : [named];
      for (const medium of refused) media.refuse(medium, why);
      closed = emptyClosed();
      return refused.length > 0;
    },
    leaveOutThinking() {
      const thinking = source.filter((message) => !thoughtless.has(message) && hasThinking(message));
      for (const message of thinking) thoughtless.add(message);
      closed = emptyClosed();
      return thinking.length > 0;
    },
  };
}

function mediumAt(messages: readonly MessageParam[], { message, block, part }: MediaPlace): MediaBlock | null {
  const content = messages[message]?.content;
  const outer: ContentBlock | undefined = Array.isArray(content) ? content[block] : undefined;
  const found =
    part !== null && outer?.type === 'tool_result' && Array.isArray(outer.content) ? outer.content[part] : outer;
  return found?.type === 'image' || found?.type === 'document' ? found : null;
}

function hasThinking({ role, content }: MessageParam): boolean {
  return role === 'assistant' && Array.isArray(content) && (content as readonly AssistantBlock[]).some(isThinking);
}

/** A damaged history may hold anything in place of a message. */
function isMessage(message: MessageParam | null | undefined): boolean {
  return message?.role === 'user' || message?.role === 'assistant';
}

function emptyClosed(): Closed {
  return { sourceLength: 0, prepared: [], usedIds: new Map(), media: [] };
}

/**
 * True if `next` starts with the closed part of `previous`, and goes on with a reply as `previous` did. Every message
 * is compared: once room was made, old results in the middle are others, and both ends are the same.
 */
function extendsHistory(previous: readonly MessageParam[], length: number, next: readonly MessageParam[]): boolean {
  if (length > 0 && next[length]?.role !== 'assistant') return false;
  for (let at = 0; at < length; at++) if (previous[at] !== next[at]) return false;
  return true;
}

function nextExchange(messages: readonly MessageParam[], from: number): Exchange {
  const first = messages[from];
  const assistant = first?.role === 'assistant' ? first : null;
  const users: UserMessageParam[] = [];
  for (let at = from + (assistant === null ? 0 : 1); at < messages.length; at++) {
    const message = messages[at];
    if (message?.role !== 'user') break;
    users.push(message);
  }
  return { assistant, users };
}

/** Appends the exchange to `target.prepared`; returns the tool_use ids it added to `target.usedIds`. */
function prepareExchange(exchange: Exchange, target: Closed, isLast: boolean, repairing: Repairing): string[] {
  const { repairs } = repairing;
  let calls: readonly ToolUseBlock[] = [];
  const ids = createCallIds(target.usedIds, (id) => resultsFor(id, exchange.users));
  if (exchange.assistant === null) {
    if (exchange.users.length === 0) {
      if (target.prepared.length === 0) {
        repairs.push({ kind: 'empty_message', detail: 'the conversation had no messages' });
        target.prepared.push({ role: 'user', content: '[This conversation was lost.]' });
      }
      return [];
    }
  } else {
    if (target.prepared.length === 0) {
      repairs.push({ kind: 'role_order', detail: 'the history began with a reply' });
      target.prepared.push({ role: 'user', content: '[The beginning of this conversation was lost.]' });
    }
    const assistant = repairAssistant(exchange.assistant, ids, repairing);
    target.prepared.push(assistant);
    calls = assistant.content.filter((block) => block.type === 'tool_use');
  }
  if (exchange.users.length === 0 && calls.length === 0) {
    if (!isLast) repairs.push({ kind: 'role_order', detail: 'a message between two replies was missing' });
    target.prepared.push({ role: 'user', content: isLast ? 'Continue.' : '[A message was lost here.]' });
    return [];
  }
  target.prepared.push(repairUsers(exchange.users, calls, ids, repairing));
  return calls.map((call) => call.id);
}

function repairAssistant(
  message: AssistantMessageParam,
  ids: CallIds,
  { repairs, thoughtless }: Repairing,
): AssistantMessageParam {
  const before = repairs.length;
  const kept: AssistantBlock[] = [];
  const isThoughtless = thoughtless.has(message);
  if (isThoughtless)
    repairs.push({ kind: 'thinking_removed', detail: 'the API refused the signature of earlier thinking' });
  for (const block of asBlocks(message.content) as AssistantBlock[]) {
    if (isThoughtless && isThinking(block)) continue;
    const repaired = repairAssistantBlock(block, ids, repairs);
    if (repaired !== null) kept.push(repaired);
  }
  // A reply may not be empty, and may not end with thinking.
  if (kept.every(isThinking)) {
    repairs.push({ kind: 'empty_message', detail: 'a reply had no content' });
    kept.push({ type: 'text', text: '[This reply had no content.]' });
  }
  const ordered = thinkingFirst(kept);
  if (ordered !== kept) repairs.push({ kind: 'role_order', detail: 'thinking stood after other content' });
  const isClean = repairs.length === before && Array.isArray(message.content) && hasOnlyContentAndRole(message);
  return isClean ? message : { role: 'assistant', content: ordered };
}

/** What is signed must be byte for byte what the model gave. */
export function isThinking(block: AssistantBlock): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/**
 * The Messages API wants the thinking that led to a reply before the rest of it. Other APIs think in between, and theirs
 * stays where it was. Returns the same array if it is so already.
 */
function thinkingFirst(blocks: AssistantBlock[]): AssistantBlock[] {
  const firstOther = blocks.findIndex((block) => !isThinking(block));
  const isMisplaced = (block: AssistantBlock) => isThinking(block) && !isSealed(block);
  if (firstOther < 0 || !blocks.slice(firstOther).some(isMisplaced)) return blocks;
  return [...blocks.filter(isThinking), ...blocks.filter((block) => !isThinking(block))];
}

/** All user messages of an exchange become one: answers first, in the order of the calls, then everything else. */
function repairUsers(
  users: readonly UserMessageParam[],
  calls: readonly ToolUseBlock[],
  ids: CallIds,
  { repairs, media }: Repairing,
): UserMessageParam {
  const only = users.length === 1 ? users[0] : undefined;
  if (only !== undefined && typeof only.content === 'string' && calls.length === 0 && isGoodText(only.content))
    return only;

  const before = repairs.length;
  const answers = new Map<string, ToolResultBlock>();
  const rest: UserBlock[] = [];
  let answersComeFirst = true;
  let isRenamed = false;
  for (const block of users.flatMap((user) => asBlocks(user.content) as UserBlock[])) {
    if (block?.type !== 'tool_result') {
      const repaired = repairUserBlock(block, repairs, media);
      if (repaired !== null) rest.push(repaired);
      continue;
    }
    const { tool_use_id: given } = block;
    const names = ids.namesOf(given);
    const id = names.find((name) => !answers.has(name));
    if (id === undefined) {
      const kind = names.length === 0 ? 'orphan_tool_result' : 'duplicate_tool_result';
      repairs.push({ kind, detail: String(given) });
      continue;
    }
    if (rest.length > 0) answersComeFirst = false;
    answers.set(id, repairToolResult(id === given ? block : { ...block, tool_use_id: id }, repairs, media));
    isRenamed ||= id !== given;
  }
  const results = calls.map((call) => answers.get(call.id) ?? missingResult(call, repairs));
  const content = [...results, ...rest];
  if (content.length === 0) {
    repairs.push({ kind: 'empty_message', detail: 'a user message had no content' });
    content.push({ type: 'text', text: '[This message had no content.]' });
  }
  const isClean =
    only !== undefined &&
    repairs.length === before &&
    answersComeFirst &&
    !isRenamed &&
    Array.isArray(only.content) &&
    sameOrder(results, answers);
  return isClean && hasOnlyContentAndRole(only) ? only : { role: 'user', content };
}

function resultsFor(id: string, users: readonly UserMessageParam[]): number {
  const blocks = users.flatMap((user) => asBlocks(user.content) as UserBlock[]);
  return blocks.filter((block) => block?.type === 'tool_result' && block.tool_use_id === id).length;
}

function sameOrder(results: readonly ToolResultBlock[], answers: ReadonlyMap<string, ToolResultBlock>): boolean {
  const arrived = [...answers.keys()];
  return results.every((result, index) => result.tool_use_id === arrived[index]);
}

function missingResult(call: ToolUseBlock, repairs: HistoryRepair[]): ToolResultBlock {
  repairs.push({ kind: 'missing_tool_result', detail: `${call.name} ${call.id}` });
  return {
    type: 'tool_result',
    tool_use_id: call.id,
    content:
      'No result was recorded for this call. It may have been interrupted; its effects are unknown. Check before you do it again.',
    is_error: true,
  };
}

function isGoodText(text: string): boolean {
  return text.trim() !== '' && toWellFormed(text) === text;
}

/** A text is one block. */
export function asBlocks(content: unknown): unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/** A whole API message (id, usage …) must not be sent as it is. */
function hasOnlyContentAndRole(message: MessageParam): boolean {
  return Object.keys(message).length === 2;
}
