// Watches the size of the context between requests. What makes room is loaded only when there is none.
import type { MessageParam } from '../../protocol/content.js';
import { DOORS } from '../doors.js';
import { windowOf } from '../recovery/index.js';
import { type Compactor, type Draft, formatCount, type LoopDeps, type LoopState } from '../state/index.js';
import type { CompactionOptions } from './ask-summary.js';
import type { Compaction } from './compact.js';
import {
  afterNotice,
  afterWarning,
  type CompactionSituation,
  compactionThreshold,
  isRearmed,
  MIN_FREED,
  shouldCompact,
  shouldWarn,
} from './compaction-policy.js';

export interface CompactorOptions extends CompactionOptions {
  /** False: only `/compact` and an overflow compact. */
  readonly isAutomatic: boolean;
}

/** Assumed until the first request says what it allows its reply, tokens. */
const USUAL_REPLY = 8_000;

export function createCompactor(options: CompactorOptions): Compactor {
  const { estimator } = options;
  // What a request holds beside the messages, as the last one had it; nothing before the first.
  let frame = { tokens: 0, maxOutput: USUAL_REPLY };
  let isFrameKnown = false;
  // The last conversation measured: a turn asks more than once, and each sum goes over all messages.
  let measured: { readonly messages: readonly MessageParam[]; readonly tokens: number } | null = null;
  const sizeOf = (messages: readonly MessageParam[]): number => {
    if (measured?.messages !== messages) measured = { messages, tokens: estimator.messages(messages) };
    return measured.tokens;
  };
  let counted: Compactor['counted'] = null;
  let loading: Promise<Compaction> | null = null;
  const load = () => {
    loading ??= DOORS.compaction().then(({ createCompaction }) => createCompaction(options, () => frame.tokens));
    return loading;
  };

  /** A resumed conversation may be too long with its first request already: then that is built to be measured. */
  async function* measureFrame(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, void> {
    if (isFrameKnown) return;
    const { request, repairs } = deps.buildRequest(state);
    if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };
    frame = { ...frame, tokens: estimator.frame(request) };
    isFrameKnown = true;
  }

  const situationOf = (state: LoopState): CompactionSituation => {
    const messageTokens = sizeOf(state.messages);
    return {
      estimatedTokens: frame.tokens + messageTokens,
      messageTokens,
      window: windowOf(state, options.contextWindow),
      maxOutput: frame.maxOutput,
      turn: state.sessionTurns,
    };
  };
  // Below that nothing is compacted, whatever stands beside the messages.
  const needsFrame = ({ messageTokens, window }: CompactionSituation): boolean =>
    !isFrameKnown && messageTokens >= MIN_FREED * window;

  return {
    hasRoom(state) {
      const situation = situationOf(state);
      if (needsFrame(situation)) return false;
      if (options.isAutomatic && shouldCompact(state.compaction, situation) !== 'no') return false;
      return !shouldWarn(state.compaction, situation) && !isRearmed(state.compaction, situation);
    },
    async *compactIfNeeded(state, deps) {
      if (needsFrame(situationOf(state))) yield* measureFrame(state, deps);
      const situation = situationOf(state);
      const verdict = options.isAutomatic ? shouldCompact(state.compaction, situation) : 'no';
      switch (verdict) {
        case 'no':
          if (!shouldWarn(state.compaction, situation)) return rearmed(state, situation);
          return yield* tellFilling(state, situation, options.isAutomatic);
        case 'blocked':
          return yield* tellBlocked(state);
        case 'compact':
          return yield* (await load()).makeRoom(state, deps);
        default:
          return verdict satisfies never;
      }
    },
    async *compactNow(state, instructions, deps) {
      yield* measureFrame(state, deps);
      return yield* (await load()).compactNow(state, instructions, deps);
    },
    async *recoverFromOverflow(state, deps) {
      yield* measureFrame(state, deps);
      return yield* (await load()).recoverFromOverflow(state, deps);
    },
    observe(request, usage) {
      const tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
      estimator.calibrate(request, tokens);
      counted = { usage, ratio: tokens > 0 ? estimator.lastRatio : null };
      measured = null; // counted by another factor from here on
      frame = { tokens: estimator.frame(request), maxOutput: request.maxTokens };
      isFrameKnown = true;
    },
    get counted() {
      return counted;
    },
    threshold: (model) =>
      options.isAutomatic ? compactionThreshold(options.contextWindow(model), frame.maxOutput) : null,
    inputTokens: (state, request) => estimator.frame(request) + sizeOf(state.messages),
    roughInputTokens: (state, request) => estimator.frameAtMost(request) + sizeOf(state.messages),
    inputTokensAtMost: (request) => estimator.upperBound(request),
  };
}

/** Once the context has room again, its filling will be told again. */
function rearmed(state: LoopState, situation: CompactionSituation): LoopState {
  const { compaction } = state;
  return isRearmed(compaction, situation) ? { ...state, compaction: afterWarning(compaction, false) } : state;
}

// What a person is told of a context that fills, and of one that is full. One rule: each is told once, and the state
// that comes back says so.

/** Said once, if the context is full and another compaction would not help. */
async function* tellBlocked(state: LoopState): AsyncGenerator<Draft, LoopState> {
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
async function* tellFilling(
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
