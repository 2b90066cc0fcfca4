// A field whose value has parts of its own: servers and hooks of an agent. A whole YAML reader reads it, loaded if a
// file has such a field. One rule: what that reader could choke on never reaches it.
import { parseDocument } from 'yaml';
import type { FrontField, Problem } from './front-matter.js';

/** Lists and objects in each other: a reader that calls itself for each of them ends the process at some thousand. */
const MAX_OPENED = 200;
/** `- - - a` and `? ? a` begin one for each sign. */
const MAX_SIGNS = 4;
const MAX_LEVELS = 24;

export function readNested({ key, first, rest, line }: FrontField): unknown {
  const problem = (why: string): Problem => ({ problem: `line ${line} of it: ${key} ${why}` });
  const text = [`${key}: ${first}`, ...rest].join('\n');
  const isDeep =
    (text.match(/[[{]/g)?.length ?? 0) > MAX_OPENED ||
    new RegExp(`(?:[-?:][ \\t]+){${MAX_SIGNS + 1}}`).test(text) ||
    new Set(rest.map((each) => each.length - each.trimStart().length)).size > MAX_LEVELS;
  if (isDeep) return problem('is nested too deep');
  const document = parseDocument(text, { merge: false, schema: 'core', uniqueKeys: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) return problem(`cannot be read: ${error.message.split('\n')[0] ?? ''}`);
  try {
    // Without aliases nothing grows.
    return (document.toJS({ maxAliasCount: 0 }) as Record<string, unknown> | null)?.[key] ?? undefined;
  } catch {
    return problem('refers to parts of itself'); // all that is left to fail
  }
}
