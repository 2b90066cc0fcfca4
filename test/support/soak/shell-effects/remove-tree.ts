// Removes what a line may leave: folders too deep for a path, folders that nobody may enter, names that are no text. Its
// rule: nothing of it is left, or it throws.
import { execFileSync } from 'node:child_process';
import { lstatSync, rmSync } from 'node:fs';

/** A file or a folder with all that lies in it; nothing if there is none. */
export function removeTree(at: string): void {
  try {
    rmSync(at, { recursive: true, force: true });
    return;
  } catch {
    // Node gives whole paths to the system, which takes 4096 bytes of one, and enters no folder whose mode forbids it. The
    // programs below go from folder to folder.
  }
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) execFileSync('chmod', ['-R', 'u+rwx', '--', at], { stdio: 'ignore' });
  execFileSync('rm', ['-rf', '--', at], { stdio: 'ignore' });
}
