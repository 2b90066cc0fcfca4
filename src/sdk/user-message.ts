// What a program may give as a prompt of a stream.
import { ConfigError } from '../protocol/errors.js';
import { MESSAGE_PRIORITIES, type SDKUserMessage } from '../protocol/messages.js';

/** @throws ConfigError where it is no message, or its priority is none */
export function checkUserMessage(message: SDKUserMessage): SDKUserMessage {
  if (message?.type !== 'user' || typeof message.message !== 'object')
    throw new ConfigError('A streamed prompt must be a message { type: "user", message: { role: "user", content } }.');
  const { priority } = message;
  if (priority !== undefined && !MESSAGE_PRIORITIES.includes(priority)) {
    const known = MESSAGE_PRIORITIES.join(', ');
    throw new ConfigError(`A streamed prompt has the priority "${String(priority)}". Priorities: ${known}.`);
  }
  return message;
}
