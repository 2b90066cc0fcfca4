// A conversation across its compactions as it happened: each message once. After a compaction, the transcript goes on
// with a summary and with copies of the newest messages; in a view of all that happened, those are there already.
import type { ReadEntry } from './read-transcript.js';

/** The entries without those that only repeat what a compaction kept. Summaries and boundaries stay. */
export function withoutRepeats(entries: readonly ReadEntry[]): ReadEntry[] {
  const kept: ReadEntry[] = [];
  let before: string[] = [];
  for (const part of splitAtSummaries(entries)) {
    const [summary, rest] = isSummary(part[0]) ? [part.slice(0, 1), part.slice(1)] : [[], part];
    const contents = rest.map(contentOf);
    const repeated = summary.length === 0 ? 0 : repeatedAtStart(before, contents);
    kept.push(...summary, ...rest.slice(repeated));
    before = rest.filter(({ role }) => role !== null).map(contentOf);
  }
  return kept;
}

function isSummary(entry: ReadEntry | undefined): boolean {
  return entry?.value.isCompactSummary === true;
}

function splitAtSummaries(entries: readonly ReadEntry[]): ReadEntry[][] {
  const parts: ReadEntry[][] = [[]];
  for (const entry of entries) {
    if (isSummary(entry)) parts.push([]);
    parts.at(-1)?.push(entry);
  }
  return parts;
}

/** Places where a copy could end that are looked at: only a transcript made for it has more. */
const MAX_TRIES = 100;

/**
 * How many of `after`, from its start, repeat the end of `before`: in one piece, or behind the last prompt, which goes
 * on even where what followed it did not.
 */
function repeatedAtStart(before: readonly string[], after: readonly string[]): number {
  const last = before.at(-1);
  const first = after[0];
  if (last === undefined || first === undefined) return 0;
  for (const [from, isPossible] of [
    [0, true],
    [1, before.includes(first)],
  ] as const) {
    if (!isPossible) continue;
    let end = after.lastIndexOf(last);
    for (let tries = 0; end >= from && tries < MAX_TRIES; tries++) {
      const length = end - from + 1;
      if (length <= before.length) {
        const start = before.length - length;
        if (after.slice(from, end + 1).every((content, at) => content === before[start + at])) return end + 1;
      }
      end = end === 0 ? -1 : after.lastIndexOf(last, end - 1);
    }
  }
  return 0;
}

function contentOf({ role, value }: ReadEntry): string {
  const message = value.message as { content?: unknown } | null | undefined;
  return JSON.stringify([role, message?.content ?? null]);
}
