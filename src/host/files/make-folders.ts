// Makes a folder with its missing parents. Node's own way never returns if a file system has no room for new folders
// and says so by ENOENT, as /proc does: there each step is done once.
import { mkdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Contract: an existing folder, also behind a link, is left as it is. @throws as `mkdir` of Node */
export async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    // In place: faster than a thread of the pool is woken to look.
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path), mode);
    await mkdir(path, { mode }).catch((again: unknown) => {
      if (codeOf(again) !== 'EEXIST') throw again; // someone else made it just now
    });
  }
}

/** As `makeFolders`, without a thread of the pool. */
export function makeFoldersSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFoldersSync(dirname(path), mode);
    try {
      mkdirSync(path, { mode });
    } catch (again) {
      if (codeOf(again) !== 'EEXIST') throw again; // someone else made it just now
    }
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
