// What the rooms of the terminal are given: made once, by `run-terminal.ts` and `run-session.ts`.
import type { SDKMessage } from '../protocol/messages.js';
import type { PersonalFiles } from '../sdk/faces/index.js';
import type { Query } from '../sdk/query-controls.js';
import type { Clock } from './clock.js';
import type { Keybindings } from './keys/keybindings.js';
import type { Layer } from './layer.js';
import type { Pager } from './pagers/pager.js';
import type { Input } from './screen/input.js';
import type { Screen } from './screen/screen.js';
import type { State } from './state/state.js';
import type { Store } from './state/store.js';
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
  /** Gives the composer an input that a layer took, as if no layer had stood there: it was no answer. */
  passOn(input: Input): void;
  /**
   * True where a key means something to the draft as it is now, so that a question leaves it alone: the arrows and Enter in a
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

export type { Clock };
