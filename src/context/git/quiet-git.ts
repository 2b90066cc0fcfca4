// A git of the user's, started by the engine itself with every switch off that makes it run something else. One rule:
// nothing of a repository passes for git, and no variable of the session says what it starts.
import path from 'node:path';
import type { Host } from '../../host/host.js';

/** What could start a program of the repository. `safe.directory` is left to git, which refuses folders of other users. */
export const QUIET_SETTINGS: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'log.showSignature=false',
  'safe.bareRepository=explicit',
];

/** On a Mac without developer tools the git of the system opens a window that offers them. */
const STAND_IN = '/usr/bin/git';
const DEVELOPER_TOOLS = [
  '/Library/Developer/CommandLineTools/usr/bin/git',
  '/Applications/Xcode.app/Contents/Developer/usr/bin/git',
];

/**
 * The first on the PATH, and the folders of it that git may start programs from. None of the repository: what stands there
 * must not pass for git, nor for what git starts.
 */
export async function findGit({ fs, platform }: Host, search: string, top: string) {
  const named = [...new Set(search.split(path.delimiter))].filter((folder) => path.isAbsolute(folder));
  const real = await Promise.all(named.map((folder) => fs.realpath(folder).catch(() => top)));
  const folders = real.filter((folder) => folder !== top && !folder.startsWith(`${top}/`));
  const files = folders.map((folder) => path.join(folder, 'git'));
  const places =
    platform.os === 'darwin' ? files.flatMap((file) => (file === STAND_IN ? DEVELOPER_TOOLS : file)) : files;
  const found = await fs.lstatAll(places);
  return { git: places.find((_, at) => found[at] != null) ?? null, folders };
}

/** Nothing of the session's own environment: a variable may say what git starts. */
export function quietEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  folders: readonly string[],
): Record<string, string> {
  const kept = ['HOME', 'XDG_CONFIG_HOME', 'USER', 'LOGNAME'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    PATH: folders.join(path.delimiter),
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}
