// The branch that a folder is on, as git has written it down. No program is run.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** A file of git's that says one line is no longer, characters. */
const LONGEST = 1_000;

/** Null if there is no repository, or it is on none. */
export async function readBranch(cwd: string): Promise<string | null> {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const place = path.join(folder, '.git');
    const kind = await stat(place).catch(() => null); // not here: further up
    if (kind !== null) return branchIn(kind.isDirectory() ? place : await linkedFolder(place));
    if (path.dirname(folder) === folder) return null;
  }
}

/** Of a worktree, `.git` is a file that names the folder. */
async function linkedFolder(file: string): Promise<string | null> {
  const [, folder] = /^gitdir: (.+)/.exec(await readLine(file)) ?? [];
  return folder === undefined ? null : path.resolve(path.dirname(file), folder.trim());
}

async function branchIn(folder: string | null): Promise<string | null> {
  if (folder === null) return null;
  const head = await readLine(path.join(folder, 'HEAD'));
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(head) ?? [];
  return branch?.trim() ?? /^[\da-f]{7,}/.exec(head)?.[0].slice(0, 7) ?? null;
}

async function readLine(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => ''); // then there is nothing to show
  return text.slice(0, LONGEST).split('\n', 1)[0] ?? '';
}
