// The beginning of a conversation, as the bytes that each of its requests holds. One rule: bytes that were given out are
// never changed, as a request may still be on its way with them.
import type { MessageParam } from '../../protocol/content.js';
import { sameStart } from '../../util/same-start.js';

interface Written {
  /** The first `ends.length` of them are written. */
  readonly messages: readonly MessageParam[];
  /** Where each ends in `bytes`. */
  readonly ends: number[];
  /** Longer than what is written. */
  readonly bytes: Uint8Array;
}

/** Room for what follows, so that a growing conversation is seldom copied. */
const GROWTH = 1.5;

/**
 * Gives the bytes of the first `count` messages, a comma behind each. To join and to encode them anew in each turn took
 * 4 % of its time at 500 messages, and twice the body in garbage.
 * @param write the JSON of a message; asked once, as long as the conversation goes on
 */
export function createMessageBytes(
  write: (message: MessageParam) => string,
): (messages: readonly MessageParam[], count: number) => Uint8Array {
  const encoder = new TextEncoder();
  /** By the first message: the agents of a session take turns, each with a conversation of its own. */
  const conversations = new WeakMap<MessageParam, Written>();

  return (messages, count) => {
    const first = messages[0];
    if (first === undefined || count === 0) return new Uint8Array(0);
    const before = conversations.get(first) ?? { messages, ends: [], bytes: new Uint8Array(0) };
    const alike = sameStart(messages, before.messages, Math.min(count, before.ends.length));
    if (alike === count) return before.bytes.subarray(0, before.ends[count - 1]);
    // What another conversation went on with stands behind the messages that both have, and stays there.
    const goesOn = alike === before.ends.length;
    const ends = goesOn ? before.ends : before.ends.slice(0, alike);
    let end = ends.at(-1) ?? 0;
    let bytes = goesOn ? before.bytes : before.bytes.slice(0, end);
    for (const message of messages.slice(alike, count)) {
      const text = encoder.encode(`${write(message)},`);
      if (end + text.length > bytes.length) bytes = larger(bytes, end, end + text.length);
      bytes.set(text, end);
      end += text.length;
      ends.push(end);
    }
    conversations.set(first, { messages, ends, bytes });
    return bytes.subarray(0, end);
  };
}

function larger(bytes: Uint8Array, used: number, needed: number): Uint8Array {
  const grown = new Uint8Array(Math.ceil(needed * GROWTH));
  grown.set(bytes.subarray(0, used));
  return grown;
}
