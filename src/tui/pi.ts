// The one file that imports the terminal's library: an editor of text, lists, Markdown, names of keys, widths. Not its
// screen: that compares all lines ever shown.
import {
  Editor,
  type EditorTheme,
  Markdown,
  type MarkdownTheme,
  parseKey,
  setCapabilities,
  setKittyProtocolActive,
  type TUI,
  visibleWidth,
  wrapTextWithAnsi,
} from '@earendil-works/pi-tui';

export type { EditorTheme, MarkdownTheme };
export { Markdown, parseKey, setKittyProtocolActive, visibleWidth, wrapTextWithAnsi };

/** Links are written out, and pictures are not a part of lines: what is drawn holds text and colours only. */
export function drawTextOnly(): void {
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
}

/** What the editor of the library asks of its screen. */
export interface EditorScreen {
  rows(): number;
  refresh(): void;
}

/** The parts of the editor that the library keeps to itself: pastes that stand in the text as markers. */
interface EditorParts {
  readonly pastes: Map<number, string>;
  pasteCounter: number;
  readonly undoStack: { clear(): void };
  readonly state: { lines: string[]; cursorLine: number; cursorCol: number };
  setCursorCol(column: number): void;
  readonly scrollOffset: number;
  readonly lastWidth: number;
  buildVisualLineMap(width: number): readonly { logicalLine: number; startCol: number; length: number }[];
}

/** The library's editor, with pastes that stay as they were, and a way to say where the caret is. */
export class DraftEditor extends Editor {
  constructor(screen: EditorScreen, theme: EditorTheme) {
    const stub = {
      requestRender: () => screen.refresh(),
      terminal: {
        get rows() {
          return screen.rows();
        },
      },
    };
    super(stub as unknown as TUI, theme, { paddingX: 2 });
    this.focused = true;
  }

  private get parts(): EditorParts {
    return this as unknown as EditorParts;
  }

  /** Puts a marker at the caret. The text itself is kept as it is, and comes with `wholeText`. */
  insertMarker(text: string, describe: (number: number) => string): void {
    this.parts.pasteCounter++;
    const number = this.parts.pasteCounter;
    this.parts.pastes.set(number, text);
    this.insertTextAtCursor(describe(number));
  }

  /** The text, with pastes in place of their markers. `restore` is asked about what stands between them. */
  wholeText(restore: (text: string) => string): string {
    const { pastes } = this.parts;
    const text = this.getText();
    const parts: string[] = [];
    let at = 0;
    for (const marker of text.matchAll(/\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g)) {
      const paste = pastes.get(Number(marker[1]));
      if (paste === undefined) continue;
      parts.push(restore(text.slice(at, marker.index)), paste);
      at = marker.index + marker[0].length;
    }
    return [...parts, restore(text.slice(at))].join('');
  }

  /** Where the caret is, in characters from the beginning of `getText()`. */
  get caret(): number {
    const { line, col } = this.getCursor();
    let at = col;
    for (const each of this.getLines().slice(0, line)) at += each.length + 1;
    return at;
  }

  set caret(at: number) {
    let left = Math.max(0, at);
    const lines = this.getLines();
    let line = 0;
    while (line < lines.length - 1 && left > (lines[line] ?? '').length) left -= (lines[line++] ?? '').length + 1;
    this.parts.state.cursorLine = line;
    this.parts.setCursorCol(Math.min(left, (lines[line] ?? '').length));
  }

  /** The parts of the text that stand in the rows that were drawn last, from the first that was: a row each. */
  drawnRows(): readonly { readonly start: number; readonly end: number }[] {
    const starts: number[] = [];
    let at = 0;
    for (const line of this.getLines()) {
      starts.push(at);
      at += line.length + 1;
    }
    const { scrollOffset, lastWidth } = this.parts;
    return this.parts
      .buildVisualLineMap(lastWidth)
      .slice(scrollOffset)
      .map(({ logicalLine, startCol, length }) => {
        const start = (starts[logicalLine] ?? 0) + startCol;
        return { start, end: start + length };
      });
  }

  /** Empty, with nothing to undo. */
  reset(): void {
    this.setText('');
    this.parts.pastes.clear();
    this.parts.pasteCounter = 0;
    this.parts.undoStack.clear();
  }
}
