// The folder of a session, and what stands in it: never reached through a symbolic link, which could lead anywhere.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';

/** What a session keeps beside its transcript. */
export type OwnPart = 'subagents' | 'blobs' | 'checkpoints' | 'tool-results';

/** One of the folders in it; null if it is not there, or a link stands in its place or in that of the whole. */
export async function ownPart(host: Pick<Host, 'fs'>, ownFolder: string, part: OwnPart): Promise<string | null> {
  const folder = path.join(ownFolder, part);
  return (await isOwnFolder(host, ownFolder, folder)) ? folder : null;
}

/** True if `folder`, in the folder of a session or that itself, is there and no link leads to it. */
export async function isOwnFolder({ fs }: Pick<Host, 'fs'>, ownFolder: string, folder: string): Promise<boolean> {
  for (let place = folder; place.startsWith(ownFolder); place = path.dirname(place)) {
    if ((await kindAt(fs, place)) !== 'directory') return false;
  }
  return true;
}

/** For who is about to write in it. @throws SessionError if a link stands in its place, or in that of a part */
export async function refuseLinks({ fs }: Pick<Host, 'fs'>, ownFolder: string): Promise<void> {
  const kind = await kindAt(fs, ownFolder);
  if (kind === null) return;
  if (kind === 'symlink') throw linked(ownFolder);
  if (kind !== 'directory') return; // nothing can be written there, and whoever tries says so
  const found = (await fs.entries(ownFolder)).find((entry) => entry.kind === 'symlink');
  if (found !== undefined) throw linked(path.join(ownFolder, found.name));
}

async function kindAt(fs: Host['fs'], place: string) {
  try {
    return (await fs.lstat(place)).kind;
  } catch (error) {
    if (isFileError(error)) return null; // not there, or not for us to see
    throw error;
  }
}

function linked(place: string): SessionError {
  return new SessionError(
    'session_invalid',
    `${place} is a symbolic link, and what belongs to a session is not kept behind one. Remove the link, or put what it names in its place.`,
  );
}
