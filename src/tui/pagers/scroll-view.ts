// Lines that are longer than the window: scrolling, searching, and staying at the end while more comes.

import { displayWidth, wrapText } from '../../view/width.js';
import type { ActionName, Keybindings } from '../keybindings.js';
import type { Input, Size } from '../screen/index.js';
import { createTextField, type TextField } from '../text-field.js';
import type { Theme, Tone } from '../theme.js';

export interface PagerLine {
  /** Escaped, without line ends. */
  readonly text: string;
  readonly tone?: Tone;
  /** Columns before it, and before what it is wrapped into. */
  readonly indent?: number;
  /** Further columns before what it is wrapped into, if a half of the window is left beside them. */
  readonly hang?: number;
  /** Behind it, if it fits into the same row. */
  readonly tail?: string;
  /** True if one of the user's prompts begins here. */
  readonly isPrompt?: boolean;
}

export interface ScrollView {
  /** As many rows as the size has, at most. */
  render(size: Size): readonly string[];
  /** True when it was taken. */
  handle(input: Input): boolean;
  /** The field of the search that is being typed. */
  readonly search: TextField | null;
  /** Its place: `31-60 of 400`, and what was searched. */
  readonly note: string;
}

export interface ScrollParts {
  /** Contract: a line that is still there is the same object, and none is put between others. */
  readonly lines: () => readonly PagerLine[];
  readonly theme: Theme;
  readonly bindings: Keybindings;
  /** True: begins at the end, and stays there while more comes. */
  readonly startsAtEnd?: boolean;
}

