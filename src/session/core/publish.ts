// The two ways a message leaves a session: kept and shown, or shown only.
import path from 'node:path';
import type {
  DeliveredMessage,
  Draft,
  HistoryReplaced,
  MessageDraft,
  NestedMessage,
} from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { AssistantMessage, MessageParam } from '../../protocol/content.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { Message } from '../messages/index.js';
import { nestedCallsId, type Transcript } from '../store/index.js';
import { replayDraft } from './prompt-drafts.js';
import type { Runtime, Session } from './session.js';

/** Written before it is sent: the transcript has the message when this resolves. */
export async function keep(session: Session, runtime: Runtime, message: Message, param?: MessageParam): Promise<void> {
  session.history.append(message, param);
  await runtime.transcript.record(message);
}

/** Keeps what is part of the conversation, then shows it. */
export async function* publish(session: Session, runtime: Runtime, draft: Draft): AsyncGenerator<SDKMessage> {
  if (draft.type === 'history_replaced') {
    yield* await session.features.replaceHistory(session, runtime, draft);
  } else for (const message of await keepShown(session, runtime, draft)) yield message;
  for (const pending of runtime.takeDrafts()) yield session.stamp(pending);
}

/** As `publish`, in one step: what is to be shown, once it is kept. */
export async function keepShown(
  session: Session,
  runtime: Runtime,
  draft: Exclude<Draft, HistoryReplaced>,
): Promise<readonly SDKMessage[]> {
  switch (draft.type) {
    case 'reply': {
      const { request_id: requestId } = draft.message;
      const shown = {
        type: 'assistant',
        message: draft.message,
        ...(requestId === undefined ? {} : { request_id: requestId }),
      } as const;
      const message = draftToMessage(shown, session.host);
      await keep(session, runtime, message, draft.param);
      const text = runtime.hooks.has('MessageDisplay')
        ? await displayedText(runtime, draft.message, message.uuid)
        : null;
      const displayed = text === null ? shown : { ...shown, display_content: text };
      return [...transcriptNotices(session, runtime), session.stamp(displayed, message.uuid)];
    }
    case 'delivered': {
      await keep(session, runtime, deliveredMessage(draft, session.host));
      await runtime.checkpoints?.beginPrompt(draft.uuid);
      const notices = transcriptNotices(session, runtime);
      if (!session.config.replayUserMessages) return notices;
      return [...notices, session.stamp(replayDraft(draft.message), draft.uuid)];
    }
    case 'assistant':
    case 'user': {
      const message = draftToMessage(draft, session.host);
      await keep(session, runtime, message);
      return [...transcriptNotices(session, runtime), session.stamp(draft, message.uuid)];
    }
    case 'shown':
      return [draft.message];
    case 'nested':
      return keepNested(session, runtime, draft);
    default:
      return [session.stamp(draft)];
  }
}

/** What is to be told of the transcript since the last call. */
export function transcriptNotices(session: Session, runtime: Runtime): readonly SDKMessage[] {
  return noticesOf(session, runtime.transcript);
}

function noticesOf(session: Session, transcript: Transcript | undefined): readonly SDKMessage[] {
  return transcript?.takeDrafts().map((draft) => session.stamp(draft)) ?? [];
}

function deliveredMessage({ uuid, message, isMeta }: DeliveredMessage, host: Host): Message {
  const timestamp = new Date(host.clock.now()).toISOString();
  return isMeta ? { uuid, timestamp, type: 'user', message, isMeta } : { uuid, timestamp, type: 'user', message };
}

function draftToMessage(draft: Extract<MessageDraft, { type: 'assistant' | 'user' }>, host: Host): Message {
  const uuid = host.ids.uuid();
  const timestamp = new Date(host.clock.now()).toISOString();
  if (draft.type === 'assistant') return { uuid, timestamp, type: 'assistant', message: draft.message };
  const { message, tool_use_result: toolUseResult } = draft;
  if (toolUseResult !== undefined) return { uuid, timestamp, type: 'user', message, toolUseResult };
  return isNote(draft)
    ? { uuid, timestamp, type: 'user', message, isMeta: true }
    : { uuid, timestamp, type: 'user', message };
}

