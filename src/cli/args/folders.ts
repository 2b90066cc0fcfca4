// Turns the folders of a command line into absolute paths, and refuses those that cannot be used before anything runs.
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../protocol/errors.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';

/**
 * The options with `cwd` and `additionalDirectories` absolute. A relative `--add-dir` counts from `--cwd`, a
 * relative `--settings` from the folder in which the program was started.
 * @throws ConfigError if one is missing, no folder, or not readable
 */
export function resolveFolders(options: QueryOptions, startedIn: string): QueryOptions {
  const cwd = resolve(startedIn, options.cwd ?? '.');
  if (options.cwd !== undefined) checkFolder('--cwd', cwd);
  const more = options.additionalDirectories?.map((folder) => resolve(cwd, folder));
  for (const folder of more ?? []) checkFolder('--add-dir', folder);
  const { settings, projectConfigRoot, plugins } = options;
  if (projectConfigRoot !== undefined) checkFolder('--project-config-root', resolve(startedIn, projectConfigRoot));
  const isFile = typeof settings === 'string' && !settings.trimStart().startsWith('{');
  return {
    ...options,
    cwd,
    ...(more === undefined ? {} : { additionalDirectories: more }),
    ...(isFile ? { settings: resolve(startedIn, settings) } : {}),
    ...(projectConfigRoot === undefined ? {} : { projectConfigRoot: resolve(startedIn, projectConfigRoot) }),
    ...(plugins === undefined
      ? {}
      : { plugins: plugins.map((one) => ({ ...one, path: resolve(startedIn, one.path) })) }),
  };
}

function checkFolder(flag: string, folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new ConfigError(`${flag} ${folder} is not a folder.`);
    accessSync(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${flag} ${folder} ${whyNot(error)}.`, { cause: error });
  }
}

function whyNot(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOENT':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read';
    case 'ENOTDIR':
      return 'is not a folder';
    default:
      return `cannot be used (${code ?? 'unknown error'})`;
  }
}
