// A message that waits becomes part of the running prompt: it passes what a prompt passes, or stays where it is.
import type { Draft } from '../../engine/state/index.js';
import { type FeatureParts, noticeDraft, type Runtime, type Session } from '../core/index.js';
import { type QueuedMessage, readPrompt } from '../input/index.js';
import {
  attachFiles,
  blockedNotice,
  droppedBlocks,
  hideFound,
  hideTyped,
  submitHook,
  textOf,
  withParts,
} from './hear-message.js';
import { noteTyped, typedText } from './prompt-end.js';
import { nextToJoin } from './queued-message.js';

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
  return [
    {
      type: 'delivered',
      message: withParts(said, parts),
      uuid: queued.uuid ?? session.host.ids.uuid(),
      isMeta: queued.isMeta ?? false,
    },
    ...[...droppedBlocks(dropped), ...attached.notices, ...(queued.notices ?? [])].map(noticeDraft),
  ];
}

const NOTHING_ATTACHED = { blocks: [], notices: [], files: [] };
