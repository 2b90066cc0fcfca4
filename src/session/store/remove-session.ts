// Takes a session off the disk: its transcript, and everything that was kept beside it. What a running session needs is
// not touched: the session is taken by its lock first.
import { entriesIn } from '../../host/entries-in.js';
import { type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { forgetSessions } from './index-cache.js';
import { lockPath, sessionOwner, takeSessionLock } from './session-lock.js';
import type { SessionPlace } from './session-places.js';

/**
 * Removes a session.
 * Contract: nothing of it is left in the home when this resolves. Where it rejects, the session is still found, and the
 * call can be repeated.
 * @param force true: also where another process writes it
 * @throws SessionError `session_in_use` where it is written and `force` is false; where something cannot be removed
 */
export async function removeSession(host: Host, home: string, place: SessionPlace, force: boolean): Promise<void> {
  const lock = force ? null : await takeForRemoval(host, place);
  try {
    await removeIfThere(host, place.ownFolder);
    await forgetSessions(host, home, [place]);
    // Last: as long as something is left, the session is found.
    await removeIfThere(host, place.file);
  } catch (error) {
    if (isFileError(error)) {
      throw new SessionError('transcript_unwritable', `The session cannot be deleted: ${error.message}`, error);
    }
    throw error;
  } finally {
    await lock?.release();
  }
  if (force) await removeLocks(host, place);
}

async function takeForRemoval(host: Host, place: SessionPlace) {
  try {
    return await takeSessionLock(host, place.file);
  } catch (error) {
    const owner = await sessionOwner(host, place.file);
    if (owner === null) throw error;
    throw new SessionError(
      'session_in_use',
      `Session ${place.sessionId} is in use by process ${owner.pid}, since ${owner.since}. End it there first, or delete it all the same with force (--force).`,
      error,
    );
  }
}

async function removeLocks(host: Host, place: SessionPlace): Promise<void> {
  const lock = lockPath(place.file);
  for (const { name } of await entriesIn(host.fs, place.folder)) {
    const file = `${place.folder}/${name}`;
    if (file === lock || file.startsWith(`${lock}.`)) await removeIfThere(host, file);
  }
}

async function removeIfThere(host: Pick<Host, 'fs'>, path: string): Promise<void> {
  try {
    await host.fs.remove(path);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}
