// What a call would really touch: its path with every symbolic link resolved, before anybody decides about it.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import type { CallSubject } from '../permissions/decide.js';
import { ToolError } from '../protocol/errors.js';
import type { ToolSubject } from '../tools/tool.js';

/** Resolves the symbolic links of a path as far as it exists; what does not exist yet is taken as written. */
export async function resolveSubject(subject: ToolSubject, fs: Host['fs']): Promise<CallSubject> {
  if (subject.kind !== 'path') return subject;
  const normal = path.resolve(subject.path);
  return { ...subject, path: normal, realPath: await realPathOf(normal, fs) };
}

async function realPathOf(target: string, fs: Host['fs']): Promise<string> {
  const missing: string[] = [];
  for (let current = target; ; current = path.dirname(current)) {
    try {
      return path.join(await fs.realpath(current), ...missing.reverse());
    } catch (error) {
      if (!isFileError(error, 'ENOENT') || path.dirname(current) === current) throw error;
      if (await isDanglingLink(current, fs))
        throw new ToolError(`${target} goes through a symbolic link that leads nowhere.`);
      missing.push(path.basename(current));
    }
  }
}

/** A write through a dangling link would create a file where the link points, which nobody decided on. */
async function isDanglingLink(target: string, fs: Host['fs']): Promise<boolean> {
  try {
    return (await fs.lstat(target)).kind === 'symlink';
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return false;
    throw error;
  }
}
