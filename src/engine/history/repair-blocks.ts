// Makes one content block valid to send, or leaves it out. A valid block passes through as the same object.
import type {
  AssistantBlock,
  ContentBlock,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
  ToolUseBlock,
  UserBlock,
} from '../../protocol/content.js';
import { isNestedDeeper, withoutDeeper } from '../../util/json.js';
import { deepWellFormed, toWellFormed } from '../../util/text.js';
import type { HistoryRepair } from '../state/index.js';
import { describeMedia, type MediaBlock, type MediaInspector, mediaStub } from './media.js';

const TOOL_USE_ID = /^[a-zA-Z0-9_-]{1,128}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Fields of each block that are sent. One field more in a stored block would fail the whole request. */
const FIELDS: Readonly<Record<ContentBlock['type'], ReadonlySet<string>>> = {
  text: new Set(['type', 'text']),
  image: new Set(['type', 'source']),
  document: new Set(['type', 'source', 'title']),
  tool_use: new Set(['type', 'id', 'name', 'input']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
};

/** @param ids of the calls of its exchange; this block's is added */
export function repairAssistantBlock(
  block: AssistantBlock,
  ids: CallIds,
  repairs: HistoryRepair[],
): AssistantBlock | null {
  switch (block?.type) {
    case 'text':
      return repairText(block, repairs);
    case 'thinking':
      if (!isText(block.signature) || typeof block.thinking !== 'string') {
        repairs.push({ kind: 'unsigned_thinking', detail: 'a thinking block had no signature' });
        return null;
      }
      return withKnownFields(block, repairs);
    case 'redacted_thinking':
      return isText(block.data) ? withKnownFields(block, repairs) : leaveOut('a thinking block had no data', repairs);
    case 'tool_use':
      return repairToolUse(block, ids, repairs);
    default:
      return leaveOut(`a reply held a block of type ${typeOf(block)}`, repairs);
  }
}

/** Any block of a user message but a tool result. */
export function repairUserBlock(
  block: UserBlock,
  repairs: HistoryRepair[],
  media: MediaInspector,
): Exclude<UserBlock, ToolResultBlock> | null {
  switch (block?.type) {
    case 'text':
      return repairText(block, repairs);
    case 'image':
    case 'document':
      return repairMedia(block, repairs, media);
    default:
      return leaveOut(`a user message held a block of type ${typeOf(block)}`, repairs);
  }
}

/** Contract: the block's `tool_use_id` was matched to a call before. */
export function repairToolResult(
  block: ToolResultBlock,
  repairs: HistoryRepair[],
  media: MediaInspector,
): ToolResultBlock {
  const known = withKnownFields(block, repairs);
  const content = repairResultContent(known, repairs, media);
  const isOdd = known.is_error !== undefined && typeof known.is_error !== 'boolean';
  if (isOdd) repairs.push({ kind: 'invalid_block', detail: `is_error of ${known.tool_use_id} was not a boolean` });
  if (content === known.content && !isOdd) return known;
  return {
    type: 'tool_result',
    tool_use_id: known.tool_use_id,
    content,
    ...(known.is_error ? { is_error: true } : {}),
  };
}

function repairResultContent(
  block: ToolResultBlock,
  repairs: HistoryRepair[],
  media: MediaInspector,
): ToolResultBlock['content'] {
  const { content } = block;
  if (typeof content === 'string') {
    const text = toWellFormed(content);
    if (text !== content)
      repairs.push({ kind: 'invalid_text', detail: `lone surrogates in the result of ${block.tool_use_id}` });
    return text;
  }
  if (!Array.isArray(content)) {
    repairs.push({ kind: 'invalid_block', detail: `the result of ${block.tool_use_id} had no content` });
    return '';
  }
  const before = repairs.length;
  // An image in the result of a failed call is refused, whatever it is.
  const mayHoldMedia = block.is_error !== true;
  const kept = content
    .map((part: ToolResultContent) =>
      mayHoldMedia || (part?.type !== 'image' && part?.type !== 'document')
        ? repairUserBlock(part, repairs, media)
        : leaveOutMedia(part, 'the result of a failed call holds text only', repairs),
    )
    .filter((part) => part !== null);
  if (kept.length > 0) return repairs.length === before ? content : kept;
  if (content.length === 0)
    repairs.push({ kind: 'invalid_block', detail: `the result of ${block.tool_use_id} was an empty list` });
  return '';
}

function repairToolUse(given: ToolUseBlock, ids: CallIds, repairs: HistoryRepair[]): ToolUseBlock | null {
  const { name } = given;
  if (
    typeof given.id !== 'string' ||
    !TOOL_USE_ID.test(given.id) ||
    typeof name !== 'string' ||
    !TOOL_NAME.test(name)
  ) {
    return leaveOut('a tool call had no valid id or name', repairs);
  }
  const block = withSendableInput(given, repairs);
  const id = ids.take(block);
  if (id === block.id) return block;
  repairs.push({
    kind: 'duplicate_tool_use',
    detail: id === null ? block.id : `${block.id} is the id of an earlier call, so this one goes as ${id}`,
  });
  return id === null ? null : { ...block, id };
}

function withSendableInput(block: ToolUseBlock, repairs: HistoryRepair[]): ToolUseBlock {
  const { id } = block;
  const known = withKnownFields(block, repairs);
  if (typeof known.input !== 'object' || known.input === null || Array.isArray(known.input)) {
    repairs.push({ kind: 'invalid_block', detail: `the input of ${id} was not an object` });
    return { ...known, input: {} };
  }
  if (isNestedDeeper(known.input)) {
    repairs.push({ kind: 'invalid_block', detail: `the input of ${id} was nested too deep` });
    return { ...known, input: deepWellFormed(withoutDeeper(known.input)) };
  }
  const input = deepWellFormed(known.input);
  if (input === known.input) return known;
  repairs.push({ kind: 'invalid_text', detail: `lone surrogates in the input of ${id}` });
  return { ...known, input };
}

function repairText(block: TextBlock, repairs: HistoryRepair[]): TextBlock | null {
  if (!isText(block.text) || block.text.trim() === '') {
    repairs.push({ kind: 'empty_block', detail: 'a text block was empty' });
    return null;
  }
  const known = withKnownFields(block, repairs);
  const text = toWellFormed(known.text);
  if (text === known.text) return known;
  repairs.push({ kind: 'invalid_text', detail: 'lone surrogates in a text block' });
  return { type: 'text', text };
}

/** Media the API would refuse becomes a text that says so; one refused image would fail every later request. */
function repairMedia(block: MediaBlock, repairs: HistoryRepair[], media: MediaInspector): MediaBlock | TextBlock {
  const { problem, actualType } = media.inspect(block);
  if (problem !== null) return leaveOutMedia(block, problem, repairs);
  const known = withKnownFields(block, repairs);
  if (known !== block) media.standsFor(known, block);
  if (actualType === null || known.type !== 'image' || known.source.type !== 'base64') return known;
  repairs.push({
    kind: 'media_corrected',
    detail: `an image of type ${actualType} said that it is ${known.source.media_type}`,
  });
  const corrected: MediaBlock = { type: 'image', source: { ...known.source, media_type: actualType } };
  media.standsFor(corrected, block);
  return corrected;
}

function leaveOutMedia(block: MediaBlock, why: string, repairs: HistoryRepair[]): TextBlock {
  const facts = describeMedia(block);
  repairs.push({ kind: 'media_removed', detail: `${block.type}${facts === '' ? '' : ` (${facts})`}: ${why}` });
  return mediaStub(block, `was left out: ${why}`);
}

function withKnownFields<T extends ContentBlock>(block: T, repairs: HistoryRepair[]): T {
  const known = FIELDS[block.type];
  const fields = Object.keys(block);
  if (fields.every((field) => known.has(field))) return block;
  repairs.push({ kind: 'invalid_block', detail: `a ${block.type} block had fields that are not sent` });
  return Object.fromEntries(Object.entries(block).filter(([field]) => known.has(field))) as unknown as T;
}

function leaveOut(detail: string, repairs: HistoryRepair[]): null {
  repairs.push({ kind: 'invalid_block', detail });
  return null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function typeOf(block: unknown): string {
  return String((block as { type?: unknown } | null)?.type);
}

// The ids of tool calls in a request: no two calls may share one, and no call may be lost because its id was used before,
// as models do that count their calls anew in each reply.

/** The ids of one exchange. */
export interface CallIds {
  /** An id that no other call has, its own if that is free; null for a mere copy of a call, which has no result. */
  take(call: ToolUseBlock): string | null;
  /** What the calls of the exchange that came with this id go by, in their order. */
  namesOf(id: string): readonly string[];
}

/** What an id may have at most. */
const MAX_LENGTH = 128;

/**
 * @param used ids of the conversation so far, with their calls; those of the exchange are added
 * @param resultsOf how many results the exchange has for an id
 */
export function createCallIds(used: Map<string, ToolUseBlock>, resultsOf: (id: string) => number): CallIds {
  const names = new Map<string, string[]>();
  return {
    take(call) {
      const { id } = call;
      const own = names.get(id) ?? [];
      const earlier = used.get(id);
      if (earlier !== undefined && isCopy(call, earlier) && resultsOf(id) <= own.length) return null;
      const name = earlier === undefined ? id : freeName(id, used);
      used.set(name, call);
      names.set(id, [...own, name]);
      return name;
    },
    namesOf: (id) => names.get(id) ?? [],
  };
}

/** The same history always gives the same name, so that a prompt cache holds. */
function freeName(id: string, used: ReadonlyMap<string, unknown>): string {
  for (let n = 2; ; n++) {
    const end = `_${n}`;
    const name = `${id.slice(0, MAX_LENGTH - end.length)}${end}`;
    if (!used.has(name)) return name;
  }
}

function isCopy(one: ToolUseBlock, other: ToolUseBlock): boolean {
  return one.name === other.name && JSON.stringify(one.input) === JSON.stringify(other.input);
}
