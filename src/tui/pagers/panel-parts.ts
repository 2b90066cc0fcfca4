// What the pagers of a session are given, beside the face.

import type { SDKMessage } from '../../protocol/messages.js';
import type { Options } from '../../sdk/options/index.js';
import type { Query } from '../../sdk/query-controls.js';
import type { Clock } from '../face.js';
import type { Keybindings } from '../keys/index.js';
import type { State, Store } from '../state/index.js';
import type { Theme } from '../theme.js';

export interface PanelParts {
  readonly query: Query;
  readonly store: Pick<Store<State>, 'getState' | 'subscribe'>;
  readonly theme: Theme;
  readonly bindings: Keybindings;
  readonly clock: Clock;
  /** Draws the pager with the next frame. */
  readonly refresh: () => void;
  /** A note of the terminal's own, committed. */
  readonly say: (lines: readonly string[]) => void;
  /** Every message of the session from now on. The returned function ends it. */
  readonly onMessage: (listener: (message: SDKMessage) => void) => () => void;
  /** Those of the session: where it runs, and with which variables. */
  readonly options: Options;
  /** Ends this session, and goes on with another one. */
  readonly resume: (sessionId: string) => void;
  /** Puts a text into the composer, in place of the draft. */
  readonly putDraft: (text: string) => void;
}

/** For the functions over stored sessions. */
export function placeOf({ options, store }: PanelParts): {
  readonly dir: string;
  readonly env?: NonNullable<Options['env']>;
} {
  return { dir: store.getState().session.cwd, ...(options.env === undefined ? {} : { env: options.env }) };
}

/** What went wrong, as one line. */
export function faultText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}
