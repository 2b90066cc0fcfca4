// A text of several lines that is typed inside a dialog: a note, a rule, an answer in own words. One rule: pasted text is text, and only
// Enter alone sends it.
import { clustersIn } from '../../view/clusters.js';
import { escapeHidden } from '../../view/escape-text.js';
import { displayWidth } from '../../view/width.js';
import { typedText } from '../pagers/text-field.js';
import type { Input } from '../screen/input.js';
import type { Frame } from '../screen/screen.js';

export interface NoteField {
  text(): string;
  render(columns: number): Frame;
  /** `ignored`: the key means nothing here. */
  handle(input: Input): 'taken' | 'send' | 'close' | 'ignored';
}

/** A longer paste is for the draft. */
const MAX_LENGTH = 100_000;

export function createNoteField(initial = ''): NoteField {
  /** What a person takes for one character each. */
  let before = charactersOf(initial);
  const after: string[] = [];

  const insert = (text: string): void => {
    before = charactersOf(before.join('') + text);
  };
  const move = (from: string[], to: 'left' | 'right'): void => {
    const one = to === 'left' ? from.pop() : from.shift();
    if (one === undefined) return;
    if (to === 'left') after.unshift(one);
    else before.push(one);
  };
  const moveWhile = (to: 'left' | 'right', goes: (character: string) => boolean): void => {
    const from = to === 'left' ? before : after;
    for (let next = to === 'left' ? from.at(-1) : from[0]; next !== undefined && goes(next); ) {
      move(from, to);
      next = to === 'left' ? from.at(-1) : from[0];
    }
  };
  const inLine = (character: string) => character !== '\n';
  const dropWord = (): void => {
    while (before.at(-1)?.trim() === '') before.pop();
    while (before.length > 0 && before.at(-1)?.trim() !== '') before.pop();
  };

  const keys: Readonly<Record<string, () => void>> = {
    left: () => move(before, 'left'),
    'ctrl+b': () => move(before, 'left'),
    right: () => move(after, 'right'),
    'ctrl+f': () => move(after, 'right'),
    home: () => moveWhile('left', inLine),
    'ctrl+a': () => moveWhile('left', inLine),
    end: () => moveWhile('right', inLine),
    'ctrl+e': () => moveWhile('right', inLine),
    up() {
      const column = columnOf(before);
      moveWhile('left', inLine);
      move(before, 'left');
      moveWhile('left', inLine);
      for (let at = 0; at < column && after[0] !== undefined && after[0] !== '\n'; at++) move(after, 'right');
    },
    down() {
      const column = columnOf(before);
      moveWhile('right', inLine);
      move(after, 'right');
      for (let at = 0; at < column && after[0] !== undefined && after[0] !== '\n'; at++) move(after, 'right');
    },
    backspace: () => void before.pop(),
    'ctrl+h': () => void before.pop(),
    delete: () => void after.shift(),
    'ctrl+d': () => void after.shift(),
    'ctrl+w': dropWord,
    'alt+backspace': dropWord,
    'ctrl+u': () => void before.splice(before.lastIndexOf('\n') + 1),
    'ctrl+k'() {
      const end = after.indexOf('\n');
      after.splice(0, end === -1 ? after.length : end);
    },
    'shift+enter': () => insert('\n'),
    'alt+enter': () => insert('\n'),
    'ctrl+j': () => insert('\n'),
  };

  return {
    text: () => [...before, ...after].join(''),
    render(columns) {
      const lines = [''];
      let caret = { row: 0, column: 0 };
      const room = Math.max(2, columns - 1);
      const put = (character: string): void => {
        if (character === '\n') {
          lines.push('');
          return;
        }
        const shown = character === '\t' ? '  ' : showCharacter(character);
        if (displayWidth((lines.at(-1) ?? '') + shown) > room) lines.push('');
        lines[lines.length - 1] += shown;
      };
      for (const character of before) put(character);
      caret = { row: lines.length - 1, column: displayWidth(lines.at(-1) ?? '') };
      for (const character of after) put(character);
      return { lines, caret };
    },
    handle(input) {
      if (input.type === 'focus') return 'ignored';
      if (input.type === 'paste') {
        if (input.text.length > MAX_LENGTH) return 'ignored';
        insert(input.text.replace(/\r\n?/g, '\n'));
        return 'taken';
      }
      const { key } = input;
      if (key === 'enter' || key === 'return') return 'send';
      if (key === 'escape') return 'close';
      const act = key === null ? undefined : keys[key];
      if (act !== undefined) {
        act();
        return 'taken';
      }
      const text = typedText(input);
      if (text === null) return 'ignored';
      insert(text);
      return 'taken';
    },
  };
}

function charactersOf(text: string): string[] {
  return [...clustersIn(text)].map(({ segment }) => segment);
}

function columnOf(characters: readonly string[]): number {
  return characters.length - 1 - characters.lastIndexOf('\n');
}

/** Joiners inside one character are part of it. */
function showCharacter(character: string): string {
  return /\p{Extended_Pictographic}/u.test(character) ? character : escapeHidden(character);
}
