// A session of a dialect: its own stream of messages, and the controls of ours.
import type { SDKMessage } from '../../protocol/messages.js';
import type { Query } from '../query-controls.js';

/** The controls, without what a stream has. */
export type Controls = Omit<Query, keyof AsyncGenerator>;

/**
 * @param messages of the dialect, made of those of `session`
 * Contract: every control is there that ours has, also those that come later.
 */
export function withControls<Message>(
  session: Query,
  messages: (session: AsyncIterable<SDKMessage>) => AsyncGenerator<Message, void>,
): AsyncGenerator<Message, void> & Controls {
  const names = Object.keys(session) as (keyof Controls)[];
  const controls = Object.fromEntries(names.map((name) => [name, session[name]])) as unknown as Controls;
  return Object.assign(messages(session), controls);
}
