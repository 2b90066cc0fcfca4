// Makes a worktree, or takes up one that was kept or left behind. One rule: what cannot be made whole is taken away again.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { areaOf, checkName, exists, openGit, repositoryOf, type Worktree, type WorktreePlace } from './worktree.js';
import {
  changeRecord,
  dropRecord,
  findWorktree,
  makeArea,
  type RecordPlace,
  type WorktreeRecord,
  writeRecord,
} from './worktree-records.js';

export interface WorktreeRequest {
  /** Default: one that is made up. */
  readonly name?: string | undefined;
  /** The branch that is made. Default `worktree-<name>`. */
  readonly branch?: string | undefined;
}

/**
 * A worktree of the repository of the session, at the commit that its folder is at, with a branch of its own; or what a
 * WorktreeCreate hook makes in its place.
 * Contract: all of it is there, or nothing is left.
 * @throws ToolError if it cannot be made, and what to do
 */
export async function createWorktree(place: WorktreePlace, request: WorktreeRequest = {}): Promise<Worktree> {
  const { host, folder, sessionId } = place;
  const name = checkName(request.name ?? `w-${host.ids.uuid().slice(0, 8)}`);
  const own = path.join(areaOf(folder), name);
  const by = await madeByHook(place, name);
  if (by === null) {
    await repositoryOf(host, folder);
    const [stat = null] = await host.fs.lstatAll([own]);
    if (stat !== null) throw new ToolError(`${own} stands there already. Choose another name for the worktree.`);
  }
  const record: WorktreeRecord = {
    name,
    path: by ?? own,
    folder: by ?? own,
    branch: by === null ? (request.branch ?? `worktree-${name}`) : null,
    base: null,
    madeBy: by === null ? 'git' : 'hook',
    sessionId,
    createdAt: new Date(host.clock.now()).toISOString(),
    process: await host.processes.self(),
  };
  await makeArea(place);
  // Before there is anything to leave behind.
  await writeRecord(place, record);
  try {
    const made = by === null ? await makeByGit(place, record) : { ...record, folder: await sameFolder(place, by) };
    await changeRecord(place, made);
    return worktreeOf(made);
  } catch (error) {
    await dropRecord(place, name);
    throw error;
  }
}

/**
 * Takes up a worktree that was kept, or whose session died.
 * @throws ToolError if there is none, or somebody works in it
 */
export async function enterWorktree(place: WorktreePlace, name: string): Promise<Worktree> {
  const { host, sessionId } = place;
  const found = await findWorktree(place, name);
  if (found === null) throw new ToolError(`There is no worktree ${name} here.`);
  if (!found.isThere) throw new ToolError(`The folder of the worktree ${name} is gone: ${found.path}.`);
  if (found.state === 'in_use') throw new ToolError(`Another session works in the worktree ${name}.`);
  const { state: _state, isThere: _isThere, ...record } = found;
  await changeRecord(place, { ...record, sessionId, process: await host.processes.self() });
  return worktreeOf(record);
}

/** Whoever worked in it is done, and it stays. */
export async function keepWorktree(place: RecordPlace, name: string): Promise<void> {
  const found = await findWorktree(place, name);
  if (found === null) return;
  const { state: _state, isThere: _isThere, ...record } = found;
  await changeRecord(place, { ...record, process: null });
}

/** What a hook made; null if none did. @throws ToolError if one refused or failed */
async function madeByHook({ hooks, host, folder }: WorktreePlace, name: string): Promise<string | null> {
  if (!hooks.has('WorktreeCreate')) return null;
  const { block, failures, worktreePath } = await hooks.run('WorktreeCreate', { name });
  if (block !== null) throw new ToolError(`A hook refused the worktree: ${block.reason}`);
  if (worktreePath === null) {
    const [failure] = failures;
    if (failure === undefined) return null;
    throw new ToolError(`No worktree was made: the hook ${failure.hook} failed: ${failure.error}`);
  }
  const given = path.resolve(folder, worktreePath);
  const { realPath, stat } = await host.fs.locate(given);
  if (stat?.kind !== 'directory')
    throw new ToolError(`A hook named ${given} as the worktree, and that is not a folder.`);
  return realPath;
}

async function makeByGit(place: WorktreePlace, record: WorktreeRecord): Promise<WorktreeRecord> {
  const { host, folder } = place;
  const { path: top, branch, name } = record;
  const git = await openGit(place, folder);
  if (branch === null || !(await git.succeeds(['check-ref-format', '--branch', branch])))
    throw new ToolError(`"${branch}" cannot be the name of a branch.`);
  if (await git.succeeds(exists(branch)))
    throw new ToolError(`There is a branch ${branch} already. Choose another name for the worktree.`);
  const head = await git.ask(['rev-parse', '--verify', 'HEAD^{commit}'], 'Finding the commit to begin at');
  const base = head.trim();
  try {
    await git.ask(['worktree', 'add', '-b', branch, '--', top, base], `Making the worktree ${name}`);
    return { ...record, base, path: await host.fs.realpath(top), folder: await sameFolder(place, top) };
  } catch (error) {
    await takeBack(place, record, base).catch(() => undefined); // what failed first is told
    throw error;
  }
}

/** After an abort as well, so with a signal of its own. */
async function takeBack(place: WorktreePlace, { path: top, branch }: WorktreeRecord, base: string): Promise<void> {
  const git = await openGit({ ...place, signal: new AbortController().signal }, place.folder);
  if (!(await git.succeeds(['worktree', 'remove', '--force', '--force', '--', top]))) {
    await place.host.fs.remove(top).catch((error: unknown) => {
      if (!isFileError(error, 'ENOENT')) throw error;
    });
    await git.succeeds(['worktree', 'prune']);
  }
  await git.succeeds(['update-ref', '-d', `refs/heads/${branch}`, base]);
}

/** The folder in a worktree that the session's is in its repository; the top if it has none of that name. */
async function sameFolder({ host, folder }: WorktreePlace, top: string): Promise<string> {
  const real = await host.fs.realpath(top);
  try {
    const { top: from } = await repositoryOf(host, folder);
    const same = path.join(real, path.relative(from, folder));
    const { realPath, stat } = await host.fs.locate(same);
    return stat?.kind === 'directory' && realPath === same ? same : real;
  } catch (error) {
    if (!isFileError(error) && !(error instanceof ToolError)) throw new Error(errorText(error), { cause: error });
    return real; // a session in no repository has no such folder, and one through a link is no part of the worktree
  }
}

function worktreeOf({ name, path: top, folder, branch, base, madeBy }: WorktreeRecord): Worktree {
  return { name, path: top, folder, branch, base, madeBy };
}
