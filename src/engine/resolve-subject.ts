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
  const files = await mapBounded(looked, AT_ONCE, (file) => resolveFiles(file, host.fs));
  const rest = reading.files.slice(MAX_FILES).map((file) => unresolved(file));
  return { ...subject, reading, files: [...files.flat(), ...rest] };
}

/** The file; of a glob the folder, and each link in it that the glob may match. */
async function resolveFiles(file: FileUse, fs: Host['fs']): Promise<readonly TouchedFile[]> {
  const named = file.path ?? file.within;
  if (named === null || (file.base === null && !path.isAbsolute(named))) return [unresolved(file)];
  const target = path.resolve(file.base ?? '/', named);
  const { access, by, program, names } = file;
  const use = { access, by, program };
  if (file.path !== null) return [{ path: target, realPath: await realPathOrNull(target, fs), ...use }];
  const folder = { path: target, realPath: await realPathOrNull(target, fs), isAnyWithin: true, ...use };
  const links = await linksIn(target, names, fs);
  if (links === null) return [folder, unresolved(file)];
  const led = await mapBounded(links, AT_ONCE, (link) => realPathOrNull(link, fs));
  return [folder, ...links.map((link, at) => ({ path: link, realPath: led[at] ?? null, ...use }))];
}

/** Null for a path that cannot be resolved: where it leads cannot be told. */
async function realPathOrNull(target: string, fs: Host['fs']): Promise<string | null> {
  try {
    return await realPathOf(target, fs);
  } catch (error) {
    if (!(error instanceof ToolError) && !isFileError(error)) throw error;
    return null;
  }
}

/** More links than this in one folder are not followed. */
const MAX_LINKS = 200;

/** The links in a folder whose names a glob may match; null where that cannot be told. */
async function linksIn(folder: string, names: FileUse['names'], fs: Host['fs']): Promise<readonly string[] | null> {
  try {
    const links = (await fs.entries(folder)).filter(({ name, kind }) => kind === 'symlink' && mayMatch(name, names));
    return links.length > MAX_LINKS ? null : links.map(({ name }) => path.join(folder, name));
  } catch (error) {
    if (!isFileError(error)) throw error;
    // Nothing is matched in what is not there, or is no folder.
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? [] : null;
  }
}

/** In any case: the shell may have been told to match so. */
function mayMatch(name: string, names: FileUse['names']): boolean {
  const { start = '', end = '' } = names ?? {};
  const [folded, first, last] = [name, start, end].map((text) => text.normalize('NFC').toLowerCase());
  return !name.startsWith('.') && (folded ?? '').startsWith(first ?? '') && (folded ?? '').endsWith(last ?? '');
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
