// Calls as JSON between two marks, bare, or in a fence.
import { type CallForm, matchAt, type ReadCalls, skipText } from './call-form.js';
import { type LooseValue, readLooseJson, skipSpace } from './loose-json.js';
import type { FoundCall, OfferedTools } from './offered-tools.js';

const FENCE_OPEN = /\s*```(?:json)?[ \t]*\r?\n/y;
const FENCE_CLOSE = /\s*```[ \t]*(?=\n|$|<)/y;
const BETWEEN = /\s*[;,]?\s*/y;
/** Brackets too many, as some models close more than they opened. */
const TOO_MANY = /[\s}\]]*/y;

/** One or more values between `mark` and one of `closes`, which may be missing where the text ends. */
export function jsonForm(mark: string, closes: readonly string[] = []): CallForm {
  return { mark, read: (source, at, tools) => readTagged(source, at + mark.length, closes, tools) };
}

export function readTagged(
  source: string,
  start: number,
  closes: readonly string[],
  tools: OfferedTools,
): ReadCalls | null {
  const fence = matchAt(FENCE_OPEN, source, start);
  const found = readValues(source, start + (fence?.[0].length ?? 0), closes, tools);
  if (found === null) return null;
  const { calls } = found;
  let { end } = found;
  if (fence !== null) {
    const closed = matchAt(FENCE_CLOSE, source, end);
    if (closed === null) return null;
    end += closed[0].length;
  }
  const closed = closeOf(source, end, closes);
  return { calls, end: closed ?? end };
}

function readValues(source: string, start: number, closes: readonly string[], tools: OfferedTools): ReadCalls | null {
  const calls: FoundCall[] = [];
  for (let at = skipSpace(source, start); ; ) {
    const read = readLooseJson(source, at) ?? readClosed(source, at, closes);
    const found = read === null ? null : tools.calls(read.value, true);
    if (read === null || found === null) return null;
    calls.push(...found);
    const surplus = read.end + (matchAt(TOO_MANY, source, read.end)?.[0].length ?? 0);
    if (surplus > read.end && closeOf(source, surplus, closes) !== null) return { calls, end: surplus };
    at = read.end + (matchAt(BETWEEN, source, read.end)?.[0].length ?? 0);
    if (source[at] !== '{') return { calls, end: read.end };
  }
}

/** A value whose last brace is missing, where the mark behind it says that it is over. */
function readClosed(source: string, at: number, closes: readonly string[]): LooseValue | null {
  const ends = closes.map((close) => source.indexOf(close, at)).filter((end) => end !== -1);
  if (ends.length === 0) return null;
  const body = source.slice(at, Math.min(...ends)).trimEnd();
  const read = readLooseJson(body, 0, { isClosed: true });
  return read !== null && read.end === body.length ? { value: read.value, end: at + read.end } : null;
}

function closeOf(source: string, at: number, closes: readonly string[]): number | null {
  for (const close of closes) {
    const end = skipText(source, at, close);
    if (end !== null) return end;
  }
  return null;
}

/** JSON without a mark: nothing but its content says that it is a call. */
export function readBareJson(source: string, at: number, tools: OfferedTools): ReadCalls | null {
  const calls: FoundCall[] = [];
  for (let from = at; ; ) {
    const read = readLooseJson(source, from);
    const found = read === null ? null : tools.calls(read.value, false);
    if (read === null || found === null) return calls.length === 0 ? null : { calls, end: from };
    calls.push(...found);
    from = skipSpace(source, read.end);
    if (source[from] !== '{') return { calls, end: read.end };
  }
}
