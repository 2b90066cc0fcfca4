// What stands in a folder, for whoever goes through folders: one that cannot be gone through has nothing in it.
import { type DirectoryEntry, type HostFs, isFileError } from './host.js';

/** Contract: empty for what is not there, is no folder, or is not ours to read. */
export async function entriesIn(fs: Pick<HostFs, 'entries'>, folder: string): Promise<readonly DirectoryEntry[]> {
  try {
    return await fs.entries(folder);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return []; // as the contract says
  }
}
