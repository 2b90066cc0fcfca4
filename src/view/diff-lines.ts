// The difference of two texts as lines, for every face that shows what an edit changes. Text is escaped.
import type { StructuredPatchHunk } from '../protocol/tool-io.js';
import { escapeHidden } from './escape-text.js';

export interface DiffLine {
  /** `skipped`: lines that are the same are left out here. */
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  /** Its number in the new text, of a removed line in the old one; null if lines are left out. */
  readonly number: number | null;
  /** Without the sign, escaped. Of `skipped`: with which line it goes on. */
  readonly text: string;
}

const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** The lines of the hunks of a patch, with a line in place of those that are left out between them. */
function linesOfHunks(hunks: readonly StructuredPatchHunk[]): DiffLine[] {
  const lines: DiffLine[] = [];
  for (const [at, { oldStart, newStart, lines: own }] of hunks.entries()) {
    if (at > 0) lines.push({ kind: 'skipped', number: null, text: `line ${newStart}` });
    let [old, now] = [oldStart, newStart];
    for (const line of own) {
      const kind = KINDS[line[0] as keyof typeof KINDS];
      // A note of the format, such as that there is no line end.
      if (kind === undefined) continue;
      lines.push({ kind, number: kind === 'removed' ? old : now, text: escapeHidden(line.slice(1)) });
      if (kind !== 'added') old++;
      if (kind !== 'removed') now++;
    }
  }
  return lines;
}

/**
 * What a finished call changed, out of its result; null for one that changed no file.
 * @param input of the call: what a new file holds stands there
 */
export function diffOfResult(result: unknown, input: unknown): DiffLine[] | null {
  const { structuredPatch: hunks, created } = (result ?? {}) as {
    readonly structuredPatch?: readonly StructuredPatchHunk[];
    readonly created?: boolean;
  };
  if (Array.isArray(hunks) && hunks.length > 0) return linesOfHunks(hunks);
  const content = (input as { readonly content?: unknown } | null)?.content;
  if (created !== true || typeof content !== 'string' || content === '') return null;
  const lines = content.replace(/\n$/, '').split('\n');
  return lines.map((line, at) => ({ kind: 'added', number: at + 1, text: escapeHidden(line) }));
}

/** What became of a text. Null if it would take too long to tell. */
export async function diffTexts(before: string, after: string): Promise<DiffLine[] | null> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: 500 });
  return patch === undefined ? null : linesOfHunks(patch.hunks);
}

/** `+12 -3` */
export function countOfDiff(lines: readonly DiffLine[]): string {
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return `+${count('added')} -${count('removed')}`;
}

/** The sign that stands before a line of a diff. */
export function signOfDiff({ kind }: DiffLine): string {
  return kind === 'added' ? '+' : kind === 'removed' ? '-' : kind === 'skipped' ? '⋮' : ' ';
}
