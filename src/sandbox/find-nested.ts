// What lies below the top of a workspace and has to be guarded: repositories in folders, packages with editor settings,
// files that a rule denies. Looked for once a session, within bounds, since a workspace may be very large.
import path from 'node:path';
import type { DirectoryEntry, HostFs } from '../host/host.js';
import { entriesIn } from '../host/host.js';
import { NESTED_NAMES } from './protected-paths.js';

/** How far a search goes. */
export interface Bounds {
  /** Folders below a root. */
  readonly maxDepth: number;
  /** Folders that are looked into. */
  readonly maxFolders: number;
}

const USUAL_BOUNDS: Bounds = { maxDepth: 3, maxFolders: 600 };
/** Never looked into: very large, and made by programs. */
const SKIPPED = new Set(['node_modules', '.git', 'target', 'dist', 'build', '.venv', 'venv', '__pycache__']);

/** Protected paths below the top of the roots. */
export async function findNested(fs: HostFs, roots: readonly string[]): Promise<string[]> {
  const found = await findBelow(fs, roots, (target) => NESTED_NAMES.has(path.basename(target)));
  return found.filter((target) => !roots.includes(path.dirname(target)));
}

/**
 * What is wanted of all that lies in the roots, within bounds. What is wanted is not looked into.
 * Contract: never throws; a folder that cannot be read holds nothing that is found.
 */
export async function findBelow(
  fs: HostFs,
  roots: readonly string[],
  isWanted: (target: string, kind: DirectoryEntry['kind']) => boolean,
  { maxDepth, maxFolders }: Bounds = USUAL_BOUNDS,
): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  let level: readonly string[] = roots;
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > maxFolders) return found;
      for (const { name, kind } of await entriesIn(fs, folder)) {
        const target = path.join(folder, name);
        if (isWanted(target, kind)) found.push(target);
        else if (kind === 'directory' && !SKIPPED.has(name)) next.push(target);
      }
    }
    level = next;
  }
  return found;
}
