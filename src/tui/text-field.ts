// A text that is typed inside a dialog or a window: a search, a name, a note, an answer in own words. What others wrote is shown
// escaped, and what is pasted is text. Enter and Escape belong to whoever has the field.

import { escapeHidden } from '../view/escape-text.js';
import { clustersIn, displayWidth } from '../view/width.js';
import type { Frame, Input } from './screen/index.js';

export interface TextField {
  readonly text: string;
  /** True when it was taken: characters, pastes, what cuts and what moves the caret. */
  handle(input: Input): boolean;
  /** One row: the part of the text around the caret that fits. */
  render(columns: number): { readonly text: string; readonly caret: number };
  /** All of it, in as many rows as it takes. */
  renderWhole(columns: number): Frame;
}

export interface TextFieldOptions {
  /** Line ends are part of it; else they become blanks. Default: false. */
  readonly hasLines?: boolean;
}

/** More than anybody searches for, in characters. */
const LONGEST_LINE = 500;
/** A longer paste is for the draft. */
const LONGEST_TEXT = 100_000;
const ENDS = /\s*[\r\n]+\s*/g;

export function createTextField(initial = '', { hasLines = false }: TextFieldOptions = {}): TextField {
  /** What a person takes for one character each, before and behind the caret. */
  let before = charactersOf(initial);
  let after: string[] = [];

  const insert = (text: string): true => {
    const room = (hasLines ? LONGEST_TEXT : LONGEST_LINE) - before.length - after.length;
    // What joins the character before it makes one with it.
    const joined = charactersOf(before.slice(-1).join('') + text);
    before = [...before.slice(0, -1), ...joined.slice(0, Math.max(0, room) + 1)];
    return true;
  };
  const go = (by: number): void => {
    const all = [...before, ...after];
    const at = Math.max(0, Math.min(before.length + by, all.length));
    [before, after] = [all.slice(0, at), all.slice(at)];
  };
  const lineStart = () => before.lastIndexOf('\n') + 1;
  const lineRest = () => {
    const end = after.indexOf('\n');
    return end === -1 ? after.length : end;
  };
  const toLine = (by: -1 | 1): void => {
    const column = before.length - lineStart();
    if (by === -1) {
      go(lineStart() - before.length - 1);
      go(lineStart() - before.length);
    } else go(lineRest() + 1);
    // From the beginning of that line, unless there was none.
    if (before.length === lineStart()) go(Math.min(column, lineRest()));
  };
  const dropWord = (): void => {
    while (before.at(-1)?.trim() === '') before.pop();
    while (before.length > 0 && before.at(-1)?.trim() !== '') before.pop();
  };

  const keys: Readonly<Record<string, () => void>> = {
    left: () => go(-1),
    'ctrl+b': () => go(-1),
    right: () => go(1),
    'ctrl+f': () => go(1),
    home: () => go(lineStart() - before.length),
    'ctrl+a': () => go(lineStart() - before.length),
    end: () => go(lineRest()),
    'ctrl+e': () => go(lineRest()),
    backspace: () => void before.pop(),
    'ctrl+h': () => void before.pop(),
    delete: () => void after.shift(),
    'ctrl+d': () => void after.shift(),
    'ctrl+w': dropWord,
    'alt+backspace': dropWord,
    'ctrl+u': () => void before.splice(lineStart()),
    'ctrl+k': () => void after.splice(0, lineRest()),
    ...(hasLines
      ? {
          up: () => toLine(-1),
          down: () => toLine(1),
          'shift+enter': () => void insert('\n'),
          'alt+enter': () => void insert('\n'),
          'ctrl+j': () => void insert('\n'),
        }
      : {}),
  };

  return {
    get text() {
      return [...before, ...after].join('');
    },
    handle(input) {
      if (input.type === 'focus') return false;
      if (input.type === 'paste') {
        if (!hasLines) return insert(input.text.replace(ENDS, ' '));
        return input.text.length <= LONGEST_TEXT && insert(input.text.replace(/\r\n?/g, '\n'));
      }
      const act = input.key === null ? undefined : keys[input.key];
      if (act !== undefined) {
        act();
        return true;
      }
      const typed = typedText(input);
      return typed !== null && insert(typed);
    },
    render(columns) {
      const shown = [...before, ...after].map(shownCharacter);
      const at = before.length;
      const room = Math.max(1, columns - 1);
      const widthOf = (start: number, end: number): number => displayWidth(shown.slice(start, end).join(''));
      let from = 0;
      while (from < at && widthOf(from, at) > room) from += 1;
      let end = at;
      while (end < shown.length && widthOf(from, end + 1) <= room) end += 1;
      return { text: shown.slice(from, end).join(''), caret: widthOf(from, at) };
    },
    renderWhole(columns) {
      const lines = [''];
      const room = Math.max(2, columns - 1);
      const put = (character: string): void => {
        if (character === '\n') {
          lines.push('');
          return;
        }
        const shown = shownCharacter(character);
        if (displayWidth((lines.at(-1) ?? '') + shown) > room) lines.push('');
        lines[lines.length - 1] += shown;
      };
      for (const character of before) put(character);
      const caret = { row: lines.length - 1, column: displayWidth(lines.at(-1) ?? '') };
      for (const character of after) put(character);
      return { lines, caret };
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

function charactersOf(text: string): string[] {
  return [...clustersIn(text)].map(({ segment }) => segment);
}

/** Joiners inside one character are part of it. */
function shownCharacter(character: string): string {
  if (character === '\t') return '  ';
  return /\p{Extended_Pictographic}/u.test(character) ? character : escapeHidden(character);
}
