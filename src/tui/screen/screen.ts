// What the terminal shows: lines that are finished, and a live region below them. One rule: a finished line is written
// once and belongs to the terminal; only the live region, never taller than the window, is drawn again.
import type { Clock } from '../clock.js';
import { asRow, cellsOf, changeOf, cutLine, rowsOf, withoutControls } from './lines.js';

/** Of the window, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * What is drawn at once. Lines hold text and SGR codes only (colours, bold …; no cursor movement, no line ends); what is
 * wider than the window is cut. `caret` counts from the top left of `lines`, in cells; null hides the cursor.
 */
export interface Frame {
  readonly lines: readonly string[];
  readonly caret: { readonly row: number; readonly column: number } | null;
}

export interface Screen {
  readonly size: Size;
  /** Puts lines into the scrollback, once. They are never touched again; long ones are wrapped by the terminal. */
  commit(lines: readonly string[]): void;
  /** As `commit`, but with the next frame that something else asks for: a stream would draw one for each of its lines. */
  commitLater(lines: readonly string[]): void;
  /**
   * Replaces the live region. Of one that is taller than the window the end is shown; drawn with the next frame. A function
   * is asked for it whenever a frame is written, so what is finished meanwhile does not stand in it any more.
   */
  live(frame: Frame | (() => Frame)): void;
  /** The alternate screen while `draw` is not null, drawn again by each call; then the main screen is as it was, and what was committed follows. */
  alternate(draw: ((size: Size) => Frame) | null): void;
  /** Draws the live region, or the alternate screen, anew. */
  redraw(): void;
  /** Called after the size changed, at most once a frame. The returned function ends it. */
  onResize(listener: () => void): () => void;
  /** Takes the live region away, writes what is left, gives the cursor back. Resolves when all is with the terminal, or it is gone. */
  close(): Promise<void>;
}

/** The terminal, as the screen needs it. */
export interface TerminalOutput {
  size(): Size;
  /** False if the terminal is behind: `onDrain` tells when it is not any more. `done`: it is with the terminal, or that is gone. */
  write(text: string, done?: () => void): boolean;
  onDrain(listener: () => void): void;
  onResize(listener: () => void): void;
  /** Nobody reads any more. */
  readonly isGone: boolean;
}

export interface ScreenOptions {
  readonly output: TerminalOutput;
  readonly clock: Clock;
  /** False if a narrower window cuts the lines that it shows, instead of wrapping them anew. */
  readonly reflows: boolean;
  /** True if a new size is told some time after the window has it, as under tmux. */
  readonly tellsSizesLate?: boolean;
  /** After a frame of the main screen is with the terminal. */
  readonly onFrame?: (shown: Frame) => void;
}

/** What `run-terminal.ts` does with a screen, and no room. */
export interface OwnScreen extends Screen {
  /** Takes the live region away and writes nothing more, until `resume`. Contract: all of it is written when this returns. */
  suspend(): void;
  /** Begins anew below whatever others wrote. */
  resume(): void;
  /** Counts, for measures and tests: frames, and those of them that drew all of the live region. */
  readonly counts: { readonly frames: number; readonly whole: number };
}

/** Between two frames, milliseconds. */
const FRAME_MS = 8;
/** A window that is dragged tells its sizes faster than they are worth drawing. */
const RESIZE_MS = 60;
/** But no longer than this is nothing drawn. */
const RESIZE_MOST_MS = 240;
/** What was drawn so shortly before a new size was told may have come to a window that had it already, milliseconds. */
const CROSSED_MS = 30;
/** The most that is written at once, characters. */
const MOST = 16_384;

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';
const ERASE_BELOW = '\x1b[J';
const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';

