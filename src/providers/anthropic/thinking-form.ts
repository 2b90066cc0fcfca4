// How models of the Messages API are asked to think, by their names: the catalogue says that one reasons, not how it is
// asked to. Data only: what an API refuses all the same is left out of the next request by the loop.
import type { ThinkingForm } from '../contract/index.js';

/** Versions from which a model takes a budget, and decides by itself. Tenths. */
const FIRST_BUDGET = 37;
const FIRST_ADAPTIVE = 46;

/** Null for a name that says nothing of it: not a Claude, or a version that cannot be told. */
export function thinkingForm(model: string): ThinkingForm | null {
  const match = /(?:^|[/.])claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?=$|[-@:])/.exec(model.toLowerCase());
  if (match === null) return null;
  const version = Number(match[1]) * 10 + Number(match[2] ?? 0);
  if (version >= FIRST_ADAPTIVE) return 'adaptive';
  return version >= FIRST_BUDGET ? 'budget' : 'none';
}
