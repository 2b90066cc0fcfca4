// What OpenAI's models take, by their names. Data only: a name that is not known here gets the plain form, and what an API
// refuses all the same is left out of the next request by the loop.
import type { EffortLevel } from '../../protocol/options.js';
import type { RequestThinking } from '../contract/index.js';

/** The name without the maker that routers put before it. */
function bareName(model: string): string {
  return model.toLowerCase().replace(/^.*\//, '');
}

/** Models that reason: the o series and GPT-5 and later, but for its chat variants. */
export function isReasoningModel(model: string): boolean {
  const name = bareName(model);
  return (/^o[1-9]/.test(name) || /^gpt-(?:[5-9]|\d\d)/.test(name)) && !/-chat\b/.test(name);
}

/** Models that hold an answer to a schema. */
export function takesOutputSchema(model: string): boolean {
  const name = bareName(model);
  if (/^gpt-4o-2024-05-13|^o1-(?:mini|preview)|audio|realtime/.test(name)) return false;
  return /^gpt-4o|^gpt-4\.[1-9]|^gpt-(?:[5-9]|\d\d)|^o[1-9]/.test(name);
}

/** GPT-5.2 and later, and the largest Codex, know an effort above `high`. */
function knowsXhigh(model: string): boolean {
  const name = bareName(model);
  return /^gpt-5\.[2-9]|^gpt-(?:[6-9]|\d\d)|codex-max/.test(name);
}

/** The word for an effort; the highest the model knows if it asks for more. */
function effortName(model: string, effort: EffortLevel): string {
  if (effort === 'low' || effort === 'medium' || effort === 'high') return effort;
  return knowsXhigh(model) ? 'xhigh' : 'high';
}

/** Tokens up to which a thinking budget is a low, and a middling, effort. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;

/**
 * The effort a request asks for, by its own word or by its thinking budget; null if it asks for none, or leaves it to
 * the model.
 */
export function effortOf(
  model: string,
  effort: EffortLevel | undefined,
  thinking: RequestThinking | undefined,
): string | null {
  if (effort !== undefined) return effortName(model, effort);
  if (thinking?.type !== 'enabled') return null;
  if (thinking.budgetTokens <= LOW_BUDGET) return 'low';
  return thinking.budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The word for as little reasoning as the model can do; null if it has none. */
export function leastEffort(model: string): string | null {
  const name = bareName(model);
  if (!isReasoningModel(model) || /-pro\b|^o\d/.test(name)) return null;
  return /^gpt-5(?:-|$)/.test(name) && !/codex/.test(name) ? 'minimal' : /codex/.test(name) ? 'low' : 'none';
}
