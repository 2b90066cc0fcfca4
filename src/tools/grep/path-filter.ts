// The files that `glob` of a Grep call means: exclusions are ripgrep's work, inclusions are checked here.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import { compileGlob, expandBraces, type GlobPattern } from '../../util/glob-pattern.js';
import { errorText } from '../../util/text.js';

export interface PathFilter {
  /** Takes a path relative to where the search runs. */
  accepts(relative: string): boolean;
  /** Exclusions, which ripgrep may do itself. */
  readonly arguments: readonly string[];
  /** Narrows the walk by file name; only where the input names no type, for types add up. */
  readonly typeArguments: readonly string[];
}

/**
 * Reads `glob`. A pattern ripgrep includes by would undo .gitignore, so inclusion is checked here; it may be relative
 * to the search's folder or to the working directory.
 */
export function createPathFilter(glob: string | undefined, root: string, cwd: string): PathFilter {
  const patterns = splitGlobs(glob ?? '');
  const excluded = patterns.filter((pattern) => pattern.startsWith('!'));
  const included = patterns.filter((pattern) => !pattern.startsWith('!')).map(compileInclusion);
  const lastParts = included.map((pattern) => pattern.lastParts);
  const names = lastParts.every((parts) => parts !== null) ? lastParts.flat() : [];
  return {
    arguments: excluded.flatMap(expandExclusion),
    typeArguments:
      names.length === 0 ? [] : [...names.flatMap((name) => ['--type-add', `wanted:${name}`]), '--type', 'wanted'],
    accepts(file) {
      if (included.length === 0) return true;
      const absolute = path.resolve(root, file);
      const ways = [path.relative(root, absolute), path.relative(cwd, absolute), absolute];
      return included.some((pattern) => ways.some((way) => pattern.matches(way)));
    },
  };
}

/**
 * Several globs may stand in one text, with commas between them outside of braces. Spaces divide it too where each
 * part has a star, so that a folder's name may hold one.
 */
function splitGlobs(glob: string): string[] {
  const patterns = glob.split(/,(?![^{]*\})/).flatMap((text) => {
    const words = text.trim().split(/\s+/);
    return words.every((word) => word.includes('*')) ? words : [text.trim()];
  });
  return patterns.filter((pattern) => pattern !== '');
}

function expandExclusion(pattern: string): string[] {
  return readPattern(() => expandBraces(pattern.slice(1))).flatMap((text) => ['--glob', `!${text}`]);
}

function compileInclusion(pattern: string): GlobPattern {
  const relative = pattern.replace(/^\.\//, '');
  const folder = relative.endsWith('/') ? `${relative}**` : relative;
  return readPattern(() => compileGlob(folder.includes('/') ? folder : `**/${folder}`));
}

/** A pattern that cannot be read is the model's mistake. */
function readPattern<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ToolError(errorText(error));
  }
}