/** What the engine itself said: nobody typed it, so no reader of the transcript may take it for a prompt. */
function isNote({ isSynthetic, message: { content } }: Extract<MessageDraft, { type: 'user' }>): boolean {
  if (!isSynthetic) return false;
  return typeof content === 'string' || content.every((block) => block.type !== 'tool_result');
}

// Calls that a call makes, such as those of a script: kept in a file beside the transcript, as those of a subagent are, and
// shown below the call that makes them. They are no part of the conversation.

async function keepNested(
  session: Session,
  runtime: Runtime,
  { of, tool, message: draft, syncs }: NestedMessage,
): Promise<readonly SDKMessage[]> {
  session.memory.nested ??= new Map();
  const known = session.memory.nested.get(of);
  if (draft === null) {
    session.memory.nested.delete(of);
    await known?.close();
    return noticesOf(session, known);
  }
  const transcript = known ?? openNested(session, runtime, of);
  const message = draftToMessage(draft, session.host);
  await transcript.record(message);
  if (syncs) await transcript.sync();
  if (known === undefined) await writeMeta(session, runtime, transcript, { of, tool });
  const shown = { ...session.stamp(draft, message.uuid), parent_tool_use_id: of } as SDKMessage;
  return [...noticesOf(session, transcript), shown];
}

function openNested(session: Session, runtime: Runtime, of: string): Transcript {
  const transcript = runtime.transcript.forAgent(
    nestedCallsId(of),
    path.join(runtime.sessionFolder ?? '', 'subagents'),
  );
  session.memory.nested?.set(of, transcript);
  return transcript;
}

/** Beside it: which call it belongs to. */
async function writeMeta(
  { host }: Session,
  { loop }: Runtime,
  { path: file }: Transcript,
  { of, tool }: Pick<NestedMessage, 'of' | 'tool'>,
): Promise<void> {
  if (file === null) return;
  const meta = { agentType: tool, description: `Calls of ${tool}`, toolUseId: of };
  try {
    const target = path.join(path.dirname(file), `${path.basename(file, '.jsonl')}.meta.json`);
    await host.fs.writeFileAtomic(target, `${JSON.stringify(meta)}\n`, { mode: 0o600 });
  } catch (error) {
    // The transcript beside it fails the same way, and tells it.
    loop.log('nested_meta_failed', { error });
  }
}

// Steps of the loop that run beside it: what they have to show is kept and shown, and what they give comes back.

/** Contract: a caller that leaves before the end ends the steps as well. */
export async function* showSteps<T>(
  session: Session,
  runtime: Runtime,
  steps: AsyncGenerator<Draft, T>,
): AsyncGenerator<SDKMessage, T> {
  let isOver = false;
  try {
    for (;;) {
      const step = await steps.next();
      isOver = step.done === true;
      if (step.done) return step.value;
      yield* publish(session, runtime, step.value);
    }
  } finally {
    if (!isOver) await steps.return(undefined as never);
    runtime.spending.release();
  }
}

// A reply as hooks let it be shown. One rule: what the model said is kept and sent as it is; only who shows it shows
// something else.

/**
 * What is shown in place of the text of a reply; null: the text itself. A reply is shown whole, so there is one firing for
 * each that has a text.
 */
async function displayedText(
  { hooks, promptFacts }: Pick<Runtime, 'hooks' | 'promptFacts'>,
  { content }: AssistantMessage,
  uuid: string,
): Promise<string | null> {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (text === '') return null;
  const { displayContent } = await hooks.run('MessageDisplay', {
    turn_id: promptFacts().prompt_id ?? '',
    message_id: uuid,
    index: 0,
    final: true,
    delta: text,
  });
  return displayContent === text ? null : displayContent;
}
