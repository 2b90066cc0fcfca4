// What is wrong with a transcript, counted by kind, and said in words. Only what lies in the part that a conversation
// was taken from counts.
import { count } from '../../util/text.js';
import type { DamagedLine, DamageKind } from './read-entry.js';

export type DamageCounts = Readonly<Partial<Record<DamageKind, number>>>;

export interface DamageLog {
  /** Counts at once: for what is wrong with the order of the entries, not with a line. */
  count(kind: DamageKind): void;
  /** Waits until the conversation's part of the file reaches `at`. */
  add(kind: DamageKind, at: number): void;
  addLine(line: DamagedLine, at: number): void;
  /** What lies at `at` or behind it belongs to the conversation's part of the file. */
  countFrom(at: number): void;
  countAll(): void;
  /** Damaged lines before `before`, the newest first, that are not older than `from`. */
  linesBetween(from: number, before: number): readonly DamagedLine[];
  readonly counts: DamageCounts;
}

/** Beyond this, damage is counted without looking where it lies. */
const MAX_PLACES = 10_000;
/** If many lines in a row are damaged, only the last ones are asked what they followed. */
const MAX_LOOKED_AT = 20;

export function createDamageLog(): DamageLog {
  const counts: Partial<Record<DamageKind, number>> = {};
  /** The newest first; those before `next` are counted. */
  const places: { readonly kind: DamageKind; readonly at: number; readonly line: DamagedLine | null }[] = [];
  let next = 0;
  const increase = (kind: DamageKind): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const add = (kind: DamageKind, at: number, line: DamagedLine | null): void => {
    if (places.length < MAX_PLACES) places.push({ kind, at, line });
    else increase(kind);
  };
  const countFrom = (from: number): void => {
    for (let place = places[next]; place !== undefined && place.at >= from; place = places[++next])
      increase(place.kind);
  };
  return {
    count: increase,
    add: (kind, at) => add(kind, at, null),
    addLine: (line, at) => add(line.kind, at, line),
    countFrom,
    countAll: () => countFrom(Number.NEGATIVE_INFINITY),
    linesBetween(from, before) {
      const lines: DamagedLine[] = [];
      for (const { at, line } of places.slice(next, next + MAX_LOOKED_AT))
        if (line !== null && at >= from && at < before) lines.push(line);
      return lines;
    },
    counts,
  };
}

const WORDS: Readonly<Record<DamageKind, (n: number) => string>> = {
  not_json: (n) => `${count(n, 'line')} could not be read`,
  cut_off: () => 'the last line was cut off while it was written',
  too_long: (n) => `${count(n, 'line')} ${n === 1 ? 'is' : 'are'} too long for any request`,
  too_deep: (n) => `${count(n, 'line')} ${n === 1 ? 'is' : 'are'} nested too deeply`,
  not_utf8: (n) => `${count(n, 'line')} ${n === 1 ? 'has' : 'have'} characters that could not be read`,
  no_content: (n) => `${count(n, 'message')} had no content`,
  other_session: (n) => `${count(n, 'line')} ${n === 1 ? 'belongs' : 'belong'} to another session`,
  unknown_type: (n) =>
    `${count(n, 'line')} of a kind that this version does not know ${n === 1 ? 'was' : 'were'} passed over`,
  repeated: (n) => `${count(n, 'line')} ${n === 1 ? 'repeats' : 'repeat'} another`,
  circle: () => 'messages name each other as the one before',
  gap: (n) =>
    `the conversation is interrupted ${n === 1 ? 'once' : `${n} times`}, and goes on with what stands before in the file`,
};

/** What to tell the user; null if nothing is wrong. */
export function damageText(counts: DamageCounts): string | null {
  const parts = (Object.keys(WORDS) as DamageKind[]).flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [WORDS[kind](n)];
  });
  return parts.length === 0 ? null : `The transcript is damaged: ${parts.join('; ')}. The rest is used.`;
}
