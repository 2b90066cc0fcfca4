// How a run is shown. One implementation for people (`text-view.ts`), two for programs (`machine-view.ts`).
import type { SDKMessage } from '../../protocol/messages.js';

export interface View {
  /** Contract: call in the order of the stream; resolves when the next message may be shown. */
  show(message: SDKMessage): Promise<void>;
  /** The stream is over. May be called once. */
  end?(): Promise<void>;
  /** One line of the command line's own, on stderr. */
  say(line: string): Promise<void>;
}
