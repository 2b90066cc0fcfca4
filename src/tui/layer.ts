// What stands over the conversation and takes inputs before the composer: layers below the draft, such as dialogs and lists,
// and pagers, which take the whole window.
import type { Frame, Input, Size } from './screen/index.js';

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
