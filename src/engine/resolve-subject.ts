// What a call would really touch: its paths with every symbolic link resolved, and of a command what it would run,
// before anybody decides about it.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import type { CallSubject, CommandSubject, TouchedFile } from '../permissions/permission-call.js';
import type { FileUse } from '../permissions/shell/command-reading.js';
import { ToolError } from '../protocol/errors.js';
import type { ToolSubject } from '../tools/tool.js';
import { mapBounded } from '../util/map-bounded.js';

/** Where a call would run. */
export interface SubjectPlace {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute. */
  readonly cwd: string;
}

/** More files than this are not looked at: what a command does with the rest cannot be told. */
const MAX_FILES = 500;
const AT_ONCE = 16;

/**
 * Resolves the symbolic links of paths as far as they exist; what does not exist yet is taken as written.
 * @throws ToolError for a path of a file tool that cannot be resolved
 */
export async function resolveSubject(subject: ToolSubject, { host, cwd }: SubjectPlace): Promise<CallSubject> {
  if (subject.kind === 'command') return readSubject(subject, { host, cwd });
  if (subject.kind !== 'path') return subject;
  const normal = path.resolve(subject.path);
  return { ...subject, path: normal, realPath: await realPathOf(normal, host.fs) };
}

async function readSubject(
  subject: Extract<ToolSubject, { kind: 'command' }>,
  { host, cwd }: SubjectPlace,
): Promise<CommandSubject> {
  const { readCommand } = await import('../permissions/shell/read-command.js');
  const reading = readCommand(subject.command, { cwd, home: host.platform.homedir });
  const looked = reading.files.slice(0, MAX_FILES);
  const files = await mapBounded(looked, AT_ONCE, (file) => resolveFile(file, host.fs));
  const rest = reading.files.slice(MAX_FILES).map((file) => unresolved(file));
  return { ...subject, reading, files: [...files, ...rest] };
}

/** A file that cannot be resolved is one that cannot be told. */
async function resolveFile(file: FileUse, fs: Host['fs']): Promise<TouchedFile> {
  const named = file.path ?? file.within;
  if (named === null || (file.base === null && !path.isAbsolute(named))) return unresolved(file);
  const target = path.resolve(file.base ?? '/', named);
  const { access, by, program } = file;
  const known = { access, by, program, ...(file.path === null ? { isAnyWithin: true } : {}) };
  try {
    return { path: target, realPath: await realPathOf(target, fs), ...known };
  } catch (error) {
    if (!(error instanceof ToolError) && !isFileError(error)) throw error;
    return { path: target, realPath: null, ...known };
  }
}

function unresolved({ access, by, program }: FileUse): TouchedFile {
  return { path: null, realPath: null, access, by, program };
}

/**
 * A path with every symbolic link resolved, as far as it exists.
 * @throws ToolError where it goes through a link that leads nowhere; `FileError` where it cannot be looked at
 */
export async function realPathOf(target: string, fs: Host['fs']): Promise<string> {
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
