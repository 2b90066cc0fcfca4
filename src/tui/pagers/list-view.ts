// A list of which one thing is chosen: moving, and searching by words.

import { displayWidth, fitToWidth, wrapText } from '../../view/width.js';
import type { Keybindings } from '../keybindings.js';
import type { Input, Size } from '../screen/index.js';
import { createTextField, type TextField } from '../text-field.js';
import type { Theme } from '../theme.js';

export interface ListRow {
  /** Escaped, on one line; cut to the window. */
  readonly text: string;
  /** Behind it, as far as there is room; of the chosen row whole, below the list. */
  readonly note?: string;
}

export interface ListView<T> {
  render(size: Size): readonly string[];
  /** True when it was taken. Enter, and keys that do something to what is chosen, are not. */
  handle(input: Input): boolean;
  /** What Enter takes; null if nothing is left. */
  readonly chosen: T | null;
  readonly search: TextField | null;
  readonly note: string;
  /** Moves to the first that fits. */
  choose(isIt: (item: T) => boolean): void;
}

export interface ListParts<T> {
  readonly items: () => readonly T[];
  readonly row: (item: T, columns: number) => ListRow;
  /** What a search looks at; default the row. */
  readonly words?: (item: T) => string;
  readonly theme: Theme;
  readonly bindings: Keybindings;
  readonly empty: string;
}

/** Rows for the note of the chosen row, below an empty one; not in a window with fewer rows than these. */
const NOTE_ROWS = 3;
const LEAST_ROWS = 10;
/** Longer lists are not looked through for notes that are cut: they have some. */
const MANY = 300;

export function createListView<T>({ items, row, words, theme, bindings, empty }: ListParts<T>): ListView<T> {
  let at = 0;
  let top = 0;
  let rows = 10;
  let field: TextField | null = null;
  let query = '';
  const shown = (): readonly T[] => {
    const wanted = (field?.text ?? query)
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (wanted.length === 0) return items();
    return items().filter((item) => {
      const text = (words?.(item) ?? row(item, 1_000).text).toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  };
  const move = (to: number): boolean => {
    at = Math.max(0, Math.min(to, shown().length - 1));
    return true;
  };
  return {
    get chosen() {
      const list = shown();
      return list[Math.min(at, list.length - 1)] ?? null;
    },
    get search() {
      return field;
    },
    get note() {
      const [all, left] = [items().length, shown().length];
      return all === left ? String(all) : `${left} of ${all}: ${field?.text ?? query}`;
    },
    choose(isIt) {
      const place = shown().findIndex(isIt);
      if (place !== -1) at = place;
    },
    render(size) {
      const list = shown();
      const isCut = (item: T): boolean => {
        const { text, note = '' } = row(item, size.columns - 2);
        return note !== '' && displayWidth(text) + displayWidth(note) + 4 > size.columns;
      };
      const hasNotes = size.rows >= LEAST_ROWS && (list.length > MANY || list.some(isCut));
      rows = Math.max(1, size.rows - (hasNotes ? NOTE_ROWS + 1 : 0));
      at = Math.max(0, Math.min(at, list.length - 1));
      top = Math.max(Math.min(top, at), at - rows + 1, 0);
      top = Math.min(top, Math.max(0, list.length - rows));
      if (list.length === 0)
        return [theme.paint(fitToWidth(`  ${items().length === 0 ? empty : 'Nothing fits.'}`, size.columns), 'dim')];
      const lines = list.slice(top, top + rows).map((item, place) => {
        const isChosen = top + place === at;
        const { text, note = '' } = row(item, size.columns - 2);
        // Not by colour alone.
        const line = fitToWidth(`${isChosen ? '> ' : '  '}${text}`, size.columns);
        const rest = note === '' ? '' : fitToWidth(`  ${note}`, Math.max(0, size.columns - displayWidth(line)));
        return isChosen ? theme.paint(line, 'selected') + theme.paint(rest, 'dim') : line + theme.paint(rest, 'dim');
      });
      const chosen = list[at];
      if (!hasNotes || chosen === undefined || !isCut(chosen)) return lines;
      const whole = wrapText(row(chosen, size.columns - 2).note ?? '', Math.max(1, size.columns - 2));
      const note =
        whole.length > NOTE_ROWS ? [...whole.slice(0, NOTE_ROWS - 1), whole.slice(NOTE_ROWS - 1).join(' ')] : whole;
      return [...lines, '', ...note.map((text) => `  ${theme.paint(fitToWidth(text, size.columns - 2), 'dim')}`)];
    },
    handle(input) {
      if (field !== null) {
        if (input.type === 'key' && input.key === 'escape') [field, query] = [null, ''];
        else if (input.type === 'key' && input.key === 'enter') {
          query = field.text;
          field = null;
        } else if (input.type === 'key' && (input.key === 'down' || input.key === 'up'))
          move(at + (input.key === 'down' ? 1 : -1));
        else {
          field.handle(input);
          at = 0;
        }
        return true;
      }
      if (input.type !== 'key' || input.key === null) return false;
      switch (bindings.actionOf(input.key, 'pager')) {
        case 'pager.down':
          return move(at + 1);
        case 'pager.up':
          return move(at - 1);
        case 'pager.pageDown':
          return move(at + rows - 1);
        case 'pager.pageUp':
          return move(at - rows + 1);
        case 'pager.top':
          return move(0);
        case 'pager.bottom':
          return move(Number.MAX_SAFE_INTEGER);
        case 'pager.search':
          field = createTextField(query);
          return true;
        case 'pager.close':
          if (input.key !== 'escape' || query === '') return false;
          query = '';
          return true;
        default:
          return false;
      }
    },
  };
}
