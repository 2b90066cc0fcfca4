// What steps found out, as data. Everything an answer or a report says comes from here, and everything here comes
// from tool results.
import type { Step } from './step.js';

export interface FileFact {
  /** Relative to the working directory where it lies inside it. */
  readonly path: string;
  readonly lines?: number;
  readonly bytes?: number;
}

export interface MatchFact {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface TextFact {
  readonly path: string;
  readonly lines: readonly string[];
  /** Number of the first line, counted from 1. */
  readonly first: number;
  /** True where it is the whole file. */
  readonly whole: boolean;
}

/** The outcome of one step. Only the fields its step can fill are there. */
export interface Finding {
  readonly step: Step;
  /** For people, as a heading: `Largest TypeScript file under src, by line count`. */
  readonly title: string;
  readonly files?: readonly FileFact[];
  readonly count?: { readonly value: number; readonly unit: string };
  readonly matches?: readonly MatchFact[];
  readonly texts?: readonly TextFact[];
  readonly summary?: string;
  readonly output?: { readonly command: string; readonly text: string; readonly exitCode: number };
  /** What a "tell me" asked for, ready to say. */
  readonly told?: string;
  /** What was changed, as a sentence. */
  readonly change?: string;
  /** Files that were written or edited. */
  readonly changed?: readonly string[];
  /** The text that was searched for. */
  readonly needle?: string;
  /** Limits of what was found, in sentences. */
  readonly notes: readonly string[];
}

/** A step that did not do its work. */
export interface Failure {
  readonly step: Step;
  readonly reason: string;
  /** `skipped`: not tried, because what it needs is missing. */
  readonly kind: 'failed' | 'skipped' | 'not_understood';
}

/** All that is known when the last step is through. */
export interface Findings {
  readonly found: readonly Finding[];
  readonly failures: readonly Failure[];
}

/**
 * Files that "it" or "them" can mean, newest finding first; null where no step was about files. `looked`: files that
 * were found or read come before files that were written, for "write its path to a.md, then its size to b.md".
 */
export function lastFiles(found: readonly Finding[], prefer: 'any' | 'looked' = 'any'): readonly FileFact[] | null {
  const files = found
    .toReversed()
    .map((finding) => ({ files: filesOf(finding), written: finding.changed !== undefined }));
  const chosen = files.find((entry) => entry.files !== null && (prefer === 'any' || !entry.written));
  return chosen?.files ?? (prefer === 'looked' ? lastFiles(found) : null);
}

function filesOf(finding: Finding): readonly FileFact[] | null {
  if (finding.files !== undefined) return finding.files;
  if (finding.matches !== undefined)
    return [...new Set(finding.matches.map((match) => match.path))].map((path) => ({ path }));
  return finding.changed?.map((path) => ({ path })) ?? null;
}

/** A whole text knows its number of lines. */
export function factOf(text: TextFact): FileFact {
  return text.whole ? { path: text.path, lines: text.lines.length } : { path: text.path };
}

/** "1 line", "2 lines". */
export function countOf(value: number, unit: string): string {
  if (value === 1) return `1 ${unit}`;
  return `${value} ${/(?:ch|s|x)$/.test(unit) ? `${unit}es` : unit.replace(/y$/, 'ie')}${/(?:ch|s|x)$/.test(unit) ? '' : 's'}`;
}
