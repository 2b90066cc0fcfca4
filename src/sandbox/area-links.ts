// Whether a path that the policy opens is led elsewhere by a symbolic link that a command may have made. Rule: what a
// command can write never says what the next command may write.
import path from 'node:path';
import type { HostFs } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import { isWithin } from './mount-plan.js';

/** As many as the system follows. */
const MAX_LINKS = 40;

/** A path as the policy names it, and without symbolic links. */
export interface OpenedPath {
  readonly named: string;
  readonly real: string;
}

/**
 * @param areas what commands may write, without symbolic links
 * @throws ToolError where one of them is led away by a link that lies in an area; FileError
 */
export async function refuseLedAway(
  fs: HostFs,
  opened: readonly OpenedPath[],
  areas: readonly string[],
): Promise<void> {
  for (const { named, real } of opened) {
    if (named === real) continue;
    const links = await linksOnTheWay(fs, named);
    const made = links.find((link) => areas.some((area) => isWithin(area, link)));
    if (made === undefined) continue;
    throw new ToolError(
      `The sandbox opens ${named}, which leads to ${real} by the symbolic link ${made}. Commands can make such a link, so nothing was run. Name ${real} itself, or remove the link.`,
    );
  }
}

/** Where each of them lies, without links in front of it. */
async function linksOnTheWay(fs: HostFs, target: string): Promise<readonly string[]> {
  const links: string[] = [];
  const left = target.split('/');
  let at = '/';
  while (left.length > 0 && links.length < MAX_LINKS) {
    const name = left.shift() ?? '';
    if (name === '' || name === '.') continue;
    const next = name === '..' ? path.dirname(at) : path.join(at, name);
    if (name !== '..' && (await fs.lstat(next)).kind === 'symlink') {
      links.push(next);
      const text = await fs.readlink(next);
      left.unshift(...text.split('/'));
      if (path.isAbsolute(text)) at = '/';
    } else at = next;
  }
  return links;
}
