// A terminal without a window: takes the bytes of a program and says what a person would see, and which modes are on.
import { createRequire } from 'node:module';

// A CommonJS module whose names Node does not see from outside.
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless');
type Terminal = InstanceType<typeof Terminal>;

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenReaderOptions {
  /** Lines above the window that are kept. Default: 20,000. */
  readonly scrollback?: number;
  /** False for a terminal that leaves the lines of its scrollback as they are when it gets narrower. Default: true. */
  readonly reflows?: boolean;
  /** `legacy` for one that knows emoji as one column wide. Default: `modern`. */
  readonly widths?: 'modern' | 'legacy';
}

/** One cell, as it looks. A wide character has a cell of width 2, and one of width 0 behind it. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** An index of the palette, or `#rrggbb`; null for the terminal's own. */
  readonly foreground: number | string | null;
  readonly background: number | string | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

/** What a program may have turned on, and has to give back. */
export interface TerminalModes {
  readonly isCursorHidden: boolean;
  readonly isBracketedPaste: boolean;
  readonly isAlternate: boolean;
  readonly reportsFocus: boolean;
  readonly wraps: boolean;
  readonly isSynchronized: boolean;
  readonly applicationCursorKeys: boolean;
  readonly mouse: string;
  /** Keyboard protocols that were pushed and not popped, and the level of `modifyOtherKeys`. */
  readonly keyboardLevels: number;
  readonly modifyOtherKeys: number;
}

/** What is on the screen now. Everything is read when it is asked for. */
export interface ScreenReader {
  readonly size: TerminalSize;
  /** Takes bytes. Settles when they are on the screen. */
  write(bytes: string | Uint8Array): Promise<void>;
  resize(size: TerminalSize): void;
  /** The lines in the window, without spaces at their ends. */
  rows(): string[];
  /** `rows` as one text, without empty lines at its end. */
  text(): string;
  /** Everything from the first line of the scrollback to the last of the main screen, lines that were wrapped joined. */
  history(): string[];
  /** As many lines of the main screen as are above the window. */
  scrolledLines(): number;
  /** The cells of a line in the window. */
  cells(row: number): Cell[];
  /** Counted from the top left of the window, in cells. */
  cursor(): { readonly row: number; readonly column: number };
  modes(): TerminalModes;
  /** The last title, and how often the bell rang. */
  readonly title: string;
  readonly bells: number;
  /** Texts of control sequences that say something to the terminal, such as `9;done` of OSC 9. */
  readonly told: readonly string[];
  /** What the terminal answers to queries. */
  onReply(listener: (bytes: string) => void): void;
  /** Called when the bytes of one `write` are on the screen, before those of the next one. @returns what ends it */
  onChange(listener: () => void): () => void;
  dispose(): void;
}

/** The screen of a terminal that got these bytes. */
export async function screenOf(
  bytes: string | Uint8Array,
  size: TerminalSize,
  options: ScreenReaderOptions = {},
): Promise<ScreenReader> {
  const reader = createScreenReader(size, options);
  await reader.write(bytes);
  return reader;
}

/** OSC numbers that a program may use to tell the person something: notifications, the clipboard. */
const TELLING = [9, 52, 99, 777];

