// Ctrl-R: earlier prompts by words, below the draft. One rule: what is chosen goes into the composer, and is not sent.
import { oneLine } from '../../view/escape-text.js';
import { fitToWidth } from '../../view/width.js';
import type { Layer } from '../face.js';
import { createTextField } from '../text-field.js';
import type { Theme } from '../theme.js';
import { searchPrompts } from './prompt-history.js';

/** Prompts that are shown at once. */
const MOST_ROWS = 8;

export interface HistorySearchParts {
  readonly entries: () => readonly string[];
  readonly theme: Theme;
  /** The key that opened it; once more it goes to an older prompt. */
  readonly keys: readonly string[];
  /** What was chosen; null if nothing was. Takes the layer away. */
  readonly done: (text: string | null) => void;
}

export function createHistorySearch({ entries, theme, keys, done }: HistorySearchParts): Layer {
  const field = createTextField();
  let at = 0;
  const found = (): readonly string[] => searchPrompts(entries(), field.text);
  const older = (by: number): void => {
    at = Math.max(0, Math.min(at + by, found().length - 1));
  };
  return {
    name: 'history-search',
    render({ columns, rows }) {
      const list = found();
      const room = Math.max(0, Math.min(MOST_ROWS, rows - 2));
      const top = Math.max(0, at - room + 1);
      const label = fitToWidth(' Earlier prompts: ', Math.max(0, columns - 4));
      const shown = field.render(columns - label.length);
      const lines = list.slice(top, top + room).map((entry, place) => {
        const isChosen = top + place === at;
        const line = `${isChosen ? '> ' : '  '}${oneLine(entry, Math.max(1, columns - 2))}`;
        return isChosen ? theme.paint(fitToWidth(line, columns), 'selected') : fitToWidth(line, columns);
      });
      const hint =
        list.length === 0
          ? 'None holds these words. Esc closes.'
          : `${at + 1} of ${list.length}. Enter takes it${columns < 60 ? '' : ', Up and Down choose'}, Esc closes.`;
      return {
        lines: [
          `${theme.paint(label, 'strong')}${shown.text}`,
          ...lines,
          ...(rows > 1 ? [theme.paint(fitToWidth(` ${hint}`, columns), 'dim')] : []),
        ],
        caret: { row: 0, column: Math.min(columns - 1, label.length + shown.caret) },
      };
    },
    handle(input) {
      if (input.type === 'focus') return false;
      if (input.type === 'key') {
        const { key } = input;
        if (key === 'escape' || key === 'ctrl+g') {
          done(null);
          return true;
        }
        if (key === 'enter' || key === 'tab') {
          done(found()[at] ?? null);
          return true;
        }
        if (key === 'up' || key === 'ctrl+s' || key === 'ctrl+p') {
          older(-1);
          return true;
        }
        if (key === 'down' || key === 'ctrl+n' || (key !== null && keys.includes(key))) {
          older(1);
          return true;
        }
      }
      if (!field.handle(input)) return false;
      at = 0;
      return true;
    },
  };
}
