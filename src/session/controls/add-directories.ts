// Adds folders to the workspace of a session that runs. One rule: as `--add-dir`, only what is a folder, and for this
// session alone.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import type { SDKControlAddDirectoriesResponse } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** @throws ConfigError for what is no list of paths, and if the session has no permissions */
export async function addDirectories(
  { host, config }: Session,
  { gate, hooks }: SessionRuntime,
  directories: readonly string[],
): Promise<SDKControlAddDirectoriesResponse> {
  if (!Array.isArray(directories) || !directories.every((folder) => typeof folder === 'string'))
    throw new ConfigError('addDirectories takes a list of folders.');
  if (gate.rules === null)
    throw new ConfigError('This session has no permissions, so it has no workspace to add folders to.');
  const added: string[] = [];
  const failed: { readonly path: string; readonly error: string }[] = [];
  for (const given of directories) {
    const folder = path.resolve(config.cwd, homeless(given, host.platform.homedir));
    const problem = given === '' || given.includes('\0') ? 'it is no path' : await problemOf(folder);
    if (problem !== null) failed.push({ path: given, error: `${folder} cannot be added: ${problem}.` });
    else if (!gate.rules.roots.includes(folder) && !added.includes(folder)) added.push(folder);
  }
  if (added.length > 0) {
    const real = await Promise.all(added.map((folder) => host.fs.realpath(folder)));
    const roots = [...new Set([...added, ...real])];
    await gate.update([{ type: 'addDirectories', directories: roots, destination: 'session' }]);
    if (hooks.has('DirectoryAdded'))
      for (const directory of added) await hooks.run('DirectoryAdded', { directory, source: 'register_repo_root' });
  }
  const own = [config.cwd, await host.fs.realpath(config.cwd)];
  const links = await Promise.all(gate.rules.roots.map(async (root) => ({ root, real: await realOf(root) })));
  // A folder and what it is a link to are one.
  const isName = (root: string) => links.some((each) => each.root !== root && each.real === root);
  return {
    added,
    failed,
    directories: [...new Set(gate.rules.roots)].filter((root) => !own.includes(root) && !isName(root)),
  };

  async function problemOf(folder: string): Promise<string | null> {
    try {
      return (await host.fs.stat(folder)).kind === 'directory' ? null : 'it is not a folder';
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return 'there is no such folder';
      if (isFileError(error)) return errorText(error);
      throw error;
    }
  }

  async function realOf(root: string): Promise<string> {
    try {
      return await host.fs.realpath(root);
    } catch (error) {
      if (isFileError(error)) return root; // removed since: it still counts under its name
      throw error;
    }
  }
}

/**
 * Adds a folder that lies in the workspace as the session began with it: a repository of its own, for example.
 * @throws ConfigError for any other, and one that counts already
 */
export async function registerRoot(session: Session, runtime: SessionRuntime, directory: string): Promise<void> {
  const { host, config } = session;
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw new ConfigError('registerRepoRoot takes a folder.');
  const real = async (folder: string) => host.fs.realpath(folder).catch(() => folder); // no folder, which is told below
  const folder = await real(path.resolve(config.cwd, homeless(directory, host.platform.homedir)));
  const began = [config.cwd, ...(config.additionalDirectories ?? [])].map((root) => path.resolve(config.cwd, root));
  const roots = await Promise.all(began.map(real));
  if (!roots.some((root) => folder.startsWith(root.endsWith(path.sep) ? root : root + path.sep)))
    throw new ConfigError(`${folder} does not lie below a folder that the session began with. Use addDirectories.`);
  if (runtime.gate.rules?.roots.includes(folder) === true)
    throw new ConfigError(`${folder} is a folder of the workspace already.`);
  const { failed } = await addDirectories(session, runtime, [folder]);
  if (failed[0] !== undefined) throw new ConfigError(failed[0].error);
}

function homeless(folder: string, homedir: string): string {
  return folder === '~' || folder.startsWith('~/') ? path.join(homedir, folder.slice(1)) : folder;
}
