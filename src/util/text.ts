// Small text functions shared by all floors: cut, count, name a size, find the word that a mistyped one was meant to be.

/** White space that is more than a single space between words. */
const UNEVEN = /^\s|\s$|\s\s|[^\S ]/;

/** `text` on one line of at most `length` characters; a cut is shown by "…". */
export function shorten(text: string, length: number): string {
  // Most texts are one line already.
  const line = UNEVEN.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
  return line.length <= length ? line : `${line.slice(0, Math.max(0, length - 1))}…`;
}

/** Longer ones are cut: no word, and no key, is as long. */
const LONGEST_WORD = 512;
const WORD_START = /[A-Za-z0-9_+/=.~-]*$/;
const WORD_END = /^[A-Za-z0-9_+/=.~-]*/;

/**
 * At most the first `length` characters, without a word that they end in the middle of: half a key would be shown, and
 * known by nobody for what it is.
 */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  if (!/[A-Za-z0-9_+/=.~-]/.test(text[length] ?? '')) return cut;
  const begun = WORD_START.exec(cut.slice(-LONGEST_WORD))?.[0].length ?? 0;
  return begun < LONGEST_WORD ? cut.slice(0, length - begun) : cut;
}

/** As `cutAtWord`, of the last `length` characters: without a word that they begin in the middle of. */
export function tailAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(-length);
  if (!/[A-Za-z0-9_+/=.~-]/.test(text[text.length - length - 1] ?? '')) return tail;
  const rest = WORD_END.exec(tail.slice(0, LONGEST_WORD))?.[0].length ?? 0;
  return rest < LONGEST_WORD ? tail.slice(rest) : tail;
}

/** `text` with every lone surrogate replaced by U+FFFD; the same string if there is none. */
export function toWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(LONE_SURROGATE, '\ufffd');
}

/** `value` with every string in it made well-formed, keys too; the same object if nothing had to change. */
export function deepWellFormed(value: unknown): unknown {
  return isDeepWellFormed(value) ? value : deepMended(value);
}

function isDeepWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (Array.isArray(value)) return value.every(isDeepWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  // By keys, not entries: nearly always there is nothing to mend, and looking should leave nothing behind.
  return Object.keys(value).every((key) => isWellFormed(key) && isDeepWellFormed((value as Fields)[key]));
}

function deepMended(value: unknown): unknown {
  if (typeof value === 'string') return toWellFormed(value);
  if (Array.isArray(value)) return value.map(deepMended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toWellFormed(key), deepMended(item)]));
}

type Fields = Readonly<Record<string, unknown>>;

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function isWellFormed(text: string): boolean {
  // String.prototype.isWellFormed is in every supported Node, but not in the es2023 library types.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** "1 file", "2 files". */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** Some names in one line: the first twelve, and how many more there are. */
export function listSome(items: readonly string[]): string {
  const most = 12;
  const shown = items.slice(0, most).join('; ');
  return items.length <= most ? shown : `${shown}; and ${items.length - most} more`;
}

/** The text of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** "1 byte", "12.3 KB", "4.0 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** The candidate nearest to `word`, or undefined if none is near enough to be worth naming. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  return nearestWords(word, candidates, 1)[0];
}

/** The candidates nearest to `word`, the nearest first: those that a slip explains, else those that begin with it. */
export function nearestWords(word: string, candidates: readonly string[], most: number): readonly string[] {
  const limit = Math.max(2, Math.floor(word.length / 3));
  const near = candidates.flatMap((candidate) => {
    // A long word cannot be a typo of a much shorter one; this also bounds the work on absurd input.
    if (Math.abs(candidate.length - word.length) > limit) return [];
    const distance = editDistance(word, candidate);
    return distance > limit ? [] : [{ candidate, distance }];
  });
  if (near.length === 0)
    return candidates.filter((candidate) => word.length >= 3 && candidate.startsWith(word)).slice(0, most);
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions and replacements that turn `from` into `to`. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous[to.length] ?? to.length;
}

/** Without the quotes around all of it. */
export function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

/** The words of a text; what stands in quotes is one, without them. */
export function quotedWords(text: string): string[] {
  return [...text.matchAll(QUOTED_WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}

const QUOTED_WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

/** The whole of a text, in either case of letters. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a text with more than white space in it. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The value if it is a text and not empty. */
export function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other;
}
