// The conversation a session keeps. The messages with their ids, and the same conversation as a provider gets it.
import type { MessageParam } from '../../protocol/content.js';
import { type Message, toMessageParam } from './message.js';

export interface History {
  readonly messages: readonly Message[];
  /** Contract: an element keeps its identity from prompt to prompt, so what was derived from it can be kept. */
  readonly params: readonly MessageParam[];
  /** @param param the message as it was or will be sent, if it exists already */
  append(message: Message, param?: MessageParam): void;
  /**
   * Puts another conversation in place of this one. A message that is still in it keeps its id; `make` gives the others
   * theirs.
   */
  replace(params: readonly MessageParam[], make: (param: MessageParam) => Message): void;
  /**
   * Gives every message another id: they are about to be recorded again, after a compaction.
   * @param summary index of the message that sums up what was before
   */
  renew(uuid: () => string, summary: number | null): void;
  clear(): void;
  /** The conversation as it was, or will be: messages that are in it now stay the same objects. */
  restore(messages: readonly Message[]): void;
}

export function createHistory(initial: readonly Message[]): History {
  let messages: Message[] = [...initial];
  let params: MessageParam[] = initial.map(toMessageParam);
  return {
    get messages() {
      return messages;
    },
    get params() {
      return params;
    },
    append(message, param = toMessageParam(message)) {
      messages.push(message);
      params.push(param);
    },
    replace(next, make) {
      const known = new Map(params.map((param, index) => [contentOf(param), messages[index]]));
      messages = next.map((param) => known.get(contentOf(param)) ?? make(param));
      params = [...next];
    },
    renew(uuid, summary) {
      messages = messages.map((message, index) =>
        message.type === 'user' && index === summary
          ? { ...message, uuid: uuid(), isCompactSummary: true }
          : { ...message, uuid: uuid() },
      );
    },
    clear() {
      messages = [];
      params = [];
    },
    restore(next) {
      const known = new Map(messages.map((message, index) => [message.uuid, index]));
      const before = { messages, params };
      const at = next.map(({ uuid }) => known.get(uuid) ?? -1);
      messages = next.map((message, index) => before.messages[at[index] ?? -1] ?? message);
      params = messages.map((message, index) => before.params[at[index] ?? -1] ?? toMessageParam(message));
    },
  };
}

/** The loop and the session wrap an assistant's content each in an object of their own; the content is shared. */
function contentOf(param: MessageParam): MessageParam | MessageParam['content'] {
  return typeof param.content === 'string' ? param : param.content;
}
