// What calls in texts begin with, for the tools of one request.
import type { CallForm } from './call-form.js';
import { markedForms } from './forms.js';

const THOUGHT_END = '</think>';

export interface Marks {
  readonly forms: readonly CallForm[];
  /** Of calls, and of the end of a thought. */
  readonly texts: readonly string[];
  /** Those that count at the beginning of a line only. */
  readonly ofLines: ReadonlySet<string>;
  readonly longest: number;
  readonly firstCharacters: ReadonlySet<string>;
  /** A character that a mark begins with. */
  readonly mayBegin: RegExp;
  /** Any mark; the longest first. Global. */
  readonly any: RegExp;
}

export function createMarks(names: readonly string[]): Marks {
  const forms = markedForms(names);
  const texts = [...forms.map(({ mark }) => mark), THOUGHT_END];
  const firstCharacters = new Set(texts.map((mark) => mark[0] ?? ''));
  const codes = [...firstCharacters].map((first) => `\\u{${first.codePointAt(0)?.toString(16)}}`);
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return {
    forms,
    texts,
    ofLines: new Set(forms.filter(({ atLineStart }) => atLineStart).map(({ mark }) => mark)),
    longest: longestFirst[0]?.length ?? 0,
    firstCharacters,
    mayBegin: new RegExp(`[${codes.join('')}]`, 'u'),
    any: new RegExp(longestFirst.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g'),
  };
}
