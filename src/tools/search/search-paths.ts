// What Glob and Grep share about paths: where a search starts, how a path is shown, which file comes first.
// Rule: what a search walks is what its subject says, found once.
import { type FileStat, type FolderHandle, isFileError, type Located } from '../../host/host.js';
import { pathBelow } from '../../host/is-inside.js';
import { ToolError } from '../../protocol/errors.js';
import { locateFile, withFileErrors } from '../shared/index.js';
import type { ToolContext } from '../tool.js';

/** Flags every search has: hidden files and .gitignore count, version control and kernel folders do not. */
export function walkArguments(root: string): string[] {
  const skipped = ['.git', '.hg', '.svn', '.jj', ...(root === '/' ? ['/proc', '/sys', '/dev'] : [])];
  return ['--hidden', '--no-require-git', '--no-messages', ...skipped.flatMap((name) => ['--glob', `!${name}`])];
}

/** @throws ToolError if one of the named texts holds a NUL byte */
export function refuseNul(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text?.includes('\0')) throw new ToolError(`\`${name}\` holds a NUL byte. Remove it.`);
  }
}

/**
 * What a search starts at.
 * @param locate how that is found; by default as it was decided about
 * @throws ToolError if there is nothing, or nothing searchable
 */
export async function locateRoot(
  root: string,
  context: ToolContext,
  locate: () => Promise<Located> = () => locateFile(context, root),
): Promise<Located & { readonly stat: FileStat }> {
  const located = await orNoRoot(root, context, locate);
  const { stat } = located;
  if (stat === null) throw new ToolError(noSuchPath(root, context));
  if (stat.kind !== 'file' && stat.kind !== 'directory')
    throw new ToolError(`The path is neither a file nor a folder: ${root}. Choose one of those.`);
  return { ...located, stat };
}

async function orNoRoot(root: string, context: ToolContext, locate: () => Promise<Located>): Promise<Located> {
  try {
    return await locate();
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) throw new ToolError(noSuchPath(root, context));
    if (isFileError(error)) throw new ToolError(`The path cannot be read: ${error.message}`);
    throw error;
  }
}

function noSuchPath(root: string, { cwd }: ToolContext): string {
  return `The path does not exist: ${root}. The working directory is ${cwd}.`;
}

/**
 * Searches in the folder that was located, of a file in the one it stands in, whatever takes its name meanwhile.
 * @throws ToolError if another one is there by now
 */
export async function searchIn<T>(
  located: Located,
  context: ToolContext,
  search: (folder: FolderHandle) => Promise<T>,
): Promise<T> {
  const work = async (): Promise<T> => {
    const folder = await context.host.fs.holdFolder(located);
    try {
      return await search(folder);
    } finally {
      await folder.close();
    }
  };
  return withFileErrors(context, 'read', located.path, work);
}

/** A path for people and models: relative inside the working directory, and on one line. */
export function showPath(file: string, cwd: string): string {
  return quoteOddName(pathBelow(cwd, file) || file);
}

/** A name with control characters (a line break, say) is shown as a JSON string. */
export function quoteOddName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}

/** Order of code units: the same on every machine. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** From this byte on (U+E000 and what UTF-16 writes in pairs) UTF-8 is ordered otherwise than code units are. */
const FIRST_UNLIKE_UTF16 = 0xee;

/** True if a path, as UTF-8, surely comes behind another one; false if their orders may differ. Pure. */
export function isSurelyBehind(bytes: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  for (let at = start; at < end; at += 1) {
    if (at - start >= other.length) return true;
    const byte = bytes[at] as number;
    const beside = other[at - start] as number;
    if (byte !== beside) return byte > beside && byte < FIRST_UNLIKE_UTF16;
  }
  return false;
}

/** A file that was found, and when it was changed; 0 if that is not known. */
interface DatedFile {
  readonly path: string;
  readonly mtimeMs: number;
}

/** Newest first, then by path. */
export function newestFirst(a: DatedFile, b: DatedFile): number {
  return b.mtimeMs - a.mtimeMs || comparePaths(a.path, b.path);
}

/** The first `limit` of any number of items in a fixed order, in memory for twice as many. */
export function createFirstItems<T>(limit: number, compare: (a: T, b: T) => number) {
  let items: T[] = [];
  let total = 0;
  /** The last that may stay: of many items most stand behind it, and cost one look. */
  let bound: T | null = null;
  return {
    add(item: T): void {
      total += 1;
      if (bound !== null && compare(item, bound) > 0) return;
      items.push(item);
      if (items.length < Math.max(limit * 2, 1_000)) return;
      items = items.sort(compare).slice(0, limit);
      bound = items.at(-1) ?? null;
    },
    /** Counts one that the caller found to stand behind the bound. */
    countBehind(): void {
      total += 1;
    },
    /** What comes behind this need not be added; null while all must. */
    bound: () => bound,
    /** How many were added or counted. */
    total: () => total,
    /** In order. */
    items: (): T[] => items.toSorted(compare).slice(0, limit),
  };
}
