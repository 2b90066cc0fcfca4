// The difference that one change makes, at a cost that follows the size of the change and not that of the file.
import type { StructuredPatchHunk } from '../../protocol/tool-io.js';
import { endOfLine, lineNumberAt, startOfLine } from '../../util/lines.js';
import { loadComparison } from '../bodies.js';

const CONTEXT_LINES = 3;
/** It blocks everything else in the process meanwhile. */
const TIMEOUT_MS = 200;
/** Characters of one side that are compared; a change spread wider gets no diff. */
const MAX_COMPARED = 2_000_000;
const MAX_SHOWN = 64_000;

/** The part two texts share at their start and at their end, in characters; the two never overlap. */
export function commonEnds(before: string, after: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end += 1;
  }
  return { start, end };
}

/**
 * The change as a unified diff with three lines of context, and as its hunks; nothing if it is too large or takes too
 * long. A diff above 64,000 characters is cut at a line, with a mark, and has no hunks beside it.
 */
export async function describeChange(
  path: string,
  before: string,
  after: string,
): Promise<{ diff?: string; structuredPatch?: StructuredPatchHunk[] }> {
  const { start, end } = commonEnds(before, after);
  const from = startOfLine(before, start, CONTEXT_LINES);
  const old = before.slice(from, endOfLine(before, before.length - end, CONTEXT_LINES));
  const now = after.slice(from, endOfLine(after, after.length - end, CONTEXT_LINES));
  if (Math.max(old.length, now.length) > MAX_COMPARED) return {};
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await loadComparison();
  const options = { context: CONTEXT_LINES, timeout: TIMEOUT_MS };
  const patch = structuredPatch(path, path, old, now, undefined, undefined, options);
  if (patch === undefined) return {};
  const linesAbove = lineNumberAt(before, from) - 1;
  for (const hunk of patch.hunks) {
    hunk.oldStart += linesAbove;
    hunk.newStart += linesAbove;
  }
  const diff = formatPatch(patch, FILE_HEADERS_ONLY);
  return diff.length <= MAX_SHOWN ? { diff, structuredPatch: patch.hunks } : { diff: cut(diff) };
}

function cut(diff: string): string {
  const end = diff.lastIndexOf('\n', MAX_SHOWN) + 1;
  return `${diff.slice(0, end)}[diff cut: ${diff.length - end} more characters]\n`;
}
