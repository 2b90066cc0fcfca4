// A message as the session keeps it: what was said, with its identity in the transcript.
import type { AssistantMessage, MessageParam, UserMessageParam } from '../../protocol/content.js';
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
