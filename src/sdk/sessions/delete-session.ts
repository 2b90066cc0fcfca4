// Deletes stored sessions, on the disk and in a user's store.
import { anyStat, locateSession, removeSession, type SessionPlace } from '../../session/store/index.js';
import type { DeleteSessionOptions } from '../session-options.js';
import { contextOf, requireSession, storeKey, storeOf } from './context.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function deleteSession(sessionId: string, options: DeleteSessionOptions): Promise<void> {
  const context = contextOf(options);
  const store = storeOf(options);
  if (store !== null) {
    const key = await storeKey(context.host, sessionId, options.dir);
    await store.delete?.(key);
    return;
  }
  const { host, home } = context;
  // A folder that was moved may have left a copy of the session: it would come back to life as that.
  const locate = () => locateSession(host, home, sessionId, options.dir, anyStat);
  let place: SessionPlace | null = (await locate()) ?? (await requireSession(context, sessionId, options.dir));
  while (place !== null) {
    await removeSession(host, home, place, options.force ?? false);
    place = await locate();
  }
}
