// What Glob and Grep share about paths: where a search starts, how a path is shown, which file comes first.
// Rule: what a search walks is what its subject says.
import path from 'node:path';
import { isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { ToolContext } from './tool.js';

const STATS_AT_ONCE = 64;

/** Flags every search has: hidden files and .gitignore count, version control and kernel folders do not. */
export function walkArguments(root: string): string[] {
  const skipped = ['.git', '.hg', '.svn', '.jj', ...(root === '/' ? ['/proc', '/sys', '/dev'] : [])];
  return ['--hidden', '--no-require-git', '--no-messages', ...skipped.flatMap((name) => ['--glob', `!${name}`])];
}

/** @throws ToolError where one of the named texts holds a NUL byte */
export function refuseNul(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text?.includes('\0')) throw new ToolError(`\`${name}\` holds a NUL byte. Remove it.`);
  }
}

/**
 * The kind of what a search starts at.
 * @throws ToolError where there is nothing, or nothing searchable
 */
export async function checkRoot(root: string, context: ToolContext): Promise<'file' | 'directory'> {
  try {
    const { kind } = await context.host.fs.stat(root);
    if (kind === 'file' || kind === 'directory') return kind;
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) {
      throw new ToolError(`The path does not exist: ${root}. The working directory is ${context.cwd}.`);
    }
    if (isFileError(error)) throw new ToolError(`The path cannot be read: ${error.message}`);
    throw error;
  }
  throw new ToolError(`The path is neither a file nor a folder: ${root}. Choose one of those.`);
}

/** A path for people and models: relative inside the working directory, and on one line. */
export function showPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  const outside = relative === '' || relative.startsWith('..') || path.isAbsolute(relative);
  return quoteOddName(outside ? file : relative);
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

/** Newest first, then by path. A file that cannot be looked at counts as oldest. */
export async function sortNewestFirst(files: readonly string[], context: ToolContext): Promise<string[]> {
  const times = new Map<string, number>();
  for (let start = 0; start < files.length; start += STATS_AT_ONCE) {
    const slice = files.slice(start, start + STATS_AT_ONCE);
    await Promise.all(slice.map(async (file) => times.set(file, await readTime(file, context))));
  }
  return files.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || comparePaths(a, b));
}

async function readTime(file: string, context: ToolContext): Promise<number> {
  try {
    return (await context.host.fs.lstat(file)).mtimeMs;
  } catch {
    // Gone since it was found, or a name that is not valid UTF-8: it is listed, last.
    return 0;
  }
}

/** The first `limit` of any number of items in a fixed order, in memory for twice as many. */
export function createFirstItems<T>(limit: number, compare: (a: T, b: T) => number) {
  let items: T[] = [];
  let total = 0;
  return {
    add(item: T): void {
      total += 1;
      items.push(item);
      if (items.length >= Math.max(limit * 2, 1_000)) items = items.sort(compare).slice(0, limit);
    },
    /** How many were added. */
    total: () => total,
    /** In order. */
    items: (): T[] => items.toSorted(compare).slice(0, limit),
  };
}
