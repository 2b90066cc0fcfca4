// What stands in the live region below the draft, and takes inputs before the composer: dialogs, lists.
import type { Input } from './screen/input.js';
import type { Frame, Size } from './screen/screen.js';

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
