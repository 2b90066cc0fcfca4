// What `thinking` comes to for one model. One rule: what the caller says outright is taken as it is; only where it is
// left to the engine do the model and the environment decide.
import type { ThinkingConfig, ThinkingDisplay } from '../../protocol/options.js';
import type { RequestThinking, ThinkingForm } from '../../providers/contract/index.js';

export interface ThinkingSituation {
  /** As the caller gave it; undefined where nothing was said. */
  readonly asked: ThinkingConfig | undefined;
  /** Null where it is not known how the model is asked to, or its API decides by itself. */
  readonly form: ThinkingForm | null;
  /** Tokens, by a variable: 0 means none, and any other number is the budget of models that take one. Null: not set. */
  readonly maxTokens: number | null;
  /** Tokens, as somebody said while the session ran: 0 means none. It beats all else. Null: nobody did. */
  readonly limit?: number | null;
  /** As somebody said while the session ran; null, or absent: nobody did. */
  readonly display?: ThinkingDisplay | null | undefined;
}

/** Of models that take a budget, where nobody says another. The same in each request, so that a prompt cache holds. */
const USUAL_BUDGET = 10_000;
/** The smallest that models take. */
const SMALLEST_BUDGET = 1_024;

/**
 * The configuration of a request. `adaptive`, a budget that nobody says, and that nothing was said, mean: think where the model can. Without a word
 * from anybody, only models that decide by themselves how much do.
 * Contract: pure; the same for a model as long as what was asked for and the variable stay the same.
 */
export function resolveThinking(situation: ThinkingSituation): RequestThinking | undefined {
  const { asked, form, maxTokens, limit = null } = situation;
  const display = situation.display ?? (asked?.type === 'disabled' ? undefined : asked?.display);
  const shown = display === undefined ? {} : { display };
  if (limit === 0) return form === 'none' ? undefined : { type: 'disabled' };
  if (limit !== null) {
    if (form === 'adaptive') return { type: 'adaptive', ...shown };
    return form === 'none' ? undefined : { type: 'enabled', budgetTokens: Math.max(SMALLEST_BUDGET, limit), ...shown };
  }
  if (asked?.type === 'disabled') return asked;
  if (asked?.type === 'enabled' && asked.budgetTokens !== undefined)
    return { type: 'enabled', budgetTokens: asked.budgetTokens, ...shown };
  if (maxTokens === 0) return asked === undefined ? undefined : { type: 'disabled' };
  const budgetTokens = Math.max(SMALLEST_BUDGET, maxTokens ?? USUAL_BUDGET);
  switch (form) {
    case 'adaptive':
      return { type: 'adaptive', ...shown };
    case 'budget':
      if (asked === undefined && maxTokens === null) return undefined;
      return { type: 'enabled', budgetTokens, ...shown };
    case 'none':
      return undefined;
    case null:
      if (asked === undefined) return undefined;
      return asked.type === 'enabled' ? { type: 'enabled', budgetTokens, ...shown } : { type: 'adaptive', ...shown };
    default:
      return form satisfies never;
  }
}

/** What `MAX_THINKING_TOKENS` says; null where it is not set, or says nothing that can be meant. */
export function maxThinkingTokens(env: Readonly<Record<string, string | undefined>>): number | null {
  const text = (env.TURNWRIGHT_MAX_THINKING_TOKENS ?? env.MAX_THINKING_TOKENS)?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
