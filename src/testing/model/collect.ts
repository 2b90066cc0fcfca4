// What comes out of streams, for tests: all of a message stream, its result, its text; and the reference fold of a model stream,
// slow, strict, and written apart from the engine's own, so that a test can hold one against the other.

import type {
  AssistantBlock,
  AssistantMessage,
  ContentBlockStart,
  ContentDelta,
  ModelEvent,
} from '../../protocol/content.js';
import {
  getMessageContentBlocks,
  isResultMessage,
  type SDKMessage,
  type SDKResultMessage,
} from '../../protocol/messages.js';

/** Drains a stream. Contract: throws what the stream throws; what came before is then lost. */
export async function collect<T = SDKMessage>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

/**
 * The result of one prompt.
 * @throws Error if there is not exactly one result, or something else than a prompt suggestion or a session state
 *   follows it
 */
export function lastResult(messages: readonly SDKMessage[]): SDKResultMessage {
  const results = messages.filter(isResultMessage);
  const [result] = results;
  if (result === undefined || results.length > 1) {
    throw new Error(`Expected exactly one result, found ${results.length} in: ${describe(messages)}`);
  }
  const after = messages.slice(messages.indexOf(result) + 1).filter((message) => !mayFollowResult(message));
  if (after.length > 0) throw new Error(`The result is not the last message; after it came: ${describe(after)}`);
  return result;
}

/** The text of a message: its text blocks joined, a result's text; empty if the message has none. */
export function textOf(message: SDKMessage): string {
  if (isResultMessage(message)) return message.result;
  if (message.type !== 'assistant' && message.type !== 'user') return '';
  if (typeof message.message.content === 'string') return message.message.content;
  const blocks = getMessageContentBlocks(message) ?? [];
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function mayFollowResult(message: SDKMessage): boolean {
  if (message.type === 'prompt_suggestion') return true;
  return message.type === 'system' && message.subtype === 'session_state_changed';
}

function describe(messages: readonly SDKMessage[]): string {
  return messages
    .map((message) => ('subtype' in message ? `${message.type}/${message.subtype}` : message.type))
    .join(', ');
}

/**
 * Folds the events of one whole stream into the message they spell.
 * @throws Error if the stream breaks the contract: wrong order, an open block, a delta of another block's type,
 *   input that is not JSON, no end. The text names the event.
 */
export function foldEvents(events: readonly ModelEvent[]): AssistantMessage {
  const [first, ...rest] = events;
  if (first?.type !== 'message_start') throw brokenStream(0, 'the first event must be message_start');
  const content: AssistantBlock[] = [];
  let message = first.message;
  let open: OpenBlock | null = null;
  let sawDelta = false;
  let ended = false;

  for (const [offset, event] of rest.entries()) {
    const at = offset + 1;
    if (ended) throw brokenStream(at, `${event.type} after message_stop`);
    switch (event.type) {
      case 'message_start':
        throw brokenStream(at, 'a second message_start');
      case 'content_block_start':
        if (open !== null || sawDelta) throw brokenStream(at, 'a block opened inside another or after message_delta');
        if (event.index !== content.length)
          throw brokenStream(at, `block ${event.index} opened, ${content.length} was next`);
        open = { start: event.content_block, body: [], signature: [] };
        break;
      case 'content_block_delta':
        if (open === null || event.index !== content.length)
          throw brokenStream(at, `a delta for block ${event.index}, not open`);
        addDelta(open, event.delta, at);
        break;
      case 'content_block_stop':
        if (open === null || event.index !== content.length)
          throw brokenStream(at, `block ${event.index} closed, not open`);
        content.push(closeBlock(open, at));
        open = null;
        break;
      case 'message_delta':
        if (open !== null) throw brokenStream(at, 'message_delta inside a block');
        sawDelta = true;
        message = { ...message, ...event.delta, usage: { ...message.usage, ...event.usage } };
        break;
      case 'message_stop':
        if (open !== null || !sawDelta) throw brokenStream(at, 'message_stop before message_delta or inside a block');
        ended = true;
        break;
      default:
        event satisfies never;
    }
  }
  if (!ended) throw brokenStream(events.length, 'the stream ended without message_stop');
  return { ...message, content };
}

interface OpenBlock {
  readonly start: ContentBlockStart;
  readonly body: string[];
  readonly signature: string[];
}

function addDelta(open: OpenBlock, delta: ContentDelta, at: number): void {
  const fits =
    (delta.type === 'text_delta' && open.start.type === 'text') ||
    (delta.type === 'input_json_delta' && open.start.type === 'tool_use') ||
    ((delta.type === 'thinking_delta' || delta.type === 'signature_delta') && open.start.type === 'thinking');
  if (!fits) throw brokenStream(at, `a ${delta.type} in a ${open.start.type} block`);
  if (delta.type === 'text_delta') open.body.push(delta.text);
  else if (delta.type === 'thinking_delta') open.body.push(delta.thinking);
  else if (delta.type === 'input_json_delta') open.body.push(delta.partial_json);
  else open.signature.push(delta.signature);
}

function closeBlock(open: OpenBlock, at: number): AssistantBlock {
  const { start } = open;
  const body = open.body.join('');
  switch (start.type) {
    case 'text':
      return { type: 'text', text: start.text + body };
    case 'thinking': {
      const signature = (start.signature ?? '') + open.signature.join('');
      return { type: 'thinking', thinking: start.thinking + body, ...(signature === '' ? {} : { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: start.data };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: start.id,
        name: start.name,
        input: body === '' ? start.input : parseInput(body, at),
      };
    default:
      return start satisfies never;
  }
}

function parseInput(json: string, at: number): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw brokenStream(at, `the input is not JSON: ${json.slice(0, 100)}`, cause);
  }
}

function brokenStream(at: number, what: string, cause?: unknown): Error {
  return new Error(`foldEvents: event ${at}: ${what}.`, cause === undefined ? undefined : { cause });
}
