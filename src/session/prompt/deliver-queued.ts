// A message that waits becomes part of the running prompt: it passes what a prompt passes, or stays where it is.
import type { Draft } from '../../engine/state/index.js';
import { shorten } from '../../util/text.js';
import { noticeDraft, type Runtime, type Session } from '../core/index.js';
import { type QueuedMessage, readPrompt } from '../input/index.js';
import { attachFiles, droppedBlocks, hideFound, hideTyped, submitHook, textOf, withParts } from './hear-message.js';
import { noteTyped } from './prompt-end.js';

/** Contract: taken out of the queue only when it is given, or blocked by a hook; an abort leaves it. */
export async function deliver(
  queued: QueuedMessage,
  session: Session,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<readonly Draft[]> {
  const { message, dropped } = readPrompt(queued.prompt);
  if (message === null) return [];
  const heard = await submitHook(session, runtime, message);
  const attached = heard.stopped === null ? await attachFiles(session, runtime, message) : NOTHING_ATTACHED;
  const said = await hideTyped(message, runtime);
  const parts = await hideFound([...attached.blocks, ...heard.context], runtime);
  // Interrupted, or taken back by the host, while the hooks ran.
  if (signal.aborted || !session.queue.remove(queued)) return [];
  if (heard.stopped !== null) return [blockedNotice(heard.hidesPrompt ? null : textOf(said), heard.stopped)];
  if (queued.isMeta !== true) noteTyped(runtime, textOf(message));
  return [
    {
      type: 'delivered',
      message: withParts(said, parts),
      uuid: queued.uuid ?? session.host.ids.uuid(),
      isMeta: queued.isMeta ?? false,
    },
    ...[...droppedBlocks(dropped), ...attached.notices].map(noticeDraft),
  ];
}

const NOTHING_ATTACHED = { blocks: [], notices: [], files: [] };

function blockedNotice(text: string | null, reason: string): Draft {
  return noticeDraft({
    code: 'queued_message_blocked',
    message: `A hook stopped ${text === null ? 'a message' : `the message "${shorten(text, 60)}"`}, so it was not delivered: ${reason}`,
  });
}
