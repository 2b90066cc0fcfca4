// Whether what a caller gives as a session store can be one.
import { ConfigError } from '../protocol/errors.js';
import type { SessionStore } from '../protocol/session-store.js';

/** Null if none was given. @throws ConfigError for what is no store */
export function checkStore(store: SessionStore | undefined): SessionStore | null {
  if (store === undefined) return null;
  if (typeof store?.append === 'function' && typeof store.load === 'function') return store;
  throw new ConfigError('sessionStore is no session store: it needs at least the methods append and load.');
}
