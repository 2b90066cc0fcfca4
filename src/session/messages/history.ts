// The conversation that a session keeps: its messages with their ids, and the same conversation as a provider gets it.
import type { AssistantMessage, ContentBlock, MessageParam, UserMessageParam } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKMessageOrigin } from '../../protocol/messages.js';

interface MessageIdentity {
  readonly uuid: string;
  readonly timestamp?: string;
  /** Who said it, if no user did. */
  readonly origin?: SDKMessageOrigin;
  /** Made by the engine or a host, not typed by the user. */
  readonly isMeta?: boolean;
}

/** An element of a conversation's history, and of `initialMessages`. */
export type Message =
  | (MessageIdentity & {
      readonly type: 'user';
      readonly message: UserMessageParam;
      readonly toolUseResult?: unknown;
      /** The summary that a compaction put in place of what was before. */
      readonly isCompactSummary?: true;
    })
  | (MessageIdentity & { readonly type: 'assistant'; readonly message: AssistantMessage });

/** The message as a provider gets it. */
export function toMessageParam(message: Message): MessageParam {
  return message.type === 'user' ? message.message : { role: 'assistant', content: message.message.content };
}

/** Messages of the host's as they were given, in that field. @throws ConfigError if they are no messages */
export function checkMessages(
  given: readonly Message[] | null | undefined,
  field = 'initialMessages',
): readonly Message[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new ConfigError(`${field} is not a list. ${GIVE}`);
  const wrong = given.findIndex((message) => !isMessage(message));
  if (wrong >= 0) throw new ConfigError(`${field}[${wrong}] is not a message. ${GIVE}`);
  return given;
}

const GIVE = 'Give what getMessages() gave: a list of { type, uuid, message } with the type user or assistant.';

function isMessage(value: unknown): boolean {
  const { type, message } = (value ?? {}) as { readonly type?: unknown; readonly message?: unknown };
  if (type !== 'user' && type !== 'assistant') return false;
  const { content } = (message ?? {}) as { readonly content?: unknown };
  return typeof content === 'string' || Array.isArray(content);
}

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

/** In a transcript, anything may stand in the place of a block. */
export function blocksOf(content: Message['message']['content']): readonly ContentBlock[] {
  if (typeof content === 'string') return [];
  return content.filter((block: unknown) => typeof block === 'object' && block !== null);
}
