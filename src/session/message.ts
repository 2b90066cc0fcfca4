// A message as the session keeps it: what was said, with its identity in the transcript.
import type { AssistantMessage, MessageParam, UserMessageParam } from '../protocol/content.js';

interface MessageIdentity {
  readonly uuid: string;
  readonly timestamp?: string;
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
