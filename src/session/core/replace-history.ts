// Another conversation in place of a session's own: in memory, in the transcript, and with the host. Loaded if one is
// compacted, or cut.
import { type HistoryReplaced, summaryText } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { MessageParam } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { checkMessages, type Message } from '../messages/index.js';
import { countReplaced } from './count-conversation.js';
import { noticeDraft } from './prompt-drafts.js';
import { type Runtime, type Session, syntheticAssistant } from './session.js';

/**
 * What the model no longer has it must be able to read again. With a boundary, the transcript starts over with the
 * shorter conversation, and so does a session that is resumed.
 */
export async function* replaceHistory(
  session: Session,
  runtime: Runtime,
  { messages, boundary }: HistoryReplaced,
): AsyncGenerator<SDKMessage> {
  const { history, host, config } = session;
  const store = [...history.messages];
  history.replace(messages, (param) => newMessage(param, host));
  forgetFiles(config.readFileCache);
  if (boundary === null) return;
  const { summary, metadata } = boundary;
  const draft = { type: 'system', subtype: 'compact_boundary', summary, compact_metadata: metadata } as const;
  const told = session.stamp(draft) as SDKCompactBoundaryMessage;
  const other = config.snipReplay === undefined ? null : messagesOfHost(session, runtime, told, store);
  if (other !== null) {
    const params = other.map((message) => message.message as MessageParam);
    history.replace(params, (param) => newMessage(param, host));
    boundary.goOnWith(params);
  }
  await runtime.transcript.startOver(boundary.metadata);
  const kept = history.messages.map(({ uuid }) => uuid);
  history.renew(() => host.ids.uuid(), other === null ? 0 : null);
  session.memory.earlier = countReplaced(session.memory.earlier, store, history.messages);
  for (const message of history.messages) await runtime.transcript.record(message);
  await runtime.transcript.sync();
  const anchor = other === null ? history.messages[0]?.uuid : undefined;
  const preserved = anchor === undefined ? {} : preservedMessages(store, kept, anchor);
  if (session.depth === 0 && runtime.hooks.has('SessionStart')) await startAfterCompaction(session, runtime);
  yield { ...told, compact_metadata: { ...metadata, ...preserved } };
}

/** What hooks tell at a start was in the conversation that is gone. */
async function startAfterCompaction({ config, modelOverride }: Session, runtime: Runtime): Promise<void> {
  const { agent } = config;
  const fields = {
    source: 'compact',
    model: modelOverride(runtime.model),
    ...(agent === undefined ? {} : { agent_type: agent }),
  };
  const { additionalContext } = await runtime.hooks.run('SessionStart', fields);
  runtime.laterContext.push(...additionalContext);
}

/** Few hosts take part in compaction. Null if the summary stands. */
function messagesOfHost(
  { config }: Session,
  runtime: Runtime,
  boundary: SDKCompactBoundaryMessage,
  store: readonly Message[],
): readonly Message[] | null {
  const { messages, notice } = askSnipReplay(config, boundary, store);
  if (notice !== null) runtime.tell(noticeDraft(notice));
  return messages;
}

/** A host's own cache may not tell files that were seen from those that are. */
function forgetFiles(cache: FileStateCache): void {
  if (cache.forget === undefined) cache.clear();
  else cache.forget();
}

function newMessage(param: MessageParam, host: Host): Message {
  const uuid = host.ids.uuid();
  const timestamp = new Date(host.clock.now()).toISOString();
  // No spread: V8 gives each object that begins with one a shape of its own, 190 bytes for every message kept.
  if (param.role === 'user') return { uuid, timestamp, type: 'user', message: param };
  return { uuid, timestamp, type: 'assistant', message: syntheticAssistant(uuid, param.content) };
}

// A resumed conversation that begins with a summary: `snipReplay` may put another in its place, as after the compaction
// itself.

/** Once, before the first prompt. What the host gives is for this process: the transcript stays as it is. */
export function snipResumed({ config, history, memory, stamp }: Session): readonly PendingNotice[] {
  if (memory.isSnipped) return [];
  memory.isSnipped = true;
  const first = history.messages[0];
  if (config.snipReplay === undefined || first?.type !== 'user' || first.isCompactSummary !== true) return [];
  const boundary = stamp({
    type: 'system',
    subtype: 'compact_boundary',
    summary: summaryText(first.message),
    compact_metadata: config.resumedState?.boundary ?? { trigger: 'auto', pre_tokens: 0 },
  });
  const { messages, notice } = askSnipReplay(config, boundary as SDKCompactBoundaryMessage, history.messages);
  if (messages !== null) history.restore(messages);
  return notice === null ? [] : [notice];
}

// The host's say in what takes the place of a conversation: a callback that fails, or answers what is no conversation,
// leaves the summary in its place.

interface SnipReplayAnswer {
  /** What to go on with; null if the summary stands. */
  readonly messages: readonly Message[] | null;
  /** What is to be told of a callback that failed. */
  readonly notice: PendingNotice | null;
}

/** @param store the conversation as it was. Contract: never throws. */
function askSnipReplay(
  { snipReplay }: Pick<QueryEngineConfig, 'snipReplay'>,
  boundary: SDKCompactBoundaryMessage,
  store: readonly Message[],
): SnipReplayAnswer {
  try {
    const answer: unknown = snipReplay?.(boundary, [...store]);
    if (answer instanceof Promise) {
      answer.catch(() => undefined); // it is not waited for, so what becomes of it is nobody's
      throw new ConfigError('it gave a promise, and must answer at once');
    }
    const { executed, messages } = (answer ?? {}) as { readonly executed?: unknown; readonly messages?: unknown };
    if (executed !== true) return { messages: null, notice: null };
    if (!Array.isArray(messages)) throw new ConfigError('it gave no list of messages');
    return { messages: checkMessages(messages, 'messages'), notice: null };
  } catch (error) {
    const message = `snipReplay failed, so the summary stands: ${errorText(error)}`;
    return { messages: null, notice: { code: 'hook_failed', message } };
  }
}

type Preserved = Pick<SDKCompactBoundaryMessage['compact_metadata'], 'preserved_segment' | 'preserved_messages'>;

/**
 * Which messages a compaction kept word for word, for whoever stores what was streamed. The transcript needs none of it:
 * there they are written once more behind the summary, under new ids.
 * @param before the conversation as it was
 * @param kept ids of what is left of it, in order; others mean nothing
 * @param anchor id of the message that they follow
 */
function preservedMessages(before: readonly Message[], kept: readonly string[], anchor: string): Preserved {
  const places = new Map(before.map(({ uuid }, index) => [uuid, index]));
  const uuids = kept.filter((uuid) => places.has(uuid));
  const tail = uuids.at(-1);
  if (tail === undefined) return {};
  let first = uuids.length - 1;
  const placeOf = (index: number) => places.get(uuids[index] ?? '') ?? Number.NaN;
  while (first > 0 && placeOf(first - 1) === placeOf(first) - 1) first--;
  return {
    preserved_segment: { head_uuid: uuids[first] ?? tail, anchor_uuid: anchor, tail_uuid: tail },
    preserved_messages: { anchor_uuid: anchor, uuids },
  };
}
