// Values of flags: lists as people write them, setting sources, and folders as absolute paths; one that cannot be used is
// refused before anything runs.

import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../protocol/errors.js';
import type { SettingSource } from '../../protocol/options.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';

/**
 * The entries of a list, divided by commas or white space outside parentheses, so that `Bash(npm run a, b)` stays
 * whole. Empty entries are dropped; an unclosed parenthesis keeps the rest as one entry for the rule parser to refuse.
 */
export function splitList(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === '(') depth++;
    if (character === ')' && depth > 0) depth--;
    const divides = character === undefined || (depth === 0 && /[\s,]/.test(character));
    if (!divides) continue;
    if (index > start) entries.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return entries.filter((entry) => entry !== '');
}

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

/** `none`, or nothing, is none. @throws ConfigError */
export function settingSources(value: string, typed: string): SettingSource[] {
  const names = splitList(value === 'none' ? '' : value);
  const stranger = names.find((name) => !(SOURCES as readonly string[]).includes(name));
  if (stranger === undefined) return names as SettingSource[];
  throw new ConfigError(
    `${typed} is a list of ${SOURCES.join(', ')}, or none, not ${JSON.stringify(stranger.slice(0, 60))}.`,
  );
}

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
