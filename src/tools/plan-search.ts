// Where a Glob pattern starts to search, and what is left of it from there.
import path from 'node:path';
import type { GlobInput } from '../protocol/tool-io.js';
import { splitGlobRoot } from '../util/glob-root.js';

export interface SearchPlan {
  /** The folder `path` names. */
  readonly base: string;
  /** The folder that is walked: `base` and the plain folders of the pattern. */
  readonly root: string;
  /** What a path relative to `root` must match. */
  readonly rest: string;
}

/** Pure: where a pattern starts and what is left of it. */
export function planSearch(input: GlobInput, cwd: string): SearchPlan {
  const base = path.resolve(cwd, input.path ?? '.');
  const pattern = input.pattern.endsWith('/') ? `${input.pattern}**` : input.pattern.replace(/^(?:\.\/+)+/, '');
  if (!pattern.includes('/')) return { base, root: base, rest: pattern === '**' ? pattern : `**/${pattern}` };
  const { root, rest } = splitGlobRoot(pattern);
  return { base, root: path.resolve(base, root), rest: rest.replace(/\/{2,}/g, '/') };
}
