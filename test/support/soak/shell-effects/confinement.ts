// How processes of these tests are confined: words for bubblewrap in front of a program. They run as an unprivileged user,
// without network, and can write nothing but the fixture and a private `/tmp`.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Fixture } from './fixture.js';

/** The programs that lines can start. */
export function searchPath(): string {
  const node = path.dirname(process.execPath);
  return ['/usr/bin', '/bin'].includes(node) ? '/usr/bin:/bin' : `${node}:/usr/bin:/bin`;
}

const ENVIRONMENT = {
  LC_ALL: 'C',
  USER: 'somebody',
  TMPDIR: '/tmp',
  UV_USE_IO_URING: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  npm_config_update_notifier: 'false',
  // Nothing waits for somebody.
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
};

/** @param shown folders that can be read besides those of the system */
export function confinement(
  { root, home }: Fixture,
  shown: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): string[] {
  const node = path.dirname(path.dirname(realpathSync(process.execPath)));
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc'].filter((folder) => existsSync(folder));
  const env = { ...ENVIRONMENT, PATH: searchPath(), HOME: home, ...variables };
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--uid', '1000', '--gid', '1000', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...[...system, ...(node.startsWith('/usr') ? [] : [node])].flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...shown.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--bind', root, root, '--chdir', '/'],
  ];
}
