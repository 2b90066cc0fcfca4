// Reading a message stream in a test: all of it, its result, its text.
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
