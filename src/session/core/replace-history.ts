// Another conversation in place of a session's own: in memory, in the transcript, and with the host. Loaded if one is
// compacted, or cut.
import type { HistoryReplaced } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { MessageParam } from '../../protocol/content.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';
import { type Message, preservedMessages } from '../messages/index.js';
import { askSnipReplay } from './ask-snip-replay.js';
import { countReplaced } from './count-conversation.js';
import { noticeDraft } from './prompt-drafts.js';
import type { Runtime } from './session.js';
import { type Session, syntheticAssistant } from './session.js';

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

/** Few hosts take part in compaction. Null where the summary stands. */
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
