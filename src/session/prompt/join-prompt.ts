// A message that waits becomes part of the running prompt: it passes what a prompt passes, or stays where it is.

import type { Draft } from '../../engine/state/index.js';
import type { SDKMessage } from '../../protocol/messages.js';
import {
  type FeatureParts,
  keep,
  noticeDraft,
  type Runtime,
  replayDraft,
  type Session,
  type SessionRuntime,
  transcriptNotices,
} from '../core/index.js';
import { type PromptInput, type QueuedMessage, readPrompt } from '../input/index.js';
import {
  attachFiles,
  blockedNotice,
  droppedBlocks,
  hideFound,
  hideTyped,
  NOTHING_ATTACHED,
  nextToJoin,
  submitHook,
  textOf,
  withParts,
} from './hear-message.js';
import { type PromptOptions, toMessage, withOwnId } from './prepare-prompt.js';
import { noteTyped, typedText } from './prompt-end.js';

export const parts: FeatureParts = {
  async betweenTurns({ run: { session, runtime }, signal }) {
    const queued = nextToJoin(session, runtime);
    return queued === null ? [] : deliver(queued, session, runtime, signal);
  },
};

/** Contract: taken out of the queue only when it is given, or blocked by a hook; an abort leaves it. */
async function deliver(
  queued: QueuedMessage,
  session: Session,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<readonly Draft[]> {
  const { message, dropped } = readPrompt(queued.prompt);
  if (message === null) return [];
  const heard = await submitHook(session, runtime, message);
  const attached =
    heard.stopped === null && queued.isVerbatim !== true
      ? await attachFiles(session, runtime, message)
      : NOTHING_ATTACHED;
  const said = await hideTyped(message, runtime);
  const parts = await hideFound([...attached.blocks, ...heard.context], runtime);
  // Interrupted, or taken back by the host, while the hooks ran.
  if (signal.aborted || !session.queue.remove(queued)) return [];
  if (heard.stopped !== null) return [blockedNotice(heard.hidesPrompt ? null : said, heard.stopped)];
  if (typedText(queued.prompt, queued, null) !== null) noteTyped(runtime, textOf(message));
  const { uuid, isMeta = false, notices = [] } = withOwnId(queued, session);
  return [
    { type: 'delivered', message: withParts(said, parts), uuid, isMeta },
    ...[...droppedBlocks(dropped), ...attached.notices, ...notices].map(noticeDraft),
  ];
}

// A message that waits for the next prompt: it is part of the conversation from here on, and asks the model nothing. It
// passes what a prompt passes. Loaded with the first of these.

/** @returns what is to be told. Contract: does not throw for what cannot be a message; that is told. */
export async function appendMessage(
  session: Session,
  runtime: SessionRuntime,
  prompt: PromptInput,
  given: PromptOptions,
): Promise<readonly SDKMessage[]> {
  const { stamp, config } = session;
  const options = withOwnId(given, session);
  const { message, dropped, problem } = readPrompt(prompt);
  if (message === null)
    return [stamp(noticeDraft({ code: 'queued_message_blocked', message: `A message was left out: ${problem}` }))];
  const heard = await submitHook(session, runtime, message);
  if (heard.stopped !== null) return [stamp(blockedNotice(heard.hidesPrompt ? null : message, heard.stopped))];
  const attached = options.isVerbatim === true ? NOTHING_ATTACHED : await attachFiles(session, runtime, message);
  const said = await hideTyped(message, runtime);
  const parts = await hideFound([...attached.blocks, ...heard.context], runtime);
  const kept = toMessage(withParts(said, parts), options, session);
  await runtime.transcript.open();
  await keep(session, runtime, kept);
  const typed = typedText(prompt, options, null);
  if (typed !== null) noteTyped(runtime, typed);
  return [
    ...[...droppedBlocks(dropped), ...attached.notices, ...(options.notices ?? [])].map((notice) =>
      stamp(noticeDraft(notice)),
    ),
    ...transcriptNotices(session, runtime),
    ...(config.replayUserMessages === true ? [stamp(replayDraft(kept.message, options.origin), kept.uuid)] : []),
  ];
}