export function createScreen({ output, clock, reflows, tellsSizesLate, onFrame }: ScreenOptions): OwnScreen {
  // tmux tells a new size a quarter of a second after it has it, and on a busy machine nobody knows how late.
  const crossedMs = tellsSizesLate === true ? Number.POSITIVE_INFINITY : CROSSED_MS;
  const counts = { frames: 0, whole: 0 };
  const resizeListeners = new Set<() => void>();
  /** Finished lines that are not yet written; of the first one, the part that is left. */
  const pending: string[] = [];
  let isMidLine = false;
  let wanted: Frame | (() => Frame) = { lines: [], caret: null };
  /** The one that the frame shows that is written now. */
  let shown: Frame = { lines: [], caret: null };
  /** The live region as the terminal has it. */
  let drawn: readonly string[] = [];
  let cursorRow = 0;
  /** Null if it is behind a text whose width is not sure. */
  let cursorColumn: number | null = 0;
  let cursorShown = true;
  let size = output.size();
  let drawnSize = size;
  let all = false;
  let draw: ((size: Size) => Frame) | null = null;
  let isAlternate = false;
  let alternateDrawn: readonly string[] = [];
  let resizedInAlternate = false;
  let behind = false;
  let suspended = false;
  let closed = false;
  let begun = false;
  let scheduled: (() => void) | null = null;
  let isQueued = false;
  let lastFrame = Number.NEGATIVE_INFINITY;
  let resizedAt: number | null = null;
  let crossed = false;
  let stopResize: (() => void) | null = null;

  output.onDrain(() => {
    behind = false;
    request();
  });
  output.onResize(() => {
    if (resizedAt === null) {
      resizedAt = clock.now();
      crossed ||= resizedAt - lastFrame < crossedMs;
    }
    stopResize?.();
    const left = Math.max(0, Math.min(RESIZE_MS, resizedAt + RESIZE_MOST_MS - clock.now()));
    stopResize = clock.after(left, () => {
      stopResize = null;
      resizedAt = null;
      const now = output.size();
      // Another size came between, and what it did to the rows nobody knows.
      if (now.columns === size.columns && now.rows === size.rows) {
        all = !isAlternate;
        alternateDrawn = [];
        return request();
      }
      if (isAlternate) resizedInAlternate = true;
      size = now;
      alternateDrawn = [];
      for (const listener of resizeListeners) listener();
      request();
    });
  });

  function finish(lines: readonly string[]): void {
    for (const line of lines) pending.push(withoutControls(line));
  }

  function request(): void {
    if (closed || suspended || isQueued || scheduled !== null || behind || resizedAt !== null) return;
    const left = lastFrame + FRAME_MS - clock.now();
    if (left <= 0) {
      isQueued = true;
      queueMicrotask(() => {
        isQueued = false;
        flush();
      });
      return;
    }
    scheduled = clock.after(left, () => {
      scheduled = null;
      flush();
    });
  }

  function flush(): void {
    if (closed || suspended || behind || resizedAt !== null) return;
    if (output.isGone) return;
    const now = output.size();
    // Told late, or not at all: what is drawn for another size would be wrong.
    if (now.columns !== size.columns || now.rows !== size.rows) {
      size = now;
      crossed ||= clock.now() - lastFrame < crossedMs;
      if (isAlternate) resizedInAlternate = true;
      alternateDrawn = [];
      for (const listener of resizeListeners) listener();
    }
    const text = frame();
    const isShown = !isAlternate && pending.length === 0;
    lastFrame = clock.now();
    const written = shown;
    const told = isShown ? () => onFrame?.(written) : undefined;
    if (text !== '') {
      counts.frames++;
      behind = !output.write(text, told);
    } else told?.();
    if (pending.length > 0 && !isAlternate) request();
  }

  function frame(): string {
    const out: string[] = [];
    if (draw !== null || isAlternate) alternateFrame(out);
    if (!isAlternate) mainFrame(out);
    if (out.length === 0) return '';
    return `${BEGIN}${out.join('')}${END}`;
  }

  function alternateFrame(out: string[]): void {
    if (draw === null) {
      out.push('\x1b[?1049l', WRAP);
      isAlternate = false;
      alternateDrawn = [];
      // The live region was taken away before.
      if (resizedInAlternate) out.push(`\x1b[${size.rows}B\r\n`);
      resizedInAlternate = false;
      drawnSize = size;
      cursorShown = true;
      out.push(SHOW);
      return;
    }
    if (!isAlternate) {
      toTop(out);
      out.push(ERASE_BELOW);
      forgetLive();
      out.push('\x1b[?1049h\x1b[H\x1b[J');
      isAlternate = true;
      alternateDrawn = [];
    }
    const { lines, caret } = fitted(draw(size), size, 'top');
    if (alternateDrawn.length === 0) out.push('\x1b[H\x1b[J');
    out.push(NO_WRAP);
    for (let row = 0; row < Math.max(lines.length, alternateDrawn.length); row++) {
      const line = lines[row] ?? '';
      const before = alternateDrawn[row] ?? '';
      if (line === before) continue;
      const { column, text, erases } = changeOf(before, line);
      out.push(`\x1b[${row + 1};${column + 1}H`, erases ? '\x1b[K' : '', closedLine(text));
    }
    out.push(WRAP);
    alternateDrawn = lines;
    if (caret !== null) out.push(`\x1b[${caret.row + 1};${caret.column + 1}H`);
    showCursor(out, caret !== null);
  }

  function mainFrame(out: string[]): void {
    if (!begun) {
      begun = true;
      // Below a line that a program left without an end, and not over it.
      out.push(`${' '.repeat(Math.max(0, size.columns - 1))}\r\x1b[K`);
    }
    const resized = drawnSize.columns !== size.columns || drawnSize.rows !== size.rows;
    if (resized || all) {
      toTop(out);
      out.push(ERASE_BELOW);
      forgetLive();
      all = false;
      drawnSize = size;
    }
    if (pending.length > 0 && !commitPending(out)) return;
    liveFrame(out);
  }

  /** @returns false if more is to be written first than fits */
  function commitPending(out: string[]): boolean {
    // What is finished may stand there already, as the beginning of the live region.
    let adopted = 0;
    while (
      !isMidLine &&
      adopted < pending.length &&
      adopted < drawn.length &&
      pending[adopted] === drawn[adopted] &&
      cellsOf(pending[adopted] ?? '') <= size.columns
    )
      adopted++;
    if (adopted > 0) {
      pending.splice(0, adopted);
      // One row has to be left for the cursor to stand in.
      if (adopted === drawn.length) {
        toRow(out, adopted - 1);
        out.push('\r\n');
        forgetLive();
      } else {
        if (cursorRow < adopted) {
          toRow(out, adopted);
          out.push('\r');
          cursorColumn = 0;
        }
        drawn = drawn.slice(adopted);
        cursorRow -= adopted;
      }
      if (pending.length === 0) return true;
    }
    if (drawn.length > 0) {
      toTop(out);
      out.push(ERASE_BELOW);
      forgetLive();
    }
    let length = 0;
    let count = 0;
    for (const line of pending) {
      const room = MOST - length;
      if (line.length > room) {
        // A line that is longer than a frame goes in parts.
        if (length === 0) {
          const part = withoutHalf(line.slice(0, room));
          out.push(part);
          pending[0] = line.slice(part.length);
          isMidLine = true;
          return false;
        }
        break;
      }
      const text = `${closedLine(line)}\r\n`;
      out.push(text);
      length += text.length;
      isMidLine = false;
      count++;
    }
    pending.splice(0, count);
    return pending.length === 0;
  }

  function liveFrame(out: string[]): void {
    shown = typeof wanted === 'function' ? wanted() : wanted;
    const { lines, caret } = fitted(shown, size, 'bottom');
    const wasEmpty = drawn.length === 0;
    const changes: string[] = [];
    if (wasEmpty && lines.length > 0) counts.whole++;
    for (let row = 0; row < lines.length; row++) {
      const line = lines[row] ?? '';
      if (row >= Math.max(1, drawn.length)) {
        toRow(changes, row);
        changes.push('\r\n', closedLine(line));
        drawn = [...drawn.slice(0, row), line];
        cursorRow = row;
        cursorColumn = null;
        continue;
      }
      const before = drawn[row] ?? '';
      if (before === line && row < drawn.length) continue;
      toRow(changes, row);
      const { column, text, erases } = changeOf(before, line);
      toColumn(changes, column);
      if (erases) changes.push('\x1b[K');
      changes.push(closedLine(text));
      cursorColumn = null;
      drawn = drawn.length === 0 ? [line] : drawn.with(row, line);
    }
    if (drawn.length > lines.length) {
      toRow(changes, lines.length);
      toColumn(changes, 0);
      changes.push(ERASE_BELOW);
      drawn = lines;
      if (lines.length > 0) {
        changes.push('\x1b[A');
        cursorRow = lines.length - 1;
      } else cursorRow = 0;
    }
    if (changes.length > 0) out.push(NO_WRAP, ...changes, WRAP);
    if (caret !== null) {
      toRow(out, caret.row);
      toColumn(out, caret.column);
    }
    showCursor(out, caret !== null || lines.length === 0);
  }

  function toTop(out: string[]): void {
    // Rather a row of the live region is left behind than one of a finished line taken away.
    const isSame = drawnSize.columns === size.columns || !reflows || crossed;
    crossed = false;
    let up = cursorRow;
    if (!isSame) {
      up = 0;
      for (const line of drawn.slice(0, cursorRow)) up += rowsOf(line, size.columns);
    }
    if (up > 0) out.push(`\x1b[${up}A`);
    if (cursorColumn !== 0) out.push('\r');
    cursorRow = 0;
    cursorColumn = 0;
  }

  function toRow(out: string[], row: number): void {
    // Below the last row there is none yet: whoever draws it makes it.
    const to = Math.min(row, Math.max(0, drawn.length - 1));
    const by = to - cursorRow;
    if (by > 0) {
      // A window that has just become lower scrolls for a line end; a movement would stop at its last row.
      out.push('\r\n'.repeat(by));
      cursorColumn = 0;
    }
    if (by < 0) out.push(by === -1 ? '\x1b[A' : `\x1b[${-by}A`);
    cursorRow = to;
  }

  function toColumn(out: string[], column: number): void {
    if (cursorColumn === column) return;
    out.push(column === 0 ? '\r' : `\x1b[${column + 1}G`);
    cursorColumn = column;
  }

  function showCursor(out: string[], shown: boolean): void {
    if (shown === cursorShown) return;
    out.push(shown ? SHOW : HIDE);
    cursorShown = shown;
  }

  function forgetLive(): void {
    drawn = [];
    cursorRow = 0;
    cursorColumn = 0;
  }

  function takeAway(): string {
    const out: string[] = [];
    if (isAlternate) {
      draw = null;
      alternateFrame(out);
    }
    if (begun) {
      toTop(out);
      out.push(ERASE_BELOW);
    }
    forgetLive();
    return out.join('');
  }

  return {
    get size() {
      return size;
    },
    counts,
    commit(lines) {
      finish(lines);
      request();
    },
    commitLater: finish,
    live(frame) {
      wanted = frame;
      request();
    },
    alternate(next) {
      draw = next;
      request();
    },
    redraw() {
      all = !isAlternate;
      alternateDrawn = [];
      request();
    },
    onResize(listener) {
      resizeListeners.add(listener);
      return () => void resizeListeners.delete(listener);
    },
    suspend() {
      scheduled?.();
      scheduled = null;
      size = output.size();
      output.write(`${takeAway()}\x1b[m${WRAP}${SHOW}`);
      cursorShown = true;
      suspended = true;
    },
    resume() {
      suspended = false;
      begun = false;
      size = output.size();
      drawnSize = size;
      forgetLive();
      request();
    },
    close() {
      if (closed) return Promise.resolve();
      scheduled?.();
      stopResize?.();
      size = output.size();
      const out = [suspended ? '' : takeAway()];
      for (const line of pending.splice(0)) out.push(closedLine(line), '\r\n');
      out.push(`\x1b[m${WRAP}${SHOW}`);
      closed = true;
      return new Promise((resolve) => {
        if (output.isGone) return resolve();
        output.write(out.join(''), resolve);
      });
    },
  };
}

/** What fits, and the caret in it. */
function fitted({ lines, caret }: Frame, { columns, rows }: Size, keeps: 'top' | 'bottom'): Frame {
  const cut = keeps === 'bottom' ? Math.max(0, lines.length - rows) : 0;
  const shown = lines.slice(cut, cut + rows).map((line) => cutLine(asRow(line), columns).trimEnd());
  const row = caret === null ? -1 : caret.row - cut;
  if (caret === null || row < 0 || row >= shown.length) return { lines: shown, caret: null };
  return { lines: shown, caret: { row, column: Math.min(caret.column, columns - 1) } };
}

/** With no colour left on. */
function closedLine(line: string): string {
  return line.includes('\x1b') && !line.endsWith('\x1b[m') && !line.endsWith('\x1b[0m') ? `${line}\x1b[m` : line;
}

/** A sequence or a pair of surrogates is not cut in two: colours of a committed line are looked for in its parts. */
function withoutHalf(text: string): string {
  const start = text.lastIndexOf('\x1b');
  if (start > 0 && !text.slice(start).includes('m')) return text.slice(0, start);
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
