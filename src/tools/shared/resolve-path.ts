// The one reading of a path a model gives: absolute as it is, relative below the session's folder. What a tool declares
// as its subject and what it opens come from the same function, so a rule cannot be asked about another file.
import { ToolError } from '../../protocol/errors.js';
import { resolvePath } from '../../util/posix-path.js';
import type { ToolContext, ToolSubject } from '../tool.js';

/** What every `file_path` field says to the model. */
export const FILE_PATH_DESCRIPTION = 'Absolute path of the file, or a path relative to the working directory.';

/** The subject of a call on a path: absolute and normalized by text, links not resolved. */
export function pathSubject(path: string, cwd: string, access: 'read' | 'write'): ToolSubject {
  return { kind: 'path', path: resolvePath(cwd, path), access };
}

/**
 * The absolute path a tool works on.
 * `~` is not expanded: the declared subject does not know the home folder, and both must name the same file.
 * @param field the name of the input, for what is said of it
 * @throws ToolError for an empty path, one with a NUL character, and one that starts with `~/`
 */
export function resolveToolPath(path: string, context: ToolContext, field = 'file_path'): string {
  if (path === '') throw new ToolError(`${field} is empty. Give the path of a file.`);
  if (path.includes('\0')) throw new ToolError(`${field} holds a NUL character. Give a path without it.`);
  if (path === '~' || path.startsWith('~/')) {
    const expanded = resolvePath(context.host.platform.homedir, `.${path.slice(1)}`);
    throw new ToolError(`"~" is not expanded in ${field}. Give the absolute path: ${expanded}`);
  }
  return resolvePath(context.cwd, path);
}