export function createScrollView({ lines, theme, bindings, startsAtEnd = false }: ScrollParts): ScrollView {
  let top = 0;
  let sticks = startsAtEnd;
  let size: Size = { columns: 80, rows: 24 };
  let field: TextField | null = null;
  let query = '';
  /** The line that was found last, for the next. */
  let found: number | null = null;
  let missed = false;
  let wrapped = new WeakMap<PagerLine, readonly string[]>();
  let starts: number[] = [];
  let total = 0;
  let shownNote = '';

  const rowsOf = (line: PagerLine): readonly string[] => {
    let rows = wrapped.get(line);
    if (rows === undefined) {
      const room = Math.max(1, size.columns - (line.indent ?? 0));
      const whole = line.text + (line.tail ?? '');
      const hang = (line.hang ?? 0) <= size.columns / 2 ? (line.hang ?? 0) : 0;
      rows = wrapHanging(displayWidth(whole) <= room ? whole : line.text, room, hang);
      wrapped.set(line, rows);
    }
    return rows;
  };
  /** Of each line its first row, and of the whole how many rows there are. */
  const measure = (): void => {
    const all = lines();
    starts = [];
    total = 0;
    for (const line of all) {
      starts.push(total);
      total += rowsOf(line).length;
    }
  };
  const lastTop = (): number => Math.max(0, total - size.rows);
  const goTo = (row: number): void => {
    top = Math.max(0, Math.min(row, lastTop()));
    sticks = startsAtEnd && top === lastTop();
  };
  const lineAt = (row: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const holds = (line: PagerLine): boolean => foldCase(line.text, query).includes(query);
  const searchFrom = (line: number, by: 1 | -1): void => {
    const all = lines();
    missed = true;
    for (let seen = 0, at = line; seen < all.length; seen++, at += by) {
      const place = ((at % all.length) + all.length) % all.length;
      if (!holds(all[place] as PagerLine)) continue;
      [found, missed] = [place, false];
      goTo((starts[place] ?? 0) - Math.floor(size.rows / 3));
      return;
    }
  };
  const toPrompt = (by: 1 | -1): void => {
    const all = lines();
    let at = lineAt(top) + by;
    while (at >= 0 && at < all.length && all[at]?.isPrompt !== true) at += by;
    goTo(starts[at] ?? (by === 1 ? lastTop() : 0));
  };
  const move = (action: ActionName | null): boolean => {
    switch (action) {
      case 'pager.down':
        goTo(top + 1);
        return true;
      case 'pager.up':
        goTo(top - 1);
        return true;
      case 'pager.pageDown':
        goTo(top + Math.max(1, size.rows - 1));
        return true;
      case 'pager.pageUp':
        goTo(top - Math.max(1, size.rows - 1));
        return true;
      case 'pager.top':
        goTo(0);
        return true;
      case 'pager.bottom':
        goTo(lastTop());
        return true;
      case 'pager.search':
        field = createTextField();
        return true;
      case 'pager.next':
        if (query !== '') searchFrom((found ?? lineAt(top) - 1) + 1, 1);
        return true;
      case 'pager.previous':
        if (query !== '') searchFrom((found ?? lineAt(top)) - 1, -1);
        return true;
      case 'pager.nextPrompt':
        toPrompt(1);
        return true;
      case 'pager.previousPrompt':
        toPrompt(-1);
        return true;
      default:
        return false;
    }
  };

  return {
    get search() {
      return field;
    },
    get note() {
      return shownNote;
    },
    render(now) {
      if (now.columns !== size.columns) {
        // What is being read stays in its place.
        const line = lineAt(top);
        size = now;
        wrapped = new WeakMap();
        measure();
        top = starts[line] ?? 0;
      }
      size = now;
      measure();
      top = sticks ? lastTop() : Math.min(top, lastTop());
      const all = lines();
      const shown: string[] = [];
      for (let at = lineAt(top); at < all.length && shown.length < size.rows; at++) {
        const line = all[at] as PagerLine;
        const skipped = Math.max(0, top - (starts[at] ?? 0));
        const indent = ' '.repeat(Math.min(line.indent ?? 0, size.columns));
        for (const row of rowsOf(line).slice(skipped, skipped + size.rows - shown.length))
          shown.push(indent + painted(row, line.tone, query, theme));
      }
      const end = Math.min(total, top + size.rows);
      const place = total === 0 ? 'empty' : `${top + 1}-${end} of ${total}`;
      shownNote = query === '' ? place : `${place}  ${missed ? 'not found:' : 'found:'} ${query}`;
      return shown;
    },
    handle(input) {
      if (field !== null) {
        if (input.type === 'key' && input.key === 'escape') field = null;
        else if (input.type === 'key' && input.key === 'enter') {
          const text = field.text;
          query = text === text.toLowerCase() ? text.toLowerCase() : text;
          [field, found] = [null, null];
          missed = false;
          if (query !== '') searchFrom(lineAt(top), 1);
        } else field.handle(input);
        return true;
      }
      if (input.type !== 'key' || input.key === null) return false;
      const action = bindings.actionOf(input.key, 'pager');
      // What is found is forgotten before the pager closes.
      if (action === 'pager.close' && input.key === 'escape' && query !== '') {
        [query, found, missed] = ['', null, false];
        return true;
      }
      return move(action);
    },
  };
}

function wrapHanging(text: string, room: number, hang: number): readonly string[] {
  if (hang === 0 || displayWidth(text) <= room) return wrapText(text, room);
  const head = text.slice(0, hang);
  return wrapText(text.slice(hang), room - hang).map((row, at) => (at === 0 ? head : ' '.repeat(hang)) + row);
}

/** Capital letters count only if some were typed. */
function foldCase(text: string, query: string): string {
  return query === query.toLowerCase() ? text.toLowerCase() : text;
}

function painted(row: string, tone: Tone | undefined, query: string, theme: Theme): string {
  const paint = (text: string): string => (tone === undefined ? text : theme.paint(text, tone));
  const text = foldCase(row, query);
  // Letters whose small form is longer would be marked in the wrong place.
  if (query === '' || text.length !== row.length || !text.includes(query)) return paint(row);
  let shown = '';
  let from = 0;
  for (let at = text.indexOf(query); at !== -1; at = text.indexOf(query, from)) {
    shown += paint(row.slice(from, at)) + theme.paint(row.slice(at, at + query.length), 'found');
    from = at + query.length;
  }
  return shown + paint(row.slice(from));
}
