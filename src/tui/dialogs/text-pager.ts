// The whole of what a dialog is about, in the alternate screen.
import { fitToWidth } from '../../view/width.js';
import type { Pager } from '../pagers/pager.js';
import type { Input } from '../screen/input.js';

/** @param linesOf drawn lines of at most so many columns */
export function createTextPager(title: string, linesOf: (columns: number) => readonly string[]): Pager {
  let top = 0;
  let page = 1;
  let count = 0;
  const moves: Readonly<Record<string, () => number>> = {
    up: () => top - 1,
    k: () => top - 1,
    down: () => top + 1,
    j: () => top + 1,
    enter: () => top + 1,
    pageUp: () => top - page,
    b: () => top - page,
    pageDown: () => top + page,
    space: () => top + page,
    f: () => top + page,
    home: () => 0,
    g: () => 0,
    end: () => count - page,
    'shift+g': () => count - page,
  };
  return {
    title,
    render({ columns, rows }) {
      const lines = linesOf(columns);
      count = lines.length;
      page = Math.max(1, rows - 1);
      top = Math.max(0, Math.min(top, count - page));
      const shown = lines.slice(top, top + page);
      const where = `${title}: lines ${top + 1} to ${top + shown.length} of ${count} · q goes back`;
      const fill = Array.from({ length: page - shown.length }, () => '');
      return { lines: [...shown, ...fill, fitToWidth(where, columns)].slice(-rows), caret: null };
    },
    handle(input: Input) {
      if (input.type !== 'key') return 'ignored';
      if (input.key === 'escape' || input.key === 'q' || input.key === 'v') return 'close';
      const move = input.key === null ? undefined : moves[input.key];
      if (move === undefined) return 'ignored';
      top = Math.max(0, Math.min(move(), count - page));
      return 'taken';
    },
  };
}
