// Removes a worktree with its branch. One rule: what no other branch and no commit holds goes only with a clear word.
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { lossOf, openGit, unmergedOf, type Worktree, type WorktreeLoss, type WorktreePlace } from './worktree.js';
import { dropRecord } from './worktree-records.js';

/** `isRemoved` false: it stays, for what is named would have been lost. */
export interface WorktreeRemoval extends WorktreeLoss {
  readonly isRemoved: boolean;
}

const NOTHING: WorktreeLoss = { uncommitted: [], unmerged: [] };

/** What would be lost with it. @throws ToolError if that cannot be told */
export async function inspectWorktree(place: WorktreePlace, { path, branch, madeBy }: Worktree): Promise<WorktreeLoss> {
  const [stat = null] = await place.host.fs.lstatAll([path]);
  if (stat === null && madeBy === 'hook') return NOTHING;
  if (stat === null)
    return { uncommitted: [], unmerged: await unmergedOf(await openGit(place, place.folder), branch, false) };
  return lossOf(await openGit(place, path), branch);
}

/**
 * Contract: without `discard` nothing is lost: uncommitted files and commits that are nowhere else keep the worktree.
 * @throws ToolError if it cannot be removed
 */
export async function removeWorktree(
  place: WorktreePlace,
  worktree: Worktree,
  { discard = false }: { readonly discard?: boolean } = {},
): Promise<WorktreeRemoval> {
  const { hooks } = place;
  const isOfHook = worktree.madeBy === 'hook';
  if (isOfHook && !hooks.has('WorktreeRemove'))
    throw new ToolError(
      `The worktree ${worktree.name} was made by a hook, and there is no WorktreeRemove hook to remove it. It stays at ${worktree.path}.`,
    );
  const loss = await knownLoss(place, worktree, discard);
  if (!discard && loss.uncommitted.length + loss.unmerged.length > 0) return { isRemoved: false, ...loss };
  if (hooks.has('WorktreeRemove')) await hooks.run('WorktreeRemove', { worktree_path: worktree.path });
  if (isOfHook) await mustBeGone(place, worktree);
  else if (!(await removeByGit(place, worktree, discard)))
    return { isRemoved: false, ...(await inspectWorktree(place, worktree)) };
  await dropRecord(place, worktree.name);
  return { isRemoved: true, ...loss };
}

/** What cannot be looked at may hold anything. */
async function knownLoss(place: WorktreePlace, worktree: Worktree, discard: boolean): Promise<WorktreeLoss> {
  try {
    return await inspectWorktree(place, worktree);
  } catch (error) {
    if (discard && error instanceof ToolError) return NOTHING;
    throw error;
  }
}

async function mustBeGone({ host }: WorktreePlace, { path, name }: Worktree): Promise<void> {
  const [stat = null] = await host.fs.lstatAll([path]);
  if (stat === null) return;
  throw new ToolError(`The WorktreeRemove hook left the worktree ${name} where it is: ${path}.`);
}

/** False if something came into it since it was looked at. */
async function removeByGit(place: WorktreePlace, worktree: Worktree, discard: boolean): Promise<boolean> {
  const { path, branch, name } = worktree;
  const { host, folder } = place;
  const git = await openGit(place, folder);
  const tip = branch === null ? '' : await git.ask(tipOf(branch), `Finding the branch ${branch}`);
  const [stat = null] = await host.fs.lstatAll([path]);
  if (stat === null) await git.ask(['worktree', 'prune'], 'Forgetting worktrees that are gone');
  else {
    // Without force git itself looks once more.
    const force = discard ? ['--force', '--force'] : [];
    const what = `Removing the worktree ${name}`;
    const removing = git.ask(['worktree', 'remove', ...force, '--', path], what);
    const failure = await removing.then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null) {
      const { uncommitted, unmerged } = discard ? NOTHING : await inspectWorktree(place, worktree);
      if (uncommitted.length + unmerged.length > 0) return false;
      throw failure;
    }
    await host.fs.removeEntry(path).catch((error: unknown) => {
      if (!isFileError(error, 'ENOENT')) throw error;
    });
  }
  // Only as it was looked at: a commit that came meanwhile stays.
  if (tip.trim() !== '') await git.succeeds(['update-ref', '-d', `refs/heads/${branch}`, tip.trim()]);
  return true;
}

function tipOf(branch: string): readonly string[] {
  return ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`];
}
