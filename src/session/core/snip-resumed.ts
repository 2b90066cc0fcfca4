// A resumed conversation that begins with a summary: `snipReplay` may put another in its place, as after the compaction
// itself.
import { summaryText } from '../../engine/state/index.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { PendingNotice } from '../config/index.js';
import { askSnipReplay } from './ask-snip-replay.js';
import type { Session } from './session.js';

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
