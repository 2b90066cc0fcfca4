// What a command made although it must not be there, and that could not be held back while it ran: taken away afterwards.
// Rule: what git would obey is removed; anything else may be somebody's work, so it is moved aside and told.
import path from 'node:path';
import { type HostFs, isFileError } from '../host/host.js';
import type { SandboxViolation } from './command-sandbox.js';
import { GIT_REDIRECTIONS } from './protected-paths.js';

/** Behind the name of what was moved aside. */
const ASIDE = '.held-back';
const MAX_ASIDE = 100;

/** @param targets paths that were missing when the command started */
export async function takeAway(fs: HostFs, targets: readonly string[]): Promise<SandboxViolation[]> {
  const stats = await fs.lstatAll(targets);
  const found: SandboxViolation[] = [];
  for (const target of targets.filter((_, at) => stats[at] != null)) {
    try {
      const message = isRedirection(target) ? await remove(fs, target) : await moveAside(fs, target);
      found.push({ kind: 'file', target, message });
    } catch (error) {
      if (!isFileError(error, 'ENOENT')) throw error; // it is gone, as it should be
    }
  }
  return found;
}

/** True for what git would obey, which nobody makes by hand. */
export function isRedirection(target: string): boolean {
  return (GIT_REDIRECTIONS as readonly string[]).includes(path.basename(target));
}

async function remove(fs: HostFs, target: string): Promise<string> {
  await fs.remove(target);
  return `${target} would make git obey another folder's configuration, so it was removed.`;
}

async function moveAside(fs: HostFs, target: string): Promise<string> {
  const names = Array.from({ length: MAX_ASIDE }, (_, at) => `${target}${ASIDE}${at === 0 ? '' : `-${at + 1}`}`);
  const taken = await fs.lstatAll(names);
  const aside = names[taken.indexOf(null)] ?? `${target}${ASIDE}`;
  await fs.rename(target, aside);
  return `${target} configures what runs later, and was made in the sandbox, so it was moved to ${aside}. Look at it, and move it back if it is right.`;
}
