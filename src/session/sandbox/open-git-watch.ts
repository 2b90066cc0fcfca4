// What git's configuration means for the calls of a session, and where a yes of a person is kept. Loaded with the first
// call that needs it.
import { createGitWatch, type GitWatch } from '../../context/git/index.js';
import type { Host } from '../../host/host.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { keepTrust } from '../settings/index.js';
import { homeFolder } from '../store/index.js';

export function openGitWatch(
  { cwd, isFolderGranted, persistSession }: QueryEngineConfig,
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
): GitWatch {
  const home = homeFolder(host, env);
  return createGitWatch({
    host,
    env,
    cwd,
    home,
    isGranted: isFolderGranted,
    ...(persistSession === false ? {} : { keepTrust: (root, items) => keepTrust(host, home, root, items) }),
  });
}

/** A person vouches for what version control starts. Contract: never throws; what cannot be kept is told. */
export async function vouchFor(
  watch: () => Promise<GitWatch>,
  seen: readonly string[],
): Promise<readonly PendingNotice[]> {
  try {
    await (await watch()).vouch(seen);
    return [];
  } catch (error) {
    const message = `What you vouched for holds for this session alone: ${errorText(error)}`;
    return [{ code: 'settings_not_saved', message }];
  }
}
