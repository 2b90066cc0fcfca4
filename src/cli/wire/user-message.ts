// A prompt as a client writes it.
import type { SDKUserMessage } from '../../protocol/messages.js';
import { checkUserMessage } from '../../sdk/prompts/index.js';
import type { Frame } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';

/** A line of a client as a message; a text that says why it is none. */
export function toUserMessage(frame: Frame): SDKUserMessage | string {
  const { message } = frame;
  if (!isRecord(message)) return 'it has no "message"';
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content))
    return 'its "message.content" is neither a text nor a list';
  const { session_id: _, ...rest } = frame;
  const read = {
    ...rest,
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  } as SDKUserMessage;
  try {
    return checkUserMessage(read);
  } catch (error) {
    return errorText(error);
  }
}
