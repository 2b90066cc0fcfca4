// A message that waits for the next prompt: it is part of the conversation from here on, and asks the model nothing. It
// passes what a prompt passes. Loaded with the first of these.
import type { SDKMessage } from '../../protocol/messages.js';
import { keep, noticeDraft, replayDraft, type Session, type SessionRuntime, transcriptNotices } from '../core/index.js';
import { type PromptInput, readPrompt } from '../input/index.js';
import {
  attachFiles,
  blockedNotice,
  droppedBlocks,
  hideFound,
  hideTyped,
  submitHook,
  withParts,
} from './hear-message.js';
import { type PromptOptions, toMessage } from './prepare-prompt.js';
import { noteTyped, typedText } from './prompt-end.js';

/** @returns what is to be told. Contract: does not throw for what cannot be a message; that is told. */
export async function appendMessage(
  session: Session,
  runtime: SessionRuntime,
  prompt: PromptInput,
  given: PromptOptions,
): Promise<readonly SDKMessage[]> {
  const { stamp, host, config } = session;
  const options = { ...given, uuid: given.uuid ?? host.ids.uuid() };
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

const NOTHING_ATTACHED = { blocks: [], notices: [] };
