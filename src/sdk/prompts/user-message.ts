// What a program may give as a prompt of a stream, and what of it means something here.
import { ConfigError } from '../../protocol/errors.js';
import { MESSAGE_PRIORITIES, type SDKMessageOrigin, type SDKUserMessage } from '../../protocol/messages.js';
import type { QueuedMessage } from '../../session/input/index.js';
import { isRecord } from '../../util/json.js';

const ORIGINS: readonly SDKMessageOrigin['kind'][] = ['human', 'channel', 'peer', 'bridge', 'task-notification'];

/** Characters of an id: it is kept with each message that names it. */
const MAX_ID = 200;

/** Characters of an origin: it is kept with each message. */
const MAX_ORIGIN = 10_000;

/** @throws ConfigError if it is no message, or a field of it is not what it must be */
export function checkUserMessage(message: SDKUserMessage): SDKUserMessage {
  if (message?.type !== 'user' || typeof message.message !== 'object' || message.message === null)
    throw new ConfigError('A streamed prompt must be a message { type: "user", message: { role: "user", content } }.');
  const { priority, origin, file_attachments: files, uuid } = message;
  if (uuid != null && (typeof uuid !== 'string' || uuid === '' || uuid.length > MAX_ID))
    throw new ConfigError(`The uuid of a streamed prompt is a text of 1 to ${MAX_ID} characters.`);
  if (priority != null && !MESSAGE_PRIORITIES.includes(priority)) {
    const known = MESSAGE_PRIORITIES.join(', ');
    throw new ConfigError(`A streamed prompt has the priority "${String(priority)}". Priorities: ${known}.`);
  }
  for (const name of ['shouldQuery', 'client_composed', 'isSynthetic'] as const)
    if (message[name] != null && typeof message[name] !== 'boolean')
      throw new ConfigError(`A streamed prompt has a ${name} that is neither true nor false.`);
  if (origin != null && (!isRecord(origin) || !ORIGINS.includes(origin.kind)))
    throw new ConfigError(`A streamed prompt has an origin without a kind that is known: ${ORIGINS.join(', ')}.`);
  if (origin != null && JSON.stringify(origin).length > MAX_ORIGIN)
    throw new ConfigError(`The origin of a streamed prompt is longer than ${MAX_ORIGIN} characters.`);
  if (files != null && !(Array.isArray(files) && files.every((file) => typeof file?.relative_path === 'string')))
    throw new ConfigError('The file_attachments of a streamed prompt are a list of { relative_path }.');
  return message;
}

/** @throws ConfigError as `checkUserMessage` */
export function queuedMessage(message: SDKUserMessage): QueuedMessage {
  const {
    message: said,
    uuid,
    priority,
    shouldQuery,
    client_composed: isComposed,
    origin,
    isSynthetic,
    ...rest
  } = checkUserMessage(message);
  const context = (rest as { readonly custom_context?: unknown }).custom_context;
  return {
    prompt: withFiles(said.content, rest.file_attachments ?? []),
    ...(uuid == null ? {} : { uuid }),
    ...(priority == null ? {} : { priority }),
    ...(shouldQuery === false ? { shouldQuery } : {}),
    ...(isComposed === true ? { isVerbatim: true } : {}),
    ...(isSynthetic === true ? { isMeta: true } : {}),
    ...(origin == null || origin.kind === 'human' ? {} : { origin }),
    ...(isRecord(context) && Object.keys(context).length > 0 ? { notices: [CONTEXT_IDLE] } : {}),
  };
}

const CONTEXT_IDLE = {
  code: 'option_without_effect',
  message: 'custom_context of a message has no effect: it is for a server that this version does not know.',
} as const;

/** Files that come with a message are named in it. */
function withFiles(
  content: SDKUserMessage['message']['content'],
  files: NonNullable<SDKUserMessage['file_attachments']>,
): SDKUserMessage['message']['content'] {
  if (files.length === 0) return content;
  const named = files.map(({ relative_path: file }) => `@"${file.replace(/["\n]/g, ' ')}"`).join('\n');
  return typeof content === 'string' ? `${content}\n\n${named}` : [...content, { type: 'text', text: named }];
}
