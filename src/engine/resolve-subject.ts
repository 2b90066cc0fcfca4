// What a call would really touch: its paths with every symbolic link resolved, and of a command what it would run,
// before anybody decides about it.
import path from 'node:path';
import type { GitWatch } from '../context/git-watch.js';
import { type Host, isFileError, type Located } from '../host/host.js';
import type { CallSubject, CommandSubject, TouchedFile } from '../permissions/permission-call.js';
import type { FileUse, ProgramRun, Unpacking } from '../permissions/shell/command-reading.js';
import { ToolError } from '../protocol/errors.js';
import type { ToolSubject } from '../tools/tool.js';
import { mapBounded } from '../util/map-bounded.js';

/** Where a call would run. */
export interface SubjectPlace {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute. */
  readonly cwd: string;
  /** What git's configuration means for calls, asked for with a call that writes or starts git. Absent: not looked at. */
  gitWatch?(): Promise<GitWatch>;
}

/** More files than this are not looked at: what a command does with the rest cannot be told. */
const MAX_FILES = 500;
const AT_ONCE = 16;
/** Programs that may be told to follow links. */
const MAY_FOLLOW: ReadonlySet<string> = new Set([
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'ag',
  'diff',
  'cp',
  'rsync',
  'tar',
  'zip',
]);
/** Archives and patches of one command that are looked into. */
const MAX_UNPACKS = 8;

/** What is decided about, and the very file or folder that the call may then open. */
export interface ResolvedCall {
  readonly subject: CallSubject;
  /** Null where the call names none. */
  readonly located: Located | null;
}

/**
 * Resolves the symbolic links of paths as far as they exist; what does not exist yet is taken as written.
 * @throws ToolError for a path of a file tool that cannot be resolved
 */
export async function resolveCall(subject: ToolSubject, place: SubjectPlace): Promise<ResolvedCall> {
  if (subject.kind === 'command') return { subject: await readSubject(subject, place), located: null };
  if (subject.kind !== 'path') return { subject, located: null };
  const located = await locatedAt(path.resolve(subject.path), place.host.fs);
  const named = { ...subject, path: located.path, realPath: located.realPath };
  if (subject.access === 'read') return { subject: named, located };
  const [marked = named] = await markHooks([named], place);
  return { subject: marked, located };
}

/** As `resolveCall`, for who only decides. */
export async function resolveSubject(subject: ToolSubject, place: SubjectPlace): Promise<CallSubject> {
  return (await resolveCall(subject, place)).subject;
}

async function readSubject(
  subject: Extract<ToolSubject, { kind: 'command' }>,
  place: SubjectPlace,
): Promise<CommandSubject> {
  const { host, cwd } = place;
  const { readCommand } = await import('../permissions/shell/read-command.js');
  const reading = readCommand(subject.command, { cwd, home: host.platform.homedir });
  const looked = reading.files.slice(0, MAX_FILES);
  const files = await mapBounded(looked, AT_ONCE, (file) => resolveFiles(file, host.fs));
  const rest = reading.files.slice(MAX_FILES).map((file) => unresolved(file));
  const followed = await followedLinks(reading.programs, files.flat(), place);
  const startsGit = reading.programs.some((run) => run.isGit && run.readOnly);
  const gitStarts = startsGit ? await (await place.gitWatch?.())?.foreignPrograms() : null;
  return {
    ...subject,
    reading,
    files: [
      ...(await markHooks([...files.flat(), ...followed, ...(await unpacked(reading.unpacks, host.fs))], place)),
      ...rest,
    ],
    ...(gitStarts == null ? {} : { gitStarts }),
  };
}

/** What searches that follow links would read besides what they name: in the folders they name, else in this one. */
async function followedLinks(
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  { host: { fs }, cwd }: SubjectPlace,
): Promise<readonly TouchedFile[]> {
  const found: TouchedFile[] = [];
  for (const run of programs) {
    if (!MAY_FOLLOW.has(run.name ?? '')) continue;
    found.push(...(await copied(run, files, fs)));
    const { followsLinks, linksOut } = await import('./followed-links.js');
    if (!followsLinks(run)) continue;
    const named = files.filter(({ program, access }) => program === run.name && access === 'read');
    const folders = named.length === 0 ? [cwd] : named.flatMap(({ realPath }) => realPath ?? []);
    for (const folder of new Set(folders)) found.push(...(await linksOut(folder, run.name, fs)));
  }
  return found;
}

/** What a copy of a folder brings along. */
async function copied(run: ProgramRun, files: readonly TouchedFile[], fs: Host['fs']): Promise<readonly TouchedFile[]> {
  if (run.name !== 'cp' && run.name !== 'rsync') return [];
  const { copiedFiles, copiesFolders } = await import('./copied-folders.js');
  if (!copiesFolders(run)) return [];
  const own = files.filter(({ program }) => program === run.name);
  const [sources, targets] = (['read', 'write'] as const).map((wanted) =>
    own.filter(({ access }) => access === wanted),
  );
  return copiedFiles(run, sources ?? [], targets ?? [], fs);
}

/** What comes out of archives and patches: few commands have any, so what reads them is loaded for those. */
async function unpacked(unpacks: readonly Unpacking[] | undefined, fs: Host['fs']): Promise<readonly TouchedFile[]> {
  if (unpacks === undefined) return [];
  const { touchedByUnpacking } = await import('./unpacked-files.js');
  const found = await mapBounded(unpacks.slice(0, MAX_UNPACKS), 1, (each) =>
    touchedByUnpacking(each, fs, (folder) => realPathOrNull(folder, fs)),
  );
  const rest = unpacks.slice(MAX_UNPACKS).map(
    ({ program, text }): TouchedFile => ({
      path: null,
      realPath: null,
      access: 'write',
      by: 'operand',
      program,
      isUnpacked: true,
      part: text,
    }),
  );
  return [...found.flat(), ...rest];
}

/** Files that are written or removed where git looks for programs, marked as such. */
async function markHooks<T extends Pick<TouchedFile, 'path' | 'realPath' | 'access'>>(
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
    // A folder above them: it is taken away with them, or put where there is none.
    if (access === 'remove' || (await fs.lstatAll([target]))[0] === null) return true;
  }
  return false;
}

/** In any case of letters, as some file systems have it. */
function isBelow(folder: string, target: string): boolean {
  const [outer, inner] = [folder, target].map((name) => name.normalize('NFC').toLowerCase());
  return inner === outer || (inner ?? '').startsWith(`${outer}${path.sep}`);
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
    return (await locatedAt(target, fs)).realPath;
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
 * A write through a link that leads nowhere would make a file that nobody decided on.
 * @throws ToolError for such a path; `FileError` where it cannot be looked at
 */
async function locatedAt(target: string, fs: Host['fs']): Promise<Located> {
  try {
    return await fs.locate(target);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
    throw new ToolError(`${target} goes through a symbolic link that leads nowhere.`);
  }
}
