// Protected files and folders below the top of a workspace: repositories in folders, packages with editor settings.
// Looked for once a session, within bounds, since a workspace may be very large.
import path from 'node:path';
import { type HostFs, isFileError } from '../host/host.js';
import { NESTED_NAMES } from './protected-paths.js';

const MAX_DEPTH = 3;
const MAX_FOLDERS = 600;
/** Never looked into: very large, and made by programs. */
const SKIPPED = new Set(['node_modules', '.git', 'target', 'dist', 'build', '.venv', 'venv', '__pycache__']);

/** Contract: never throws; a folder that cannot be read holds nothing that is found. */
export async function findNested(fs: HostFs, roots: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  let level: readonly string[] = roots;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > MAX_FOLDERS) return found;
      for (const { name, kind } of await entriesOf(fs, folder)) {
        const target = path.join(folder, name);
        if (NESTED_NAMES.has(name)) {
          if (depth > 0) found.push(target);
        } else if (kind === 'directory' && !SKIPPED.has(name)) next.push(target);
      }
    }
    level = next;
  }
  return found;
}

async function entriesOf(fs: HostFs, folder: string) {
  try {
    return await fs.entries(folder);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return []; // nobody can read it, so nothing of it is known
  }
}