export function createScreenReader(size: TerminalSize, options: ScreenReaderOptions = {}): ScreenReader {
  const terminal = new Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: options.scrollback ?? 20_000,
    allowProposedApi: true,
    // Older consoles do not reflow: this is how the library is told that it is one of them.
    ...(options.reflows === false ? { windowsPty: { backend: 'conpty', buildNumber: 19_000 } } : {}),
  });
  if (options.widths !== 'legacy') useModernWidths(terminal);
  const listeners = new Set<() => void>();
  const told: string[] = [];
  let [bells, title, isCursorHidden, keyboardLevels, modifyOtherKeys] = [0, '', false, 0, 0];
  terminal.onBell(() => {
    bells++;
  });
  terminal.onTitleChange((given) => {
    title = given;
  });
  for (const number of TELLING) {
    terminal.parser.registerOscHandler(number, (data) => {
      told.push(`${number};${data}`);
      return true;
    });
  }
  const watch = (prefix: string, final: string, act: (params: readonly number[]) => void) =>
    terminal.parser.registerCsiHandler({ prefix, final }, (params) => {
      act(params.flat());
      return false;
    });
  watch('?', 'h', (params) => {
    if (params.includes(25)) isCursorHidden = false;
  });
  watch('?', 'l', (params) => {
    if (params.includes(25)) isCursorHidden = true;
  });
  watch('>', 'u', () => {
    keyboardLevels++;
  });
  watch('<', 'u', (params) => {
    keyboardLevels = Math.max(0, keyboardLevels - Math.max(1, params[0] ?? 1));
  });
  watch('>', 'm', (params) => {
    if (params[0] === 4) modifyOtherKeys = params[1] ?? 0;
  });

  const active = () => terminal.buffer.active;
  const rowText = (row: number) =>
    active()
      .getLine(active().baseY + row)
      ?.translateToString(true, 0, terminal.cols)
      .trimEnd() ?? '';
  const rows = () => Array.from({ length: terminal.rows }, (_, row) => rowText(row));
  return {
    get size() {
      return { columns: terminal.cols, rows: terminal.rows };
    },
    write: (bytes) =>
      new Promise((resolve) =>
        // Called before what came after it is looked at.
        terminal.write(bytes, () => {
          for (const listener of [...listeners]) listener();
          resolve();
        }),
      ),
    resize: ({ columns, rows: count }) => terminal.resize(columns, count),
    rows,
    text: () => rows().join('\n').trimEnd(),
    history() {
      const { normal } = terminal.buffer;
      const lines: string[] = [];
      for (let at = 0; at < normal.length; at++) {
        const line = normal.getLine(at);
        const isCutHere = normal.getLine(at + 1)?.isWrapped === true;
        const text = line?.translateToString(!isCutHere) ?? '';
        if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
        else lines.push(text);
      }
      while (lines.at(-1)?.trim() === '') lines.pop();
      return lines.map((line) => line.trimEnd());
    },
    scrolledLines: () => terminal.buffer.normal.baseY,
    cells(row) {
      const line = active().getLine(active().baseY + row);
      return Array.from({ length: terminal.cols }, (_, column): Cell => {
        const cell = line?.getCell(column);
        if (cell === undefined) throw new Error(`There is no cell ${row}:${column}.`);
        return {
          text: cell.getChars(),
          width: cell.getWidth(),
          foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
          background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
          bold: cell.isBold() !== 0,
          dim: cell.isDim() !== 0,
          italic: cell.isItalic() !== 0,
          underline: cell.isUnderline() !== 0,
          inverse: cell.isInverse() !== 0,
        };
      });
    },
    cursor: () => ({ row: active().cursorY, column: active().cursorX }),
    modes: () => ({
      isCursorHidden,
      isBracketedPaste: terminal.modes.bracketedPasteMode,
      isAlternate: active().type === 'alternate',
      reportsFocus: terminal.modes.sendFocusMode,
      wraps: terminal.modes.wraparoundMode,
      isSynchronized: terminal.modes.synchronizedOutputMode,
      applicationCursorKeys: terminal.modes.applicationCursorKeysMode,
      mouse: terminal.modes.mouseTrackingMode,
      keyboardLevels,
      modifyOtherKeys,
    }),
    get title() {
      return title;
    },
    get bells() {
      return bells;
    },
    told,
    onReply: (listener) => void terminal.onData(listener),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispose: () => terminal.dispose(),
  };
}

function colour(isDefault: boolean, isRgb: boolean, value: number): number | string | null {
  if (isDefault) return null;
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060-\u2064\ufeff]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
/** East Asian wide and full-width ranges of Unicode. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  const character = String.fromCodePoint(code);
  if (NO_WIDTH.test(character)) return 0;
  return EMOJI.test(character) || WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** What the library has of its own is Unicode 6. */
function useModernWidths(terminal: Terminal): void {
  terminal.unicode.register({
    version: 'modern',
    wcwidth: widthOf,
    charProperties(code, preceding) {
      const width = widthOf(code);
      const before = (preceding >> 1) & 3;
      const isJoined = width === 0 && preceding !== 0 && before !== 0;
      return ((isJoined ? Math.max(before, width) : width) << 1) | (isJoined ? 1 : 0);
    },
  });
  terminal.unicode.activeVersion = 'modern';
}
