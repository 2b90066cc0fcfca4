// What a form of a call in a text is: how it begins, and how it is read.
import type { FoundCall, OfferedTools } from './offered-tools.js';

export interface ReadCalls {
  readonly calls: readonly FoundCall[];
  /** Where the text goes on behind them. */
  readonly end: number;
}

/** Reads what begins at `at`; null if it is no whole call of an offered tool. */
export type ReadForm = (source: string, at: number, tools: OfferedTools) => ReadCalls | null;

export interface CallForm {
  /** What the form begins with. */
  readonly mark: string;
  /** It counts at the beginning of a line only, since it could be a word of prose. */
  readonly atLineStart?: boolean;
  readonly read: ReadForm;
}

/** The end of `expected` where the text goes on with it, white space aside; null if it does not. */
export function skipText(source: string, at: number, expected: string): number | null {
  let from = at;
  while (/\s/.test(source[from] ?? '')) from++;
  return source.startsWith(expected, from) ? from + expected.length : null;
}

/** What a sticky pattern finds at that place. */
export function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}
