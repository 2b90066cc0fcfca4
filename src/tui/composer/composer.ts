// The draft: what a person writes before it is sent. One rule: nothing of it is lost or changed; what cannot be shown in
// a line stands in it as a marker or a sign, and is sent as it was.

import { DraftEditor, type EditorScreen, type EditorTheme } from '../pi.js';
import { cellsOf, type Frame, type Input } from '../screen/index.js';
import type { Theme } from '../theme.js';

/** A part of the shown text, in UTF-16 units. */
interface Marked {
  readonly start: number;
  readonly end: number;
}

export interface Composer {
  /** What would be sent: pastes whole. */
  text(): string;
  /** As it is shown: pastes as markers. */
  readonly shownText: string;
  readonly isEmpty: boolean;
  /** Replaces the draft; can be undone. */
  setText(text: string): void;
  /** At the caret, as one step to undo. Long text becomes a marker. */
  insert(text: string): void;
  clear(): void;
  /** True while a list of completions is open: it takes Tab, Enter, Escape and the arrows. */
  readonly isCompleting: boolean;
  /** A key that is not an action. @returns true if it was taken */
  handleKey(data: string): boolean;
  newLine(): void;
  /** Takes a backslash before the caret away and begins a new line. @returns false if there is none */
  newLineForBackslash(): boolean;
  paste(input: Extract<Input, { type: 'paste' }>): void;
  render(columns: number): Frame;
  /** What of the shown text is drawn as marked, asked for with each frame; null for nothing. */
  marks(selection: () => Marked | null): void;
  /** Called after each change of the draft. The returned function ends it. */
  onChange(listener: () => void): () => void;
  /** For completions, history and vim, which work on it. */
  readonly editor: DraftEditor;
}

/** A paste of more lines, or of so many characters, is shown as a marker. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 2_000;
const PROMPT = '> ';
/** Stands for a control character: the editor knows none. One cell wide, and no text of a person's. */
const STANDS_FOR_CONTROL = 0xf700;
const CONTROLS = /(?!\n)\p{Cc}/gu;
const STAND_INS = /[\uf700-\uf79f]/g;
/** Begins the rules that the editor draws: its own text has no control characters. */
const RULE_MARK = '\x01';
/** What a stand-in looks like. */
const pictureOf = (code: number): string =>
  code === 9 ? '⇥' : code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '␡' : '�';

export function createComposer(screen: EditorScreen, theme: Theme): Composer {
  const editor = new DraftEditor(screen, editorTheme(theme));
  const listeners = new Set<() => void>();
  let selection = (): Marked | null => null;
  editor.disableSubmit = true;
  editor.onChange = () => {
    for (const listener of listeners) listener();
  };

  function insert(text: string): void {
    const lines = text.split('\n', MOST_LINES + 1).length;
    const isLong = lines > MOST_LINES || text.length > MOST_CHARACTERS;
    // A text with characters that stand for others would come back as those.
    if (isLong || new RegExp(STAND_INS).test(text)) editor.insertMarker(text, (number) => markerFor(number, text));
    else editor.insertTextAtCursor(toShown(text));
  }

  return {
    editor,
    text: () => fromShown(editor),
    get shownText() {
      return editor.getText();
    },
    get isEmpty() {
      return editor.getText() === '';
    },
    setText(text) {
      editor.setText('');
      insert(text);
    },
    insert,
    clear: () => editor.reset(),
    get isCompleting() {
      return editor.isShowingAutocomplete();
    },
    handleKey(data) {
      const before = editor.getText();
      const at = editor.getCursor();
      editor.handleInput(data);
      const now = editor.getCursor();
      return before !== editor.getText() || at.line !== now.line || at.col !== now.col;
    },
    newLine: () => editor.insertTextAtCursor('\n'),
    newLineForBackslash() {
      const { line, col } = editor.getCursor();
      if (editor.getLines()[line]?.[col - 1] !== '\\') return false;
      editor.handleInput('\x7f');
      editor.insertTextAtCursor('\n');
      return true;
    },
    paste: ({ text }) => insert(text),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    render: (columns) => drawDraft(editor, columns, theme, selection()),
    marks(next) {
      selection = next;
    },
  };
}

