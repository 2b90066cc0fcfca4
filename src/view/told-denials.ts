// A call that was denied has a line that says so and what would allow it. One rule: its result, which tells the model the
// same, is not shown beside it.
import type { SDKMessage } from '../protocol/messages.js';

export interface ToldDenials {
  /** The message without results that were told as denials; itself if there are none. To be given every message. */
  without(message: SDKMessage): SDKMessage;
}

/** @param isVerbose all is shown, as the model reads it */
export function createToldDenials(isVerbose: boolean): ToldDenials {
  const told = new Set<string>();
  return {
    without(message) {
      if (isVerbose) return message;
      if (message.type === 'system' && message.subtype === 'permission_denied') told.add(message.tool_use_id);
      if (message.type !== 'user' || typeof message.message.content === 'string' || told.size === 0) return message;
      const { content } = message.message;
      const left = content.filter((block) => block.type !== 'tool_result' || !told.delete(block.tool_use_id));
      return left.length === content.length ? message : { ...message, message: { ...message.message, content: left } };
    },
  };
}
