// Programs of git's configuration as values that somebody may vouch for.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SettingLeaf } from '../settings/merge.js';
import { isTrustedItem, readTrust, type TrustedItems, trustItem, trustRoot } from '../trust.js';
import { UNREADABLE_KEY } from './git-config.js';
import type { GitProgram } from './git-programs.js';

/** Two values of one key are two things to trust. */
export function gitLeaf({ file, key, value }: GitProgram): SettingLeaf {
  return { path: [key], key, value, isItem: true, scope: 'project', file, base: path.dirname(file) };
}

/** False for what cannot be read: nobody knows what they would vouch for. */
export function keepsTrust({ key }: GitProgram): boolean {
  return key !== UNREADABLE_KEY;
}

/**
 * Those that the user never vouched for as they stand.
 * @param places folders whose repositories they may have been vouched for with
 * Contract: where trust cannot be read, all of them.
 */
export async function unvouchedPrograms(
  host: Pick<Host, 'fs' | 'platform' | 'sha256'>,
  home: string,
  places: readonly string[],
  programs: readonly GitProgram[],
): Promise<readonly GitProgram[]> {
  let open = programs;
  for (const place of new Set(places)) {
    if (open.length === 0) break;
    const root = await trustRoot(host, place);
    const known: TrustedItems = await readTrust(host, home, root).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      return {}; // told where the settings of the folder are read
    });
    const items = await Promise.all(open.map((program) => trustItem(host, root, gitLeaf(program), place)));
    open = open.filter((_, at) => {
      const item = items[at];
      return item === undefined || !isTrustedItem(known, item);
    });
  }
  return open;
}
