import path from 'node:path';
import type { Host } from '../../host/host.js';

/** Files of git's configuration that are the machine's and the user's, whether they are there or not. */
export function userConfigFiles(
  { platform }: Pick<Host, 'platform'>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(platform.homedir, '.config');
  return ['/etc/gitconfig', path.join(platform.homedir, '.gitconfig'), path.join(config, 'git', 'config')];
}
