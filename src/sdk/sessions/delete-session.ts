// Deletes stored sessions, on the disk and in a user's store.
import { removeSession } from '../../session/store/remove-session.js';
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
  const place = await requireSession(context, sessionId, options.dir);
  await removeSession(context.host, context.home, place, options.force ?? false);
}
