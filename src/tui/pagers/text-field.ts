// A field of one line, for a search or a name. Text of others is shown escaped; what is pasted loses its line ends.
import { clustersIn } from '../../view/clusters.js';
import { escapeHidden } from '../../view/escape-text.js';
import { displayWidth } from '../../view/width.js';
import type { Input } from '../screen/input.js';

export interface TextField {
  readonly text: string;
  /** True when it was taken: characters, pastes, Backspace, Ctrl-U, Ctrl-W, and the ways of the caret. */
  handle(input: Input): boolean;
  /** The end of the text that fits, and the place of the caret in it. */
  render(columns: number): { readonly text: string; readonly caret: number };
}

/** More than anybody searches for. */
const LONGEST = 500;

export function createTextField(given = ''): TextField {
  let clusters = clustersOf(given);
  let at = clusters.length;
  const insert = (text: string): boolean => {
    const added = clustersOf(text.replace(/\s*[\r\n]+\s*/g, ' ')).slice(0, LONGEST - clusters.length);
    clusters = [...clusters.slice(0, at), ...added, ...clusters.slice(at)];
    at += added.length;
    return true;
  };
  const cut = (from: number, to: number): boolean => {
    clusters = [...clusters.slice(0, from), ...clusters.slice(to)];
    at = from;
    return true;
  };
  const wordStart = (): number => {
    let from = at;
    while (from > 0 && clusters[from - 1] === ' ') from -= 1;
    while (from > 0 && clusters[from - 1] !== ' ') from -= 1;
    return from;
  };
  const go = (to: number): boolean => {
    at = Math.max(0, Math.min(to, clusters.length));
    return true;
  };
  return {
    get text() {
      return clusters.join('');
    },
    handle(input) {
      if (input.type === 'paste') return insert(input.text);
      if (input.type !== 'key') return false;
      switch (input.key) {
        case 'backspace':
          return cut(Math.max(0, at - 1), at);
        case 'delete':
          return cut(at, at + 1);
        case 'ctrl+u':
          return cut(0, at);
        case 'ctrl+w':
        case 'alt+backspace':
          return cut(wordStart(), at);
        case 'left':
          return go(at - 1);
        case 'right':
          return go(at + 1);
        case 'home':
        case 'ctrl+a':
          return go(0);
        case 'end':
        case 'ctrl+e':
          return go(clusters.length);
        default: {
          const typed = typedText(input);
          return typed !== null && insert(typed);
        }
      }
    },
    render(columns) {
      const shown = clusters.map((cluster) => escapeHidden(cluster));
      let from = 0;
      const room = Math.max(1, columns - 1);
      const widthOf = (start: number, end: number): number => displayWidth(shown.slice(start, end).join(''));
      while (from < at && widthOf(from, at) > room) from += 1;
      let end = at;
      while (end < shown.length && widthOf(from, end + 1) <= room) end += 1;
      return { text: shown.slice(from, end).join(''), caret: widthOf(from, at) };
    },
  };
}

/** The character that a key wrote; null for one that writes none. */
export function typedText(input: Input): string | null {
  if (input.type !== 'key') return null;
  const { key, data } = input;
  if (key === 'space' || key === 'shift+space') return ' ';
  if (key !== null && key.length > 1) {
    const shifted = /^shift\+([a-z])$/.exec(key);
    return shifted === null ? null : (shifted[1] ?? '').toUpperCase();
  }
  const text = key ?? data;
  return text === '' || /\p{Cc}/u.test(text) ? null : text;
}

function clustersOf(text: string): string[] {
  return [...clustersIn(text)].map(({ segment }) => segment);
}
