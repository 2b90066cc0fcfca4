// What a program may give as a prompt of a stream, and what a session does next that may tell something between two prompts: the
// user's next message, or what there is to say of tasks and hooks that ended.
import { ConfigError } from '../../protocol/errors.js';
import {
  MESSAGE_PRIORITIES,
  type SDKMessage,
  type SDKMessageOrigin,
  type SDKUserMessage,
} from '../../protocol/messages.js';
import type { MessageQueue, QueuedMessage } from '../../session/input/index.js';
import type { QueryEngine } from '../../session/query-engine.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
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

/** `tasks`: some ended, and the model should hear of it. `told`: some have messages to show. `over`: nothing more comes. */
type NextWork = 'message' | 'tasks' | 'told' | 'over' | typeof ABORTED;

/** Contract: a message that waits goes first. @throws what the queue failed with */
export async function nextWork(engine: QueryEngine, queue: MessageQueue, signal: AbortSignal): Promise<NextWork> {
  const { controller, release } = linkAbort(signal);
  try {
    const told = engine.told(controller.signal).then((isTold) => (isTold ? ('told' as const) : never()));
    return await Promise.race([told, workOrOver(engine, queue, controller.signal)]);
  } finally {
    controller.abort();
    release();
  }
}

/** Nothing is told any more, so the other one decides. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

async function workOrOver(engine: QueryEngine, queue: MessageQueue, signal: AbortSignal): Promise<NextWork> {
  const message = queue.ready().then((isMore) => (isMore ? 'message' : 'ended'));
  const isTask = queue.waiting.length === 0 && (await firstOf(message, engine.taskEnded(signal), signal));
  if (isTask === ABORTED) return ABORTED;
  // A message that came meanwhile takes the news along.
  if (isTask === true && queue.waiting.length === 0) return 'tasks';
  const first = await raceAbort(message, signal);
  if (first !== 'ended') return first === ABORTED ? ABORTED : 'message';
  const ended = await raceAbort(engine.taskEnded(signal, true), signal);
  if (ended === ABORTED) return ABORTED;
  return ended ? 'tasks' : 'over';
}

/** True if a task ended before there was a message, or the end of all messages. */
async function firstOf(
  message: Promise<unknown>,
  task: Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean | typeof ABORTED> {
  return raceAbort(Promise.race([task, message.then(() => false)]), signal);
}

// `prompt_suggestion` after a result, for the option `promptSuggestions`. One rule: whatever the user says goes first.

/** At most one message. Contract: the request for it ends as soon as a message of the user waits; does not throw. */
export async function suggestNext(
  engine: QueryEngine,
  queue: MessageQueue,
  signal: AbortSignal,
): Promise<readonly SDKMessage[]> {
  // What runs in the background may have something to say at any moment.
  if (signal.aborted || queue.waiting.length > 0 || engine.backgroundTasks().length > 0) return [];
  const { controller, release } = linkAbort(signal);
  const suggested = engine.controls().then((controls) => controls.suggestPrompt(controller.signal));
  // The end of the input is no message; its failure is told by whoever takes the next one.
  const said = queue.ready().then((isMessage) => (isMessage ? null : suggested));
  try {
    const message = await Promise.race([suggested, said]);
    return message === null ? [] : [message];
  } catch {
    return [];
  } finally {
    controller.abort();
    release();
    suggested.catch(() => undefined); // the session could not be opened, which its prompt has told
  }
}

/** A text as a stream of one prompt. */
export async function* promptOf(text: string): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}
