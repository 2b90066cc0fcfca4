// What the rooms of the terminal are given, made once by `run-terminal.ts` and `run-session.ts`; and what stands over the
// conversation and takes inputs before the composer: layers below the draft, and pagers, which take the whole window.
import type { SDKMessage } from '../protocol/messages.js';
import type { PersonalFiles } from '../sdk/faces/index.js';
import type { Query } from '../sdk/query-controls.js';
import type { Clock } from './clock.js';
import type { ActionName, Keybindings } from './keybindings.js';
import type { Frame, Input, Screen, Size } from './screen/index.js';
import type { State, Store } from './state.js';
import type { Theme } from './theme.js';

export interface Face {
  readonly screen: Screen;
  readonly store: Store<State>;
  /** The session, once it is open: soon after the first frame. It never rejects. */
  readonly opened: Promise<Query>;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly bindings: Keybindings;
  /** What is kept for this person in the home folder; null until it is open, soon after the start. */
  readonly files: PersonalFiles | null;
  /** Called with each message of the session, after it was shown. The returned function ends it. */
  onMessage(listener: (message: SDKMessage) => void): () => void;
  /** One is shown at a time, the others wait in their order. @returns takes it away */
  openLayer(layer: Layer): () => void;
  /** Gives the composer an input that a layer took, as if no layer had stood there: it was not an answer. */
  passOn(input: Input): void;
  /**
   * True if a key means something to the draft as it is now, so that a question leaves it alone: the arrows and Enter in a
   * text, all keys in a list of completions or for vim.
   */
  draftHolds(key: string): boolean;
  /** Layers that are open: the one that is shown, and those that wait. */
  readonly layerCount: number;
  /** Resolves when it is closed. One at a time: a second replaces the first. */
  openPager(pager: Pager): Promise<void>;
  /** A note of the terminal's own, committed. */
  say(lines: readonly string[]): void;
  /** Draws the live region, or the pager, with the next frame. */
  refresh(): void;
}

/** What `open-face.ts` makes: with what only the files of `tui/` itself use. */
export interface OpenFace extends Face {
  /** What an action does. `false`: not here, so the key goes on to the draft. */
  on(action: ActionName, act: () => boolean | undefined): void;
  run(action: ActionName): boolean;
  /** What a paste is looked at for before it goes into the draft. @returns true if it was taken */
  onPaste(look: (text: string) => boolean): void;
  /** Looks at keys of the draft before the editor does: vim, history. @returns true if it was taken */
  onKey(look: (input: Extract<Input, { type: 'key' }>) => boolean): void;
  take(input: Input): void;
  /** What is typed until then is for what opens then, and waits for it. It must settle. */
  holdInputs(opening: Promise<unknown>): void;
  /** As `refresh`, but not sooner than a stream is worth drawing. */
  refreshSoon(): void;
  /** A frame of the main screen is with the terminal. */
  framed(frame: Frame): void;
  /** Called when layers come and go, with their count. */
  onLayers(listener: (count: number) => void): void;
  /** Tells those who listen of a message. */
  tell(message: SDKMessage): void;
  /** In place of the status line, until something is typed or its time is over. */
  hint(text: string): void;
  /** Another line in place of the status line; null: the own one. */
  setStatusLine(lines: readonly string[] | null): void;
  close(): void;
}

export interface Layer {
  readonly name: string;
  /** `size`: the room there is for it. */
  render(size: Size): Frame;
  /** Contract: true when it was taken; else the composer gets it. Ctrl-C never reaches a layer. */
  handle(input: Input): boolean;
  /** Called when its first frame has been written to the terminal, with that moment of `Face.clock`. */
  painted?(at: number): void;
  /** The layer was taken away: closed, aborted, interrupted, answered elsewhere. Called once. */
  dispose?(): void;
}

/** In the alternate screen: transcript, sessions, rewind and their like. */
export interface Pager {
  readonly title: string;
  render(size: Size): Frame;
  /** `ignored`: the face looks at it; Ctrl-C then closes the pager. */
  handle(input: Input): 'taken' | 'close' | 'ignored';
  dispose?(): void;
}
