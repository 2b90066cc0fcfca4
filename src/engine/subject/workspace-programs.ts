// Programs that the workspace itself provides: `npx` and environments of Python put folders of the project in front of the
// PATH. What stands there under the name of a program that is known to read only may be anything.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import type { TouchedFile, WorkspaceProgram } from '../../permissions/permission-call.js';
import type { ProgramRun } from '../../permissions/shell/index.js';
import { isBelow, realPathOrNull, type SubjectPlace } from './subject-place.js';

/** A folder of the PATH, in its order. */
interface SearchFolder {
  readonly path: string;
  /** It lies in the folder of the session, or is named from where a command runs. */
  readonly isOwn: boolean;
  /** It is another folder after each `cd`. */
  readonly isHere: boolean;
}

/** Programs that start others by their names to do what they are asked: packers, scripts around packers, filters of git. */
const STARTS_OTHERS =
  /^(?:git|g?tar|bsdtar|[bglx]?z\w*|gunzip|bunzip2|un(?:xz|zstd|lzma|lz4|compress)|zst\w+|[ef]grep|man|yq|which|ldd|xargs|find)$/;
const STARTED: readonly string[] = (
  'gzip bzip2 xz zstd lz4 lzip lzma lzop compress pigz pbzip2 grep sed awk cat tr rm mktemp expr sort head cut less jq sh bash ' +
  'basename dirname uname ' +
  'ssh gpg git-lfs git-crypt git-annex git-remote-http git-remote-https'
).split(' ');

/** By host and PATH: where the folders lie is looked up once, because only what is outside could change it. */
const SEARCHED = new WeakMap<Host['fs'], Map<string, Promise<readonly SearchFolder[]>>>();

/** The runs whose program would be found in the workspace first, or might be once the line has run that far. */
export async function workspacePrograms(
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  { host: { fs }, cwd, folder = cwd, env = {} }: SubjectPlace,
): Promise<readonly WorkspaceProgram[]> {
  const search = env['PATH'] ?? '';
  if (search === '') return [];
  const folders = await searchFolders(search, folder, cwd, fs);
  const own = folders.filter(({ isOwn }) => isOwn);
  if (own.length === 0) return [];
  const found = new Map<string, string | null>();
  for (const { words } of programs) {
    const name = words[0];
    if (typeof name !== 'string' || name.includes('/') || found.has(name)) continue;
    const names = STARTS_OTHERS.test(name) ? [name, ...STARTED] : [name];
    found.set(name, await foundOf(names, folders, own, files, fs));
  }
  const moves = own.some(({ isHere }) => isHere);
  return programs.flatMap((run) => {
    const name = run.words[0] ?? '';
    // What stands where it moves to is not looked up.
    const at = found.get(name) ?? (moves && !run.startsIn.every((base) => base === cwd) ? name : null);
    return at === null ? [] : [{ run, path: at }];
  });
}

/** The first file of the workspace that has one of the names, if no folder in front of it has one too; null if there is none. */
async function foundOf(
  names: readonly string[],
  folders: readonly SearchFolder[],
  own: readonly SearchFolder[],
  files: readonly TouchedFile[],
  fs: Host['fs'],
): Promise<string | null> {
  const isMade = (target: string): boolean =>
    files.some(
      ({ access, path: made, realPath }) =>
        access === 'write' && [made, realPath].some((each) => each !== null && isBelow(each, target)),
    );
  const places = names.flatMap((name) => own.map((folder) => ({ name, folder, file: path.join(folder.path, name) })));
  const stats = await fs.lstatAll(places.map(({ file }) => file));
  for (const [at, { name, folder, file }] of places.entries()) {
    if (stats[at] == null && !isMade(file)) continue;
    const before = folders.slice(0, folders.indexOf(folder)).filter(({ isOwn }) => !isOwn);
    const others = await fs.lstatAll(before.map((each) => path.join(each.path, name)));
    if (others.every((stat) => stat == null)) return file;
  }
  return null;
}

function searchFolders(search: string, folder: string, cwd: string, fs: Host['fs']): Promise<readonly SearchFolder[]> {
  const known = SEARCHED.get(fs) ?? new Map<string, Promise<readonly SearchFolder[]>>();
  SEARCHED.set(fs, known);
  const key = `${folder}\0${cwd}\0${search}`;
  const looked = known.get(key) ?? lookFor(search, folder, cwd, fs);
  known.set(key, looked);
  return looked;
}

async function lookFor(search: string, folder: string, cwd: string, fs: Host['fs']): Promise<readonly SearchFolder[]> {
  const real = (await realPathOrNull(folder, fs)) ?? folder;
  return Promise.all(
    search.split(path.delimiter).map(async (written) => {
      // An empty one is the folder that the command runs in.
      const named = path.resolve(cwd, written);
      const target = (await realPathOrNull(named, fs)) ?? named;
      const isHere = !path.isAbsolute(written);
      return {
        path: named,
        isHere,
        isOwn: isHere || [folder, real].some((each) => isBelow(each, target) || isBelow(each, named)),
      };
    }),
  );
}
