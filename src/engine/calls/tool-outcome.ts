// What a tool of the host's own returned, as an outcome: nobody has checked its type.
import type { ToolOutcome } from '../../tools/tool.js';
import { copyJson } from '../../util/copy-json.js';
import { isNestedDeeper } from '../../util/nesting.js';

/**
 * Null where there is nothing that a model could be shown. A text alone is taken for what the model reads.
 * Contract: blocks are read here, once, and kept as they were then. Throws what reading them throws.
 */
export function readOutcome(returned: unknown): ToolOutcome<unknown> | null {
  if (typeof returned === 'string') return { model: returned, data: returned };
  if (typeof returned !== 'object' || returned === null) return null;
  const outcome = returned as ToolOutcome<unknown>;
  const { model } = outcome;
  if (!Array.isArray(model)) return typeof model === 'string' ? outcome : null;
  if (model.length === 0) return { ...outcome, model: '' };
  // What is nested too deep is cut before each request.
  return isNestedDeeper(model) ? outcome : { ...outcome, model: copyJson(model) };
}

/** Told to the model in place of a result, so that whoever wrote the tool hears of it. */
export function noOutcome(name: string): string {
  return `${name} ran, but returned no result, so what it did is unknown. Its run() must return { model, data }, where model is a text or a list of content blocks.`;
}
