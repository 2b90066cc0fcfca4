// What the git configuration of a folder means for one call, as it stands now: which files are hooks, and whether git
// starts a program of a repository that the folder records. One for each session, which looks again if something
// changed.

import path from 'node:path';
import { isWithin } from '../../host/is-inside.js';
import { foldersUpFrom, lookAgainIfChanged } from '../look.js';
import { configuredPath, type GitSetting, readGitConfig } from './git-files.js';
import { HOOKS, HOOKS_PATH, namedFiles, nestedPrograms, ownPrograms } from './git-programs.js';
import { findRepository, type GitRepository, nestedRepositories, ownConfigFiles } from './git-repository.js';
import {
  createGitStarts,
  type GitStarts,
  type GitStartsPlace,
  unvouchedPrograms,
  userConfigFiles,
} from './git-starts.js';

export interface GitWatch extends GitStarts {
  /**
   * Folders and files that git runs programs from, absolute, beside those that go by a name everybody knows: what
   * `core.hooksPath` names, of the repository, the user and the machine, whether it is there or not.
   */
  guardedPaths(): Promise<readonly string[]>;
  /**
   * What a command may have made git start even when git only reads in the session's folder, or null: a repository that
   * this one records, or this one if it does without a `.git`, brings a configuration that starts programs, and the
   * user never vouched for it as it stands. That somebody vouches for the folder does not count.
   */
  foreignPrograms(): Promise<string | null>;
}

type GitWatchPlace = GitStartsPlace;

/** Of a repository's own folder that has another name than `.git`. */
const OF_REPOSITORY = ['hooks', 'config', 'config.worktree', 'commondir'];

/** Contract: none of its functions that look throws for what stands on the disk. */
export function createGitWatch(place: GitWatchPlace): GitWatch {
  const { host, cwd } = place;
  return {
    ...createGitStarts(place),
    guardedPaths: lookAgainIfChanged(host, async () => {
      const repository = await findRepository(host, cwd);
      const inRepository = repository === null ? [path.join(cwd, '.git', 'config')] : ownConfigFiles(repository);
      const files = [...userConfigFiles(host, place.env), ...inRepository];
      const settings = await readGitConfig(host, files);
      const watched = [...files, ...namedFiles(host, settings), ...(await nearerMarks(place, repository))];
      return { files: watched, value: guardedBy(place, repository, settings) };
    }),
    foreignPrograms: lookAgainIfChanged(host, async () => {
      const repository = await findRepository(host, cwd);
      if (repository === null) return { files: null, value: null };
      const isOrdinary = ofOtherName(repository).length === 0;
      const isPlain = isOrdinary && (await nestedRepositories(host, repository)).isPlain;
      // What nested repositories say changes without the index: then it is read anew each time.
      return isPlain
        ? {
            files: [path.join(repository.folders[0] ?? '', 'index'), ...(await nearerMarks(place, repository))],
            value: null,
          }
        : { files: null, value: await whyForeign(place, repository) };
    }),
  };
}

async function whyForeign({ host, cwd, home }: GitWatchPlace, repository: GitRepository): Promise<string | null> {
  // A folder that became a repository by files of plain names may have been made one since the session began.
  const own = ofOtherName(repository).length === 0 ? [] : await ownPrograms(host, repository);
  const programs = [...own, ...(await nestedPrograms(host, repository))];
  const [first] = await unvouchedPrograms(host, home, [cwd], programs);
  if (first === undefined) return null;
  const file = path.relative(repository.top, first.file);
  if (own.includes(first)) return `${file} says what git starts here (${first.key}), and nobody vouched for it`;
  return `git looks into a repository that this one records, and there ${file} says what git starts (${first.key})`;
}

/** What would make a folder between a repository of its own, which git then takes for the one. */
async function nearerMarks({ host, cwd }: GitWatchPlace, repository: GitRepository | null): Promise<readonly string[]> {
  const real = await host.fs.realpath(cwd).catch(() => cwd); // a folder that is not there holds nothing
  const folders = foldersUpFrom(real);
  const end = folders.indexOf(repository?.top ?? '');
  return folders
    .slice(0, end === -1 ? folders.length : end)
    .flatMap((folder) => [path.join(folder, 'HEAD'), path.join(folder, '.git')]);
}

function guardedBy(
  { host, cwd }: GitWatchPlace,
  repository: GitRepository | null,
  settings: readonly GitSetting[],
): readonly string[] {
  const folders = repository?.folders ?? [];
  const starts = [repository?.top ?? cwd, ...folders.slice(0, 1)];
  const named = settings.filter(({ key, value }) => key === HOOKS_PATH && value !== '');
  const places = named.flatMap(({ value }) => starts.map((start) => configuredPath(host, start, value)));
  const hooks = places.flatMap((folder) =>
    // A folder that holds the work itself is not guarded as a whole.
    starts.some((root) => isWithin(folder, root)) || isWithin(folder, cwd)
      ? HOOKS.map((hook) => path.join(folder, hook))
      : [folder],
  );
  const own = repository === null ? [] : ofOtherName(repository);
  return [...new Set([...hooks, ...own.flatMap((folder) => OF_REPOSITORY.map((name) => path.join(folder, name)))])];
}

/** Its folders that are not protected by the name `.git`. */
function ofOtherName({ folders }: GitRepository): readonly string[] {
  return folders.filter((folder) => !folder.split(path.sep).includes('.git'));
}
