// How many lines a change adds and takes out. Only for texts: of anything else nothing is counted.
import { decodeText, detectBinary } from '../../util/text-file.js';

export interface LineChanges {
  readonly insertions: number;
  readonly deletions: number;
}

/** It blocks everything else in the process meanwhile. */
const TIMEOUT_MS = 100;
/** Bytes of one side that are compared line by line. */
const MAX_COMPARED = 2_000_000;
const NONE: LineChanges = { insertions: 0, deletions: 0 };

/** @param before,after null where there is no file */
export async function countLineChanges(before: Uint8Array | null, after: Uint8Array | null): Promise<LineChanges> {
  const old = linesOf(before);
  const now = linesOf(after);
  if (old === null || now === null) return NONE;
  const { start, end } = commonEnds(old, now);
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const whole = { insertions: added.length, deletions: removed.length };
  if (removed.length === 0 || added.length === 0) return whole;
  const { diffArrays } = await import('diff');
  const parts = diffArrays(removed, added, { timeout: TIMEOUT_MS });
  if (parts === undefined) return whole;
  return {
    insertions: parts.reduce((sum, part) => sum + (part.added ? part.value.length : 0), 0),
    deletions: parts.reduce((sum, part) => sum + (part.removed ? part.value.length : 0), 0),
  };
}

/** Null for what is no text, or too much of it. */
function linesOf(bytes: Uint8Array | null): string[] | null {
  if (bytes === null || bytes.length === 0) return [];
  if (bytes.length > MAX_COMPARED || detectBinary(bytes) !== null) return null;
  const lines = decodeText(bytes).text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonEnds(a: readonly string[], b: readonly string[]): { readonly start: number; readonly end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { start, end };
}
