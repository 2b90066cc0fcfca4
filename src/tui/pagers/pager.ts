// What takes the whole window, in the alternate screen: transcript, sessions, rewind and their like.
import type { Input } from '../screen/input.js';
import type { Frame, Size } from '../screen/screen.js';

export interface Pager {
  readonly title: string;
  render(size: Size): Frame;
  /** `ignored`: the face looks at it; Ctrl-C then closes the pager. */
  handle(input: Input): 'taken' | 'close' | 'ignored';
  dispose?(): void;
}