function toShown(text: string): string {
  return text.replace(CONTROLS, (character) => String.fromCharCode(STANDS_FOR_CONTROL + character.charCodeAt(0)));
}

function fromShown(editor: DraftEditor): string {
  const restore = (text: string) =>
    text.replace(STAND_INS, (character) => String.fromCharCode(character.charCodeAt(0) - STANDS_FOR_CONTROL));
  return editor.wholeText(restore);
}

function markerFor(number: number, text: string): string {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines > MOST_LINES ? `[paste #${number} +${lines} lines]` : `[paste #${number} ${text.length} chars]`;
}

/** The editor draws a rule above and below, and a caret of its own: here the real one stands there. */
function drawDraft(editor: DraftEditor, columns: number, theme: Theme, marked: Marked | null): Frame {
  const drawn = editor.render(Math.max(8, columns));
  const end = drawn.findIndex((line, row) => row > 0 && isRule(line));
  const text = drawn.slice(1, end);
  const lines: string[] = [];
  let caret: Frame['caret'] = null;
  const rows = marked === null ? [] : editor.drawnRows();
  text.forEach((line, row) => {
    const at = line.indexOf('\x1b[7m');
    const plain = line.replace('\x1b_pi:c\x07', '').replace('\x1b[7m', '').replace('\x1b[0m', '');
    if (at !== -1) caret = { row: lines.length, column: cellsOf(line.slice(0, at).replace('\x1b_pi:c\x07', '')) };
    const shown = withMark(plain, rows[row], marked, theme).replace(STAND_INS, (character) =>
      theme.paint(pictureOf(character.charCodeAt(0) - STANDS_FOR_CONTROL), 'dim'),
    );
    const isFirst = row === 0 && !isMore(drawn[0] ?? '');
    lines.push((isFirst ? theme.paint(PROMPT, 'accent') + shown.slice(PROMPT.length) : shown).trimEnd());
  });
  if (isMore(drawn[0] ?? '')) {
    lines.unshift(ruleOf(drawn[0]));
    caret = movedBy(caret, 1);
  }
  if (isMore(drawn[end] ?? '')) lines.push(ruleOf(drawn[end]));
  return { lines: [...lines, ...drawn.slice(end + 1).map((line) => line.trimEnd())], caret };
}

/** A row with what of it is marked; of an empty one a blank. */
function withMark(row: string, part: Marked | undefined, marked: Marked | null, theme: Theme): string {
  if (marked === null || part === undefined || marked.end <= part.start || marked.start > part.end) return row;
  const [from, to] = [Math.max(marked.start, part.start), Math.min(marked.end, part.end)];
  const at = PROMPT.length + from - part.start;
  const inside = part.start === part.end ? ' ' : row.slice(at, at + to - from);
  return row.slice(0, at) + theme.paint(inside, 'selected') + row.slice(at + inside.length);
}

function movedBy(caret: Frame['caret'], rows: number): Frame['caret'] {
  return caret === null ? null : { row: caret.row + rows, column: caret.column };
}

const isRule = (line: string) => line.startsWith(RULE_MARK);
const ruleOf = (line = '') => line.slice(RULE_MARK.length);
const isMore = (line: string) => / [↑↓] \d+ more /.test(line);

function editorTheme(theme: Theme): EditorTheme {
  return {
    borderColor: (text) => `${RULE_MARK}${theme.paint(text, 'dim')}`,
    selectList: {
      selectedPrefix: (text) => theme.paint(text, 'accent'),
      selectedText: (text) => theme.paint(text, 'accent'),
      description: (text) => theme.paint(text, 'dim'),
      scrollInfo: (text) => theme.paint(text, 'dim'),
      noMatch: (text) => theme.paint(text, 'dim'),
    },
  };
}
