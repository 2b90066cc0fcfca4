// What the terminal shows: lines that are finished, and a live region below them. One rule: a finished line is written
// once and belongs to the terminal; only the live region, never taller than the window, is drawn again.

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
  /** Replaces the live region. Of one that is taller than the window the end is shown; drawn with the next frame. */
  live(frame: Frame): void;
  /** The alternate screen while `draw` is not null; then the main screen is as it was, and what was committed follows. */
  alternate(draw: ((size: Size) => Frame) | null): void;
  /** Draws the live region, or the alternate screen, anew. */
  redraw(): void;
  /** Called after the size changed, at most once a frame. The returned function ends it. */
  onResize(listener: () => void): () => void;
  /** Takes the live region away, writes what is left, gives the cursor back. Resolves when all is with the terminal, or it is gone. */
  close(): Promise<void>;
}
