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
  const whole = Object.assign(messages(session), Object.fromEntries(ownControls(session)) as unknown as Controls);
  const dispose = Object.hasOwn(session, Symbol.asyncDispose) ? disposeOf(session) : undefined;
  if (dispose === undefined) return whole;
  return Object.assign(whole, {
    async [Symbol.asyncDispose]() {
      // As the dialect closes it.
      whole.close();
      await dispose();
    },
  });
}

function ownControls(session: Query): [PropertyKey, unknown][] {
  return Object.keys(session).map((name) => [name, session[name as keyof Query]]);
}

function disposeOf(session: Query): () => PromiseLike<void> {
  const { [Symbol.asyncDispose]: dispose } = session as unknown as AsyncDisposable;
  return () => dispose.call(session);
}
