// What a person is told of a context that fills, and of one that is full. One rule: each is told once, and the state
// that comes back says so.
import { type Draft, formatCount, type LoopState } from '../state/index.js';
import { afterNotice, afterWarning, type CompactionSituation, compactionThreshold } from './compaction-policy.js';

/** Said once, if the context is full and another compaction would not help. */
export async function* tellBlocked(state: LoopState): AsyncGenerator<Draft, LoopState> {
  if (state.compaction.noticed) return state;
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'compaction_blocked',
    reason: 'window_full',
    level: 'warning',
    message: 'The conversation nearly fills the context window, and compacting it again would not make room.',
    remedy: 'Start over with /clear, or give smaller inputs.',
  };
  return { ...state, compaction: afterNotice(state.compaction) };
}

/** Said once each time the context grows past the warning level, whether or not compaction is automatic. */
export async function* tellFilling(
  state: LoopState,
  situation: CompactionSituation,
  isAutomatic: boolean,
): AsyncGenerator<Draft, LoopState> {
  const { estimatedTokens: used, window, maxOutput } = situation;
  const percent = Math.round((used / window) * 100);
  const threshold = formatCount(Math.floor(compactionThreshold(window, maxOutput)));
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'context_filling',
    level: isAutomatic ? 'info' : 'warning',
    message: `The conversation takes about ${formatCount(used)} of the ${formatCount(window)} tokens of the context window (${percent} %).`,
    remedy: isAutomatic
      ? `It is compacted by itself at about ${threshold} tokens. Use /compact to do it now and say what matters, or /clear to start over.`
      : 'Automatic compaction is off. Use /compact to make room, or /clear to start over, before the model refuses the length.',
    data: { used_tokens: used, context_window: window, percent },
  };
  return { ...state, compaction: afterWarning(state.compaction, true) };
}
