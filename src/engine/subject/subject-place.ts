// Where a call would run, and the names of files there without links. One rule: what cannot be resolved has no name.
import path from 'node:path';
import type { GitWatch } from '../../context/git/index.js';
import { type Host, isFileError, type Located } from '../../host/host.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import { ToolError } from '../../protocol/errors.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { KeptAsked } from './kept-below.js';

/** Files that are looked at at a time. */
export const AT_ONCE = 16;

/** The place in which a call would run. */
export interface SubjectPlace {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute. */
  readonly cwd: string;
  /** The folder of the session, of which `cwd` may be a part. Default `cwd`. */
  readonly folder?: string;
  /** What commands see. Absent: `HOME` is the home folder of the host. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What git's configuration means for calls, asked for with a call that writes or starts git. Absent: not looked at. */
  gitWatch?(): Promise<GitWatch>;
  /** Asks for what rules keep from being read, or changed. Absent: no rule speaks of files. */
  askKept?: KeptAsked;
}

/** Files that are written or removed where git looks for programs, marked as such. */
export async function markHooks<T extends Pick<TouchedFile, 'path' | 'realPath' | 'access'>>(
  files: readonly T[],
  { host: { fs }, gitWatch }: SubjectPlace,
): Promise<readonly (T & { readonly isHook?: boolean })[]> {
  if (gitWatch === undefined || files.every(({ access }) => access === 'read')) return files;
  const named = await (await gitWatch()).guardedPaths();
  if (named.length === 0) return files;
  const real = await mapBounded(named, AT_ONCE, (target) => realPathOrNull(target, fs));
  const guarded = [...new Set([...named, ...real.filter((target) => target !== null)])];
  return mapBounded(files, AT_ONCE, async (file) =>
    (await isHook(file, guarded, fs)) ? { ...file, isHook: true } : file,
  );
}

async function isHook(
  { path: written, realPath, access }: Pick<TouchedFile, 'path' | 'realPath' | 'access'>,
  guarded: readonly string[],
  fs: Host['fs'],
): Promise<boolean> {
  if (access === 'read') return false;
  for (const target of [written, realPath].filter((name) => name !== null)) {
    if (guarded.some((folder) => isBelow(folder, target))) return true;
    if (!guarded.some((folder) => isBelow(target, folder))) continue;
    // A folder above them: it is taken away with them, or put if there is none.
    if (access === 'remove' || (await fs.lstatAll([target]))[0] === null) return true;
  }
  return false;
}

/** In any case of letters, as some file systems have it. */
export function isBelow(folder: string, target: string): boolean {
  const [outer, inner] = [folder, target].map((name) => name.normalize('NFC').toLowerCase());
  return inner === outer || (inner ?? '').startsWith(`${outer}${path.sep}`);
}

/** Null for a path that cannot be resolved: where it leads cannot be told. */
export async function realPathOrNull(target: string, fs: Host['fs']): Promise<string | null> {
  try {
    return (await locatedAt(target, fs)).realPath;
  } catch (error) {
    if (!(error instanceof ToolError) && !isFileError(error)) throw error;
    return null;
  }
}

/** Links on the way to one file; the system goes through no more. */
const MAX_HOPS = 40;

/** What a path is called once each of the links on its way is replaced by what it leads to: one name a link. */
export async function namesOnTheWay(target: string, fs: Host['fs']): Promise<readonly string[]> {
  const names: string[] = [];
  let at = path.parse(target).root;
  let left = target.slice(at.length).split(path.sep);
  while (left.length > 0 && names.length < MAX_HOPS) {
    const [part = '', ...rest] = left;
    const next = path.join(at, part);
    const isLink = part !== '..' && (await fs.lstatAll([next]))[0]?.kind === 'symlink';
    if (isLink) {
      const led = await fs.readlink(next);
      left = [...led.split(path.sep), ...rest];
      if (path.isAbsolute(led)) at = path.parse(led).root;
      names.push(path.join(at, ...left));
    } else {
      at = next;
      left = rest;
    }
  }
  return names;
}

/**
 * A write through a link that leads nowhere would make a file that nobody decided on.
 * @throws ToolError for such a path; `FileError` if it cannot be looked at
 */
export async function locatedAt(target: string, fs: Host['fs']): Promise<Located> {
  try {
    return await fs.locate(target);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
    throw new ToolError(`${target} goes through a symbolic link that leads nowhere.`);
  }
}
