// An edit as a person reads it: the lines that went and came, with their surroundings, at most so many.
import type { StructuredPatchHunk } from '../../protocol/tool-io.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import type { Theme } from '../theme.js';

/** Longest line, characters. */
const LONGEST = 1_000;

/**
 * The lines of a result that holds a patch; null for any other.
 * @param input of the call: what a new file holds stands there
 */
export function patchLines(result: unknown, input: unknown, most: number, theme: Theme): string[] | null {
  const { structuredPatch: hunks, created } = (result ?? {}) as {
    readonly structuredPatch?: readonly StructuredPatchHunk[];
    readonly created?: boolean;
  };
  const lines = Array.isArray(hunks) && hunks.length > 0 ? ofHunks(hunks) : created === true ? ofNewFile(input) : null;
  if (lines === null || lines.length === 0) return null;
  const shown = lines.length <= most ? lines : lines.slice(0, most - 1);
  const left = lines.length - shown.length;
  const painted = shown.map((line) => {
    const text = escapeHidden(line.slice(0, LONGEST));
    return line.startsWith('+')
      ? theme.paint(text, 'added')
      : line.startsWith('-')
        ? theme.paint(text, 'removed')
        : theme.paint(text, 'dim');
  });
  return left > 0 ? [...painted, theme.paint(`… ${formatCount(left)} more lines of this change`, 'dim')] : painted;
}

function ofHunks(hunks: readonly StructuredPatchHunk[]): string[] {
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }, at) => [
    ...(at > 0 || hunks.length > 1 ? [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`] : []),
    ...lines,
  ]);
}

function ofNewFile(input: unknown): string[] | null {
  const content = (input as { readonly content?: unknown } | null)?.content;
  if (typeof content !== 'string' || content === '') return null;
  return content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}`);
}
