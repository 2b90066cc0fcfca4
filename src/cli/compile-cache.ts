// The cache of compiled code that Node keeps for programs since 22.1, switched on for the command line: for this process
// alone, before anything else is loaded. One rule: it is read only from a folder that nobody but the user can write to,
// because what stands in it is run; without one a start takes longer and does the same.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import module from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** What the types of the oldest Node do not have. */
interface CachingModule {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly getCompileCacheDir?: () => string | undefined;
}

/** Versions of ours that a folder holds, before it is emptied. */
const KEPT_VERSIONS = 3;

/** Contract: never throws; `NODE_DISABLE_COMPILE_CACHE` and a cache that is on already are left as they are. */
export function useCompileCache(): void {
  const { enableCompileCache, getCompileCacheDir } = module as CachingModule;
  if (enableCompileCache === undefined || getCompileCacheDir?.() !== undefined) return;
  try {
    const folder = cacheFolder(process.env, process.cwd());
    if (folder !== null) enableCompileCache(folder);
  } catch {
    // No cache: a folder that cannot be made or looked at, or one that Node cannot use.
  }
}

/**
 * `compile-cache/VERSION` in `$TURNWRIGHT_HOME`, which must be there. Null if it lies in the working directory, which may be
 * a project, or if somebody else could write to it.
 */
function cacheFolder(env: NodeJS.ProcessEnv, cwd: string): string | null {
  const named = env['TURNWRIGHT_HOME'];
  const home = named !== undefined && named !== '' ? path.resolve(cwd, named) : path.join(os.homedir(), '.turnwright');
  if (isInside(home, cwd) || !isOwn(statSync(home), 0o022)) return null;
  const all = path.join(home, 'compile-cache');
  const folder = path.join(all, ownVersion());
  mkdirSync(all, { recursive: true, mode: 0o700 });
  if (!isOwn(lstatSync(all), 0o077)) return null;
  const names = readdirSync(all);
  if (!names.includes(path.basename(folder))) {
    if (names.length >= KEPT_VERSIONS) for (const name of names) rmSync(path.join(all, name), { recursive: true });
    mkdirSync(folder, { mode: 0o700 });
  }
  return isOwn(lstatSync(folder), 0o077) ? folder : null;
}

/** @param others permission bits that nobody else may have */
function isOwn(stat: Stats, others: number): boolean {
  if (!stat.isDirectory()) return false;
  // On Windows there are no such bits, and the folder of a user is theirs.
  if (process.getuid === undefined) return true;
  return stat.uid === process.getuid() && (stat.mode & others) === 0;
}

function isInside(folder: string, parent: string): boolean {
  const way = path.relative(parent, folder);
  return way === '' || (!path.isAbsolute(way) && way !== '..' && !way.startsWith(`..${path.sep}`));
}

/** Read, not imported: whatever holds it would be loaded before the cache is on. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: unknown;
  };
  return /^\d[\w.+-]{0,63}$/.test(String(version)) ? String(version) : 'unknown';
}
