// Watches the size of the context between requests. What makes room is loaded only when there is none.

import type { Compactor, Draft, LoopState } from '../loop-state.js';
import type { Compaction, CompactionOptions } from './compact.js';
import { afterNotice, shouldCompact } from './compaction-policy.js';

export interface CompactorOptions extends CompactionOptions {
  /** False: only `/compact` and an overflow compact. */
  readonly isAutomatic: boolean;
}

/** Assumed until the first request says what it allows its reply, tokens. */
const USUAL_REPLY = 8_000;

export function createCompactor(options: CompactorOptions): Compactor {
  const { estimator } = options;
  // What a request holds beside the messages, as the last one had it.
  let frame = { tokens: 0, maxOutput: USUAL_REPLY };
  let loading: Promise<Compaction> | null = null;
  const load = () => {
    loading ??= import('./compact.js').then(({ createCompaction }) => createCompaction(options));
    return loading;
  };

  return {
    async *compactIfNeeded(state, deps) {
      if (!options.isAutomatic) return state;
      const verdict = shouldCompact(state.compaction, {
        estimatedTokens: frame.tokens + estimator.messages(state.messages),
        window: options.contextWindow(state.model),
        maxOutput: frame.maxOutput,
        turn: state.sessionTurns,
      });
      switch (verdict) {
        case 'no':
          return state;
        case 'blocked':
          return yield* tellBlocked(state);
        case 'compact':
          return yield* (await load()).makeRoom(state, deps);
        default:
          return verdict satisfies never;
      }
    },
    async *compactNow(state, instructions, deps) {
      return yield* (await load()).compactNow(state, instructions, deps);
    },
    async *recoverFromOverflow(state, deps) {
      return yield* (await load()).recoverFromOverflow(state, deps);
    },
    observe(request, usage) {
      const counted = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
      estimator.calibrate(request, counted);
      frame = {
        tokens: estimator.request(request) - estimator.messages(request.messages),
        maxOutput: request.maxTokens,
      };
    },
    inputTokensAtMost: (request) => estimator.upperBound(request),
  };
}

async function* tellBlocked(state: LoopState): AsyncGenerator<Draft, LoopState> {
  if (state.compaction.noticed) return state;
  yield {
    type: 'system',
    subtype: 'notice',
    code: 'compaction_blocked',
    level: 'warning',
    message: 'The conversation nearly fills the context window, and compacting it again would not make room.',
    remedy: 'Start over with /clear, or give smaller inputs.',
  };
  return { ...state, compaction: afterNotice(state.compaction) };
}
