// The session of a client: it begins with the first thing that is said, after `initialize` if that is what is said.
import { ConfigError } from '../../protocol/errors.js';
import type { Query } from '../../sdk/query-controls.js';
import type { Fields } from '../../sdk/wire/index.js';
import type { Initialization } from './initialize.js';

export interface WireSession {
  /** The session, begun now if it has not begun yet. Rejects where the `initialize` it waits for could not be used. */
  started(): Promise<Query>;
  /** Begins the session as a client asks, or says again what it is. @returns the answer. @throws if it cannot begin */
  initialize(fields: Fields): Promise<object>;
  /** The client says nothing more: a session that has not begun never does. */
  endInput(): void;
  /** The session once it has begun; null if it never does. */
  readonly begun: Promise<Query | null>;
  /** The client wants the commands as a message. True once. */
  takeWish(): boolean;
}

export interface WireSessionOptions {
  /** Reads an `initialize`. */
  read(fields: Fields): Initialization;
  open(initialization: Initialization | null): Query;
  /** A client that says no `initialize` has something to be read all the same. */
  readonly readsAlways: boolean;
}

export function createWireSession({ read, open, readsAlways }: WireSessionOptions): WireSession {
  let initialization: Initialization | null = null;
  let starting: Promise<Query> | null = null;
  let wantsCommands = false;
  /** Of the last `initialize`. Without what a client asked for, such as its hooks, its prompts must not run. */
  let failed: { readonly error: unknown } | null = null;
  let begin: (session: Query | null | Promise<never>) => void = () => undefined;
  const begun = new Promise<Query | null>((resolve) => {
    begin = resolve;
  });
  begun.catch(() => undefined); // told by who waits for it
  const start = async (fields: Fields | null): Promise<Query> => {
    initialization = fields === null && !readsAlways ? null : read(fields ?? {});
    wantsCommands = initialization?.wantsCommands ?? false;
    const session = open(initialization);
    begin(session);
    return session;
  };
  return {
    begun,
    async started() {
      if (failed !== null) {
        const never = Promise.reject(failed.error);
        never.catch(() => undefined); // nobody waits for it if the client has already said its last
        begin(never);
        throw failed.error;
      }
      starting ??= start(null);
      return starting;
    },
    async initialize(fields) {
      if (starting === null) {
        failed = null;
        starting = start(fields);
        // A client may try again with other fields.
        starting.catch((error: unknown) => {
          starting = null;
          failed = { error };
        });
        const facts = await (await starting).initializationResult();
        return { ...facts, ...initialization?.applied };
      }
      const session = await starting;
      if (initialization !== null) initialization.hooks.renew(fields['hooks']);
      else if (fields['hooks'] != null)
        throw new ConfigError('This session began before its initialize, so it takes no hooks any more.');
      return { ...(await session.reinitialize()), ...initialization?.applied };
    },
    endInput: () => begin(null),
    takeWish() {
      const wish = wantsCommands;
      wantsCommands = false;
      return wish;
    },
  };
}
